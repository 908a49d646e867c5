package jsonl_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/streamjson/streamjson/internal/jsonl"
)

// standard is what encoding/json writes, brought to the spelling of F8.
func standard(t testing.TB, v any) (string, error) {
	t.Helper()
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "", err
	}
	out, err := jsonl.AppendRaw(nil, buf.Bytes(), nil)
	if err != nil {
		t.Fatalf("encoding/json wrote %q for %#v: %v", buf.Bytes(), v, err)
	}
	return string(out), nil
}

type plainStruct struct {
	B string  `json:"b"`
	A int     `json:"a,omitempty"`
	F float64 `json:"f"`
	S string  `json:"s,string"`
}

type (
	namedString string
	namedMap    map[string]any
	namedInt    int
)

func TestAppendValueIsThatOfEncodingJSON(t *testing.T) {
	now := time.Date(2026, 3, 4, 5, 6, 7, 89_000_000, time.FixedZone("", 5400))
	text := "str"
	for _, v := range []any{
		nil, true, false, "", "a<b>&c", "\x00\u2028\xff", 0, -1, math.MaxInt, int64(math.MaxInt64), int8(-8), int16(-16), int32(-32), int64(math.MinInt64),
		uint(1), uint8(8), uint16(16), uint32(32), uint64(math.MaxUint64), uintptr(7),
		1.5, float32(0.1), 1e21, 1e-7, math.Copysign(0, -1), time.Duration(1500), now, now.UTC(),
		time.Time{},
		json.Number("12.50"), json.Number(""), json.RawMessage(`{ "b" : [ 1 ] }`), json.RawMessage(nil),
		[]byte("bytes"),
		[]byte{},
		[]byte(nil),
		[]any{},
		[]any(nil),
		[]any{1, "a", nil, []any{map[string]any{}}},
		[]string{"a", "\n"},
		[]string(nil),
		[]string{},
		[]int{1, -2},
		[]float64{0.5, 1e30},
		[]map[string]any{{"a": 1}, nil},
		[]int64{1},
		[]bool{true},
		[2]int{1, 2},
		map[string]any{},
		map[string]any(nil),
		map[string]any{"b": 1, "a": 2, "": 3, "é": 4, "A": 5, "a\n": 6},
		map[string]string{"z": "1", "y": "\u0080"},
		map[string]string(nil),
		map[string]int{"b": 1, "a": 2},
		map[string]float64{"x": 0.1},
		map[string]bool{"t": true, "f": false},
		map[int]string{2: "b", 1: "a"},
		map[string][]string{"a": {"b"}},
		map[namedString]int{"k": 1},
		plainStruct{B: "x\u2028<", F: 1e21, S: "q\"uote"},
		&plainStruct{A: 3}, (*plainStruct)(nil), &text, new(any),
		namedString("n"),
		namedMap{"b": 1, "a": nil},
		namedInt(4),
		[]namedInt{5},
		struct{}{},
		map[string]any{"s": plainStruct{}, "r": json.RawMessage("[1,\n2]"), "m": []any{&text, now, json.Number("1e5")}},
	} {
		want, err := standard(t, v)
		if err != nil {
			t.Fatalf("encoding/json refuses %#v: %v", v, err)
		}
		got, err := jsonl.Values{}.AppendValue([]byte("#"), v)
		if err != nil || string(got) != "#"+want {
			t.Errorf("%T %#v\n got %s, %v\nwant %s", v, v, got, err, want)
		}
		checkWire(t, got)
	}
}

