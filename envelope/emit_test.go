package envelope_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/streamjson/streamjson/envelope"
	"github.com/streamjson/streamjson/exitcode"
)

// emit is EmitJSON into memory.
func emit(t *testing.T, data any, opts ...envelope.Option) (doc string, code int, err error) {
	t.Helper()
	var buf bytes.Buffer
	code, err = envelope.EmitJSON(&buf, data, opts...)
	return buf.String(), code, err
}

func TestEmitJSONBytes(t *testing.T) {
	type module struct {
		Path    string   `json:"path"`
		Tags    []string `json:"tags"`
		Missing []string `json:"missing"`
	}
	for _, c := range []struct {
		rule string
		data any
		opts []envelope.Option
		want string
		code int
	}{
		{
			"section 5: five members in order, two spaces, one newline",
			map[string]any{"b": 1, "a": []int{1, 2}},
			nil,
			"{\n  \"schema_version\": 1,\n  \"ok\": true,\n  \"data\": {\n    \"a\": [\n      1,\n      2\n    ],\n    \"b\": 1\n  },\n  \"errors\": [],\n  \"warnings\": []\n}\n", 0,
		},
		{
			"Compact: one line",
			module{Path: "m", Tags: []string{}},
			[]envelope.Option{envelope.Compact()},
			`{"schema_version":1,"ok":true,"data":{"path":"m","tags":[],"missing":null},"errors":[],"warnings":[]}` + "\n", 0,
		},
		{
			"E3: data is written also when null (row 122)", nil,
			[]envelope.Option{envelope.Compact()},
			`{"schema_version":1,"ok":true,"data":null,"errors":[],"warnings":[]}` + "\n", 0,
		},
		{
			"E4: a failure with messages and a warning", "partial",
			[]envelope.Option{envelope.Compact(), envelope.Fail("a", "b"), envelope.Warn("w")},
			`{"schema_version":1,"ok":false,"data":"partial","errors":["a","b"],"warnings":["w"]}` + "\n", 1,
		},
		{
			"E4: a failure without a message says so", nil,
			[]envelope.Option{envelope.Compact(), envelope.Fail()},
			`{"schema_version":1,"ok":false,"data":null,"errors":["the command failed and gave no message"],"warnings":[]}` + "\n", 1,
		},
		{
			"E4: so does one with blank messages only", nil,
			[]envelope.Option{envelope.Compact(), envelope.Fail("", " \n", "\x1b[31m\x1b[0m"), envelope.Warn("")},
			`{"schema_version":1,"ok":false,"data":null,"errors":["the command failed and gave no message"],"warnings":[]}` + "\n", 1,
		},
		{
			"F10: errors and warnings lose escape sequences, data keeps them escaped", "\x1b[1mx",
			[]envelope.Option{envelope.Compact(), envelope.Fail("\x1b[31mred\x1b[0m"), envelope.Warn("\x1b]0;title\x07w")},
			`{"schema_version":1,"ok":false,"data":"\u001b[1mx","errors":["red"],"warnings":["w"]}` + "\n", 1,
		},
		{
			"F8: one spelling for strings (row 115: no HTML escapes)", "a&b<c>\u2028\x7f\u0085\xff\n",
			[]envelope.Option{envelope.Compact()},
			`{"schema_version":1,"ok":true,"data":"a&b<c>\u2028\u007f\u0085` + "\ufffd" + `\n","errors":[],"warnings":[]}` + "\n", 0,
		},
		{
			"row 113: integers keep their digits",
			[]any{int64(50000000014435121), uint64(math.MaxUint64), json.Number("50000000014435122")},
			[]envelope.Option{envelope.Compact()},
			`{"schema_version":1,"ok":true,"data":[50000000014435121,18446744073709551615,50000000014435122],"errors":[],"warnings":[]}` + "\n", 0,
		},
		{
			"row 119: data can't override the envelope",
			map[string]any{"ok": false, "schema_version": 9},
			[]envelope.Option{envelope.Compact()},
			`{"schema_version":1,"ok":true,"data":{"ok":false,"schema_version":9},"errors":[],"warnings":[]}` + "\n", 0,
		},
		{
			"row 110: what a marshaller indents is laid out anew", json.RawMessage("{\n \"a\" :\t[ ] , \"b\":{ } }\n"), nil,
			"{\n  \"schema_version\": 1,\n  \"ok\": true,\n  \"data\": {\n    \"a\": [],\n    \"b\": {}\n  },\n  \"errors\": [],\n  \"warnings\": []\n}\n", 0,
		},
		{
			"nil options do nothing", 1,
			[]envelope.Option{nil, envelope.Compact(), nil, envelope.Err(nil), envelope.Redact(nil), envelope.Append(nil)},
			`{"schema_version":1,"ok":true,"data":1,"errors":[],"warnings":[]}` + "\n", 0,
		},
	} {
		t.Run(c.rule, func(t *testing.T) {
			doc, code, err := emit(t, c.data, c.opts...)
			if err != nil || code != c.code {
				t.Errorf("status %d, error %v; want %d and none", code, err, c.code)
			}
			if doc != c.want {
				t.Errorf("got\n%s\nwant\n%s", doc, c.want)
			}
			mustParse(t, []byte(doc))
		})
	}
}

