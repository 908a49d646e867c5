package jsonl_test

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/streamjson/streamjson/internal/jsonl"
)

// pin fails the test when f allocates more than limit times, pools being full.
func pin(t *testing.T, name string, limit float64, f func()) {
	t.Helper()
	f()
	if got := testing.AllocsPerRun(200, f); got > limit {
		t.Errorf("%s: %v allocations, at most %v wanted", name, got, limit)
	}
}

// The hot paths allocate nothing, given a buffer with room.
func TestAllocationsOfText(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	r := rand.New(rand.NewPCG(1, 1))
	buf := make([]byte, 0, 1<<20)
	code, cjk := benchText(r, "code", 3000), benchText(r, "cjk", 3000)
	prose := "plain prose, é and 世, without a sequence"
	quoted := jsonl.AppendString(nil, code)
	coloured := []byte("\x1b[31m" + prose + "\x1b[0m\x1b]0;title\x07")
	var stripper jsonl.Stripper
	pin(t, "AppendString", 0, func() { buf = jsonl.AppendString(buf[:0], code) })
	pin(t, "AppendString, other scripts", 0, func() { buf = jsonl.AppendString(buf[:0], cjk) })
	pin(t, "AppendEscapedMax", 0, func() { buf, _ = jsonl.AppendEscapedMax(buf[:0], code, 1000) })
	pin(t, "CompletePrefix", 0, func() { jsonl.CompletePrefix(cjk) })
	pin(t, "AppendFloat", 0, func() { buf, _ = jsonl.AppendFloat(buf[:0], 0.1, 64) })
	pin(t, "AppendUnquoted", 0, func() { buf = jsonl.AppendUnquoted(buf[:0], quoted) })
	pin(t, "StripANSI with nothing to strip", 0, func() { jsonl.StripANSI(prose) })
	pin(t, "StripANSI", 2, func() { jsonl.StripANSI("\x1b[1mbold\x1b[0m") })
	pin(t, "Stripper", 0, func() { buf = stripper.Append(buf[:0], coloured) })
}

func TestAllocationsOfValues(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	buf := make([]byte, 0, 1<<20)
	input := toolInput(rand.New(rand.NewPCG(1, 1)))
	keys := map[string]any{}
	for _, w := range strings.Fields("a b c d e f g h i j k l m n o p") {
		keys[w] = map[string]any{"x": 1, "y": []any{"z", nil, true}}
	}
	raw, err := json.Marshal(map[string]any{"input": input, "keys": keys})
	if err != nil {
		t.Fatal(err)
	}
	boxed := []any{"s", 1, int64(2), uint8(3), 1.5, true, nil, json.Number("7"), time.Unix(0, 0).UTC(), []byte("b"), []string{"a", "b"}, map[string]string{"k": "v"}, json.RawMessage(`{"a":[1]}`)}
	var slice any = boxed
	must := func(out []byte, err error) {
		if err != nil {
			t.Fatal(err)
		}
		buf = out[:0]
	}
	var values jsonl.Values
	filtered := jsonl.Values{Filter: unchanged{}}
	var lexer jsonl.Lexer
	pin(t, "Lexer", 0, func() {
		lexer.Reset(raw)
		for {
			if tok, err := lexer.Next(); err != nil || tok.Kind == jsonl.End {
				return
			}
		}
	})
	pin(t, "AppendRaw", 0, func() { must(jsonl.AppendRaw(buf, raw, nil)) })
	pin(t, "AppendRaw with a filter", 0, func() { must(jsonl.AppendRaw(buf, raw, unchanged{})) })
	pin(t, "AppendMap", 0, func() { must(values.AppendMap(buf, input)) })
	pin(t, "AppendMap, nested", 0, func() { must(values.AppendMap(buf, keys)) })
	pin(t, "AppendMap with a filter", 0, func() { must(filtered.AppendMap(buf, input)) })
	pin(t, "AppendValue of the usual kinds", 0, func() {
		for _, x := range boxed {
			must(values.AppendValue(buf, x))
		}
	})
	pin(t, "AppendValue of a slice of them", 0, func() { must(values.AppendValue(buf, slice)) })
}