// randomValue is a value of the kinds that the type switch knows, and some
// that it doesn't.
func randomValue(r *rand.Rand, depth int) any {
	kinds := 21
	if depth <= 0 {
		kinds = 13
	}
	text := func() string { return hostileText(r, r.IntN(12)) }
	key := func() string { return repaired(text()) } // keys made alike are told apart elsewhere
	switch r.IntN(kinds) {
	case 0:
		return nil
	case 1:
		return r.IntN(2) == 0
	case 2, 3, 4:
		return text()
	case 5:
		return r.Int64() >> r.IntN(64)
	case 6:
		return math.Pow(10, float64(r.IntN(50)-25)) * r.NormFloat64()
	case 7:
		return r.Uint64() >> r.IntN(64)
	case 8:
		return json.Number(fmt.Sprint(r.Int32()))
	case 9:
		return []string{text(), text()}
	case 10:
		return map[string]string{key(): text(), key(): text()}
	case 11:
		return []byte(text())
	case 12:
		return plainStruct{B: text(), S: text()}
	case 13, 14, 15:
		s := make([]any, r.IntN(5))
		for i := range s {
			s[i] = randomValue(r, depth-1)
		}
		return s
	case 16:
		return namedMap{key(): randomValue(r, depth-1)}
	default:
		m := map[string]any{}
		for range r.IntN(30) {
			m[key()] = randomValue(r, depth-2)
		}
		return m
	}
}

func TestAppendValueRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 3000 {
		v := randomValue(r, 5)
		want, err := standard(t, v)
		if err != nil {
			t.Fatal(err)
		}
		got, err := jsonl.Values{}.AppendValue(nil, v)
		if err != nil || string(got) != want {
			t.Fatalf("%#v\n got %s, %v\nwant %s", v, got, err, want)
		}
		// The filter does the same to a Go value as to its text.
		filter := testFilter{}
		want2, err := jsonl.AppendRaw(nil, got, filter)
		if err != nil {
			t.Fatal(err)
		}
		got2, err := jsonl.Values{Filter: filter}.AppendValue(nil, v)
		if err != nil || string(got2) != string(want2) {
			t.Fatalf("filtered\n got %s, %v\nwant %s", got2, err, want2)
		}
	}
}

func FuzzAppendValue(f *testing.F) {
	for _, s := range []string{`{"b":[1,"x",null],"a":{"token":12}}`, `["secret",1e5]`, `{"secret":1,"[R]":{"token":["a"]}}`, "\"\xff\\ud800\""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var v any
		dec := json.NewDecoder(bytes.NewReader(in))
		dec.UseNumber()
		if dec.Decode(&v) != nil {
			return
		}
		got, err := jsonl.Values{}.AppendValue(nil, v)
		if err != nil {
			if _, oracleErr := tokens(in); oracleErr == nil {
				t.Fatalf("%q: %v", in, err)
			}
			return
		}
		checkRaw(t, got)
		if want, err := standard(t, v); err != nil || string(got) != want {
			t.Fatalf("%q\n got %s\nwant %s, %v", in, got, want, err)
		}
		want, err := jsonl.AppendRaw(nil, got, testFilter{})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := (jsonl.Values{Filter: testFilter{}}).AppendValue(nil, v); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("filtered\n got %s, %v\nwant %s", got, err, want)
		}
	})
}

func TestAppendValueFilter(t *testing.T) {
	when := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		rule string
		v    any
		want string
	}{
		{"text", "a secret", `"a [R]"`},
		{"invalid text is repaired", "secret\xff", "\"[R]\ufffd\""},
		{"slices and maps", map[string]any{"a": []string{"secret"}, "b": map[string]string{"c": "secret"}}, `{"a":["[R]"],"b":{"c":"[R]"}}`},
		{"other kinds", plainStruct{B: "secret"}, `{"b":"[R]","f":0,"s":"\"\""}`},
		{"raw text", json.RawMessage(`"\u0073ecret"`), `"[R]"`},
		{
			"covered kinds",
			map[string]any{"token": []any{"ab", 12, int8(3), uint(4), 1.5, float32(0.25), json.Number("100"), true, nil, json.RawMessage(`[1,"x"]`), plainStruct{}, []byte("abc"), when, time.Duration(5)}},
			`{"token":["[covered 2]","[covered 2]","[covered 1]","[covered 1]","[covered 3]","[covered 4]","[covered 3]",true,null,["[covered 1]","[covered 1]"],{"b":"[covered 0]","f":"[covered 1]","s":"[covered 2]"},"[covered 4]","[covered 20]","[covered 1]"]}`,
		},
		{"cover ends with its member", map[string]any{"token": map[string]any{"a": 1}, "u": 2}, `{"token":{"a":"[covered 1]"},"u":2}`},
		{"typed maps", map[string]int{"token": 12, "u": 3}, `{"token":"[covered 2]","u":3}`},
		{"keys made alike", map[string]any{"secret": 1, "[R]": 2, "a": 3}, `{"[R]":2,"a":3,"[R]#2":1}`},
		{"keys made alike by repair", map[string]int{"\xfe": 1, "\xff": 2, "\ufffd": 3, "a": 4}, "{\"a\":4,\"\ufffd\":3,\"\ufffd#2\":1,\"\ufffd#3\":2}"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			got, err := jsonl.Values{Filter: testFilter{}}.AppendValue(nil, c.v)
			if err != nil || string(got) != c.want {
				t.Errorf("got %s, %v\nwant %s", got, err, c.want)
			}
		})
	}
	got, err := jsonl.Values{}.AppendMap(nil, map[string]any{"\xfe": 1, "\xff": 2})
	if want := "{\"\ufffd\":1,\"\ufffd#2\":2}"; err != nil || string(got) != want {
		t.Errorf("without a filter: %s, %v want %s", got, err, want)
	}
}

