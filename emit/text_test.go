package emit_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/streamjson/streamjson/clock"
	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/event"
)

// assistant is a complete message with one text.
func assistant(text string) event.Assistant {
	return event.Assistant{Content: []event.Block{event.Text{Text: text}}}
}

// say streams a message piece by piece.
func say(a *emit.Actor, pieces ...string) error {
	m := a.Message("m")
	for _, piece := range pieces {
		if err := m.Text(piece); err != nil {
			return err
		}
	}
	return m.End()
}

// A textRun is a run in the format text, and what stdout must hold then:
// without partial messages, and with them.
type textRun struct {
	name        string
	body        func(*emit.Emitter) error
	final, live string
}

func textRuns() []textRun {
	finish := func(em *emit.Emitter, res event.Result) error { return em.Finish(res) }
	return []textRun{
		{"one message", func(em *emit.Emitter) error { return say(em.Actor, "Hello ", "world") }, "Hello world\n", "Hello world\n"},
		{"two messages", func(em *emit.Emitter) error { return errors.Join(say(em.Actor, "one"), say(em.Actor, "two")) }, "two\n", "one\n\ntwo\n"},
		{"a message that ends its line", func(em *emit.Emitter) error { return errors.Join(say(em.Actor, "one\n"), say(em.Actor, "two\n")) }, "two\n", "one\n\ntwo\n"},
		{"the same message twice", func(em *emit.Emitter) error { return errors.Join(say(em.Actor, "ha"), say(em.Actor, "ha")) }, "ha\n", "ha\n\nha\n"},
		{"messages that were not streamed", func(em *emit.Emitter) error { return em.EmitAll(assistant("one"), assistant("two")) }, "two\n", "one\n\ntwo\n"},
		{"an unfinished message", func(em *emit.Emitter) error { return errors.Join(say(em.Actor, "one"), em.Text(0, "tw")) }, "tw\n", "one\n\ntw\n"},
		{"a result of its own", func(em *emit.Emitter) error {
			return errors.Join(say(em.Actor, "one"), finish(em, event.Result{Result: "sum"}))
		}, "sum\n", "one\n\nsum\n"},
		{"the result that was said", func(em *emit.Emitter) error {
			return errors.Join(say(em.Actor, "one"), finish(em, event.Result{Result: "one"}))
		}, "one\n", "one\n"},
		{"a result alone", func(em *emit.Emitter) error { return finish(em, event.Result{Result: "sum"}) }, "sum\n", "sum\n"},
		{"a result that ends its line", func(em *emit.Emitter) error { return finish(em, event.Result{Result: "a\nb\n"}) }, "a\nb\n", "a\nb\n"},
		{"other actors and other lines", func(em *emit.Emitter) error {
			nested := em.Nested("p", "helper")
			m := em.Message("m")
			return errors.Join(m.Thinking("hm"), m.Text("the "), say(nested, "psst"), nested.Text(0, "more"), em.Emit(event.State{SessionState: "running"}),
				m.Text("answer"), m.ToolUse("t", "n", nil), m.End(), em.Emit(event.User{Content: []event.ToolResult{{ToolUseID: "t", Text: "ls"}}}))
		}, "the answer\n", "the answer\n"},
		{"a character in two pieces", func(em *emit.Emitter) error { return errors.Join(em.Text(0, "\xe2\x80"), em.Text(0, "\x94!")) }, "—!\n", "—!\n"},
		{"bad UTF-8", func(em *emit.Emitter) error { return say(em.Actor, "a\xff", "\xe2b") }, "a\ufffd\ufffdb\n", "a\ufffd\ufffdb\n"},
		{"escapes", func(em *emit.Emitter) error { return say(em.Actor, "\x1b[1mbold\x1b[0m") }, "\x1b[1mbold\x1b[0m\n", "\x1b[1mbold\x1b[0m\n"},
		{"a retry", func(em *emit.Emitter) error {
			m := em.Message("m")
			return errors.Join(m.Text("Hel"), m.Discard(), say(em.Actor, "Hello"))
		}, "Hello\n", "Hel\n\nHello\n"},
		{"a message that differs from its pieces", func(em *emit.Emitter) error {
			return errors.Join(em.Text(0, "Hello"), em.Emit(assistant("Hello!")))
		}, "Hello!\n", "Hello\n\nHello!\n"},
		{"nothing, and a failure", func(*emit.Emitter) error { return errPlain }, "", ""},
		{"some text, and a failure", func(em *emit.Emitter) error { return errors.Join(say(em.Actor, "half"), errPlain) }, "half\n", "half\n"},
	}
}

// The format text is the final text alone, ended by a newline; with partial
// messages it is the text as it comes, messages set apart by a blank line
// (contract F12).
func TestFormatText(t *testing.T) {
	for _, c := range textRuns() {
		for partial, want := range map[bool]string{false: c.final, true: c.live} {
			t.Run(fmt.Sprint(c.name, " partial ", partial), func(t *testing.T) {
				var w, prose tape
				o := emit.Options{Format: emit.FormatText, Partial: partial, Stdout: &w, Stderr: &prose, Signals: noSignals}
				code := emit.Run(t.Context(), o, func(_ context.Context, em *emit.Emitter) error { return c.body(em) })
				if w.String() != want {
					t.Errorf("%q, want %q", w.String(), want)
				}
				stderr := ""
				if failed := strings.HasSuffix(c.name, "failure"); failed {
					stderr = "error: " + errPlain.Error() + "\n"
				}
				if prose.String() != stderr || (code != 0) != (stderr != "") {
					t.Errorf("exit code %d, stderr %q", code, prose.String())
				}
			})
		}
	}
}

