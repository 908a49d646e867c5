package jsonl_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/streamjson/streamjson/internal/jsonl"
)

func TestSame(t *testing.T) {
	deep := strings.Repeat("[", jsonl.MaxDepth) + strings.Repeat("]", jsonl.MaxDepth)
	for _, c := range []struct {
		x, y string
		want bool
	}{
		{`1`, ` 1 `, true},
		{`1`, `1.0`, false},
		{`"é\n"`, `"\u00e9\u000a"`, true},
		{`"1"`, `1`, false},
		{`null`, `false`, false},
		{`[]`, `{}`, false},
		{`[]`, `[null]`, false},
		{`[1,2]`, `[1,2]`, true},
		{`[1,2]`, `[2,1]`, false},
		{`{"a":1,"b":[{"c":2,"d":{}}]}`, `{"b": [{"d": {}, "c": 2}], "\u0061": 1}`, true},
		{`{"a":1,"b":2}`, `{"a":1,"b":3}`, false},
		{`{"a":1}`, `{"b":1}`, false},
		{`{"a":1}`, `{"a":1,"b":1}`, false},
		{`{"a":1,"a":2}`, `{"a":2}`, true},
		{deep, deep, true},
		{deep, "[" + deep + "]", false},
		{`1`, `1 2`, false},
		{`{"a"`, `{"a"`, false},
		{``, ``, false},
	} {
		if got := jsonl.Same([]byte(c.x), []byte(c.y)); got != c.want {
			t.Errorf("Same(%.60s, %.60s) = %v", c.x, c.y, got)
		}
		if got := jsonl.Same([]byte(c.y), []byte(c.x)); got != c.want {
			t.Errorf("Same(%.60s, %.60s) = %v", c.y, c.x, got)
		}
	}
}

// Same agrees with encoding/json about texts that both read.
func FuzzSame(f *testing.F) {
	f.Add([]byte(`{"a":[1,"x",null]}`), []byte(`{"a":[1,"\u0078",null]}`))
	f.Add([]byte(`{"a":1,"b":2}`), []byte(`{"b":2,"a":1}`))
	f.Add([]byte(`[[],{}]`), []byte(`[{},[]]`))
	f.Fuzz(func(t *testing.T, x, y []byte) {
		for _, pair := range [][2][]byte{{x, y}, {x, x}, {x, bytes.ReplaceAll(x, []byte(":"), []byte(" : "))}} {
			a, okA := read(pair[0])
			b, okB := read(pair[1])
			want := okA && okB && reflect.DeepEqual(a, b)
			if got := jsonl.Same(pair[0], pair[1]); got != want {
				t.Fatalf("Same(%q, %q) = %v, want %v", pair[0], pair[1], got, want)
			}
		}
	})
}

// read reads text; only what is no deeper than a Lexer reads counts.
func read(text []byte) (v any, ok bool) {
	var l jsonl.Lexer
	l.Reset(text)
	for {
		tok, err := l.Next()
		if err != nil {
			return nil, false
		}
		if tok.Kind == jsonl.End {
			break
		}
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err := d.Decode(&v)
	return v, err == nil
}
