package emittest

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/streamjson/streamjson/contract"
	"github.com/streamjson/streamjson/contract/schema"
	"github.com/streamjson/streamjson/emit"
)

// Run holds a run to the contract. It does the run several times, with and
// without partial messages, in each format, by the emitter's Do, so that body
// may call Finish or leave that to Do. It reports each rule that a stream
// breaks, and where the formats differ in result or exit code.
//
// What body does must not depend on anything but its emitter.
func Run(t *testing.T, body func(*emit.Emitter)) {
	t.Helper()
	for _, partial := range []bool{false, true} {
		name := "whole messages"
		if partial {
			name = "partial messages"
		}
		t.Run(name, func(t *testing.T) {
			o := emit.Options{Partial: partial}
			stream, code := do(t, o, body)
			check(t, stream, code)
			want := last(t, stream)

			o.Format = emit.FormatJSON
			doc, jsonCode := do(t, o, body)
			compare(t, want, decode(t, doc), code, jsonCode)

			o.Format = emit.FormatText
			text, textCode := do(t, o, body)
			final, _ := want["result"].(string)
			if !strings.HasSuffix(strings.TrimRight(string(text), "\n"), strings.TrimRight(final, "\n")) {
				t.Errorf("the format text ends in %.200q, the result is %.200q", text, final)
			}
			if textCode != code {
				t.Errorf("exit code %d in the format text, %d in stream-json", textCode, code)
			}
		})
	}
}

// do does one run and returns its output and exit code.
func do(t *testing.T, o emit.Options, body func(*emit.Emitter)) ([]byte, int) {
	t.Helper()
	o = fixed(o)
	var out buffer
	o.Stdout, o.Stderr = &out, &buffer{}
	em, err := emit.New(t.Context(), o)
	if err != nil {
		t.Fatalf("emittest: %v", err)
	}
	_ = em.Do(func(context.Context) error {
		body(em)
		return nil
	})
	return out.bytes(), em.ExitCode()
}

// check reports what the checker finds in a stream.
func check(t *testing.T, stream []byte, code int) {
	t.Helper()
	lines, err := schema.Lines(false)
	if err != nil {
		t.Fatalf("emittest: %v", err)
	}
	report, err := contract.Check(bytes.NewReader(stream), contract.CheckOptions{Exit: &code, Schema: lines})
	if err != nil {
		t.Fatalf("emittest: %v", err)
	}
	for _, f := range report.Findings {
		t.Errorf("contract: %v", f)
	}
}

// compare reports where two results differ that should be one.
func compare(t *testing.T, want, got map[string]any, wantCode, gotCode int) {
	t.Helper()
	for _, m := range []map[string]any{want, got} {
		// These count lines and readings of the clock.
		delete(m, "seq")
		delete(m, "ts")
		delete(m, "duration_ms")
	}
	if !reflect.DeepEqual(want, got) {
		t.Errorf("the result in stream-json is %v, in json %v", want, got)
	}
	if wantCode != gotCode {
		t.Errorf("exit code %d in the format json, %d in stream-json", gotCode, wantCode)
	}
}

func last(t *testing.T, stream []byte) map[string]any {
	t.Helper()
	stream = bytes.TrimSuffix(stream, []byte("\n"))
	return decode(t, stream[bytes.LastIndexByte(stream, '\n')+1:])
}

func decode(t *testing.T, object []byte) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(object, &v); err != nil {
		t.Fatalf("emittest: no JSON object: %v: %.200q", err, object)
	}
	return v
}
