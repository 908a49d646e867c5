package emit_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/event"
)

// Colours that are forced are those of prose; stdout has none in any format,
// and NO_COLOR wins.
func TestCase067ForcedColour(t *testing.T) {
	for _, v := range []string{"FORCE_COLOR", "CLICOLOR_FORCE", "GH_FORCE_TTY"} {
		t.Setenv(v, "1")
	}
	t.Setenv("TERM", "xterm-256color")
	for _, format := range []emit.Format{emit.FormatStreamJSON, emit.FormatJSON, emit.FormatText} {
		for _, noColor := range []string{"", "1"} {
			t.Setenv("NO_COLOR", noColor)
			var w, prose tape
			o := quiet(&w)
			o.Format, o.Stderr = format, &prose
			em := begin(t, o)
			em.Log().Error().Msg("red")
			must(t, em.Warn("x", "yellow"), em.Finish(event.Result{Subtype: event.ErrorDuringExecution, Errors: []string{"red"}}))
			lacks(t, fmt.Sprint("stdout, ", format), w.bytes(), "\x1b")
			if colored := strings.Contains(prose.String(), "\x1b"); colored != (noColor == "") {
				t.Errorf("%v, NO_COLOR=%q: stderr %q", format, noColor, prose.String())
			}
		}
	}
}

// childTitled has a library that sets the window's title, on stdout, before
// anything else is written.
func childTitled() int {
	return runChild(func(_ context.Context, em *emit.Emitter) error {
		fmt.Print("\x1b]0;working\x07")
		return em.Warn("notice", "\x1b]0;still working\x07careful")
	})
}

// The first byte of stdout is that of the first line.
func TestCase068WindowTitle(t *testing.T) {
	got := finish(t, child(t, "titled"))
	records := whole(t, got.stdout)
	if got.stdout[0] != '{' || records[1].str("message") != "careful" {
		t.Errorf("%s", got.stdout)
	}
	lacks(t, "stdout", got.stdout, "still", `\u001b`)
}

// A tool's output may begin with a marker of the shell and go on in a code
// page: both stay data, as far as JSON can say it.
func TestCase070ShellNoise(t *testing.T) {
	const noise = "\x1b[?2004h\xa9\xfa\xb5\x7c\n" + `{"type":"result"}`
	var w tape
	em := begin(t, quiet(&w))
	must(t, em.Emit(event.Assistant{Content: []event.Block{event.ToolUse{ID: "t", Name: "sh"}}}),
		em.Emit(event.User{Content: []event.ToolResult{{ToolUseID: "t", Text: noise}}}), em.Finish(event.Result{}))
	records := whole(t, w.bytes())
	const want = "\x1b[?2004h\ufffd\ufffd\ufffd|\n" + `{"type":"result"}`
	if got := records[2].str("message", "content", "0", "content"); got != want {
		t.Errorf("%q", got)
	}
	lacks(t, "stdout", w.bytes(), "\x1b")
}

// No control character goes out raw, whichever string it stands in: what a
// model or tool says keeps it, escaped; what the program says has no
// sequences left.
func TestCase071ControlCharacters(t *testing.T) {
	var controls strings.Builder
	for c := rune(1); c <= 0x9f; c++ {
		if c < 0x20 || c >= 0x7f {
			controls.WriteRune(c)
		}
	}
	s := controls.String()
	var w tape
	o := partial(&w)
	o.Product, o.Version, o.SessionID, o.Capabilities = s, s, s, []string{s}
	em := begin(t, o)
	must(t, em.Init(event.Init{
		CWD: s, Agent: event.Agent{Name: s, Provider: s, Model: s, Role: s}, Tools: []string{s},
		MCPServers: []event.MCPServer{{Name: s, Status: s}}, Route: &event.RouteDecision{Target: s, Reason: s}, Warnings: []string{s},
	}))
	nested := em.Nested(s, s)
	must(t, em.Text(0, s), em.Thinking(1, s), em.ToolArgs(s, s), em.Emit(event.DeltasDiscarded{}),
		em.Emit(event.Assistant{Agent: s, ID: s, Content: []event.Block{
			event.Text{Text: s}, event.Thinking{Thinking: s}, event.ToolUse{ID: s, Name: s, Input: map[string]any{s: s}},
		}}),
		nested.Emit(event.User{Content: []event.ToolResult{{ToolUseID: s, Text: s}}, ToolUseResult: &event.ToolUseResult{Path: s, Summary: s}}),
		em.Emit(event.System{Subtype: s, Fields: map[string]any{s: []any{s}}, Extra: &event.Extra{Meta: map[string]any{s: s}}}),
		em.Emit(event.TaskStarted{TaskID: s, Kind: s, Task: s}), em.Warn(s, s))
	slog.New(em.SlogHandler()).Warn(s, s, s)
	must(t, em.Finish(event.Result{Subtype: event.ErrorDuringExecution, Result: s, Errors: []string{s}, StopReason: s}))
	for _, c := range w.String() {
		if c != '\n' && (c < 0x20 || c >= 0x7f && c <= 0x9f) {
			t.Fatalf("%U is raw in the stream", c)
		}
	}
	records := whole(t, w.bytes())
	if got := last(records).str("result"); got != s {
		t.Errorf("the result's text became %q", got)
	}
	if got := ofKind(records, "assistant")[0].str("message", "content", "1", "thinking"); got != s {
		t.Errorf("the thinking became %q", got)
	}
}
