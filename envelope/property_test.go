package envelope_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/streamjson/streamjson/envelope"
)

// generator makes values that a program could give as data, good ones and bad
// ones.
type generator struct {
	*rand.Rand
	bad int // one of so many leaves is bad; 0: none
}

func (g *generator) value(depth int) any {
	if depth > 0 {
		switch g.IntN(8) {
		case 0, 1:
			return g.mapOf(depth)
		case 2:
			list := make([]any, g.IntN(5))
			for i := range list {
				list[i] = g.value(depth - 1)
			}
			return list
		case 3:
			return struct {
				A any
				B any `json:"b,omitempty"`
				C *string
			}{A: g.value(depth - 1), B: g.value(depth - 1)}
		case 4:
			v := g.value(depth - 1)
			return &v
		}
	}
	if g.bad > 0 && g.IntN(g.bad) == 0 {
		return g.badLeaf()
	}
	return g.leaf()
}

func (g *generator) mapOf(depth int) any {
	m := map[string]any{}
	for range g.IntN(5) {
		m[g.text()] = g.value(depth - 1)
	}
	return m
}

func (g *generator) leaf() any {
	leaves := [...]func() any{
		func() any { return nil },
		func() any { return g.text() },
		func() any { return g.IntN(2) == 0 },
		func() any { return int64(g.Uint64()) },
		func() any { return g.Uint64() },
		func() any { return math.Float64frombits(g.Uint64() &^ (1 << 62)) }, // finite
		func() any { return float32(g.Float64()) },
		func() any { return json.RawMessage(` [ 1, "\ud800\u2028", {"a" : -0.0e-7} ] `) },
		func() any { return json.Number("1e999") },
		func() any { return []byte(g.text()) },
		func() any { return time.Unix(int64(g.IntN(1<<30)), 5) },
		func() any { return []string{g.text(), g.text()} },
		func() any { return map[int]string{g.IntN(9): g.text()} },
		func() any { return [2]int8{1, -1} },
		func() any { return (*int)(nil) },
		func() any { return errors.New("an error without members") },
		func() any {
			return funcMarshaler(func() ([]byte, error) { return []byte("\n{ \"x\" :\t\"\xff\" }"), nil })
		},
	}
	return leaves[g.IntN(len(leaves))]()
}

func (g *generator) badLeaf() any {
	type node struct{ Next *node }
	cycle := &node{}
	cycle.Next = cycle
	bad := [...]any{
		math.NaN(), math.Inf(1), float32(math.Inf(-1)), cycle, make(chan int), func() {}, complex(1, 2),
		json.RawMessage("{"), json.RawMessage(`{"a":1,"a":2}`), json.RawMessage("1 1"), json.Number("x"),
		json.RawMessage(strings.Repeat("[", 2000) + strings.Repeat("]", 2000)),
		map[struct{ a int }]int{{1}: 1},
		funcMarshaler(func() ([]byte, error) { return nil, errors.New("no") }),
		funcMarshaler(func() ([]byte, error) { panic("no") }),
		funcMarshaler(func() ([]byte, error) { panic(nil) }),
		funcMarshaler(func() ([]byte, error) { return []byte("NaN"), nil }),
	}
	return bad[g.IntN(len(bad))]
}

func (g *generator) text() string {
	pieces := [...]string{
		"", "a", "key", "é", "\U0001f600", "\u2028", "\u0085", "\x7f", "\x00", "\x1b[31m", "\"", "\\", "\n", "\xff", "\xe2\x80", "<&>", "/", "\ufeff", "\ud7ff",
	}
	var b strings.Builder
	for range g.IntN(4) {
		b.WriteString(pieces[g.IntN(len(pieces))])
	}
	return b.String()
}

