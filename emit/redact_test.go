package emit_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/streamjson/streamjson/contract"
	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/event"
	"github.com/streamjson/streamjson/redact"
)

// A secret is something that must not leave the process: public is what may be
// seen of it.
type secret struct{ public, hidden string }

// secrets returns one of each way in which the redactor knows one.
func secrets() map[string]secret {
	return map[string]secret{
		"a known value":  {"", `p"a\s/s&<wördé-0815`},
		"a GitHub token": {"ghp_", "wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"},
		"a private key": {
			"", "-----BEGIN RSA PRIVATE KEY-----\nMIIBOgIBAAJBAKj34GkxFhD90vcNLYLInFEX6Ppy1tPf9Cnzj4p4WGeKLs1Pt8Qu\n-----END RSA PRIVATE KEY-----\n",
		},
	}
}

// leak returns a part of the secret that stands in the output, as it is or in
// a decoded string, or "".
func (s secret) leak(t *testing.T, output []byte) string {
	t.Helper()
	texts := []string{string(output)}
	for line := range bytes.Lines(output) {
		var v any
		if json.Unmarshal(line, &v) == nil {
			texts = append(texts, stringsIn(v)...)
		}
	}
	const part = 8
	body := strings.TrimSuffix(strings.TrimPrefix(s.hidden, "-----BEGIN RSA PRIVATE KEY-----\n"), "-----END RSA PRIVATE KEY-----\n")
	for i := 0; i+part <= len(body); i++ {
		for _, text := range texts {
			if strings.Contains(text, body[i:i+part]) {
				return body[i : i+part]
			}
		}
	}
	return ""
}

func stringsIn(v any) []string {
	var list []string
	switch v := v.(type) {
	case string:
		list = append(list, v)
	case []any:
		for _, e := range v {
			list = append(list, stringsIn(e)...)
		}
	case map[string]any:
		for k, e := range v {
			list = append(append(list, k), stringsIn(e)...)
		}
	}
	return list
}

// redacted does a run with a redactor that knows the known value, and holds
// what comes out to the contract and to the secret.
func redacted(t *testing.T, s secret, format emit.Format, body func(context.Context, *emit.Emitter) error) string {
	t.Helper()
	r, _, err := redact.New(redact.Options{Values: []redact.Value{{Name: "known", Value: secrets()["a known value"].hidden}}})
	if err != nil {
		t.Fatal(err)
	}
	var out, errOut bytes.Buffer
	em, err := emit.New(t.Context(), emit.Options{Format: format, Stdout: &out, Stderr: &errOut, Partial: true, Redactor: r})
	if err != nil {
		t.Fatal(err)
	}
	_ = em.Do(func(ctx context.Context) error { return body(ctx, em) })
	for where, text := range map[string][]byte{"stdout": out.Bytes(), "stderr": errOut.Bytes()} {
		if part := s.leak(t, text); part != "" {
			t.Errorf("%q stands on %s: %.600s", part, where, text)
		}
	}
	if format == emit.FormatStreamJSON {
		report, err := contract.Check(bytes.NewReader(out.Bytes()), contract.CheckOptions{})
		if err != nil || report.Errors > 0 {
			t.Errorf("the stream breaks rules: %v %v\n%.2000s", err, report.Findings, out.String())
		}
	}
	return out.String()
}

// TestRedactionEverywhere puts a secret through each door of the emitter.
func TestRedactionEverywhere(t *testing.T) {
	for kind, s := range secrets() {
		whole := s.public + s.hidden
		text := "before " + whole + " after"
		extra := &event.Extra{Extension: map[string]any{"note": text}, Meta: map[string]any{text: text}}
		for door, body := range map[string]func(context.Context, *emit.Emitter) error{
			"init": func(_ context.Context, em *emit.Emitter) error {
				em.Log().Warn().Str("field", text).Msg(text)
				return em.Init(event.Init{CWD: text, Tools: []string{text}, Warnings: []string{text}, Agent: event.Agent{Name: text, Model: text}, Extra: extra})
			},
			"assistant": func(_ context.Context, em *emit.Emitter) error {
				return em.Emit(event.Assistant{Content: []event.Block{
					event.Thinking{Thinking: text},
					event.Text{Text: text},
					event.ToolUse{ID: "t", Name: "n", Input: map[string]any{"command": text, text: []any{text}, "password": int64(12345678901)}},
				}, Extra: extra})
			},
			"tool result": func(_ context.Context, em *emit.Emitter) error {
				return errors.Join(
					em.Emit(event.Assistant{Content: []event.Block{event.ToolUse{ID: "t", Name: "n"}, event.ToolUse{ID: "u", Name: "n"}}}),
					em.Emit(event.User{Content: []event.ToolResult{{ToolUseID: "t", Text: text}}, ToolUseResult: &event.ToolUseResult{Path: text, Summary: text}}),
					em.Emit(event.User{Content: []event.ToolResult{{ToolUseID: "u", Content: map[string]any{"out": text}}}}))
			},
			"own event": func(_ context.Context, em *emit.Emitter) error {
				return em.Emit(event.System{Subtype: "mine", Fields: struct{ Note string }{text}})
			},
			"warning":           func(_ context.Context, em *emit.Emitter) error { return em.Warn("loop", text) },
			"error event":       func(_ context.Context, em *emit.Emitter) error { return em.Emit(event.Error{Message: text}) },
			"error of the body": func(context.Context, *emit.Emitter) error { return errors.New(text) },
			"panic":             func(context.Context, *emit.Emitter) error { panic(text) },
			"result": func(_ context.Context, em *emit.Emitter) error {
				return em.Finish(event.Result{Subtype: event.ErrorDuringExecution, Result: text, Errors: []string{text}, Extra: extra})
			},
			"refusal": func(_ context.Context, em *emit.Emitter) error {
				_ = em.Emit(event.System{Subtype: "mine", Fields: map[string]any{text: make(chan int)}})
				return nil
			},
			"refusal of a message's tool": func(_ context.Context, em *emit.Emitter) error {
				return em.Message("m").ToolUse("t", "n", map[string]any{text: make(chan int)})
			},
		} {
			t.Run(kind+"/"+door, func(t *testing.T) {
				for _, format := range []emit.Format{emit.FormatStreamJSON, emit.FormatJSON, emit.FormatText} {
					redacted(t, s, format, body)
				}
			})
		}
	}
}

