package treehash_test

import (
	"bytes"
	"encoding/json"
	"hash/maphash"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/streamjson/streamjson/contract/internal/treehash"
)

var seed = maphash.MakeSeed()

// sum hashes a text that comes in pieces of a size.
func sum(text string, size int) (uint64, bool) {
	h := treehash.New(seed)
	for len(text) > size {
		h.Write([]byte(text[:size]))
		text = text[size:]
	}
	h.Write([]byte(text))
	return h.Sum()
}

// TestAlike: texts that mean the same have the same sum.
func TestAlike(t *testing.T) {
	for _, alike := range [][]string{
		{`{"a":1,"b":[true,null]}`, "{ \"b\" : [ true , null ],\n\t\"a\":1 }", `{"b":[true,null],"\u0061":1.0}`},
		{`"é"`, `"\u00e9"`, `"\u00E9"`},
		{`"😀"`, `"\ud83d\ude00"`, `"\uD83D\uDE00"`},
		{`"\ufffd"`, "\"\xff\"", `"\ud83d"`, `"\ude00"`, "\"\ufffd\""},
		{`"\ufffd\ufffd"`, "\"\xe2\x82\"", `"\ud83d\ud83d"`},
		{`"a/b\"\\"`, `"a\/b\u0022\u005c"`},
		{`"\b\f\n\r\t"`, `"\u0008\u000c\u000a\u000d\u0009"`},
		{`0`, `-0`, `0.0`, `0e5`, `0.000e-7`},
		{`100`, `1e2`, `1E+2`, `100.00`, `10.0e1`, `0.001e5`},
		{`-1.25`, `-125e-2`, `-0.0125E2`},
		{`1e400`, `10e399`},
		{`{}`, ` { } `},
		{`[]`, "[\n]"},
	} {
		for _, text := range alike {
			for _, size := range []int{1, 2, 3, 1000} {
				want, _ := sum(alike[0], 1000)
				if got, ok := sum(text, size); !ok || got != want {
					t.Errorf("%q in pieces of %d: %x, %v; %q: %x", text, size, got, ok, alike[0], want)
				}
			}
		}
	}
}

// TestDifferent: texts that don't mean the same have different sums.
func TestDifferent(t *testing.T) {
	texts := []string{
		`null`, `true`, `false`, `0`, `1`, `-1`, `10`, `1e-2`, `1e400`, `1e401`, `""`, `"0"`, `"null"`, `"a"`, `"b"`, `"ab"`,
		`[]`, `{}`, `[[]]`, `[{}]`, `[0]`, `[0,0]`, `[0,1]`, `[1,0]`, `["a","b"]`, `["ab"]`, `[["a"],"b"]`, `["a",["b"]]`,
		`{"a":0}`, `{"a":1}`, `{"b":0}`, `{"a":{"b":0}}`, `{"a":{},"b":0}`, `{"a":0,"b":1}`, `{"a":1,"b":0}`, `{"a":"b"}`, `{"":0}`,
		`{"a":[1,2]}`, `{"a":[2,1]}`, `50000000014435121`, `50000000014435122`, `0.1`, `0.10000000000000001`, `"\u0000"`, `" "`,
	}
	seen := map[uint64]string{}
	for _, text := range texts {
		got, ok := sum(text, 1)
		if !ok {
			t.Errorf("%s is refused", text)
		}
		if other, there := seen[got]; there {
			t.Errorf("%s and %s are alike", text, other)
		}
		seen[got] = text
	}
}