// TestAnyData: any value gives exactly one valid document and the right status,
// or one ok:false document and an error, in both layouts; and the same from Run.
func TestAnyData(t *testing.T) {
	rounds := 4000
	if raceEnabled || testing.Short() {
		rounds = 400
	}
	failures := 0
	for i := range rounds {
		g := &generator{Rand: rand.New(rand.NewPCG(1, uint64(i))), bad: []int{0, 20}[i%2]}
		data := g.value(4)
		label := fmt.Sprintf("seed %d, a %T", i, data)
		var opts []envelope.Option
		wantCode := 0
		if i%3 == 0 {
			opts, wantCode = append(opts, envelope.Fail(g.text(), "x")), 1
		}
		var wide, compact bytes.Buffer
		code, err := envelope.EmitJSON(&wide, data, opts...)
		e := mustParse(t, wide.Bytes())
		if e.OK != (code == 0) || err == nil && code != wantCode || err != nil && (e.OK || string(e.Data) != "null" || g.bad == 0) {
			t.Fatalf("%s: status %d, error %v\n%s", label, code, err, wide.Bytes())
		}
		if err != nil {
			failures++
		}
		code2, err2 := envelope.EmitJSON(&compact, data, append(opts, envelope.Compact())...)
		if code2 != code || (err2 == nil) != (err == nil) {
			t.Fatalf("%s: Compact: status %d, error %v", label, code2, err2)
		}
		sameJSON(t, label, wide.Bytes(), compact.Bytes())

		var ran bytes.Buffer
		code3 := envelope.Run(context.Background(), envelope.RunOptions{JSON: true, Stdout: &ran, Stderr: new(bytes.Buffer), Signals: []os.Signal{}},
			func(context.Context, *envelope.Call) (any, error) { return data, nil })
		if e := mustParse(t, ran.Bytes()); e.OK != (code3 == 0) || e.OK != (err == nil) {
			t.Fatalf("%s: Run: status %d\n%s", label, code3, ran.Bytes())
		}
	}
	if failures < rounds/20 || failures > rounds/2 {
		t.Errorf("%d of %d values were refused: the generator has lost its balance", failures, rounds)
	}
}

// sameJSON checks the layout: wide is what encoding/json.Indent makes of compact.
func sameJSON(t *testing.T, label string, wide, compact []byte) {
	t.Helper()
	var want bytes.Buffer
	if err := json.Indent(&want, compact, "", "  "); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(wide, want.Bytes()) {
		t.Fatalf("%s: indented\n%s\nwant\n%s", label, wide, want.Bytes())
	}
	if n := bytes.Count(compact, []byte{'\n'}); n != 1 || compact[len(compact)-1] != '\n' {
		t.Fatalf("%s: %d newlines in the compact document", label, n)
	}
}

// FuzzEmitRaw: raw JSON as data, and foreign text as messages.
func FuzzEmitRaw(f *testing.F) {
	f.Add([]byte(`{"a":[1,2,{"b":[]}],"c":{}}`), "error", "warning")
	f.Add([]byte(`"\\\"\u2028\\"`), "\x1b[1m", "")
	f.Add([]byte(` [ [ ] , { } , "]" , -0.1e+5 ] `), "\xff", " ")
	f.Add([]byte("{\"a\":1,\"a\":2}"), "", "\x1b]0;")
	f.Fuzz(func(t *testing.T, raw []byte, failure, warning string) {
		var wide, compact bytes.Buffer
		code, err := envelope.EmitJSON(&wide, json.RawMessage(raw), envelope.Fail(failure), envelope.Warn(warning))
		e := mustParse(t, wide.Bytes())
		if code != 1 || e.OK || (err == nil) && len(raw) > 0 && !json.Valid(raw) {
			t.Fatalf("status %d, error %v, %s", code, err, wide.Bytes())
		}
		_, _ = envelope.EmitJSON(&compact, json.RawMessage(raw), envelope.Fail(failure), envelope.Warn(warning), envelope.Compact())
		sameJSON(t, "", wide.Bytes(), compact.Bytes())
	})
}