// TestRedactionOfDeltas splits a secret at every byte, through text, thinking
// and tool arguments, with another actor's events in between.
func TestRedactionOfDeltas(t *testing.T) {
	for kind, s := range secrets() {
		whole := s.public + s.hidden
		quoted, err := json.Marshal(map[string]string{"command": "use " + whole + " now"})
		if err != nil {
			t.Fatal(err)
		}
		t.Run(kind, func(t *testing.T) {
			for i := 1; i < len(quoted); i++ {
				j := i + (len(quoted)-i)/2
				out := redacted(t, s, emit.FormatStreamJSON, func(_ context.Context, em *emit.Emitter) error {
					m, other := em.Message("m"), em.Nested("p", "other")
					var err error
					for _, piece := range split("use "+whole+" now", i, j) {
						err = errors.Join(err, m.Thinking(piece), other.Text(0, "x"))
					}
					for _, piece := range split("use "+whole+" now", i, j) {
						err = errors.Join(err, m.Text(piece), other.Emit(event.Memory{Op: "get"}))
					}
					for _, piece := range split(string(quoted), i, j) {
						err = errors.Join(err, m.ToolArgs("t", piece), other.Text(0, "y"))
					}
					return errors.Join(err, m.ToolUse("t", "n", nil), m.End())
				})
				if strings.Contains(out, "deltas_discarded") {
					t.Fatalf("split at %d and %d, the deltas differ from the message: %s", i, j, out)
				}
				if t.Failed() {
					t.Fatalf("split at %d and %d", i, j)
				}
			}
		})
	}
}

// split cuts s at i and j, where it is that long.
func split(s string, i, j int) []string {
	i, j = min(i, len(s)), min(j, len(s))
	return []string{s[:i], s[i:j], s[j:]}
}

// TestIDsAreNeverAltered: an id that holds a known secret is refused, any other
// one is written as it is, whatever it looks like.
func TestIDsAreNeverAltered(t *testing.T) {
	known := secrets()["a known value"]
	token := "ghp_" + secrets()["a GitHub token"].hidden
	out := redacted(t, known, emit.FormatStreamJSON, func(_ context.Context, em *emit.Emitter) error {
		var refused *emit.EventError
		if err := em.Emit(event.Notification{ID: known.hidden, Severity: "info"}); !errors.As(err, &refused) || refused.Pointer != "/id" {
			t.Errorf("an id with a known secret: %v", err)
		}
		return em.Emit(event.Notification{ID: token, Severity: "info"})
	})
	if !strings.Contains(out, `"id":"`+token+`"`) {
		t.Errorf("the id was altered: %s", out)
	}
}

// What the run redacts with can be had for a text that is cut up before it is
// emitted.
func TestActorRedactor(t *testing.T) {
	r, _, err := redact.New(redact.Options{Values: []redact.Value{{Name: "K", Value: "correct-horse-battery"}}})
	must(t, err)
	em, _, _ := prosed(t, func(o *emit.Options) { o.Redactor = r })
	if em.Redactor() != r || em.Nested("tu_1", "tool").Redactor() != r {
		t.Error("it is another one")
	}
	em, _, _ = prosed(t, nil)
	if em.Redactor() != redact.Default() {
		t.Error("the default is not redact.Default()")
	}
}

// A run whose first delta was held back whole, and that has written others
// since, is not empty.
func TestHeldFirstDeltaIsNoEmptyRun(t *testing.T) {
	r, _, err := redact.New(redact.Options{Values: []redact.Value{{Name: "K", Value: "correct-horse-battery"}}})
	must(t, err)
	em, stream, _ := prosed(t, func(o *emit.Options) { o.Redactor, o.Partial = r, true })
	must(t, em.Thinking(0, "c"), em.Thinking(0, "at sat on the mat"), em.Finish(event.Result{}))
	records := whole(t, stream.bytes())
	if meta := last(records).at("_meta", "empty"); meta != nil {
		t.Errorf("%d lines, and the run counts as empty", len(records))
	}
	if !strings.Contains(stream.String(), `"thinking":"cat sat on the mat"`) {
		t.Errorf("the first piece was not held: %s", stream.String())
	}
}
