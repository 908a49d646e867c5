package adopt

import (
	"bytes"
	"unicode/utf8"

	"github.com/streamjson/streamjson/internal/jsonl"
)

// unframe takes off what stands around the value of a line: a byte order mark,
// carriage returns, blanks. It reports whether there was any.
func unframe(p []byte) (text []byte, cleaned bool) {
	text = bytes.TrimPrefix(p, []byte("\ufeff"))
	text = trim(text)
	return text, len(text) < len(p)
}

// trim takes blanks and carriage returns off both ends.
func trim(p []byte) []byte {
	for len(p) > 0 && isBlank(p[0]) {
		p = p[1:]
	}
	for len(p) > 0 && isBlank(p[len(p)-1]) {
		p = p[:len(p)-1]
	}
	return p
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

// respell returns text with the characters escaped that contract F8 does not
// let stand as they are (D4), and other bytes made U+FFFD; text itself where
// there are none. JSON forbids raw control characters below U+0020: a line with
// one of them can't be read otherwise, so that they are looked for on demand.
func respell(text []byte, all bool) []byte {
	if utf8.Valid(text) && !all && !hasRaw(text) {
		return text
	}
	var out []byte
	from, inside := 0, false
	for i := 0; i < len(text); {
		c := text[i]
		r, n := rune(c), 1
		if c >= utf8.RuneSelf {
			r, n = utf8.DecodeRune(text[i:])
		}
		switch {
		case c == '"':
			inside = !inside
		case c == '\\' && inside && i+1 < len(text) && text[i+1] < utf8.RuneSelf:
			n = 2
		case r == utf8.RuneError && n == 1, inside && mustEscape(r):
			out = append(out, text[from:i]...)
			out = jsonl.AppendEscaped(out, string(text[i:i+n]))
			from = i + n
		}
		i += n
	}
	if from == 0 {
		return text
	}
	return append(out, text[from:]...)
}

// mustEscape reports whether contract F8 wants r to be escaped.
func mustEscape(r rune) bool {
	return r < 0x20 || 0x7f <= r && r <= 0x9f || r == '\u2028' || r == '\u2029'
}

// hasRaw reports whether a character stands in valid UTF-8 that F8 wants
// escaped and JSON does not.
func hasRaw(p []byte) bool {
	return bytes.IndexByte(p, 0x7f) >= 0 ||
		hasPair(p, 0xc2, func(rest []byte) bool { return rest[0] < 0xa0 }) ||
		hasPair(p, 0xe2, func(rest []byte) bool { return len(rest) > 1 && rest[0] == 0x80 && rest[1]|1 == 0xa9 })
}

// hasPair reports whether is holds for what follows a lead byte.
func hasPair(p []byte, lead byte, is func(rest []byte) bool) bool {
	for {
		i := bytes.IndexByte(p, lead)
		if i < 0 || i+1 == len(p) {
			return false
		}
		p = p[i+1:]
		if is(p) {
			return true
		}
	}
}

// salvage takes a line that is not one event and nothing else: the whole events
// in it are kept, the rest is told. With more, the line's beginning was told
// already.
//
// Where an object is not whole, the next one is looked for from the last thing
// on that could be read of it, never inside: what stands there is data of the
// object (a tool's output, say), however much it looks like an event. That also
// keeps the time linear: what was read is not read again.
func (f *Filter) salvage(text []byte, more bool) {
	from := 0
	for at := 0; ; {
		if at = nextObject(text, at); at < 0 {
			break
		}
		r := f.reader.read(text[at:])
		switch {
		case r.whole && r.fault == "":
			f.rest(text[from:at], more && from == 0)
			f.salvaged(text[at : at+r.end])
			at += r.end
			from = at
		case r.whole:
			at += r.end
		default:
			at += max(r.next, 1)
		}
	}
	f.rest(text[from:], more && from == 0)
}

// nextObject returns the first place from at on where an object with a member
// may begin, or -1.
func nextObject(text []byte, at int) int {
	for {
		n := bytes.IndexByte(text[at:], '{')
		if n < 0 {
			return -1
		}
		at += n
		if bytes.HasPrefix(bytes.TrimLeft(text[at+1:], " \t\r"), []byte{'"'}) {
			return at
		}
		at++
	}
}

// salvaged takes an event that does not have its line to itself.
func (f *Filter) salvaged(text []byte) {
	clean := respell(text, false)
	if len(clean) != len(text) {
		f.note(respelled, "")
	}
	// What was told before it has used the reader.
	if r := f.reader.read(clean); r.whole && r.fault == "" {
		f.event(&f.reader.event)
	}
}

// rest tells what stands beside events: text, or what is left of an event.
func (f *Filter) rest(piece []byte, more bool) {
	piece = trim(piece)
	switch {
	case len(piece) == 0 || more:
		return
	case piece[0] != '{':
		f.text(piece, false)
	default:
		f.broken(piece)
	}
	f.count.unread++ // it may have been an event once
}

// broken tells what begins like an object and is no event.
func (f *Filter) broken(piece []byte) {
	r := f.reader.read(piece)
	if r.whole && r.end == len(piece) && !r.alike {
		f.text(piece, false) // JSON of another kind
		return
	}
	fault := r.fault
	if !r.whole {
		fault = "it is not whole"
	} else if fault == "" {
		fault = "other text stands on its line"
	}
	f.foreign.take(piece, len(piece) > shownText, "no event ("+fault+"): ")
	if !f.ended {
		f.note(brokenLine, fault)
	}
}

// longLine takes a line that is over the limit, of which only the head is
// there. A result is too important to be lost for that.
func (f *Filter) longLine(l raw) {
	text, _ := unframe(l.bytes)
	if len(text) > 0 && text[0] == '{' {
		f.reader.read(text)
		if e := &f.reader.event; e.isResult() && !f.ended && e.session.there() {
			if failed, known := e.failed(); known && e.subtype != "" {
				f.note(longLine, "")
				f.shortResult(e, failed, l.length)
				return
			}
		}
	}
	if f.ended {
		f.note(behindResult, "a line over the limit")
		return
	}
	f.count.unread++
	f.note(longLine, "")
}