// TestEmptyData: E3, field case row 121 (null for an empty list).
func TestEmptyData(t *testing.T) {
	var strs []string
	var self any
	type loop *loop
	var l loop
	l = &l
	_ = self
	for _, c := range []struct {
		data any
		want string
	}{
		{[]int(nil), "[]"},
		{[]int{}, "[]"},
		{map[string]int(nil), "{}"},
		{map[string]any(nil), "{}"},
		{[]any(nil), "[]"},
		{&strs, "[]"},
		{(*[]string)(nil), "null"},
		{[0]int{}, "[]"},
		{[]byte(nil), `""`},
		{json.RawMessage(nil), "null"},
		{marshalledList(nil), `"mine"`},
		{struct{ List []int }{}, `{"List":null}`},
		{nil, "null"},
		{(*struct{})(nil), "null"},
	} {
		doc, code, err := emit(t, c.data, envelope.Compact())
		if err != nil || code != 0 || string(mustParse(t, []byte(doc)).Data) != c.want {
			t.Errorf("%T: %s (status %d, error %v); want data %s", c.data, doc, code, err, c.want)
		}
	}
	if doc, code, err := emit(t, l); err == nil || code != 1 {
		t.Errorf("a pointer to itself: %s, status %d, error %v", doc, code, err)
	}
}

type marshalledList []int

func (marshalledList) MarshalJSON() ([]byte, error) { return []byte(`"mine"`), nil }

type funcMarshaler func() ([]byte, error)

func (f funcMarshaler) MarshalJSON() ([]byte, error) { return f() }

// TestUnencodable: E5, rows 62 and 112: one ok:false document, never half a one
// and never none, and an error.
func TestUnencodable(t *testing.T) {
	type node struct{ Next *node }
	cycle := &node{}
	cycle.Next = cycle
	ring := map[string]any{}
	ring["self"] = ring
	var deep any
	for range 1001 {
		deep = []any{deep}
	}
	sentinel := errors.New("sentinel")
	for _, c := range []struct {
		rule string
		data any
		says string
	}{
		{"NaN", map[string]any{"x": math.NaN()}, "/x"},
		{"infinity in a struct", struct{ F float64 }{math.Inf(-1)}, ""},
		{"a cycle of pointers", cycle, ""},
		{"a cycle of maps", ring, ""},
		{"deeper than 1,000", deep, ""},
		{"a channel", make(chan int), "chan int"},
		{"a function", func() {}, "func()"},
		{"a marshaller that fails", funcMarshaler(func() ([]byte, error) { return nil, sentinel }), "sentinel"},
		{"a marshaller that panics", funcMarshaler(func() ([]byte, error) { panic("boom") }), "boom"},
		{"a marshaller that writes no JSON", funcMarshaler(func() ([]byte, error) { return []byte("{"), nil }), ""},
		{"a marshaller that writes nothing", funcMarshaler(func() ([]byte, error) { return nil, nil }), ""},
		{"E6: a key twice in raw JSON (row 118)", json.RawMessage(`{"a":1,"\u0061":2}`), "twice"},
		{"invalid raw JSON", json.RawMessage(`{"a":}`), ""},
		{"two values", json.RawMessage(`1 2`), ""},
		{"a number that is none", json.Number("1e"), ""},
	} {
		t.Run(c.rule, func(t *testing.T) {
			doc, code, err := emit(t, c.data, envelope.Warn("kept"))
			env := mustParse(t, []byte(doc))
			if code != 1 || err == nil || env.OK || string(env.Data) != "null" {
				t.Fatalf("status %d, error %v, document\n%s", code, err, doc)
			}
			if len(env.Errors) != 1 || !strings.Contains(env.Errors[0], c.says) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("errors %q, error %q; want %q in them", env.Errors, err, c.says)
			}
			if len(env.Warnings) != 1 {
				t.Errorf("warnings %q", env.Warnings)
			}
			if c.says == "sentinel" && !errors.Is(err, sentinel) {
				t.Errorf("the cause is lost: %v", err)
			}
		})
	}
	t.Run("after an error of the command", func(t *testing.T) {
		doc, code, err := emit(t, math.NaN(), envelope.Err(exitcode.Error{Code: 7, Err: sentinel}))
		env := mustParse(t, []byte(doc))
		if code != 7 || err == nil || len(env.Errors) != 2 || env.Errors[0] != "sentinel" {
			t.Errorf("status %d, error %v, errors %q", code, err, env.Errors)
		}
	})
	t.Run("an Append that panics", func(t *testing.T) {
		doc, code, err := emit(t, struct{}{}, envelope.Append(func([]byte, any) ([]byte, error) { panic("boom") }))
		if env := mustParse(t, []byte(doc)); code != 1 || err == nil || env.OK {
			t.Errorf("status %d, error %v, %+v", code, err, env)
		}
	})
}

