package emit_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/event"
	"github.com/streamjson/streamjson/redact"
)

// longLine is one way to a line with a text of about n bytes in it.
type longLine struct {
	name  string
	write func(em *emit.Emitter, text string) error
	kept  func([]record) int64 // how many bytes of text arrived
	rigid bool                 // it may be refused instead
	delta bool                 // it is split and nothing is lost
}

func filler(n int) map[string]string {
	pad := func(s string) string { return strings.Repeat(s, n/len(s)+1)[:n/len(s)*len(s)] }
	return map[string]string{
		"ascii":     pad("a"),
		"escaped":   pad("\""),
		"control":   pad("\x01"),
		"two bytes": pad("é"),
		"emoji":     pad("😀"),
		"family":    pad("👩‍👩‍👧‍👦"),
		"separator": pad("\u2028"),
		"mixed":     pad("a\né\x00😀\\\x7f"),
	}
}

func textLen(v any) int64 { s, _ := v.(string); return int64(len(s)) }

func longLines() []longLine {
	of := func(kind string, path ...string) func([]record) int64 {
		return func(records []record) (n int64) {
			for _, r := range ofKind(records, kind) {
				n += textLen(r.at(path...))
			}
			return n
		}
	}
	return []longLine{
		{name: "assistant text", kept: of("assistant", "message", "content", "0", "text"), write: func(em *emit.Emitter, s string) error {
			return em.Emit(event.Assistant{Content: []event.Block{event.Text{Text: s}}})
		}},
		{name: "thinking", kept: of("assistant", "message", "content", "0", "thinking"), write: func(em *emit.Emitter, s string) error {
			return em.Emit(event.Assistant{Content: []event.Block{event.Thinking{Thinking: s}}})
		}},
		{name: "tool result", kept: of("user", "message", "content", "0", "content"), write: func(em *emit.Emitter, s string) error {
			must1(em.Emit(event.Assistant{Content: []event.Block{event.ToolUse{ID: "t", Name: "n"}}}))
			return em.Emit(event.User{Content: []event.ToolResult{{ToolUseID: "t", Text: s}}})
		}},
		{name: "tool result of another kind", kept: of("user", "message", "content", "0", "content", "0", "text"), write: func(em *emit.Emitter, s string) error {
			must1(em.Emit(event.Assistant{Content: []event.Block{event.ToolUse{ID: "t", Name: "n"}}}))
			return em.Emit(event.User{Content: []event.ToolResult{{ToolUseID: "t", Content: []any{map[string]any{"type": "text", "text": s}}}}})
		}},
		{name: "warning", kept: of("system/warning", "message"), write: func(em *emit.Emitter, s string) error {
			return em.Emit(event.Warning{Category: "x", Message: s})
		}},
		{name: "error", kept: of("system/error", "message"), write: func(em *emit.Emitter, s string) error {
			return em.Emit(event.Error{Message: s})
		}},
		{name: "notification", kept: of("system/notification", "body"), write: func(em *emit.Emitter, s string) error {
			return em.Emit(event.Notification{ID: "n", Severity: "info", Body: s})
		}},
		{name: "memory", kept: of("system/memory", "subject"), write: func(em *emit.Emitter, s string) error {
			return em.Emit(event.Memory{Op: "get", Subject: s})
		}},
		{name: "fields", kept: of("system/mine", "text"), write: func(em *emit.Emitter, s string) error {
			return em.Emit(event.System{Subtype: "mine", Fields: map[string]any{"text": s}})
		}},
		{name: "task", kept: of("system/task_started", "task"), write: func(em *emit.Emitter, s string) error {
			return em.Emit(event.TaskStarted{TaskID: "k", Kind: "workflow", Task: s})
		}},
		{name: "message", kept: of("assistant", "message", "content", "0", "text"), write: func(em *emit.Emitter, s string) error {
			m := em.Message("m")
			return errors.Join(m.Text(s), m.End())
		}},
		{name: "text deltas", delta: true, kept: of("stream_event/content_block_delta", "event", "delta", "text"), write: func(em *emit.Emitter, s string) error {
			return em.Text(3, s)
		}},
		{name: "argument deltas", delta: true, kept: of("stream_event/tool_args_delta", "event", "partial_json"), write: func(em *emit.Emitter, s string) error {
			return em.ToolArgs("t", s)
		}},
		{name: "tool input", rigid: true, kept: of("assistant", "message", "content", "0", "input"), write: func(em *emit.Emitter, s string) error {
			return em.Emit(event.Assistant{Content: []event.Block{event.ToolUse{ID: "t", Name: "n", Input: s}}})
		}},
	}
}

func must1(err error) {
	if err != nil {
		panic(err)
	}
}

