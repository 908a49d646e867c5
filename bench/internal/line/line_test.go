package line_test

import (
	"encoding/json"
	"testing"

	"github.com/streamjson/streamjson/bench/internal/line"
	"github.com/streamjson/streamjson/contract/schema"
)

// TestStructsKeepNothingOfTheLineBefore: they are filled in again and again.
func TestStructsKeepNothingOfTheLineBefore(t *testing.T) {
	var used line.Structs
	for _, s := range line.Shapes() {
		used.Value(&line.Line{Shape: s, Seq: 1, TS: "earlier", Text: "before", Input: "before", Data: "before"})
	}
	for _, s := range line.Shapes() {
		l := &line.Line{Shape: s, Seq: 2, TS: line.Stamp, Text: "after"}
		var fresh line.Structs
		got, want := encode(t, used.Value(l)), encode(t, fresh.Value(l))
		if got != want {
			t.Errorf("%v:\n got %s\nwant %s", s, got, want)
		}
	}
}

func encode(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestLinesKeepTheContract holds the lines that rivals are measured with to the
// schema of the wire.
func TestLinesKeepTheContract(t *testing.T) {
	lines, err := schema.Lines(false)
	if err != nil {
		t.Fatal(err)
	}
	envelopes, err := schema.Envelopes(false)
	if err != nil {
		t.Fatal(err)
	}
	var structs line.Structs
	for _, s := range line.Shapes() {
		l := &line.Line{
			Shape: s, TS: line.Stamp, Text: "x", Input: line.Input("x"), Data: line.Records(2, func() string { return "x" }),
		}
		verdict := lines
		if s == line.Envelope {
			verdict = envelopes
		}
		found, err := verdict([]byte(encode(t, structs.Value(l))))
		if err != nil || len(found) > 0 {
			t.Errorf("%v: %v, %v", s, found, err)
		}
	}
}

func TestTotalIsTheSumOfTheModels(t *testing.T) {
	if got, want := line.Total(), (line.Usage{InputTokens: 7404, OutputTokens: 3402, CacheRead: 534_072, CacheCreation: 20_736}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
