package emit_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/event"
)

// A world is a run and the model of it. The model is written after the
// contract: it says of each call whether it is taken, and which lines follow.
type world struct {
	t       *testing.T
	script  []byte
	calls   []string // for people
	format  emit.Format
	partial bool
	w       *fickle
	em      *emit.Emitter

	want     []foretold
	inited   bool
	early    []string
	actors   []*modelActor
	messages []*modelMessage
	opened   []modelOpened // tool calls and tasks
	counter  int
	turns    int
	usage    int
	text     string // of the last top-level message
	closes   bool   // the run ends by Close
	over     bool
}

type modelActor struct {
	a      *emit.Actor
	depth  int
	parent string
	ended  bool
	msg    *modelMessage // that is open
	blocks map[int]*modelBlock
	args   map[string]*modelBlock
}

// A modelBlock is deltas of a block, or of a tool call's input.
type modelBlock struct {
	kind string
	raw  string
	cut  bool // what was held back of it was let out before its end,
	torn bool // and more came: whole characters may stand there in halves
}

type modelMessage struct {
	m     *emit.Message
	owner *modelActor
	dead  bool
	parts []event.Block // texts are taken from the deltas
}

type modelOpened struct {
	task  bool
	id    string
	actor *modelActor
}

// pick is the script's next choice among n.
func (w *world) pick(n int) int {
	if len(w.script) == 0 {
		return 0
	}
	c := int(w.script[0]) % n
	w.script = w.script[1:]
	return c
}

// play runs a script to its end.
func (w *world) play() {
	w.t.Helper()
	w.w = &fickle{}
	o := quiet(w.w)
	o.Format = w.format
	w.partial = w.pick(3) > 0
	o.Partial = w.partial
	if w.pick(2) == 0 {
		o.MaxLineBytes = 4096
	}
	w.closes = w.pick(3) == 0
	w.em = begin(w.t, o)
	w.newActor(w.em.Actor, 0, "")
	for len(w.script) > 0 && !w.over && !w.t.Failed() {
		w.step()
	}
	w.end()
	if w.format == emit.FormatStreamJSON && !w.t.Failed() {
		w.compare()
	}
}

func (w *world) compare() {
	records, cut := lines(w.t, w.w.bytes())
	if w.w.failed {
		checkPrefix(w.t, records)
		if code := w.em.ExitCode(); code != 74 {
			w.t.Errorf("exit code %d of a stream that broke", code)
		}
	} else {
		whole(w.t, w.w.bytes())
		if len(cut) > 0 {
			w.t.Errorf("cut: %q", cut)
		}
	}
	checkDeltas(w.t, records)
	compareLines(w.t, w.want, records, !w.w.failed)
}

func (w *world) newActor(a *emit.Actor, depth int, parent string) {
	w.actors = append(w.actors, &modelActor{a, depth, parent, false, nil, map[int]*modelBlock{}, map[string]*modelBlock{}})
}

func (w *world) actor() *modelActor { return w.actors[w.pick(len(w.actors))] }

func (w *world) id() string { return fmt.Sprint("id", w.pick(4)) }

// piece is a fragment of text, characters cut in halves among them.
func (w *world) piece() string {
	list := []string{"a", "é", "\xe2\x80", "\x94", "\xf0\x9f", "\x98\x80", "\xff", "\x1b[1m", "\n", "\u2028 \"x\"", "", strings.Repeat("z", 700)}
	return list[w.pick(len(list))]
}

// The outcomes of a call.
const (
	taken   = "taken"
	refused = "refused"
	ended   = "ended"
)

// call judges what a call returned.
func (w *world) call(what string, want string, f func() error) {
	w.t.Helper()
	w.calls = append(w.calls, what+": "+want)
	was := w.w.failed
	size := len(w.w.bytes())
	err := f()
	var refusal *emit.EventError
	var broken *emit.WriteError
	got := taken
	switch {
	case errors.As(err, &broken):
		got = "broken"
	case errors.As(err, &refusal):
		got = refused
	case errors.Is(err, emit.ErrEnded):
		got = ended
	case err != nil:
		w.t.Errorf("%s: an error of no known kind: %v", what, err)
	}
	switch {
	case was && (err == nil || !brokenError(err) || len(w.w.bytes()) != size):
		w.t.Errorf("%s of a broken stream: %v, %d bytes more", what, err, len(w.w.bytes())-size)
	case !was && w.w.failed && got != "broken":
		w.t.Errorf("%s, whose write failed: %v", what, err)
	case !w.w.failed && got != want:
		w.t.Errorf("%s: %s (%v), the model says %s", what, got, err, want)
	}
	if data := w.w.bytes(); !w.w.failed && len(data) > 0 && data[len(data)-1] != '\n' && w.format == emit.FormatStreamJSON {
		w.t.Errorf("%s returned with half a line in the kernel", what)
	}
}

