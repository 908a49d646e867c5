// Package faults counts what an encoder gets wrong: a fast line that a reader
// can't read is no rival.
package faults

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"unicode/utf8"

	"github.com/streamjson/streamjson/bench/internal/line"
)

// A Count says of how many lines what was wrong with them. A line can count
// more than once.
type Count struct {
	Lines         int // tried
	Refused       int // an error came back, and no line; no fault by itself
	InvalidJSON   int
	InvalidUTF8   int
	Broken        int // a newline inside of a line
	DuplicateKeys int
	Changed       int // the text comes back as another one
	Unescaped     int // holds raw what terminals and line splitters take for a command (contract F8)
}

// Total returns the number of faults, without those that only our contract
// knows.
func (c Count) Total() int {
	return c.InvalidJSON + c.InvalidUTF8 + c.Broken + c.DuplicateKeys + c.Changed
}

// Examine has encode write texts and tool inputs that are hard to write right.
// The same n gives the same lines.
func Examine(n int, encode func(*line.Line) ([]byte, error)) Count {
	var c Count
	r := rand.New(rand.NewPCG(3, 3))
	for range n {
		text := hardText(r)
		c.add(&line.Line{Shape: line.TextDelta, TS: line.Stamp, Text: text}, encode)
	}
	for i := range n {
		c.add(&line.Line{Shape: line.ToolUse, TS: line.Stamp, Input: hardInput(r, i)}, encode)
	}
	return c
}

func (c *Count) add(l *line.Line, encode func(*line.Line) ([]byte, error)) {
	c.Lines++
	b, err := encode(l)
	if err != nil {
		c.Refused++
		return
	}
	b = bytes.TrimSuffix(b, []byte("\n"))
	if !utf8.Valid(b) {
		c.InvalidUTF8++
	}
	if bytes.IndexByte(b, '\n') >= 0 {
		c.Broken++
	}
	if hasCommands(b) {
		c.Unescaped++
	}
	switch duplicate, err := walk(b); {
	case err != nil || !json.Valid(b):
		c.InvalidJSON++
	case duplicate:
		c.DuplicateKeys++
	case l.Shape == line.TextDelta && textOf(b) != repaired(l.Text):
		c.Changed++
	}
}

// hardText returns a short text of pieces of all sorts, most of them fit to
// trip an escaper.
func hardText(r *rand.Rand) string {
	pieces := []string{
		"word ", `"`, `\`, "\n", "\t", "\x00", "\x01", "\x1b[31m", "\x7f", "\u0085", "\u009f", "\u2028", "\u2029", "é", "日本", "🙂",
		"\xff", "\xc3", "\xe2\x82", "\xed\xa0\x80", "\xc0\x80", "\xf4\x90\x80\x80", "<b>", "/", "\ufffd",
	}
	var b strings.Builder
	for range 1 + r.IntN(12) {
		if r.IntN(4) == 0 {
			b.WriteString("plain text of some length, ")
			continue
		}
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

// hardInput returns the input of a tool call as models and programs make them:
// raw JSON, some of it none, and maps with keys that are hard to write.
func hardInput(r *rand.Rand, i int) any {
	raw := []string{
		`{"path":"a","limit":1}`, "{\n  \"path\": \"a\"\n}", `{"path":"a","path":"b"}`, `{"a":{"k":1,"\u006b":2}}`,
		"{\"path\":\"\xff\"}", `{"path":`, `{"path":"a"}}`, `[1,2,]`, ``, `{"n":01}`, "{\"a\":\"\u2028\"}", "{\"a\":\"\t\"}",
	}
	if i%2 == 0 {
		return json.RawMessage(raw[r.IntN(len(raw))])
	}
	return map[string]any{hardText(r): hardText(r), "\xff": 1, "\xfe": 2}
}

// repaired is text with each byte that is no UTF-8 replaced by U+FFFD.
func repaired(text string) string { return string([]rune(text)) }

// textOf returns the text of a delta, by whatever name its line calls the rest.
func textOf(b []byte) string {
	var l struct {
		Event struct{ Delta struct{ Text string } }
	}
	_ = json.Unmarshal(b, &l) // valid already
	return l.Event.Delta.Text
}

// hasCommands reports whether a valid line holds raw DEL, C1 controls, or
// Unicode line separators.
func hasCommands(b []byte) bool {
	for _, r := range string(b) {
		if r >= 0x7f && r <= 0x9f || r == '\u2028' || r == '\u2029' {
			return true
		}
	}
	return false
}

// walk reports whether an object has a key twice.
func walk(b []byte) (duplicate bool, err error) {
	d := json.NewDecoder(bytes.NewReader(b))
	type level struct {
		keys map[string]bool // nil in an array
		key  bool            // a key comes next
	}
	var open []*level
	for {
		token, err := d.Token()
		if err != nil {
			if len(open) == 0 && d.InputOffset() > 0 {
				err = nil
			}
			return duplicate, err
		}
		var top *level
		if len(open) > 0 {
			top = open[len(open)-1]
		}
		if token == json.Delim('}') || token == json.Delim(']') {
			open = open[:len(open)-1]
			continue
		}
		if top != nil && top.keys != nil {
			if top.key {
				name := token.(string)
				duplicate = duplicate || top.keys[name]
				top.keys[name] = true
				top.key = false
				continue
			}
			top.key = true
		}
		switch token {
		case json.Delim('{'):
			open = append(open, &level{map[string]bool{}, true})
		case json.Delim('['):
			open = append(open, &level{})
		}
	}
}
