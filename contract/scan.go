package contract

import (
	"bytes"
	"errors"
	"hash/maphash"
	"strconv"

	"github.com/streamjson/streamjson/internal/jsonl"
)

const (
	// maxItems is how many values of a line are kept, maxKeys how many keys of
	// its open objects are compared.
	maxItems = 1 << 16
	maxKeys  = 1 << 18
)

// errDeep is the end of a line that is nested too deep.
var errDeep = errors.New("nested more than " + strconv.Itoa(jsonl.MaxLineDepth) + " deep")

// An item is a value of a line that rules look at.
type item struct {
	kind       jsonl.Kind
	member     member // its name, if it is the value of a member
	keyStart   int    // the text of that name, with quotes
	keyEnd     int
	start, end int // its text
	next       int // the first item behind it and all that is in it
}

// A frame is an open container.
type frame struct {
	shape    shape
	object   bool
	item     int // -1: not kept
	member   member
	keyStart int
	keyEnd   int
	index    int // of the element at hand
	keys     int // where its keys begin
}

// A place in a line.
type place struct {
	offset  int
	pointer string
}

// A scanner reads the value of one line after the other, in one pass: it
// enforces the grammar, compares keys, and keeps the values that rules look
// at. Its memory is bounded by constants.
type scanner struct {
	src    []byte
	items  []item
	top    [memberCount]int // items of the members of the value, 0: absent
	dup    []place          // keys that stand twice, the first few
	at     place            // where the last scan failed
	full   bool             // not all items could be kept
	unseen bool             // not all keys could be compared

	lex     jsonl.Lexer
	names   map[string]member
	frames  []frame
	keys    keySet
	scratch []byte
}

func newScanner(seed maphash.Seed) scanner {
	return scanner{names: memberNames(), keys: keySet{seed: seed}}
}

// scan reads the one value at the front of raw and returns where it ends. What
// it found before an error stays, as far as it goes.
func (s *scanner) scan(raw []byte) (end int, err error) {
	s.src, s.items, s.frames, s.dup = raw, s.items[:0], s.frames[:0], s.dup[:0]
	s.top = [memberCount]int{}
	s.full, s.unseen = false, false
	s.keys.reset()
	s.lex.ResetLine(raw)
	for {
		tok, err := s.lex.Next()
		if err != nil {
			return 0, s.failed(err)
		}
		switch tok.Kind {
		case jsonl.Key:
			s.key(tok)
			continue
		case jsonl.EndObject, jsonl.EndArray:
			s.leave(tok)
		default:
			s.value(tok)
		}
		if len(s.frames) == 0 {
			return tok.End, nil
		}
	}
}

// failed notes where the scan ended.
func (s *scanner) failed(err error) error {
	var syntax *jsonl.SyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	s.at = place{int(syntax.Offset), syntax.Pointer}
	if s.lex.Depth() >= jsonl.MaxLineDepth && s.at.offset < len(s.src) && (s.src[s.at.offset] == '[' || s.src[s.at.offset] == '{') {
		return errDeep
	}
	return syntax
}

func (s *scanner) key(tok jsonl.Token) {
	top := &s.frames[len(s.frames)-1]
	top.keyStart, top.keyEnd, top.member = tok.Start, tok.End, mOther
	name := s.text(tok.Start, tok.End)
	if top.shape != opaque {
		top.member = s.names[string(name)]
	}
	switch s.keys.add(top.keys, name) {
	case keyTwice:
		if len(s.dup) < perRule {
			s.dup = append(s.dup, place{tok.Start, s.pointer()})
		}
	case keyUnseen:
		s.unseen = true
	}
}

func (s *scanner) value(tok jsonl.Token) {
	kept, in := true, shapeTop
	entry := item{kind: tok.Kind, start: tok.Start, end: tok.End}
	if n := len(s.frames); n > 0 {
		up := &s.frames[n-1]
		kept = up.shape != opaque
		in = inside(up.shape, up.member)
		if up.object {
			entry.member, entry.keyStart, entry.keyEnd = up.member, up.keyStart, up.keyEnd
		} else {
			up.index++
		}
	}
	at := -1
	switch {
	case kept && len(s.items) < maxItems:
		at = len(s.items)
		entry.next = at + 1
		s.items = append(s.items, entry)
		if len(s.frames) == 1 && s.frames[0].object && s.top[entry.member] == 0 {
			s.top[entry.member] = at
		}
	case kept:
		s.full, in = true, opaque
	}
	object := tok.Kind == jsonl.BeginObject
	if !object && tok.Kind != jsonl.BeginArray {
		return
	}
	if in.isArray() == object {
		in = opaque
	}
	s.frames = append(s.frames, frame{shape: in, object: object, item: at, index: -1, keys: s.keys.open()})
}

func (s *scanner) leave(tok jsonl.Token) {
	top := s.frames[len(s.frames)-1]
	s.frames = s.frames[:len(s.frames)-1]
	s.keys.close(top.keys)
	if top.item >= 0 {
		s.items[top.item].end, s.items[top.item].next = tok.End, len(s.items)
	}
}

// pointer is the RFC 6901 pointer to the member or element at hand.
func (s *scanner) pointer() string {
	var p []byte
	for i := range s.frames {
		f := &s.frames[i]
		if f.object {
			p = appendToken(p, jsonl.AppendUnquoted(nil, s.src[f.keyStart:f.keyEnd]))
		} else {
			p = strconv.AppendInt(append(p, '/'), int64(f.index), 10)
		}
	}
	return string(p)
}

// appendToken appends a reference token.
func appendToken(p, token []byte) []byte {
	p = append(p, '/')
	for _, c := range token {
		switch c {
		case '~':
			p = append(p, "~0"...)
		case '/':
			p = append(p, "~1"...)
		default:
			p = append(p, c)
		}
	}
	return p
}

// text is what the string at raw[start:end] stands for, valid until the next
// call.
func (s *scanner) text(start, end int) []byte {
	inner := s.src[start+1 : end-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return inner
	}
	s.scratch = jsonl.AppendUnquoted(s.scratch[:0], s.src[start:end])
	return s.scratch
}

// trim gives back what an unusually long line has needed.
func (s *scanner) trim() {
	const keep = 1 << 20
	s.src = nil
	if cap(s.scratch) > keep {
		s.scratch = nil
	}
}