type marshaller func() ([]byte, error)

func (m marshaller) MarshalJSON() ([]byte, error) { return m() }

func TestAppendValueOfHostileMarshallers(t *testing.T) {
	boom := errors.New("boom")
	for _, c := range []struct {
		rule, want string
		m          marshaller
		is         error
	}{
		{rule: "indented output becomes one line", m: func() ([]byte, error) { return []byte("{\n  \"a\": 1\n}\n"), nil }, want: `{"a":1}`},
		{rule: "raw C1 and DEL are escaped", m: func() ([]byte, error) { return []byte("\"\x7f\u009b\""), nil }, want: `"\u007f\u009b"`},
		{rule: "invalid UTF-8 is repaired", m: func() ([]byte, error) { return []byte("\"\xff\""), nil }, want: "\"\ufffd\""},
		{rule: "a key twice is refused", m: func() ([]byte, error) { return []byte(`{"a":1,"a":2}`), nil }},
		{rule: "invalid output is refused", m: func() ([]byte, error) { return []byte(`{`), nil }},
		{rule: "no output is refused", m: func() ([]byte, error) { return nil, nil }},
		{rule: "its error comes back", m: func() ([]byte, error) { return nil, boom }, is: boom},
		{rule: "a panic is an error", m: func() ([]byte, error) { panic("no") }},
		{rule: "a panic with an error keeps it", m: func() ([]byte, error) { panic(boom) }, is: boom},
		{rule: "a panic with nil", m: func() ([]byte, error) { panic(nil) }},
		{rule: "a runtime panic", m: func() ([]byte, error) { var p *plainStruct; return []byte(p.B), nil }},
		{rule: "it may call us again", want: `{"b":[1]}`, m: func() ([]byte, error) {
			return jsonl.Values{}.AppendValue(nil, map[string]any{"b": []any{1}})
		}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			got, err := jsonl.Values{}.AppendValue([]byte("#"), map[string]any{"a": 1, "k": []any{c.m}})
			if c.want != "" {
				if want := `#{"a":1,"k":[` + c.want + `]}`; err != nil || string(got) != want {
					t.Errorf("got %s, %v want %s", got, err, want)
				}
				return
			}
			if err == nil || string(got) != "#" {
				t.Fatalf("got %q, %v", got, err)
			}
			if p := jsonl.ErrorPointer(err); !strings.HasPrefix(p, "/k/0") {
				t.Errorf("%v points to %q", err, p)
			}
			if c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("%v does not wrap %v", err, c.is)
			}
		})
	}
}

