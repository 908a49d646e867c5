package sonicjson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/streamjson/streamjson/internal/jsonl"
	"github.com/streamjson/streamjson/sonicjson"
)

// A shape holds each kind of member.
type shape struct {
	Bool    bool
	Int     int64  `json:"int,string"`
	Uint    uint8  `json:"uint,omitempty"`
	Big     uint64 `json:"big"`
	Float   float64
	Small   float32
	Text    string
	Quoted  string `json:",string"`
	Bytes   []byte
	List    []any
	Map     map[string]any
	Numbers map[int]string
	Raw     json.RawMessage
	Number  json.Number
	When    time.Time
	Pointer *shape
	Any     any
	Own     indented
	inner
	Skipped string `json:"-"`
	HTML    string `json:"<html>"`
}

type inner struct{ Embedded string }

// indented is a marshaller whose JSON has newlines.
type indented struct{ s string }

func (i indented) MarshalJSON() ([]byte, error) {
	return json.MarshalIndent(map[string]string{"text": i.s, "b": "<&>"}, "", "  ")
}

type panics struct{ with any }

func (p panics) MarshalJSON() ([]byte, error) { panic(p.with) }

type fails struct{}

var errOwn = errors.New("of the marshaller")

func (fails) MarshalJSON() ([]byte, error) { return []byte(`{"half`), errOwn }

// both encodes v as an emitter does, by the default and by Append.
func both(v any) (standard []byte, err1 error, sonic []byte, err2 error) {
	standard, err1 = jsonl.Values{}.AppendValue([]byte("["), v)
	sonic, err2 = jsonl.Values{Append: sonicjson.Append}.AppendValue([]byte("["), v)
	return standard, err1, sonic, err2
}

func compare(t *testing.T, v any) {
	t.Helper()
	standard, err1, sonic, err2 := both(v)
	switch {
	case (err1 == nil) != (err2 == nil):
		t.Errorf("%#v: encoding/json says %v, sonic %v", v, err1, err2)
	case !bytes.Equal(standard, sonic):
		t.Errorf("%#v:\nencoding/json %s\nsonic         %s", v, standard, sonic)
	case err1 == nil && (!json.Valid(sonic[1:]) || !utf8.Valid(sonic)):
		t.Errorf("%#v: no JSON: %s", v, sonic)
	}
}

func TestSameBytesAsTheDefault(t *testing.T) {
	var nilShape *shape
	loop := &shape{}
	loop.Pointer = loop
	for _, v := range []any{
		shape{},
		nilShape,
		&shape{Text: "a\x00\x1b\x7f\u0085\u2028\u2029\"\\/<>&é🙂\xff\xed\xa0\x80", Quoted: `"<é\n`},
		shape{Int: math.MinInt64, Big: math.MaxUint64, Float: 1e21, Small: 0.1, Number: "1e400"},
		shape{Float: 5e-324, Small: math.SmallestNonzeroFloat32, Uint: 255, Bytes: []byte("\xff\x00bytes")},
		shape{Raw: json.RawMessage("{ \"b\" : [ 1 , 2 ],\n\"a\":\"\\u003c\" }"), List: []any{nil, 1, "x", 1.5, true, []any{}}},
		shape{Map: map[string]any{"b": 1, "a": map[string]any{"\xff": nil}, "": "x"}, Numbers: map[int]string{10: "a", 9: "b", -1: "c"}},
		shape{Own: indented{"line\nline\x1b"}, Any: &indented{"<"}, When: time.Date(2026, 2, 3, 4, 5, 6, 7, time.UTC)},
		shape{Pointer: &shape{Pointer: &shape{Any: []shape{{Text: "deep"}}}}, inner: inner{"e"}, HTML: "</script>"},
		map[string]shape{"b": {}, "a": {Text: "x"}},
		struct {
			A any `json:"a,omitempty"`
			Z time.Duration
		}{Z: time.Second},
		// what can't be encoded
		shape{Float: math.NaN()},
		shape{Float: math.Inf(-1)},
		loop,
		shape{Any: make(chan int)},
		shape{Any: func() {}},
		shape{Raw: json.RawMessage(`{"a":1,"a":2}`)},
		shape{Raw: json.RawMessage(`{"a":`)},
		shape{Raw: json.RawMessage("\xff")},
		shape{Raw: json.RawMessage{}},
		shape{Number: "1x"},
		shape{Any: fails{}},
		shape{Any: panics{"text"}},
		shape{Any: panics{errOwn}},
		shape{When: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)},
		shape{Any: map[string]any{"f": math.Inf(1)}},
		complex(1, 2),
	} {
		compare(t, v)
	}
	if sonicjson.Active() != nativeBuild {
		t.Error("sonic was given up for a panic of a marshaller's")
	}
}

