package jsonl

import (
	"sync"
	"unicode/utf8"
)

// Filter is the one place where redaction enters JSON: it sees decoded strings
// and answers with what is to be written in their place, which is then
// escaped. A string of a Go value is shown as it is, also when it is not valid
// UTF-8. A Filter must be safe for concurrent use. The strings that it is
// given may change once it has returned: it must not keep them, though it may
// return them or parts of them.
type Filter interface {
	// Text returns what to write for a string value that no covered key is above.
	Text(s string) string
	// Key returns what to write for a member name; covered says that everything
	// below it is secret.
	Key(name string) (out string, covered bool)
	// Covered returns what to write, as a string, for a string or a number
	// (as spelled) below a covered key.
	Covered(s string) string
}

// AppendRaw appends the one JSON value that raw holds, in compact form on one
// line: strings spelled by contract F8, numbers as they were spelled, members
// in their order. It refuses, with a [*SyntaxError], what is not JSON by RFC
// 8259, a key that stands twice in an object (compared as decoded), and
// nesting deeper than [MaxDepth]. Invalid UTF-8 in strings, and surrogate
// escapes without a partner, become U+FFFD.
//
// With a filter, strings and keys go through it. Below a covered key the
// structure stays, and so do true, false and null; strings and numbers become
// strings by [Filter.Covered], and keys go through [Filter.Key] as elsewhere.
// A name that the filter has made equal to another one in its object is told
// apart by "#2", "#3" and so on.
//
// On error dst comes back with the length that it had.
func AppendRaw(dst, raw []byte, f Filter) ([]byte, error) {
	return appendRaw(dst, raw, f, walk{limit: MaxDepth})
}

// walk is where a raw value stands inside of another value.
type walk struct {
	limit   int  // how deep it may be nested
	covered bool // a key above it is covered
}

func appendRaw(dst, raw []byte, f Filter, at walk) ([]byte, error) {
	w := walkers.Get().(*walker)
	w.lex.Reset(raw)
	w.lex.limit = at.limit
	w.raw, w.filter, w.covered = raw, f, at.covered
	out, err := w.run(dst)
	w.release()
	if err != nil {
		return dst, err
	}
	return out, nil
}

var walkers = sync.Pool{New: func() any { return new(walker) }}

// walker copies one raw value.
type walker struct {
	lex    Lexer
	raw    []byte
	filter Filter

	levels  []level
	keys    names  // as read, decoded
	written names  // as written, for objects in which a name was changed
	scratch []byte // the string at hand, decoded

	covered bool // the value at hand is below a covered key
	comma   bool // the next key or value needs one
}

// level is an open array or object.
type level struct {
	object  bool
	covered bool // a key above it is covered
	renamed bool // the filter has changed a name in it
}

func (w *walker) release() {
	w.lex.Reset(nil)
	w.raw, w.filter = nil, nil
	w.covered, w.comma = false, false
	w.levels = w.levels[:0]
	w.keys.reset()
	w.written.reset()
	if cap(w.scratch) > keptBytes {
		w.scratch = nil
	}
	walkers.Put(w)
}

func (w *walker) run(dst []byte) ([]byte, error) {
	for {
		tok, err := w.lex.Next()
		if err != nil {
			return nil, err
		}
		switch tok.Kind {
		case End:
			return dst, nil
		case EndObject, EndArray:
			w.leave()
			dst = append(dst, w.raw[tok.Start])
			w.comma = true
			continue
		}
		if w.comma {
			dst = append(dst, ',')
		}
		w.comma = true
		switch tok.Kind {
		case BeginObject, BeginArray:
			w.enter(tok.Kind == BeginObject)
			dst = append(dst, w.raw[tok.Start])
			w.comma = false
		case Key:
			if dst, err = w.key(dst, tok); err != nil {
				return nil, err
			}
			w.comma = false
		case String:
			dst = w.text(dst, tok)
		case Number:
			if w.covered && w.filter != nil {
				dst = AppendString(dst, w.filter.Covered(view(w.raw[tok.Start:tok.End])))
				break
			}
			dst = append(dst, w.raw[tok.Start:tok.End]...)
		default:
			dst = append(dst, w.raw[tok.Start:tok.End]...)
		}
	}
}

func (w *walker) enter(object bool) {
	w.levels = append(w.levels, level{object: object, covered: w.covered})
	if object {
		w.keys.open()
	}
}

func (w *walker) leave() {
	top := w.levels[len(w.levels)-1]
	w.levels = w.levels[:len(w.levels)-1]
	if top.object {
		w.keys.close()
	}
	if top.renamed {
		w.written.close()
	}
	// Back to what held for the container as a whole; the next key of the
	// object above sets it anew.
	w.covered = top.covered
}

// key appends a member name and its colon.
func (w *walker) key(dst []byte, tok Token) ([]byte, error) {
	name := w.decode(tok)
	if !w.keys.add(name) {
		return nil, syntaxErrorAt(w.lex.data, tok.Start, "the key stands twice in its object")
	}
	top := &w.levels[len(w.levels)-1]
	w.covered = top.covered
	if w.filter != nil {
		out, covered := w.filter.Key(name)
		w.covered = w.covered || covered
		if top.renamed || out != name {
			return append(AppendString(dst, w.rename(top, out)), ':'), nil
		}
	}
	return append(w.spell(dst, tok, name), ':'), nil
}

// rename returns the name to write in an object in which names were changed.
func (w *walker) rename(top *level, out string) string {
	if !top.renamed {
		top.renamed = true
		w.written.open()
		// Up to here all were written as read; the last one is the one at hand.
		w.keys.copyTo(&w.written)
	}
	return w.written.unique(Valid(out))
}

// text appends a string value.
func (w *walker) text(dst []byte, tok Token) []byte {
	if tok.form == checked { // no escape in it: to write it is to check it
		s := view(w.raw[tok.Start+1 : tok.End-1])
		out := AppendString(dst, s)
		if w.filter == nil {
			return out
		}
		dst, out = out[:len(dst)], out[len(dst):]
		if len(out) == len(s)+2 { // whatever can't stay as it is gets longer
			if shown := w.show(s); shown != s {
				return AppendString(dst, shown)
			}
			return dst[:len(dst)+len(out)]
		}
	}
	if w.filter == nil {
		if tok.form.verbatim() {
			return append(dst, w.raw[tok.Start:tok.End]...)
		}
		return AppendString(dst, w.decode(tok))
	}
	s := w.decode(tok)
	if shown := w.show(s); shown != s {
		return AppendString(dst, shown)
	}
	return w.spell(dst, tok, s)
}

// show is what the filter makes of a string value.
func (w *walker) show(s string) string {
	if w.covered {
		return w.filter.Covered(s)
	}
	return w.filter.Text(s)
}

// spell appends a string token that stands for s.
func (w *walker) spell(dst []byte, tok Token, s string) []byte {
	if tok.form.verbatim() {
		return append(dst, w.raw[tok.Start:tok.End]...)
	}
	return AppendString(dst, s)
}

// decode is what a string token stands for, valid until the next call.
func (w *walker) decode(tok Token) string {
	if tok.form.decoded() {
		return view(w.raw[tok.Start+1 : tok.End-1])
	}
	w.scratch = AppendUnquoted(w.scratch[:0], w.raw[tok.Start:tok.End])
	return view(w.scratch)
}

// Valid is s as a reader of the wire gets it: with U+FFFD for each byte that is
// no UTF-8 (contract F8).
func Valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}
