package jsonl_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/streamjson/streamjson/internal/jsonl"
)

// Maps whose keys have come before are written as any other: in any order, one
// in the other, where keys need an escape or are no UTF-8, and behind a map that
// was refused half-way.
func TestMapsOfKnownKeys(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	sets := [][]string{
		{"a"},
		{"b"},
		{""},
		{"path", "old", "new"},
		{"path", "old", "new2"},
		{"same beginning 1", "same beginning 2", "same beginning 3"},
		{"q\"uote", "line\nbreak", "é\u2028"},
		{"no UTF-8 \xff", "x", "y"},
	}
	for _, n := range []int{10, 16, 17, 40} { // 16 are the most that are remembered
		for _, front := range []string{"k", "other"} {
			var set []string
			for i := range n {
				set = append(set, fmt.Sprintf("%s%d", front, i*7919%n))
			}
			sets = append(sets, set)
		}
	}
	sets = append(sets, []string{strings.Repeat("long ", 120), "short"})
	var build func(depth int) map[string]any
	build = func(depth int) map[string]any {
		m := map[string]any{}
		for _, k := range sets[r.IntN(len(sets))] {
			m[k] = r.IntN(100)
			if depth > 0 && r.IntN(4) == 0 {
				m[k] = build(depth - 1)
			}
		}
		return m
	}
	plain, filtered := jsonl.Values{}, jsonl.Values{Filter: unchanged{}}
	for i := range 1500 {
		m := build(3)
		if i%50 == 0 { // the same ones for a while, or nothing is ever learned
			sets[0], sets[i/50%len(sets)] = sets[i/50%len(sets)], sets[0]
		}
		if i%3 > 0 {
			m = map[string]any{}
			for _, k := range sets[0] {
				m[k] = []any{map[string]any{"x": i, "y": map[string]any{"y": nil, "x": "x"}}, build(1)}
			}
		}
		if i%10 == 9 {
			for k := range m {
				m[k] = map[string]any{"fine": 1, "refused": math.NaN()}
				break
			}
			for _, v := range []jsonl.Values{plain, filtered} {
				if out, err := v.AppendMap([]byte("x"), m); err == nil || string(out) != "x" {
					t.Fatalf("NaN: %s, %v", out, err)
				}
			}
			continue
		}
		want, err := standard(t, m)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range []jsonl.Values{plain, filtered} {
			if out, err := v.AppendMap(nil, m); err != nil || string(out) != want {
				t.Fatalf("map %d:\n%s, %v\nwant\n%s", i, out, err, want)
			}
		}
	}
}

// A map that grows out of what was learned of it, or has another key in place
// of one, has no members of the old one.
func TestMapsOfOtherKeysAfterKnownOnes(t *testing.T) {
	m := map[string]any{"a": 1, "b": 2, "c": 3}
	var v jsonl.Values
	write := func(want string) {
		t.Helper()
		for range 3 {
			if out, err := v.AppendMap(nil, m); err != nil || string(out) != want {
				t.Fatalf("%s, %v, want %s", out, err, want)
			}
		}
	}
	write(`{"a":1,"b":2,"c":3}`)
	delete(m, "c")
	write(`{"a":1,"b":2}`)
	m["d"] = nil
	write(`{"a":1,"b":2,"d":null}`)
	clear(m)
	write(`{}`)
}

// Keys that are the same once they are repaired are told apart, however often
// they come.
func TestMapsOfKeysThatAreNoUTF8(t *testing.T) {
	var v jsonl.Values
	for range 100 {
		out, err := v.AppendMap(nil, map[string]any{"\xff": 1, "\xfe": 2})
		if want := "{\"\ufffd\":2,\"\ufffd#2\":1}"; err != nil || string(out) != want {
			t.Fatalf("%s, %v, want %s", out, err, want)
		}
	}
}

// What a map is written by is not what others are learned in its place for
// while it is open.
func TestMapsThatAreOpenWhileOthersAreLearned(t *testing.T) {
	var v jsonl.Values
	inner := make([]any, 200)
	for i := range inner {
		inner[i] = map[string]any{"b1": 1, "b2": 2, "b3": 3}
	}
	outer := map[string]any{"a1": nil, "a2": 2, "a3": 3}
	want, err := standard(t, outer)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if out, err := v.AppendMap(nil, outer); err != nil || string(out) != want {
			t.Fatalf("%s, %v", out, err)
		}
	}
	outer["a1"] = inner
	if want, err = standard(t, outer); err != nil {
		t.Fatal(err)
	}
	if out, err := v.AppendMap(nil, outer); err != nil || string(out) != want {
		t.Fatalf("%s, %v", out, err)
	}
}
