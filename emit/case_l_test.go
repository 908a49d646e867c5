package emit_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/event"
)

// The version of the stream is the first of the capabilities on the first
// line, whatever the program adds to them.
func TestCase145VersionInTheFirstLine(t *testing.T) {
	for _, added := range [][]string{nil, {"tasks_v1"}, {"stream_v1", "tasks_v1", "stream_v1"}} {
		var w tape
		o := partial(&w)
		o.Capabilities = added
		em := begin(t, o)
		must(t, em.Finish(event.Result{}))
		if got := whole(t, w.bytes())[0].str("capabilities", "0"); got != "stream_v1" {
			t.Errorf("%v: the first is %q", added, got)
		}
	}
}

// A resumed session has its own id on all lines, and each run an id of its
// own.
func TestCase148ResumedSession(t *testing.T) {
	runs := map[string]bool{}
	for range 2 {
		var w tape
		o := quiet(&w)
		o.SessionID = "sess_resumed"
		em := begin(t, o)
		must(t, em.Emit(event.State{SessionState: "running"}), em.Finish(event.Result{}))
		records := whole(t, w.bytes())
		for _, r := range records {
			if r.str("session_id") != "sess_resumed" {
				t.Errorf("%s", r.raw)
			}
		}
		id := records[0].str("_meta", "run_id")
		if !regexp.MustCompile(`^[0-9A-HJKMNP-TV-Z]{26}$`).MatchString(id) || runs[id] {
			t.Errorf("the run has the id %q, after %v", id, runs)
		}
		runs[id] = true
	}
}

// Events that come before Init bring the first line with them; warnings before
// it wait for it. All lines have one session id.
func TestCase149EventsBeforeInit(t *testing.T) {
	var w tape
	o := quiet(&w)
	o.SessionID = ""
	em := begin(t, o)
	em.Log().Warn().Msg("a hook is slow")
	if w.String() != "" {
		t.Errorf("written before init: %s", w.String())
	}
	must(t, em.Emit(own("hook", "started")))
	if err := em.Init(event.Init{}); err == nil {
		t.Error("a second init was taken")
	}
	must(t, em.Finish(event.Result{}))
	records := whole(t, w.bytes()) // one session id on all lines
	if s := kinds(records); s != "init own result/success" || records[0].str("warnings", "0") != "a hook is slow" {
		t.Errorf("%s: %s", s, records[0].raw)
	}
}

// Every line of a nested actor, at any depth and of any kind, names the call
// that started it; no other line does.
func TestCase151NestedLinesAreMarked(t *testing.T) {
	var w tape
	em := begin(t, partial(&w))
	actors := []*emit.Actor{em.Actor}
	for _, id := range []string{"p1", "p2", "p3"} {
		actors = append(actors, actors[len(actors)-1].Nested(id, "helper"))
	}
	for depth, a := range actors {
		id := fmt.Sprint("t", depth)
		m := a.Message("m")
		must(t, a.Emit(event.TaskStarted{TaskID: id, Kind: "workflow"}), m.Thinking("hm"), m.Text("hi"), m.ToolArgs(id, "{}"), m.ToolUse(id, "n", nil), m.End(),
			a.Emit(event.User{Content: []event.ToolResult{{ToolUseID: id}}}), a.Text(0, "again"), a.Emit(event.DeltasDiscarded{}),
			a.Emit(event.TaskProgress{TaskID: id, Kind: "workflow"}), a.EmitAll(own("a", 1), own("a", 2)), a.Warn("loop", "x"),
			a.Emit(event.Assistant{Content: []event.Block{event.ToolUse{ID: "open" + id, Name: "n"}}}))
		a.Go(func(ctx context.Context) error {
			return emit.FromContext(ctx).Emit(event.State{SessionState: "running"})
		})
		logTo(a, "careful")
	}
	must(t, em.Finish(event.Result{}))
	marked := map[string]string{}
	for _, r := range whole(t, w.bytes()) {
		marked[r.str("parent_tool_use_id")] += r.kind() + " "
		if _, ok := r.object["parent_tool_use_id"]; ok && r.str("parent_tool_use_id") == "" {
			t.Errorf("an empty id: %s", r.raw)
		}
	}
	count := func(id string) int { return strings.Count(marked[id], " ") }
	for _, id := range []string{"p1", "p2", "p3"} {
		if count(id) != count("p1") || count(id) != count("")-2 { // init and result are the run's
			t.Errorf("%s has %d lines: %s; the top level has %d: %s", id, count(id), marked[id], count(""), marked[""])
		}
	}
}

// So is one whose caller knows no id: it would pass for the top level.
func TestCase151NestedWithoutAnID(t *testing.T) {
	var w tape
	em := begin(t, quiet(&w))
	for range 2 {
		must(t, em.Nested("", "stage").Emit(own("a", 1)))
	}
	must(t, em.Finish(event.Result{}))
	records := whole(t, w.bytes())
	first, second := records[1].str("parent_tool_use_id"), records[2].str("parent_tool_use_id")
	if first == "" || second == "" || first == second {
		t.Errorf("the ids %q and %q", first, second)
	}
}