func TestAppendValueOfHostileEncoders(t *testing.T) {
	foreign := []byte(`{"foreign":true}`)
	long := []byte(`"` + strings.Repeat("l", 200_000) + `"`)
	for _, c := range []struct {
		rule, want string
		append     func(dst []byte, v any) ([]byte, error)
	}{
		{"appends", `1`, func(dst []byte, _ any) ([]byte, error) { return append(dst, '1'), nil }},
		{"returns an array of its own", string(foreign), func([]byte, any) ([]byte, error) { return foreign, nil }},
		{"returns a long array of its own", string(long), func([]byte, any) ([]byte, error) { return long, nil }},
		{"writes all over the buffer", `2`, func(dst []byte, _ any) ([]byte, error) {
			clear(dst[:cap(dst)])
			return append(dst, '2'), nil
		}},
		{"returns nothing", "", func([]byte, any) ([]byte, error) { return nil, nil }},
		{"returns what it was given", "", func(dst []byte, _ any) ([]byte, error) { return dst, nil }},
		{"fails with output", "", func(dst []byte, _ any) ([]byte, error) { return append(dst, "3"...), io.ErrUnexpectedEOF }},
		{"panics", "", func([]byte, any) ([]byte, error) { panic("no") }},
		{"writes two values", "", func(dst []byte, _ any) ([]byte, error) { return append(dst, "1 2"...), nil }},
		{"writes a newline", `4`, func(dst []byte, _ any) ([]byte, error) { return append(dst, "4\n"...), nil }},
	} {
		t.Run(c.rule, func(t *testing.T) {
			v := jsonl.Values{Append: c.append}
			for range 3 { // what it leaves behind must not hurt the next call
				got, err := v.AppendValue(bytes.Repeat([]byte("#"), 10), []any{"x", plainStruct{}, "y"})
				if c.want == "" {
					if err == nil || string(got) != "##########" {
						t.Fatalf("got %q, %v", got, err)
					}
					continue
				}
				if want := `##########["x",` + c.want + `,"y"]`; err != nil || string(got) != want {
					t.Fatalf("got %.100s, %v", got, err)
				}
			}
			// Nor may we have written to an array of its own.
			if string(foreign) != `{"foreign":true}` || !bytes.Equal(bytes.Trim(long, `"`), bytes.Repeat([]byte("l"), 200_000)) {
				t.Fatal("an array of the encoder's own was written to")
			}
		})
	}
}

// nested is inner in n containers, slices and maps by turns.
func nested(n int, inner any) any {
	v := inner
	for i := range n {
		if i%2 == 0 {
			v = []any{v}
		} else {
			v = map[string]any{"k": v}
		}
	}
	return v
}

func TestAppendValueRefuses(t *testing.T) {
	type node struct{ Next *node }
	cyclicPointer := &node{}
	cyclicPointer.Next = cyclicPointer
	for _, c := range []struct {
		rule, pointer string
		v             any
	}{
		{"NaN", "/a/1", map[string]any{"a": []any{1, math.NaN()}}},
		{"infinity", "/a/0", map[string]any{"a": []float64{math.Inf(1)}}},
		{"32-bit infinity", "/0", []any{float32(math.Inf(-1))}},
		{"NaN in a typed map", "/a~1b", map[string]float64{"a/b": math.NaN()}},
		{"NaN in a struct", "/a", map[string]any{"a": plainStruct{F: math.NaN()}}},
		{"bad json.Number", "/a", map[string]any{"a": json.Number("1.")}},
		{"json.Number with a line", "/a", map[string]any{"a": json.Number("1\n")}},
		{"empty raw text", "/a", map[string]any{"a": json.RawMessage{}}},
		{"bad raw text", "/a/b/1", map[string]any{"a": json.RawMessage(`{"b":[1,}`)}},
		{"a key twice in raw text", "/0/x", []any{json.RawMessage(`{"x":1,"x":1}`)}},
		{"channel", "/a", map[string]any{"a": make(chan int)}},
		{"function", "", func() {}},
		{"complex number", "/0", []any{1i}},
		{"year beyond RFC 3339", "/a", map[string]any{"a": time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)}},
		{"cyclic pointer", "", cyclicPointer},
	} {
		t.Run(c.rule, func(t *testing.T) {
			for _, f := range []jsonl.Filter{nil, testFilter{}} {
				got, err := jsonl.Values{Filter: f}.AppendValue([]byte("#"), c.v)
				if err == nil || string(got) != "#" {
					t.Fatalf("got %.100q, %v", got, err)
				}
				if p := jsonl.ErrorPointer(err); p != c.pointer {
					t.Errorf("%v points to %q, want %q", err, p, c.pointer)
				}
				checkWire(t, []byte(err.Error()))
			}
		})
	}
}

