package contract

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// A spell is what a look at the characters of a JSON text found. Offsets are
// -1 where there is nothing.
type spell struct {
	raw      int // a character that must be escaped stands as it is
	lone     int // half a surrogate pair
	needless int // an escape that is none of contract F8
	controls bool
}

// spelled looks at a text that is JSON already, where a backslash can stand in
// strings only.
func spelled(text []byte) spell {
	s := spell{raw: rawControl(text), lone: -1, needless: -1}
	s.controls = s.raw >= 0
	for i := 0; ; {
		n := bytes.IndexByte(text[i:], '\\')
		if n < 0 || i+n+1 >= len(text) {
			return s
		}
		i += n
		i += s.escape(text[i:], i)
	}
}

// escape judges the escape at the front of p, which stands at offset at, and
// returns its length.
func (s *spell) escape(p []byte, at int) int {
	switch p[1] {
	case 'u':
	case '/':
		s.need(at)
		return 2
	default:
		return 2
	}
	r, ok := hex4(p)
	if !ok {
		return 2
	}
	switch {
	case utf16.IsSurrogate(r):
		if low, ok := hex4(p[6:]); ok && utf16.DecodeRune(r, low) != utf8.RuneError {
			s.need(at)
			return 12
		}
		if s.lone < 0 {
			s.lone = at
		}
	case !mustEscape(r):
		s.need(at)
	default:
		s.controls = true
		if hasShort(r) || bytes.ContainsAny(p[2:6], "ABCDEF") {
			s.need(at)
		}
	}
	return 6
}

func (s *spell) need(at int) {
	if s.needless < 0 {
		s.needless = at
	}
}

// mustEscape reports whether contract F8 wants r to be written as \u.
func mustEscape(r rune) bool {
	return r < 0x20 || 0x7f <= r && r <= 0x9f || r == 0x2028 || r == 0x2029
}

// hasShort reports whether r has a short escape.
func hasShort(r rune) bool {
	return r == '\b' || r == '\t' || r == '\n' || r == '\f' || r == '\r'
}

// rawControl returns the offset of the first character of p that contract F8
// wants escaped and JSON does not: U+007F to U+009F, U+2028, U+2029.
func rawControl(p []byte) int {
	first := bytes.IndexByte(p, 0x7f)
	limit := len(p)
	if first >= 0 {
		limit = first
	}
	if i := pairIn(p[:limit], 0xc2, func(next []byte) bool { return len(next) > 0 && 0x80 <= next[0] && next[0] <= 0x9f }); i >= 0 {
		first, limit = i, i
	}
	if i := pairIn(p[:limit], 0xe2, func(next []byte) bool {
		return len(next) > 1 && next[0] == 0x80 && (next[1] == 0xa8 || next[1] == 0xa9)
	}); i >= 0 {
		first = i
	}
	return first
}

// pairIn returns the offset of the first lead byte in p behind which is holds.
func pairIn(p []byte, lead byte, is func(next []byte) bool) int {
	for i := 0; ; i++ {
		n := bytes.IndexByte(p[i:], lead)
		if n < 0 {
			return -1
		}
		if i += n; is(p[i+1:]) {
			return i
		}
	}
}

// hex4 is the value of an escape \uXXXX at the front of p.
func hex4(p []byte) (rune, bool) {
	if len(p) < 6 || p[0] != '\\' || p[1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range p[2:6] {
		switch {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

// invalidUTF8 returns the offset of the first byte of p that is no part of a
// character, or -1.
func invalidUTF8(p []byte) int {
	if utf8.Valid(p) {
		return -1
	}
	for i := 0; i < len(p); {
		r, n := utf8.DecodeRune(p[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}