// The text of nested actors is not part of the answer, as a reader joins it and
// as the result tells it.
func TestCase152NestedTextStaysApart(t *testing.T) {
	for _, partial := range []bool{true, false} {
		body := func(_ context.Context, em *emit.Emitter) error {
			nested := em.Nested("p", "helper")
			m, inner := em.Message("m"), nested.Message("n")
			return errors.Join(m.Text("the "), inner.Text("secret "), m.Text("answer"), inner.Text("plan"), m.End(), inner.End(),
				nested.Text(0, "more"), nested.Emit(event.Assistant{Content: []event.Block{event.Text{Text: "and more"}}}))
		}
		got := run(t, t.Context(), emit.Options{Partial: partial}, body)
		joined, complete := "", ""
		for _, r := range got.records {
			if r.str("parent_tool_use_id") == "" {
				joined += r.str("event", "delta", "text")
				complete += r.str("message", "content", "0", "text")
			}
		}
		if complete != "the answer" || partial && joined != complete || got.result.str("result") != complete || fmt.Sprint(got.result.at("num_turns")) != "1" {
			t.Errorf("deltas %q, message %q, %s", joined, complete, got.result.raw)
		}
		var text tape
		code := emit.Run(t.Context(), emit.Options{Format: emit.FormatText, Partial: partial, Stdout: &text, Stderr: &tape{}, Signals: noSignals}, body)
		if code != 0 || text.String() != "the answer\n" {
			t.Errorf("exit code %d, text %q", code, text.String())
		}
	}
}

// A tool call has one id, on all lines, from the start: none without one is
// taken, and fragments for an id that the message then does not call are void.
func TestCase154ToolIDIsKnownFromTheStart(t *testing.T) {
	var w tape
	em := begin(t, partial(&w))
	m := em.Message("m")
	for what, err := range map[string]error{
		"ToolArgs":         em.Nested("p", "r").ToolArgs("", "{}"),
		"ToolArgsDelta":    em.Nested("p", "r").Emit(event.ToolArgsDelta{PartialJSON: "{}"}),
		"Message.ToolArgs": m.ToolArgs("", "{}"),
		"Message.ToolUse":  m.ToolUse("", "n", nil),
		"tool_use":         em.Nested("p", "r").Emit(event.Assistant{Content: []event.Block{event.ToolUse{Name: "n"}}}),
		"tool_result":      em.Emit(event.User{Content: []event.ToolResult{{Text: "x"}}}),
	} {
		var refused *emit.EventError
		if !errors.As(err, &refused) {
			t.Errorf("%s without an id: %v", what, err)
		}
	}
	must(t, m.ToolArgs("real", `{"a":`), m.ToolArgs("real", `1}`), m.ToolUse("real", "n", nil), m.End(),
		em.Emit(event.User{Content: []event.ToolResult{{ToolUseID: "real"}}}))
	m = em.Message("m2")
	must(t, m.ToolArgs("made-up", `{"a":1}`), m.ToolUse("other", "n", nil), m.End(),
		em.Emit(event.User{Content: []event.ToolResult{{ToolUseID: "other"}}}), em.Finish(event.Result{}))
	records := whole(t, w.bytes())
	const args = "stream_event/tool_args_delta "
	if s := kinds(records); s != "init "+args+args+"assistant user "+args+"stream_event/deltas_discarded assistant user result/success" {
		t.Error(s)
	}
	holds(t, "the call", records[3].raw, `"id":"real","name":"n","input":{"a":1}`)
	for _, r := range records[1:3] {
		if r.str("event", "tool_use_id") != "real" {
			t.Errorf("%s", r.raw)
		}
	}
}

// Open tool calls get a result before the run's, newest first, each on the
// actor that opened it.
func TestCase155DanglingTools(t *testing.T) {
	for _, res := range []event.Result{{}, {Subtype: event.Interrupted}, {Subtype: event.ErrorDuringExecution}} {
		var w tape
		em := begin(t, quiet(&w))
		call := func(a *emit.Actor, ids ...string) error {
			blocks := make([]event.Block, len(ids))
			for i, id := range ids {
				blocks[i] = event.ToolUse{ID: id, Name: "n"}
			}
			return a.Emit(event.Assistant{Content: blocks})
		}
		must(t, call(em.Actor, "a", "b"), call(em.Nested("b", "r"), "c"), call(em.Actor, "d"),
			em.Emit(event.User{Content: []event.ToolResult{{ToolUseID: "a"}}}), em.Finish(res))
		records := whole(t, w.bytes()) // which has nothing open at the result
		closed := ""
		for _, r := range records[5 : len(records)-1] {
			closed += " " + r.str("parent_tool_use_id") + ">" + r.str("message", "content", "0", "tool_use_id")
			if r.at("message", "content", "0", "is_error") != true || r.str("message", "content", "0", "content") == "" {
				t.Errorf("%s", r.raw)
			}
		}
		if closed != " b>c >d >b" {
			t.Errorf("closed:%s", closed)
		}
	}
}