// Live text is with the reader when the call returns, whole characters of it.
func TestLiveTextIsDurable(t *testing.T) {
	var w tape
	o := partial(&w)
	o.Format = emit.FormatText
	em := begin(t, o)
	m := em.Message("m")
	for _, step := range []struct{ piece, want string }{
		{"Hel", "Hel"}, {"lo\xe2", "Hello"}, {"\x80", "Hello"}, {"\x94", "Hello—"}, {"", "Hello—"}, {"\n", "Hello—\n"},
	} {
		must(t, m.Text(step.piece))
		if w.String() != step.want {
			t.Errorf("after %q: %q, want %q", step.piece, w.String(), step.want)
		}
	}
	must(t, m.End(), em.Finish(event.Result{}))
	if w.String() != "Hello—\n" {
		t.Errorf("%q", w.String())
	}
}

// Each error of a failed run is a line on stderr, stripped.
func TestFormatTextErrors(t *testing.T) {
	var w, prose tape
	o := quiet(&w)
	o.Format, o.Stderr = emit.FormatText, &prose
	em := begin(t, o)
	must(t, em.Finish(event.Result{Subtype: event.ErrorMaxTurns, Result: "so far", Errors: []string{"12 turns", "\x1b[31mred\x1b[0m\nhelp"}}))
	if w.String() != "so far\n" || prose.String() != "error: 12 turns\nerror: red\\nhelp\n" {
		t.Errorf("stdout %q, stderr %q", w.String(), prose.String())
	}
}

// Escape sequences of a model reach a terminal in no piece, also where they
// come in several; what is no terminal gets them verbatim.
func TestFormatTextOnATerminal(t *testing.T) {
	pieces := []string{"a\x1b", "[31", "mred\x1b[0m \x1b]0;", "owned\x07b", "\u009b", "2J", "c—\x1b[1;3", "1md.\x1b[0m"}
	for _, partial := range []bool{true, false} {
		body := func(em *emit.Emitter) error { return errors.Join(say(em.Actor, pieces...), em.Finish(event.Result{})) }
		got := onTerminal(t, func(tty *os.File) {
			o := quiet(tty)
			o.Format, o.Partial = emit.FormatText, partial
			must(t, body(begin(t, o)))
		}, "d.\r\n")
		if got != "ared bc—d.\r\n" {
			t.Errorf("partial %v: the terminal gets %q", partial, got)
		}
		var w tape
		o := quiet(&w)
		o.Format, o.Partial = emit.FormatText, partial
		must(t, body(begin(t, o)))
		if want := strings.Join(pieces, "") + "\n"; w.String() != want {
			t.Errorf("partial %v: %q, want %q", partial, w.String(), want)
		}
	}
}

// A sequence that a model begins and never ends hides neither what follows nor
// the result.
func TestFormatTextOnATerminalEndsWithTheResult(t *testing.T) {
	for _, open := range []string{"\x1b", "\x1b[", "\x1b[31", "\x1b]0;never ended", "\x1bPq#0", "\u009b3", "\xc2"} {
		got := onTerminal(t, func(tty *os.File) {
			o := quiet(tty)
			o.Format, o.Partial = emit.FormatText, true
			em := begin(t, o)
			m := em.Message("m")
			must(t, m.Text("half"+open), m.Discard(), say(em.Actor, "whole"), em.Finish(event.Result{}))
		}, "whole\r\n")
		if !strings.HasPrefix(got, "half") || !strings.HasSuffix(got, "\r\n\r\nwhole\r\n") || strings.ContainsAny(got, "\x1b\u009b") {
			t.Errorf("%q: the terminal gets %q", open, got)
		}
	}
}

// The format json is the result object, indented by two spaces, seq 0, and
// nothing else.
func TestFormatJSON(t *testing.T) {
	record := func(format emit.Format, w *tape) {
		o := partial(w)
		o.Format, o.Clock = format, clock.Fixed(time.Unix(1, 0))
		em := begin(t, o)
		em.AddUsage("m1", event.Usage{InputTokens: 1})
		must(t, em.Emit(event.Route{Target: "m1"}), say(em.Actor, `<a href="x">&`, "\u2028{\n}"),
			em.Finish(event.Result{Extra: &event.Extra{Extension: map[string]any{"empty": []any{}, "none": map[string]any{}, "deep": []any{1, "two"}}}}))
	}
	var doc, stream tape
	record(emit.FormatJSON, &doc)
	record(emit.FormatStreamJSON, &stream)
	line := last(whole(t, stream.bytes())).raw
	var want strings.Builder
	indented, err := indent(strings.Replace(string(line), fmt.Sprintf(`"seq":%s`, last(whole(t, stream.bytes())).at("seq")), `"seq":0`, 1))
	must(t, err)
	want.WriteString(indented + "\n")
	if doc.String() != want.String() {
		t.Errorf("%s\nwant\n%s", doc.String(), want.String())
	}
	holds(t, "the document", doc.bytes(), "{\n  \"type\": \"result\",\n  \"subtype\": \"success\",\n", "\n  \"usage\": {\n    \"input_tokens\": 1,\n", `<a href=\"x\">&\u2028{\n}`)
	if calls := doc.calls(); len(calls) != 1 {
		t.Errorf("%d writes", len(calls))
	}
	document(t, doc.bytes())
}

func indent(line string) (string, error) {
	var b strings.Builder
	text, err := json.MarshalIndent(json.RawMessage(line), "", "  ")
	b.Write(text)
	// MarshalIndent escapes HTML; the contract does not.
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(b.String()), err
}