// TestRefused: what is no JSON value has no sum.
func TestRefused(t *testing.T) {
	for _, text := range []string{
		``, ` `, `{`, `[`, `]`, `}`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `[1,]`, `[,1]`, `[1 2]`, `{1:2}`, `{"a" 1}`, `{"a"::1}`, `{"a":1:2}`,
		`01`, `1.`, `.1`, `-`, `+1`, `1e`, `1e+`, `1.e1`, `--1`, `1-1`, `0x1`, `tru`, `truE`, `nul`, `nulll`, `True`, `"a`, `"\x"`, `"\u12"`, `"\u12g4"`, `"\`,
		`1 1`, `{} {}`, `[}`, `{]`, `"a""b"`, `a`, "\ufeff1", strings.Repeat("[", 1001) + strings.Repeat("]", 1001),
	} {
		if got, ok := sum(text, 1); ok {
			t.Errorf("%q: %x", text, got)
		}
	}
	if _, ok := sum(strings.Repeat("[", 1000)+strings.Repeat("]", 1000), 7); !ok {
		t.Error("1,000 levels are refused")
	}
}

// respell writes a value in another spelling.
func respell(rnd *rand.Rand, v any) string {
	space := func() string { return strings.Repeat(" \n\t"[rnd.IntN(3):][:1], rnd.IntN(3)) }
	switch v := v.(type) {
	case map[string]any:
		var parts []string
		for k, e := range v { // in any order
			parts = append(parts, space()+respell(rnd, k)+space()+":"+respell(rnd, e))
		}
		return "{" + strings.Join(parts, space()+",") + space() + "}"
	case []any:
		var parts []string
		for _, e := range v {
			parts = append(parts, space()+respell(rnd, e))
		}
		return "[" + strings.Join(parts, ",") + space() + "]"
	case string:
		var b strings.Builder
		b.WriteByte('"')
		for _, r := range v {
			if rnd.IntN(3) == 0 && r < 0x10000 {
				b.WriteString(`\u` + strings.ToUpper(strconv.FormatInt(int64(r)+0x10000, 16))[1:])
				continue
			}
			quoted, _ := json.Marshal(string(r))
			b.Write(quoted[1 : len(quoted)-1])
		}
		return b.String() + `"`
	case float64:
		if rnd.IntN(2) == 0 {
			return strconv.FormatFloat(v, 'e', -1, 64)
		}
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	out, _ := json.Marshal(v)
	return string(out)
}

// value makes a random value.
func value(rnd *rand.Rand, depth int) any {
	words := []string{"", "a", "path", "日本", "😀", "\n\t\"\\/", "\u2028", "a longer text with words"}
	switch n := rnd.IntN(8); {
	case n < 2 && depth < 5:
		m := map[string]any{}
		for range rnd.IntN(5) {
			m[words[rnd.IntN(len(words))]+strconv.Itoa(rnd.IntN(9))] = value(rnd, depth+1)
		}
		return m
	case n < 4 && depth < 5:
		list := []any{}
		for range rnd.IntN(5) {
			list = append(list, value(rnd, depth+1))
		}
		return list
	case n < 6:
		return words[rnd.IntN(len(words))]
	case n == 6:
		return float64(rnd.IntN(2000)-1000) / 8
	}
	return []any{nil, true, false}[rnd.IntN(3)]
}

// TestRespelled: no spelling of a value changes its sum, in pieces of any size;
// the sums of 2,000 random values tell them apart like encoding/json does.
func TestRespelled(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	bySum := map[uint64]string{}
	for range 2000 {
		v := value(rnd, 0)
		plain, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		want, ok := sum(string(plain), 1000)
		if !ok {
			t.Fatalf("%s is refused", plain)
		}
		if other, there := bySum[want]; there && other != string(plain) {
			t.Fatalf("%s and %s are alike", other, plain)
		}
		bySum[want] = string(plain)
		text := respell(rnd, v)
		if got, ok := sum(text, 1+rnd.IntN(9)); !ok || got != want {
			t.Fatalf("%s, spelled %s: %x and %x, %v", plain, text, want, got, ok)
		}
	}
}

// FuzzHasher: what is JSON has a sum, what has one is JSON but for raw control
// characters in strings, and pieces make no difference.
func FuzzHasher(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.5e3,"\ud83d\ude00",null]}`, `"\u12"`, "\"\xe2\x82\xac\xff\"", `[[[]]]`, `-0.0e+1`, "\"\x01\""} {
		f.Add([]byte(s), uint8(1))
	}
	f.Fuzz(func(t *testing.T, text []byte, size uint8) {
		whole, ok := sum(string(text), len(text)+1)
		again, okAgain := sum(string(text), 1+int(size)%16)
		if whole != again && ok || ok != okAgain {
			t.Fatalf("whole %x, %v; in pieces %x, %v", whole, ok, again, okAgain)
		}
		valid := json.Valid(text)
		if valid && !ok && bytes.Count(text, []byte("["))+bytes.Count(text, []byte("{")) <= treehash.MaxDepth {
			t.Fatal("JSON is refused")
		}
		inString, escaped := false, false
		cleaned := bytes.Clone(text)
		for i, c := range cleaned {
			switch {
			case inString && !escaped && c < ' ':
				cleaned[i] = 'x'
			case c == '"' && !escaped:
				inString = !inString
			}
			escaped = inString && c == '\\' && !escaped
		}
		if ok && !valid && !json.Valid(cleaned) {
			t.Fatalf("%q has a sum", text)
		}
	})
}
