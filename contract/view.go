package contract

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/streamjson/streamjson/internal/jsonl"
)

const (
	beginObject = jsonl.BeginObject
	beginArray  = jsonl.BeginArray
	isString    = jsonl.String
	isNumber    = jsonl.Number
)

// A view is one line with the values that were found in it.
type view struct {
	line
	*scanner
	partial  bool // only the head could be read
	more     bool // something stands behind its value
	controls bool // it holds control characters, escaped or not
	cutOff   int  // bytes that strip took off its front

	document bool // it is an envelope: lines are counted inside of it

	typ    string // its type, once it is known
	parent uint64 // the hash of its actor's parent id; 0 at top level
}

// cut takes n bytes off the front.
func (v *view) cut(n int) {
	v.raw = v.raw[n:]
	v.cutOff += n
}

// children calls f for each item directly in the item at until f returns false.
func (v *view) children(at int, f func(i int) bool) {
	for i := at + 1; i < v.items[at].next; i = v.items[i].next {
		if !f(i) {
			return
		}
	}
}

// member returns the item of a member of the object at, or 0.
func (v *view) member(at int, m member) int {
	found := 0
	v.children(at, func(i int) bool {
		if v.items[i].member == m {
			found = i
		}
		return found == 0
	})
	return found
}

// is reports whether item i is there and of a kind.
func (v *view) is(i int, k jsonl.Kind) bool { return i > 0 && v.items[i].kind == k }

// filled reports whether item i is a string that is not empty.
func (v *view) filled(i int) bool {
	return v.is(i, isString) && v.items[i].end-v.items[i].start > len(`""`)
}

// str is what the string at item i stands for, valid until the next call.
func (v *view) str(i int) []byte { return v.text(v.items[i].start, v.items[i].end) }

// word is the string at item i, empty if there is none. The usual words cost no
// allocation.
func (v *view) word(i int) string {
	if !v.is(i, isString) {
		return ""
	}
	switch text := v.str(i); string(text) {
	case "stream_event":
		return "stream_event"
	case "assistant":
		return "assistant"
	case "user":
		return "user"
	case "system":
		return "system"
	case "task_progress":
		return "task_progress"
	default:
		return string(text)
	}
}

// source is the text of the value at item i.
func (v *view) source(i int) []byte { return v.src[v.items[i].start:v.items[i].end] }

// integer is the value of item i, if it is an integer in decimal.
func (v *view) integer(i int) (int64, bool) {
	if !v.is(i, isNumber) {
		return 0, false
	}
	n, err := strconv.ParseInt(string(v.source(i)), 10, 64)
	return n, err == nil
}

// boolean is the value of item i, if it is true or false.
func (v *view) boolean(i int) (value, ok bool) {
	return v.is(i, jsonl.True), v.is(i, jsonl.True) || v.is(i, jsonl.False)
}

// find records a finding at a byte of the line. An empty want is the rule's
// own summary.
func (c *Checker) find(v *view, rule string, at int, pointer, found, want string) {
	if want == "" {
		want = ruleIndex()[rule].Summary
	}
	number := v.number
	if v.document {
		number += int64(bytes.Count(v.raw[:min(at, len(v.raw))], []byte("\n")))
	}
	c.add(Finding{
		Rule: rule, Line: number, Offset: v.offset + int64(v.cutOff+at),
		Pointer: pointer, Found: found, Want: want,
	})
}

// place is where item i stands, or the start of the line if it is absent.
func (v *view) place(i int) int {
	if i <= 0 {
		return 0
	}
	return v.items[i].start
}

// count is a number with its noun.
func count[N int | int64 | uint64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// excerpt quotes a few characters of p around a place.
func excerpt(p []byte, at int) string {
	const before, after = 20, 40
	from, to := max(0, at-before), min(len(p), at+after)
	for from > 0 && !utf8.RuneStart(p[from]) {
		from--
	}
	for to < len(p) && !utf8.RuneStart(p[to]) {
		to--
	}
	from, to = min(from, to), max(from, to)
	return strconv.QuoteToASCII(string(bytes.ToValidUTF8(p[from:to], []byte("\ufffd"))))
}

func byteAt(p []byte, at int) string {
	return fmt.Sprintf("byte 0x%02x, which is no part of a character, in %s", p[at], excerpt(p, at))
}

func runeAt(p []byte, at int) string {
	r, _ := utf8.DecodeRune(p[at:])
	return fmt.Sprintf("%U", r)
}

// reason is what a syntax error says.
func reason(err error) string {
	if syntax, ok := err.(*jsonl.SyntaxError); ok { //nolint:errorlint // the scanner returns it bare
		return syntax.Msg
	}
	return err.Error()
}

func kindName(k jsonl.Kind) string {
	switch k {
	case jsonl.BeginObject:
		return "an object"
	case jsonl.BeginArray:
		return "an array"
	case jsonl.String:
		return "a string"
	case jsonl.Number:
		return "a number"
	case jsonl.Null:
		return "null"
	}
	return "a boolean"
}
