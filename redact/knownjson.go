package redact

import (
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// jsonSpellings lists how encoders write the first character of s in a JSON
// string, and its length in s.
func jsonSpellings(s string) (list []string, n int) {
	c := s[0]
	if jsonKeeps(c) {
		return []string{s[:1]}, 1
	}
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && n == 1 {
		return []string{s[:1], "\ufffd", `\ufffd`}, 1
	}
	for _, u := range utf16Units(r) {
		if len(list) == 0 {
			list = []string{"", ""}
		}
		list[0] += fmt.Sprintf(`\u%04x`, u)
		list[1] += fmt.Sprintf(`\u%04X`, u)
	}
	switch c {
	case '"', '\\':
		return append(list, `\`+s[:1]), n
	case '/':
		return append(list, `/`, `\/`), n
	}
	if i := strings.IndexByte("\b\f\n\r\t", c); i >= 0 {
		return append(list, `\`+"bfnrt"[i:i+1]), n
	}
	return append(list, s[:n]), n
}

func utf16Units(r rune) []uint16 {
	return utf16.AppendRune(nil, r)
}

// escapeAgain escapes JSON text as a JSON string.
func escapeAgain(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s)
}

// A character is what one escape, or one byte, of a text stands for.
type character struct {
	bytes [utf8.UTFMax]byte
	n     int // of bytes
	end   int // where the text goes on
}

// unescape reads one character of JSON text, escaped depth times, at i. A
// character that is no ASCII and not escaped is read byte by byte.
func (x *scanner) unescape(i, depth int) (c character, v verdict) {
	if depth == 0 {
		if i >= len(x.s) {
			return c, wait
		}
		c.bytes[0], c.n, c.end = x.s[i], 1, i+1
		return c, yes
	}
	if c, v = x.unescape(i, depth-1); v != yes || c.n != 1 {
		return c, v
	}
	switch c.bytes[0] {
	case '"':
		return c, no
	case '\\':
	default:
		return c, yes
	}
	kind, v := x.unescape(c.end, depth-1)
	if v != yes {
		return c, v
	}
	c.end = kind.end
	switch k := kind.bytes[0]; k {
	case '"', '\\', '/', '\'':
		c.bytes[0] = k
	case 'u':
		return x.unescapeUnit(kind.end, depth)
	default:
		n := strings.IndexByte("bfnrt", k)
		if n < 0 || kind.n != 1 {
			return c, no
		}
		c.bytes[0] = "\b\f\n\r\t"[n]
	}
	return c, yes
}

// unescapeUnit reads the digits of \uXXXX, and a second escape if the first is
// half a pair.
func (x *scanner) unescapeUnit(i, depth int) (c character, v verdict) {
	r, end, v := x.hex4(i, depth)
	if v != yes {
		return c, v
	}
	if utf16.IsSurrogate(r) {
		var low rune
		for _, want := range []byte(`\u`) {
			u, v := x.unescape(end, depth-1)
			switch {
			case v != yes:
				return c, v
			case u.bytes[0] != want:
				return c, no
			}
			end = u.end
		}
		if low, end, v = x.hex4(end, depth); v != yes {
			return c, v
		}
		r = utf16.DecodeRune(r, low)
	}
	c.n = utf8.EncodeRune(c.bytes[:], r)
	c.end = end
	return c, yes
}

func (x *scanner) hex4(i, depth int) (r rune, end int, v verdict) {
	for range 4 {
		c, v := x.unescape(i, depth-1)
		if v != yes {
			return 0, i, v
		}
		d := c.bytes[0]
		if !isHex(d) {
			return 0, i, no
		}
		r = r<<4 | rune(unhex(d))
		i = c.end
	}
	return r, i, yes
}

func unhex(c byte) byte {
	switch {
	case isDigit(c):
		return c - '0'
	case isUpper(c):
		return c - 'A' + 10
	}
	return c - 'a' + 10
}