// TestAppendOption: whatever the encoder writes leaves by the rules of the wire.
func TestAppendOption(t *testing.T) {
	sloppy := func(dst []byte, _ any) ([]byte, error) { return append(dst, " {\"a\"\n: \"\u2028\xff\" } "...), nil }
	doc, code, err := emit(t, struct{}{}, envelope.Compact(), envelope.Append(sloppy))
	if want := `{"a":"\u2028` + "\ufffd" + `"}`; err != nil || code != 0 || string(mustParse(t, []byte(doc)).Data) != want {
		t.Errorf("%s, status %d, error %v; want data %s", doc, code, err, want)
	}
}

type hinting struct{}

func (hinting) Error() string { return "own" }
func (hinting) Hint() string  { return "own hint" }

type hintingWrapper struct{ error }

func (hintingWrapper) Hint() string    { return "own hint" }
func (w hintingWrapper) Unwrap() error { return w.error }

// TestErr: what an error says is taken apart, and its exit status kept.
func TestErr(t *testing.T) {
	a, b := errors.New("a"), errors.New("b")
	for _, c := range []struct {
		rule string
		err  error
		code int
		want []string
	}{
		{"one", a, 1, []string{"a"}},
		{"joined", errors.Join(a, nil, b), 1, []string{"a", "b"}},
		{"joined twice over", errors.Join(errors.Join(a, b), errors.New("c")), 1, []string{"a", "b", "c"}},
		{"wrapped with a text: one message", fmt.Errorf("both: %w", errors.Join(a, b)), 1, []string{"both: a\nb"}},
		{"several wrapped with a text: one message", fmt.Errorf("%w, then %w", a, b), 1, []string{"a, then b"}},
		{"a status around joined ones", exitcode.Error{Code: 9, Err: errors.Join(a, b)}, 9, []string{"a", "b"}},
		{"a status inside", fmt.Errorf("x: %w", &exitcode.Error{Code: 4, Err: a}), 4, []string{"x: a"}},
		{"an error never exits with 0", exitcode.Error{Code: 0, Err: a}, 1, []string{"a"}},
		{"nor with a status that wraps to 0", exitcode.Error{Code: 512, Err: a}, 1, []string{"a"}},
		{"a hint", envelope.WithHint(a, "try b"), 1, []string{"a", "hint: try b"}},
		{"a hint inside", fmt.Errorf("x: %w", envelope.WithHint(a, "try b")), 1, []string{"x: a", "hint: try b"}},
		{"hints stay with their errors", errors.Join(envelope.WithHint(a, "1"), envelope.WithHint(b, "2")), 1, []string{"a", "hint: 1", "b", "hint: 2"}},
		{"a hint on joined ones stands behind the last", envelope.WithHint(errors.Join(a, b), "h"), 1, []string{"a", "b", "hint: h"}},
		{"two hints", envelope.WithHint(envelope.WithHint(a, "1"), "2"), 1, []string{"a", "hint: 1", "hint: 2"}},
		{"the same hint once", envelope.WithHint(envelope.WithHint(a, "1"), "1"), 1, []string{"a", "hint: 1"}},
		{"a hint of a type of one's own", fmt.Errorf("x: %w", hinting{}), 1, []string{"x: own", "hint: own hint"}},
		{"a hint of a wrapper without a text of its own", hintingWrapper{a}, 1, []string{"a", "hint: own hint"}},
		{"an empty hint", envelope.WithHint(a, ""), 1, []string{"a"}},
		{"wrong usage", &envelope.UsageError{Err: a, Usage: "Usage: x"}, 2, []string{"a"}},
		{"wrong usage with a status of its own", &envelope.UsageError{Err: exitcode.Error{Code: 64, Err: a}}, 64, []string{"a"}},
		{"wrong usage without a reason", &envelope.UsageError{}, 2, []string{"wrong usage"}},
		{"no text", errors.New(""), 1, []string{"the command failed and gave no message"}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			doc, code, err := emit(t, nil, envelope.Err(c.err))
			env := mustParse(t, []byte(doc))
			if err != nil || code != c.code || fmt.Sprintf("%q", env.Errors) != fmt.Sprintf("%q", c.want) {
				t.Errorf("status %d, errors %q, error %v; want %d, %q", code, env.Errors, err, c.code, c.want)
			}
		})
	}
	t.Run("a nil pointer as error", func(t *testing.T) {
		for _, bad := range []error{(*exitcode.Error)(nil), (*os.PathError)(nil), errors.Join((*os.PathError)(nil), a)} {
			doc, code, err := emit(t, nil, envelope.Err(bad))
			if env := mustParse(t, []byte(doc)); err != nil || code != 1 || env.OK {
				t.Errorf("%T: status %d, error %v, %+v", bad, code, err, env)
			}
		}
	})
	if envelope.WithHint(nil, "x") != nil {
		t.Error("WithHint made an error of nil")
	}
}