// state says what becomes of a call on an actor: of any, if it is well made.
func (w *world) state(a *modelActor, well bool) string {
	switch {
	case w.over || a.ended:
		return ended
	case !well:
		return refused
	default:
		return taken
	}
}

func (w *world) foretell(spellings ...string) { w.want = append(w.want, spellings) }

// begin is the first line, if there is none.
func (w *world) begin() {
	if w.inited {
		return
	}
	w.inited = true
	object := map[string]any{}
	if len(w.early) > 0 {
		object["warnings"] = w.early
	}
	w.foretell(fmt.Sprint("system/init@ ", object))
}

// line is a plain line of an actor.
func (w *world) line(a *modelActor, kind string, object map[string]any) {
	w.begin()
	w.foretell(fmt.Sprint(kind, "@", a.parent, " ", object))
}

// step makes one call.
func (w *world) step() {
	switch w.pick(16) {
	case 0, 1:
		w.emitOne()
	case 2:
		w.emitAll()
	case 3, 4:
		w.lowLevel()
	case 5:
		w.complete()
	case 6, 7, 8:
		w.message()
	case 9:
		a := w.actor()
		if len(w.actors) < 6 {
			w.counter++
			parent := fmt.Sprint("p", w.counter)
			w.calls = append(w.calls, "Nested "+parent)
			w.newActor(a.a.Nested(parent, "r"), a.depth+1, parent)
		}
	case 10:
		w.endActor()
	case 11:
		w.log()
	case 12:
		w.call("Flush", w.state(w.actors[0], true), w.em.Flush)
	case 13:
		w.usage++
		w.em.AddUsage("m", event.Usage{InputTokens: 1})
	case 14:
		w.fault()
	default:
		if w.pick(4) == 0 {
			w.finish()
		}
	}
}

// fault spoils the next writes.
func (w *world) fault() {
	if n := w.pick(6); n < 4 {
		w.w.weak = append(w.w.weak, weaknesses()[n])
	} else if left := 8 * w.pick(256); n == 4 && w.pick(4) == 0 && w.format == emit.FormatStreamJSON && !w.w.dies {
		w.w.dies, w.w.left = true, left
		w.calls = append(w.calls, fmt.Sprint("the writer dies in ", w.w.left, " bytes"))
	}
}

// one returns an event by chance, whether it is well made, and what taking it
// means.
func (w *world) one(a *modelActor) (e event.Event, well bool, take func()) {
	id := w.id()
	at := func(task bool) int {
		return slices.IndexFunc(w.opened, func(o modelOpened) bool { return o.task == task && o.id == id })
	}
	none := func() {}
	switch w.pick(9) {
	case 0:
		return event.Warning{Category: "c", Message: id}, true, func() {
			w.line(a, "system/warning", map[string]any{"category": "c", "message": id})
		}
	case 1:
		return event.Warning{Message: id}, false, none
	case 2:
		return event.Init{}, false, none
	case 3:
		return event.TaskStarted{TaskID: id, Kind: "workflow"}, at(true) < 0, func() {
			w.opened = append(w.opened, modelOpened{true, id, a})
			w.line(a, "system/task_started", map[string]any{"task_id": id, "kind": "workflow"})
		}
	case 4:
		return event.TaskProgress{TaskID: id, Kind: "workflow", Task: 7}, at(true) >= 0, func() {
			w.line(a, "system/task_progress", map[string]any{"task_id": id, "kind": "workflow", "task": 7})
		}
	case 5:
		i := at(true)
		return event.TaskNotification{TaskID: id, Kind: "workflow", Status: "completed"}, i >= 0, func() {
			w.opened = slices.Delete(w.opened, i, i+1)
			w.line(a, "system/task_notification", map[string]any{"task_id": id, "kind": "workflow", "status": "completed"})
		}
	case 6:
		i := at(false)
		return event.User{Content: []event.ToolResult{{ToolUseID: id, Text: "done"}}}, i >= 0, func() {
			w.opened = slices.Delete(w.opened, i, i+1)
			w.begin()
			w.foretell("user@" + a.parent + " " + spellBlocks(toolResult(id, "done", false)))
		}
	case 7:
		return event.System{Subtype: "mine", Fields: map[string]any{"n": 1, "seq": 2}}, false, none
	default:
		return event.System{Subtype: "mine", Fields: map[string]any{"n": id}}, true, func() {
			w.line(a, "system/mine", map[string]any{"n": id})
		}
	}
}