// Text that is held back at the end is let out in the same order.
func TestCase155DanglingText(t *testing.T) {
	var w tape
	em := begin(t, partial(&w))
	first := em.Nested("p1", "r")
	inner := first.Nested("p2", "r")
	second := em.Nested("p3", "r")
	for _, a := range []*emit.Actor{first, em.Actor, inner, second} {
		must(t, a.Text(0, "a\xe2"))
	}
	must(t, em.Finish(event.Result{}))
	records := whole(t, w.bytes())
	order := ""
	for _, r := range records[5 : len(records)-1] {
		order += fmt.Sprintf("%s>%s ", r.str("parent_tool_use_id"), r.str("event", "delta", "text"))
	}
	if want := "p2>\ufffd p3>\ufffd p1>\ufffd >\ufffd "; order != want {
		t.Errorf("%s, want %s", order, want)
	}
}

// Cost and usage are those of the whole run, the same in all formats.
func TestCase157CostOfTheWholeRun(t *testing.T) {
	var results []string
	for _, format := range []emit.Format{emit.FormatStreamJSON, emit.FormatJSON} {
		var w tape
		o := quiet(&w)
		o.Format = format
		em := begin(t, o)
		for turn := range 2 {
			em.AddUsage("m1", event.Usage{InputTokens: 10, OutputTokens: int64(1 + turn)})
			em.AddCost(0.25)
			must(t, em.Emit(event.Assistant{Content: []event.Block{event.Text{Text: "hi"}}}))
		}
		must(t, em.Finish(event.Result{}))
		var r record
		if format == emit.FormatJSON {
			r = document(t, w.bytes())
		} else {
			r = last(whole(t, w.bytes()))
		}
		results = append(results, fmt.Sprintf("%v %v %v %v", r.at("usage"), r.at("model_usage"), r.at("total_cost_usd"), r.at("num_turns")))
	}
	const usage = "map[cache_creation:0 cache_read:0 input_tokens:20 output_tokens:3]"
	if want := usage + " map[m1:" + usage + "] 0.5 2"; results[0] != want || results[1] != want {
		t.Errorf("stream-json has %s, json %s; want %s", results[0], results[1], want)
	}
}

// What is not known is absent; what was counted until the end is there.
func TestCase158UnknownIsNotZero(t *testing.T) {
	cancelled := func(before func(*emit.Emitter)) record {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		return run(t, ctx, emit.Options{}, func(ctx context.Context, em *emit.Emitter) error {
			before(em)
			cancel()
			return ctx.Err()
		}).result
	}
	r := cancelled(func(*emit.Emitter) {})
	lacks(t, "the result", r.raw, "usage", "total_cost_usd", "tokens", "null")
	r = cancelled(func(em *emit.Emitter) {
		em.AddUsage("m1", event.Usage{InputTokens: 7})
		em.AddCost(0)
	})
	holds(t, "the result", r.raw, `"usage":{"input_tokens":7,"output_tokens":0,"cache_read":0,"cache_creation":0}`, `"total_cost_usd":0`)
}

// Two equal pieces in a row are two.
func TestCase160EqualDeltas(t *testing.T) {
	var w tape
	em := begin(t, partial(&w))
	m := em.Message("m")
	must(t, m.Text("repeat "), m.Text("repeat "), m.End(), em.Text(0, "ha"), em.Text(0, "ha"), em.Finish(event.Result{}))
	records := whole(t, w.bytes())
	if s := kinds(records); strings.Count(s, "content_block_delta") != 4 {
		t.Error(s)
	}
	if got := ofKind(records, "assistant")[0].str("message", "content", "0", "text"); got != "repeat repeat " || last(records).str("result") != "haha" {
		t.Errorf("%q, %s", got, last(records).raw)
	}
}

// A final text that is not what was streamed comes behind a line that makes
// the streamed one void; one that is comes alone.
func TestCase161FinalDiffersFromDeltas(t *testing.T) {
	for final, void := range map[string]bool{"Hello world": false, "Hello world ": true, "Hello": true, "": true} {
		var w tape
		em := begin(t, partial(&w))
		must(t, em.Text(0, "Hello "), em.Text(0, "world"), em.Emit(event.Assistant{Content: []event.Block{event.Text{Text: final}}}), em.Finish(event.Result{}))
		records := whole(t, w.bytes())
		if discarded := ofKind(records, "stream_event/deltas_discarded"); (len(discarded) == 1) != void || void && records[3].kind() != discarded[0].kind() {
			t.Errorf("%q: %s", final, kinds(records))
		}
	}
}