func TestAppendValueRefusesCycles(t *testing.T) {
	cyclicMap := map[string]any{"a": 1}
	cyclicMap["self"] = cyclicMap
	cyclicSlice := []any{1, nil}
	cyclicSlice[1] = cyclicSlice
	long := map[string]any{"text": strings.Repeat("x", 1<<20)}
	long["z"] = nested(30, long)
	cyclicTyped := map[string]any{}
	cyclicTyped["k"] = []map[string]any{cyclicTyped}
	for rule, v := range map[string]any{"map": cyclicMap, "typed": cyclicTyped, "typed, odd": []any{cyclicTyped}, "slice": cyclicSlice, "long": long, "deep": nested(100, cyclicMap), "in a struct": struct{ M map[string]any }{cyclicMap}} {
		got, err := jsonl.Values{}.AppendValue(nil, v)
		if err == nil || !strings.Contains(err.Error(), "cycle") {
			t.Errorf("cyclic %s: %v", rule, err)
		}
		if cap(got) > 0 {
			t.Errorf("cyclic %s: the buffer was not given back", rule)
		}
	}
}

func TestAppendValueDepth(t *testing.T) {
	for _, inner := range []any{map[string]any{}, []any{}, []string{}, map[string]string{}, json.RawMessage(`[]`), plainStruct{}} {
		if _, err := (jsonl.Values{}).AppendValue(nil, nested(999, inner)); err != nil {
			t.Errorf("1000 levels with %T: %v", inner, err)
		}
		if _, err := (jsonl.Values{}).AppendValue(nil, nested(1000, inner)); err == nil || !strings.Contains(err.Error(), "deep") {
			t.Errorf("1001 levels with %T: %v", inner, err)
		}
	}
}

// One container may stand in many places, also below itself in depth, as long
// as it does not hold itself.
func TestAppendValueSharedContainersAreNoCycle(t *testing.T) {
	shared := map[string]any{"a": []any{1}}
	v := any([]any{shared, shared})
	for range 200 {
		v = []any{v, shared, map[string]any{"k": shared}}
	}
	want, err := standard(t, v)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := (jsonl.Values{}).AppendValue(nil, v); err != nil || string(got) != want {
		t.Errorf("%v", err)
	}
	// The same in a typed container, at each depth around which cycles are looked for.
	v = any(map[string]any{"a": shared, "b": []map[string]any{shared, {"c": []map[string]any{shared}}}})
	for range 70 {
		v = []any{shared, v, []map[string]any{shared}, shared}
		if _, err := (jsonl.Values{}).AppendValue(nil, v); err != nil {
			t.Error(err)
		}
	}
	// Parts of one array, each shorter than the one around it.
	parts := make([]any, 20)
	for i := range parts {
		parts[i] = i
	}
	parts[0] = append([]any{}, parts[:10]...)
	if _, err := (jsonl.Values{}).AppendValue(nil, parts); err != nil {
		t.Error(err)
	}
}

func TestAppendValueIsSafeForConcurrentUse(t *testing.T) {
	v := jsonl.Values{Filter: testFilter{}}
	x := map[string]any{"token": []any{1, plainStruct{B: "secret"}}, "secret": "a", "[R]": json.RawMessage(`{"b":"secret"}`)}
	want, err := v.AppendValue(nil, x)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	for range 8 {
		go func() {
			for range 500 {
				if got, err := v.AppendValue(nil, x); err != nil || !bytes.Equal(got, want) {
					done <- fmt.Errorf("got %s, %w", got, err)
					return
				}
			}
			done <- nil
		}()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}