func (w *world) emitOne() {
	a := w.actor()
	e, well, take := w.one(a)
	if w.state(a, well) == taken {
		take()
	}
	want := w.state(a, well)
	if want == ended && selfContained(e) {
		want = refused // it would be refused anywhere
	}
	w.call(fmt.Sprintf("Emit@%s %T %v", a.parent, e, e), want, func() error { return a.a.Emit(e) })
}

// selfContained reports whether e breaks a rule by itself, so that it is
// refused before anybody asks for the state of the stream.
func selfContained(e event.Event) bool {
	switch e := e.(type) {
	case event.Init:
		return true
	case event.Warning:
		return e.Category == ""
	case event.System:
		return reflect.ValueOf(e.Fields).Len() == 2
	}
	return false
}

func (w *world) emitAll() {
	a := w.actor()
	var list []event.Event
	what, want := "EmitAll@"+a.parent, w.state(a, true)
	for range w.pick(4) {
		e, well, take := w.one(a)
		if list = append(list, e); w.state(a, well) == taken {
			take()
		} else if want != ended || selfContained(e) {
			want = refused
		}
		what += fmt.Sprintf(" %T %v", e, e)
	}
	if len(list) == 0 {
		return
	}
	w.call(what, want, func() error { return a.a.EmitAll(list...) })
}

func toolResult(id, content string, isError bool) any {
	r := map[string]any{"type": "tool_result", "tool_use_id": id, "content": content}
	if isError {
		r["is_error"] = true
	}
	return r
}

func spellBlocks(blocks ...any) string { return fmt.Sprintf("%q", blocks) }

// log is prose that is mirrored.
func (w *world) log() {
	text := w.id()
	switch {
	case w.w.failed || w.over:
	case !w.inited:
		w.early = append(w.early, text)
	default:
		w.line(w.actors[0], "system/warning", map[string]any{"category": "notice", "message": text})
	}
	w.calls = append(w.calls, "Log "+text)
	w.em.Log().Warn().Msg(text)
}

// closing are the lines that close what is open, of one actor or of all:
// nested before parent, newest first (contract section 3).
func (w *world) closing(a *modelActor) {
	for _, x := range w.actors {
		if a == nil || a == x {
			for _, b := range append(slices.Collect(maps.Values(x.blocks)), slices.Collect(maps.Values(x.args))...) {
				b.cut = true
			}
		}
	}
	list := slices.Clone(w.opened)
	slices.Reverse(list)
	slices.SortStableFunc(list, func(x, y modelOpened) int { return cmp.Compare(y.actor.depth, x.actor.depth) })
	for _, o := range list {
		switch {
		case a != nil && o.actor != a:
			continue
		case o.task:
			w.line(o.actor, "system/task_notification", map[string]any{"task_id": o.id, "kind": "workflow", "status": "cancelled"})
		default:
			w.foretell("user@" + o.actor.parent + " " + spellBlocks(toolResult(o.id, "The run ended before this tool call returned.", true)))
		}
		w.opened = slices.DeleteFunc(w.opened, func(x modelOpened) bool { return x == o })
	}
}

// endActor ends an actor.
func (w *world) endActor() {
	a := w.actor()
	if w.pick(3) > 0 {
		return // not too often
	}
	want := w.state(a, true)
	if want == taken {
		w.closing(a)
		a.ended = a.depth > 0
	} else {
		want = taken // to end twice is fine
	}
	if w.w.failed {
		return
	}
	w.call("End@"+a.parent, want, a.a.End)
}

// finish ends the run, or tries to.
func (w *world) finish() {
	if w.pick(2) == 0 && !w.w.failed {
		w.call("Finish with a bad result", refused, func() error { return w.em.Finish(event.Result{IsError: true}) })
		return
	}
	w.end()
}

// end ends the run, and makes sure that it has ended.
func (w *world) end() {
	if w.over || w.t.Failed() {
		return
	}
	w.begin()
	w.closing(nil)
	text := w.text
	if open := w.actors[0].openText(); open != "" {
		text = open
	}
	subtype, end := "success", func() error { return w.em.Finish(event.Result{}) }
	if w.closes {
		subtype, end = "error_during_execution", w.em.Close
	}
	usage := any(nil)
	if w.usage > 0 {
		usage = json.Number(fmt.Sprint(w.usage))
	}
	w.foretell(fmt.Sprintf("result/%s@ %q turns %v usage %v", subtype, valid(text), w.turns, usage))
	w.call("the end: "+subtype, taken, end)
	w.over = true
	if w.w.failed {
		return
	}
	w.call("an event after the end", ended, func() error { return w.em.Warn("late", "late") })
	w.call("Finish after the end", ended, func() error { return w.em.Finish(event.Result{}) })
	w.call("Close after the end", taken, w.em.Close)
}
