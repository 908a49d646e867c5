package redact_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"unicode/utf8"

	"github.com/streamjson/streamjson/contract"
	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/event"
	"github.com/streamjson/streamjson/envelope"
	"github.com/streamjson/streamjson/redact"
)

// For every rule, a thousand secrets go through every door of a run and of an
// envelope: raw, in keys, escaped, in one to five chunks, with other events in
// between. No eight characters in a row of any stand on stdout or stderr, every
// line parses, and the stream keeps the contract.
func TestNoSecretPassesAnyDoor(t *testing.T) {
	each, batch := 1000, 50
	if testing.Short() || raceEnabled {
		each = 50
	}
	for name, generate := range generators() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(uint64(len(name)), 77))
			for done := 0; done < each && !t.Failed(); done += batch {
				secrets := make([]specimen, batch)
				for i := range secrets {
					secrets[i] = generate(r)
				}
				stdout, stderr := throughRun(t, r, secrets)
				hide := newGrams(secrets)
				hide.check(t, "stderr", stderr)
				hide.check(t, "the stream", stdout)
				hide.check(t, "an envelope", throughEnvelope(t, secrets))
			}
		})
	}
}

// throughRun sends secrets through the doors of one run.
func throughRun(t *testing.T, r *rand.Rand, secrets []specimen) (stdout, stderr []byte) {
	t.Helper()
	var out, errOut bytes.Buffer
	em, err := emit.New(t.Context(), emit.Options{
		Product: "doors", Version: "1", Stdout: &out, Stderr: &errOut, Partial: true, Redactor: redact.Default(),
	})
	if err != nil {
		t.Fatal(err)
	}
	last := secrets[len(secrets)-1].text
	failed := em.Do(func(context.Context) error {
		for i, s := range secrets {
			if err := doors(em, r, fmt.Sprint(i), s.text); err != nil {
				t.Errorf("%q: %v", s.text, err)
			}
		}
		return errors.New("at the end: " + last)
	})
	if failed == nil {
		t.Error("the run did not fail")
	}
	report, err := contract.Check(bytes.NewReader(out.Bytes()), contract.CheckOptions{})
	if err != nil || report.Errors > 0 {
		t.Errorf("the stream breaks rules: %v %v", err, report.Findings)
	}
	return out.Bytes(), errOut.Bytes()
}

// doors sends a secret through each door of em; id makes the ids of its own.
func doors(em *emit.Emitter, r *rand.Rand, id, secret string) error {
	text := "before " + secret + " after"
	quoted, err := json.Marshal(map[string]any{"command": text, text: []string{text}, "n": 1})
	if err != nil {
		return err
	}
	other := em.Nested("other_"+id, "other")
	m := em.Message("msg_" + id)
	for _, piece := range cut(r, text) {
		err = errors.Join(err, m.Thinking(piece), other.Text(0, "x"))
	}
	for _, piece := range cut(r, text) {
		err = errors.Join(err, m.Text(piece), other.Emit(event.Memory{Op: "get"}))
	}
	for _, piece := range cut(r, string(quoted)) {
		err = errors.Join(err, m.ToolArgs("args_"+id, piece))
	}
	return errors.Join(
		err, m.ToolUse("args_"+id, "n", nil), m.ToolUse("map_"+id, "n", map[string]any{text: text, "list": []any{text}}), m.End(),
		em.Emit(event.User{
			Content:       []event.ToolResult{{ToolUseID: "args_" + id, Text: text}},
			ToolUseResult: &event.ToolUseResult{Path: text, Summary: text},
		}),
		em.Emit(event.User{Content: []event.ToolResult{{ToolUseID: "map_" + id, Content: json.RawMessage(quoted), IsError: true}}}),
		em.Warn("loop", text),
		em.Emit(event.Error{Message: text, Recoverable: true}),
		em.Emit(event.System{Subtype: "mine", Fields: map[string]any{"note": text}, Extra: &event.Extra{Meta: map[string]any{text: text}}}),
		other.End(),
	)
}

// cut divides a text into one to five chunks.
func cut(r *rand.Rand, text string) (list []string) {
	for rest := r.IntN(5); rest > 0 && text != ""; rest-- {
		n := 1 + r.IntN(len(text))
		list = append(list, text[:n])
		text = text[n:]
	}
	return append(list, text)
}

// throughEnvelope puts secrets into every member of an envelope.
func throughEnvelope(t *testing.T, secrets []specimen) []byte {
	t.Helper()
	var out bytes.Buffer
	data := map[string]any{}
	var texts []string
	for _, s := range secrets {
		text := "before " + s.text + " after"
		texts = append(texts, text)
		data[text] = []any{text, map[string]string{"note": text}}
	}
	if _, err := envelope.EmitJSON(&out, data, envelope.Fail(texts...), envelope.Warn(texts...)); err != nil {
		t.Fatal(err)
	}
	if err := envelope.ValidateStrict(out.Bytes()); err != nil {
		t.Error(err)
	}
	return out.Bytes()
}

// grams are the runs of eight characters of secrets. The bits of their hashes
// tell of nearly all other runs that they are none.
type grams struct {
	texts map[string]string
	bits  [1 << 14]uint64
}

func newGrams(secrets []specimen) *grams {
	g := &grams{texts: map[string]string{}}
	for _, s := range secrets {
		for i := 0; i+8 <= len(s.secret); i++ {
			g.texts[s.secret[i:i+8]] = s.text
			h := gramHash(s.secret[i:])
			g.bits[h>>6] |= 1 << (h & 63)
		}
	}
	return g
}

func gramHash(s string) uint64 {
	var x uint64
	for i := range 8 {
		x |= uint64(s[i]) << (8 * i)
	}
	return x * 0x9e3779b97f4a7c15 >> 44
}

// check looks for the grams in an output as it is, and in the strings of what
// is JSON in it.
func (g *grams) check(t *testing.T, where string, output []byte) {
	t.Helper()
	if !utf8.Valid(output) {
		t.Errorf("%s is no UTF-8", where)
	}
	g.look(t, where, string(output))
	if json.Valid(output) {
		g.decoded(t, where, output)
		return
	}
	for line := range bytes.Lines(output) {
		g.decoded(t, where, line)
	}
}

// decoded looks at the strings of a line, if decoding changes any.
func (g *grams) decoded(t *testing.T, where string, line []byte) {
	var v any
	if bytes.IndexByte(line, '\\') >= 0 && json.Unmarshal(line, &v) == nil {
		g.walk(t, where, v)
	}
}

func (g *grams) walk(t *testing.T, where string, v any) {
	switch v := v.(type) {
	case string:
		g.look(t, where, v)
	case []any:
		for _, e := range v {
			g.walk(t, where, e)
		}
	case map[string]any:
		for k, e := range v {
			g.look(t, where, k)
			g.walk(t, where, e)
		}
	}
}

func (g *grams) look(t *testing.T, where, text string) {
	for i := 0; i+8 <= len(text); i++ {
		h := gramHash(text[i:])
		if g.bits[h>>6]>>(h&63)&1 == 0 {
			continue
		}
		if secret, ok := g.texts[text[i:i+8]]; ok {
			t.Fatalf("%q of %q stands in %s: %.300q", text[i:i+8], secret, where, text[max(0, i-100):])
		}
	}
}
