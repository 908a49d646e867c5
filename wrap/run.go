package wrap

import (
	"cmp"
	"context"
	"errors"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/event"
	"github.com/streamjson/streamjson/redact"
)

// Run makes a whole run of a program, from the init line to the result, as the
// body of emit.Run or of Emitter.Do:
//
//	o := emit.Options{Capabilities: []string{wrap.Capability}}
//	os.Exit(emit.Run(ctx, o, func(ctx context.Context, em *emit.Emitter) error {
//		return wrap.Run(ctx, em, wrap.Command{Argv: os.Args[1:]})
//	}))
//
// The lines are those that the package shows. Whatever becomes of the program
// is told by the result, and its exit status is that of the run: 128+n where
// signal n has ended it, 127 and 126 where it was not found or could not be
// started, 124 for a time limit (also a deadline of ctx), 128+n for a signal n
// to this process, which is passed on. A run whose stdout can't be written ends
// the program.
//
// Run returns nil once it has called Finish: then the result has told
// everything. An error says that the command makes no sense (an exitcode.Error,
// status 2; nothing was emitted), or that the stream is over or can't be
// written.
func Run(ctx context.Context, em *emit.Emitter, c Command) error {
	c.Redactor = redactorOf(em.Actor)
	c, err := c.normalize()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := context.AfterFunc(em.Context(), func() { cancel(context.Cause(em.Context())) })
	defer stop()

	if err := em.Init(c.firstLine()); err != nil {
		return err
	}
	const id = "exec_1"
	err = em.Emit(event.Assistant{Content: []event.Block{
		event.ToolUse{ID: id, Name: toolName, Input: c.about()},
	}})
	if err != nil {
		return err
	}
	t := newTask(em.Actor, id, &c)
	out, err := t.run(ctx)
	if err != nil {
		return err
	}
	if over(out.cause) {
		return out.cause
	}
	err = em.Emit(event.User{
		Content:       []event.ToolResult{{ToolUseID: id, Text: out.Stdout, IsError: out.Err != nil}},
		ToolUseResult: &event.ToolUseResult{IsError: out.Err != nil, Summary: out.summary(&c)},
	})
	if err != nil {
		return err
	}
	if err := t.end(out); err != nil {
		return err
	}
	out.report(&c)
	return em.Finish(out.result())
}

// redactorOf is what keeps secrets out of the actor's run. Never nil, which
// would stand for the default.
func redactorOf(a *emit.Actor) *redact.Redactor {
	if r := a.Redactor(); r != nil {
		return r
	}
	return redact.None()
}

// firstLine is the init line of a run.
func (c *Command) firstLine() event.Init {
	init := event.Init{
		Agent: event.Agent{Name: cmp.Or(c.Name, c.program())},
		Tools: []string{toolName},
	}
	if c.Dir != "" {
		init.CWD = c.cwd()
	}
	return init
}

// over reports whether a cause says that nothing more can be told.
func over(cause error) bool {
	var broken *emit.WriteError
	return errors.Is(cause, emit.ErrEnded) || errors.Is(cause, emit.ErrReaderGone) || errors.As(cause, &broken)
}

// result is the last line.
func (o *outcome) result() event.Result {
	res := event.Result{Result: o.tail}
	if int64(len(o.tail)) < o.stdoutBytes {
		res.Extra = &event.Extra{Meta: map[string]any{"stdout_bytes": o.stdoutBytes}}
	}
	if o.Err == nil {
		return res
	}
	res.Subtype = event.ErrorDuringExecution
	if o.interrupted() {
		res.Subtype = event.Interrupted
	}
	res.Errors, res.ExitCode = o.messages(), o.code
	return res
}
