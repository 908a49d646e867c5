package emit_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/event"
)

// A result without a text has the newest one that the top-level actor has
// said: that of an unfinished message, else that of the last one with text;
// also where the run failed.
func TestResultText(t *testing.T) {
	two := event.Assistant{Content: []event.Block{event.Text{Text: "a"}, event.Thinking{Thinking: "hm"}, event.Text{Text: "b"}}}
	for _, c := range []struct {
		name string
		body func(*emit.Emitter) error
		give string
		want string
	}{
		{"nothing", nothing, "", ""},
		{"given", func(em *emit.Emitter) error { return em.Emit(two) }, "mine", "mine"},
		{"blocks, joined without a separator", func(em *emit.Emitter) error { return em.Emit(two) }, "", "ab"},
		{"the last message", func(em *emit.Emitter) error { return em.EmitAll(two, assistant("c")) }, "", "c"},
		{"a message without text", func(em *emit.Emitter) error { return errors.Join(em.Emit(assistant("c")), openTool(em)) }, "", "c"},
		{"an unfinished message", func(em *emit.Emitter) error { return errors.Join(em.Emit(assistant("c")), em.Message("m").Text("d")) }, "", "d"},
		{"by the low-level door", func(em *emit.Emitter) error {
			return errors.Join(em.Emit(assistant("c")), em.Text(2, "e"), em.Text(0, "d"), em.Thinking(1, "hm"), em.Text(2, "f"))
		}, "", "def"},
		{"unfinished thinking", func(em *emit.Emitter) error { return errors.Join(em.Emit(assistant("c")), em.Thinking(0, "hm")) }, "", "c"},
		{"a discarded message", func(em *emit.Emitter) error {
			err := em.Emit(assistant("c"))
			m := em.Message("m")
			return errors.Join(err, m.Text("d"), m.Discard())
		}, "", "c"},
		{"discarded deltas", func(em *emit.Emitter) error {
			return errors.Join(em.Text(0, "d"), em.Emit(event.DeltasDiscarded{}), em.Text(0, "e"))
		}, "", "e"},
		{"a completed message", func(em *emit.Emitter) error { return errors.Join(em.Text(0, "d"), em.Emit(assistant("e"))) }, "", "e"},
		{"nested text", func(em *emit.Emitter) error {
			nested := em.Nested("p", "r")
			return errors.Join(em.Emit(assistant("c")), nested.Emit(assistant("x")), nested.Text(0, "y"), nested.Message("m").Text("z"))
		}, "", "c"},
		{"a refused message", func(em *emit.Emitter) error {
			_ = em.Emit(event.Assistant{Content: []event.Block{event.Text{Text: "no"}, event.ToolUse{}}})
			return em.Emit(assistant("c"))
		}, "", "c"},
		{"a character cut by the end", func(em *emit.Emitter) error { return em.Text(0, "a\xe2\x80") }, "", "a\ufffd\ufffd"},
	} {
		for _, partial := range []bool{false, true} {
			for _, subtype := range []string{"success", "refused", "error_during_execution", "error_max_turns", "interrupted"} {
				r := result(t, func(o *emit.Options) { o.Partial = partial }, c.body, event.Result{Subtype: subtype, Result: c.give})
				if got := r.str("result"); got != c.want {
					t.Errorf("%s, partial %v, %s: %q, want %q", c.name, partial, subtype, got, c.want)
				}
			}
		}
	}
}

// Of a text that no message completes the first MiB is kept, whole characters,
// and the result tells how much is missing.
func TestOpenTextIsBounded(t *testing.T) {
	const mib = 1 << 20
	for _, c := range []struct {
		first, piece string // where the border falls depends on both
		partial      bool
	}{
		{"", "x", true},
		{"", "—", false},
		{"xyz", "𝄞", true},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			said := c.first
			r := result(t, func(o *emit.Options) { o.Partial = c.partial }, func(em *emit.Emitter) error {
				err := em.Text(0, said)
				for piece := strings.Repeat(c.piece, 10_000); err == nil && len(said) < mib+50_000; said += piece {
					err = em.Text(0, piece)
				}
				return err
			}, event.Result{})
			kept := r.str("result")
			if !strings.HasPrefix(said, kept) || len(kept) > mib || len(kept) < mib-3 {
				t.Errorf("%d bytes of %d are kept, ending in %q", len(kept), len(said), kept[max(len(kept)-8, 0):])
			}
			if got := fmt.Sprint(r.at("_meta", "truncated_bytes")); got != fmt.Sprint(len(said)-len(kept)) {
				t.Errorf("truncated_bytes is %s, %d are missing", got, len(said)-len(kept))
			}
		})
	}
}