// A9: no line is ever longer than MaxLineBytes, every line is valid, nothing
// is cut silently or miscounted, and the result always comes.
func TestMaxLineBytes(t *testing.T) {
	for limit, sizes := range map[int][]int{
		4096:     {500, 4096 - 400, 4095, 4096, 4097, 3 * 4096},
		16 << 10: {16<<10 - 350, 2 * 16 << 10},
		64 << 10: {64 << 10},
	} {
		for _, l := range longLines() {
			t.Run(fmt.Sprint(l.name, " in ", limit), func(t *testing.T) {
				t.Parallel()
				for _, size := range sizes {
					for kind, text := range filler(size) {
						var w tape
						o := partial(&w)
						o.MaxLineBytes = limit
						o.Redactor = redact.None() // which leaves blanks out of argument deltas
						em := begin(t, o)
						err := l.write(em, text)
						must(t, em.Finish(event.Result{}))
						checkLimit(t, w.bytes(), limit)
						l.check(t, whole(t, w.bytes()), err, text)
						if t.Failed() {
							t.Fatalf("%s, %d bytes, limit %d", kind, len(text), limit)
						}
					}
				}
			})
		}
	}
}

func (l longLine) check(t *testing.T, records []record, err error, text string) {
	t.Helper()
	if err != nil {
		var refused *emit.EventError
		if !l.rigid || !errors.As(err, &refused) {
			t.Errorf("refused: %v", err)
		}
		return
	}
	kept, lost := l.kept(records), int64(0)
	for _, r := range records {
		if n, ok := r.at("_meta", "truncated_bytes").(json.Number); ok && r.str("type") != "result" {
			i, err := n.Int64()
			must(t, err)
			lost += i
		}
	}
	if l.delta && lost > 0 || kept+lost != int64(len(text)) {
		t.Errorf("%d bytes of %d are there, truncated_bytes tells of %d", kept, len(text), lost)
	}
}

func checkLimit(t testing.TB, data []byte, limit int) {
	t.Helper()
	for i, line := range strings.SplitAfter(string(data), "\n") {
		if len(line) > limit {
			t.Errorf("line %d has %d bytes of %d: %.200s", i, len(line), limit, line)
		}
	}
}

// What the emitter closes by itself obeys the limit, too, however long the ids
// are.
func TestMaxLineBytesOfClosingLines(t *testing.T) {
	const limit = 4096
	for name, open := range map[string]func(*emit.Emitter, string) error{
		"tool": func(em *emit.Emitter, id string) error {
			return em.Emit(event.Assistant{Content: []event.Block{event.ToolUse{ID: id, Name: "n"}}})
		},
		"task": func(em *emit.Emitter, id string) error {
			return em.Emit(event.TaskStarted{TaskID: id, Kind: "workflow"})
		},
		"nested tool": func(em *emit.Emitter, id string) error {
			return em.Nested(id[:len(id)/2], "r").Emit(event.Assistant{Content: []event.Block{event.ToolUse{ID: id[len(id)/2:], Name: "n"}}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			taken := 0
			for n := 3600; n < 4000; n += 4 {
				var w tape
				o := quiet(&w)
				o.MaxLineBytes = limit
				em := begin(t, o)
				if open(em, strings.Repeat("i", n)) == nil {
					taken++
				}
				must(t, em.Finish(event.Result{}))
				whole(t, w.bytes())
				if checkLimit(t, w.bytes(), limit); t.Failed() {
					t.Fatalf("an id of %d bytes", n)
				}
			}
			if taken == 0 {
				t.Error("nothing was taken: the test tests nothing")
			}
		})
	}
}

// The terminal line comes whatever has to fit into it, and so does the first.
func TestMaxLineBytesOfFirstAndLast(t *testing.T) {
	const limit = 4096
	for _, kind := range []string{"ascii", "control", "mixed"} {
		t.Run(kind, func(t *testing.T) {
			text := filler(3 * limit)[kind]
			var w tape
			o := quiet(&w)
			o.MaxLineBytes = limit
			o.Version = text
			em := begin(t, o)
			many := make([]string, 600)
			for i := range many {
				many[i] = text[:min(len(text), 40)]
				em.AddUsage(fmt.Sprint("model ", i), event.Usage{InputTokens: 1})
			}
			em.Log().Warn().Msg(text)
			must(t, em.Init(event.Init{
				CWD: text, Agent: event.Agent{Name: text, Model: text}, Tools: many,
				Warnings: many, Extra: &event.Extra{Meta: map[string]any{"x": text}, Extension: map[string]any{"y": many}},
			}))
			for i := range 1002 {
				must(t, em.Emit(event.Route{Target: fmt.Sprint("t", i)}))
			}
			must(t, em.Finish(event.Result{
				Subtype: event.ErrorDuringExecution, Result: text, Errors: many,
				Extra: &event.Extra{Meta: map[string]any{"x": text}, Extension: map[string]any{"y": many}},
			}))
			checkLimit(t, w.bytes(), limit)
			if r := last(whole(t, w.bytes())); r.at("_meta", "truncated_bytes") == nil {
				t.Errorf("cut silently: %.300s", r.raw)
			}
		})
	}
}
