package wrap

import (
	"cmp"
	"context"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/event"
	"github.com/streamjson/streamjson/internal/wire"
	"github.com/streamjson/streamjson/wrap/internal/text"
)

const (
	// fullBatch is how many bytes of lines go out in one write: what a pipe
	// takes at once, and what the emitter keeps a buffer for.
	fullBatch = 56 << 10
	// aroundText is what the line of an event takes besides its text.
	aroundText = 256
)

// A task tells of a program that runs: by task lines on the actor that the tool
// call has started (contract F6). It is also the teller of its lines.
type task struct {
	actor *emit.Actor
	id    string
	c     *Command

	begun  bool
	used   int // of the slots
	size   int // of their lines, about
	slots  []*slot
	events []event.Event // pointers to the slots' events
}

// A slot is a line that waits to be written.
type slot struct {
	event    event.TaskProgress
	progress progress
}

// progress is the task member of a task_progress line.
type progress struct {
	stream string
	line   text.Line
}

func (p *progress) AppendMembers(l *wire.Line) {
	l.ID("stream", p.stream)
	l.Text("text", p.line.Text)
	l.OptBool("partial", p.line.Part)
	l.OptBool("rewrite", p.line.Rewrite)
}

func newTask(a *emit.Actor, toolUseID string, c *Command) *task {
	return &task{actor: a.Nested(toolUseID, cmp.Or(c.Name, toolName)), id: "task_" + toolUseID, c: c}
}

// run executes the command and tells of it, but for its end.
func (t *task) run(ctx context.Context) (*outcome, error) {
	out, err := t.c.execute(ctx, job{tell: t, started: t.begin})
	if err != nil {
		return nil, err
	}
	if !t.begun { // it could not be started
		if err := t.begin(0); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// begin tells that the program runs.
func (t *task) begin(pid int) error {
	t.begun = true
	about := t.c.about()
	if pid != 0 {
		about["pid"] = pid
	}
	return t.actor.Emit(event.TaskStarted{TaskID: t.id, Kind: event.KindToolAgent, Task: about})
}

// about is what the command says of itself.
func (c *Command) about() map[string]any {
	return map[string]any{"argv": c.Redactor.Args(c.Argv), "cwd": c.cwd()}
}

// add makes an event of a line.
func (t *task) add(stream string, l text.Line) error {
	if t.used == len(t.slots) {
		t.slots = append(t.slots, new(slot))
	}
	s := t.slots[t.used]
	t.used++
	s.progress = progress{stream, l}
	s.event = event.TaskProgress{TaskID: t.id, Kind: event.KindToolAgent, Task: &s.progress}
	if l.Invalid > 0 || l.NUL > 0 {
		s.event.Extra = &event.Extra{Meta: flaws(l)}
	}
	if t.size += aroundText + len(l.Text); t.size >= fullBatch {
		return t.flush()
	}
	return nil
}

// flaws is what is to be known about the bytes of a line.
func flaws(l text.Line) map[string]any {
	m := map[string]any{}
	if l.Invalid > 0 {
		m["invalid_utf8"] = l.Invalid
	}
	if l.NUL > 0 {
		m["nul"] = l.NUL
	}
	return m
}

// flush writes the lines that were added.
func (t *task) flush() error {
	if t.used == 0 {
		return nil
	}
	t.events = t.events[:0]
	for _, s := range t.slots[:t.used] {
		t.events = append(t.events, &s.event)
	}
	t.used, t.size = 0, 0
	return t.actor.EmitAll(t.events...)
}

// end tells how the program has ended.
func (t *task) end(o *outcome) error {
	about := map[string]any{
		"exit_code": o.ExitCode, "duration_ms": o.DurationMS,
		"stdout_bytes": o.stdoutBytes, "stderr_bytes": o.stderrBytes,
	}
	if o.Signal != "" {
		about["signal"] = o.Signal
	}
	if o.TruncatedBytes > 0 {
		about["truncated_bytes"] = o.TruncatedBytes
	}
	if o.held {
		about["held"] = true
	}
	if o.killed {
		about["killed"] = true
	}
	status := event.StatusCompleted
	switch {
	case o.cancelled():
		status = event.StatusCancelled
	case o.Err != nil:
		status = event.StatusFailed
	}
	if o.Err != nil {
		about["error"] = o.Err.Error()
	}
	err := t.actor.Emit(event.TaskNotification{TaskID: t.id, Kind: event.KindToolAgent, Status: status, Task: about})
	if err != nil {
		return err
	}
	return t.actor.End()
}