// A text of any length that a message completes is kept whole, and so is one
// that the program gives.
func TestCompleteTextIsWhole(t *testing.T) {
	long := strings.Repeat("0123456789", 110_000)
	for name, c := range map[string]struct {
		body func(*emit.Emitter) error
		res  event.Result
	}{
		"an assistant line": {func(em *emit.Emitter) error { return errors.Join(em.Text(0, long), em.Emit(assistant(long))) }, event.Result{}},
		"a Message":         {func(em *emit.Emitter) error { return say(em.Actor, long[:700_000], long[700_000:]) }, event.Result{}},
		"a given result":    {func(em *emit.Emitter) error { return em.Text(0, long+"more") }, event.Result{Result: long}},
	} {
		r := result(t, nil, c.body, c.res)
		if r.str("result") != long || r.at("_meta", "truncated_bytes") != nil {
			t.Errorf("%s: %d of %d bytes, _meta %v", name, len(r.str("result")), len(long), r.at("_meta"))
		}
	}
}

// A completed message that does not say what its deltas said makes them void
// before it comes; one that does, in other words of JSON, does not.
func TestDeltasThatDiffer(t *testing.T) {
	call := func(input any) event.Assistant {
		return event.Assistant{Content: []event.Block{event.Text{Text: "hi"}, event.ToolUse{ID: "t", Name: "n", Input: input}}}
	}
	deltas := func(em *emit.Emitter) error { return errors.Join(em.Text(0, "h"), em.Text(0, "i")) }
	args := func(em *emit.Emitter) error {
		return errors.Join(deltas(em), em.ToolArgs("t", `{ "b": 1,`), em.ToolArgs("t", ` "a": "\u0041" }`))
	}
	for _, c := range []struct {
		name   string
		deltas func(*emit.Emitter) error
		final  event.Event
		void   bool
	}{
		{"the same text", deltas, assistant("hi"), false},
		{"another text", deltas, assistant("ho"), true},
		{"more text", deltas, assistant("hi!"), true},
		{"less text", deltas, assistant("h"), true},
		{"a further block", deltas, event.Assistant{Content: []event.Block{event.Text{Text: "hi"}, event.Text{Text: "there"}}}, false},
		{"another place", deltas, event.Assistant{Content: []event.Block{event.Thinking{Thinking: "hm"}, event.Text{Text: "hi"}}}, true},
		{"another kind", deltas, event.Assistant{Content: []event.Block{event.Thinking{Thinking: "hi"}}}, true},
		{"no block", deltas, event.Assistant{}, true},
		{"no deltas", nothing, assistant("hi"), false},
		{"the same input", args, call(map[string]any{"a": "A", "b": 1}), false},
		{"another input", args, call(map[string]any{"a": "A", "b": 2}), true},
		{"no such call", args, assistant("hi"), true},
		{"a call whose input did not come in pieces", deltas, call(nil), false},
		{"invalid input", func(em *emit.Emitter) error { return errors.Join(deltas(em), em.ToolArgs("t", `{"a":`)) }, call(json.RawMessage(`{"a":`)), false},
	} {
		for _, partial := range []bool{true, false} {
			for depth, actor := range []func(*emit.Emitter) *emit.Emitter{
				func(em *emit.Emitter) *emit.Emitter { return em },
				func(em *emit.Emitter) *emit.Emitter { return &emit.Emitter{Actor: em.Nested("p", "r")} },
			} {
				em, stream, _ := prosed(t, func(o *emit.Options) { o.Partial = partial })
				a := actor(em)
				must(t, c.deltas(a), a.Emit(c.final), em.Finish(event.Result{}))
				records := whole(t, stream.bytes())
				void := ofKind(records, "stream_event/deltas_discarded")
				if want := c.void && partial; (len(void) == 1) != want || len(void) > 1 {
					t.Errorf("%s, partial %v, depth %d: %s", c.name, partial, depth, kinds(records))
				}
				if s := kinds(records); len(void) == 1 && !strings.Contains(s, "stream_event/deltas_discarded assistant") {
					t.Errorf("%s: the line is not right before the message: %s", c.name, s)
				}
			}
		}
	}
}