// shortWriter takes at most n bytes a call, without an error, as io.Writer
// forbids and many do.
type shortWriter struct {
	bytes.Buffer
	n, calls int
}

func (w *shortWriter) Write(p []byte) (int, error) {
	w.calls++
	return w.Buffer.Write(p[:min(w.n, len(p))])
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestWrite(t *testing.T) {
	data := strings.Repeat("x", 1000)
	want, _, _ := emit(t, data)
	t.Run("row 38: one call of Write for the whole document", func(t *testing.T) {
		w := &shortWriter{n: 1 << 20}
		if _, err := envelope.EmitJSON(w, data); err != nil || w.calls != 1 || w.String() != want {
			t.Errorf("%d calls, error %v", w.calls, err)
		}
	})
	for n := 1; n <= 7; n++ {
		w := &shortWriter{n: n}
		if code, err := envelope.EmitJSON(w, data); err != nil || code != 0 || w.String() != want {
			t.Errorf("%d bytes a call: status %d, error %v", n, code, err)
		}
	}
	t.Run("a writer that takes nothing for a while", func(t *testing.T) {
		calls, got := 0, bytes.Buffer{}
		w := writerFunc(func(p []byte) (int, error) {
			if calls++; calls%50 != 0 {
				return 0, nil
			}
			return got.Write(p[:min(400, len(p))])
		})
		if code, err := envelope.EmitJSON(w, data); err != nil || code != 0 || got.String() != want {
			t.Errorf("status %d, error %v, %d bytes", code, err, got.Len())
		}
	})
	own := errors.New("own")
	for _, c := range []struct {
		rule string
		n    int
		err  error
		code int
		is   error
	}{
		{"an error", 0, own, 74, own},
		{"an error in the middle", 10, syscall.ENOSPC, 74, syscall.ENOSPC},
		{"an error although all was taken", len(want), own, 74, own},
		{"a gone reader", 0, syscall.EPIPE, 141, syscall.EPIPE},
		{"a closed pipe in memory", 0, io.ErrClosedPipe, 141, io.ErrClosedPipe},
		{"nothing taken, for ever", 0, nil, 74, io.ErrNoProgress},
		{"more than there is", len(want) + 1, nil, 74, nil},
		{"less than nothing", -1, nil, 74, nil},
	} {
		t.Run(c.rule, func(t *testing.T) {
			calls := 0
			w := writerFunc(func([]byte) (int, error) { calls++; return c.n, c.err })
			code, err := envelope.EmitJSON(w, data)
			if code != c.code || err == nil || c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("status %d, error %v; want %d", code, err, c.code)
			}
			if c.err != nil && calls != 1 { // row 76
				t.Errorf("%d writes, the later ones behind an error", calls)
			}
		})
	}
	t.Run("no writer", func(t *testing.T) {
		for _, w := range []io.Writer{nil, (*os.File)(nil)} {
			if code, err := envelope.EmitJSON(w, data); code != 74 || err == nil {
				t.Errorf("status %d, error %v", code, err)
			}
		}
	})
	t.Run("both errors come back", func(t *testing.T) {
		code, err := envelope.EmitJSON(writerFunc(func([]byte) (int, error) { return 0, own }), math.NaN())
		if code != 74 || !errors.Is(err, own) || !strings.Contains(err.Error(), "encoded") {
			t.Errorf("status %d, error %v", code, err)
		}
	})
}