// What differs from encoding/json, of which every case is listed here: each is
// the same value in another spelling, or a value that encoding/json refuses.
func TestDifferences(t *testing.T) {
	if !nativeBuild {
		t.Skip("it is encoding/json")
	}
	for _, v := range []any{
		// Inside of the JSON text that a string-tagged string is, invalid UTF-8
		// and the separators are not escaped, and two controls are in another way.
		shape{Quoted: "\xff"},
		shape{Quoted: "\u2028"},
		shape{Quoted: "\b"},
		shape{Quoted: "\f"},
		// A map may have keys of type bool.
		map[bool]int{true: 1},
	} {
		standard, err, sonic, err2 := both(v)
		if err2 != nil || err == nil && bytes.Equal(standard, sonic) {
			t.Errorf("%#v: no difference any more: %s %v, %s %v", v, standard, err, sonic, err2)
		}
		var back, again shape
		if err == nil && (json.Unmarshal(standard[1:], &back) != nil || json.Unmarshal(sonic[1:], &again) != nil || back.Quoted != again.Quoted) {
			t.Errorf("it is read back as %q and %q", back.Quoted, again.Quoted)
		}
	}
}

// An error leaves dst as it was, and the next value is encoded in full.
func TestAnErrorLeavesNothing(t *testing.T) {
	dst := append(make([]byte, 0, 100), `{"a":`...)
	for _, bad := range []any{shape{Float: math.NaN()}, shape{Any: fails{}}, struct{ C chan int }{}} {
		out, err := sonicjson.Append(dst, bad)
		if err == nil || string(out) != `{"a":` {
			t.Errorf("%#v: %q, %v", bad, out, err)
		}
		out, err = sonicjson.Append(dst, inner{"next"})
		if want := `{"a":{"Embedded":"next"}`; err != nil || string(out) != want {
			t.Errorf("after it: %q, %v", out, err)
		}
	}
	if _, err := sonicjson.Append(nil, fails{}); !errors.Is(err, errOwn) {
		t.Errorf("the marshaller's error is lost: %v", err)
	}
	defer func() {
		if r := recover(); r != errOwn {
			t.Errorf("the marshaller's panic comes as %v", r)
		}
	}()
	_, _ = sonicjson.Append(nil, panics{errOwn})
}

func TestAppendIsSafeForConcurrentUse(t *testing.T) {
	sonicjson.Warm(shape{}, &shape{}, make(chan int))
	v := shape{Text: "x", Map: map[string]any{"b": 1, "a": []any{"y"}}}
	want, err := sonicjson.Append(nil, v)
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 50 {
				if got, err := sonicjson.Append(nil, v); err != nil || !bytes.Equal(got, want) {
					t.Errorf("%s, %v", got, err)
					return
				}
			}
		})
	}
	wait.Wait()
}

// The packages that everybody imports must not bring sonic's 20 ms with them.
func TestTheCoreDoesNotImportSonic(t *testing.T) {
	for _, pkg := range []string{"emit", "envelope", "wrap", "redact", "contract"} {
		out, err := exec.Command("go", "list", "-deps", "github.com/streamjson/streamjson/"+pkg).Output()
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(out), "bytedance") {
			t.Errorf("%s imports sonic", pkg)
		}
	}
}

// FuzzAppend encodes a value with any JSON and any text in it.
func FuzzAppend(f *testing.F) {
	f.Add([]byte(`{"b":[1,2.50,"\u2028"],"a":null,"n":{"<":1e5}}`), "text\xff\x1b\u0085", 1.5, int64(-1))
	f.Add([]byte(`"\ud800"`), "", math.Inf(1), int64(math.MaxInt64))
	f.Add([]byte(`[[[]]] `), "\u2029</script>", 1e-7, int64(0))
	f.Fuzz(func(t *testing.T, doc []byte, text string, number float64, integer int64) {
		var decoded any
		_ = json.Unmarshal(doc, &decoded)
		quoted := strings.NewReplacer("\u2028", "", "\u2029", "", "\b", "", "\f", "").Replace(strings.ToValidUTF8(text, "")) // see TestDifferences
		compare(t, shape{
			Text: text, Quoted: quoted, Float: number, Small: float32(number), Int: integer, Big: uint64(integer), Bytes: doc,
			Any: decoded, Raw: doc, Map: map[string]any{text: decoded, "k": text}, Own: indented{text}, inner: inner{text},
		})
		compare(t, []shape{{Any: decoded, Number: json.Number(text)}})
	})
}

func BenchmarkAppend(b *testing.B) {
	v := shape{
		Text: "some text that a tool has printed\n", Int: 42, Float: 0.25, Map: map[string]any{"path": "a/b.go", "line": 12, "ok": true},
		List: []any{"a", 1, nil}, When: time.Date(2026, 2, 3, 4, 5, 6, 7, time.UTC),
	}
	for name, f := range map[string]func([]byte, any) ([]byte, error){"default": nil, "sonic": sonicjson.Append} {
		b.Run(name, func(b *testing.B) {
			values := jsonl.Values{Append: f}
			var dst []byte
			b.ReportAllocs()
			for b.Loop() {
				dst, _ = values.AppendValue(dst[:0], &v)
			}
		})
	}
}
