package jsonl

import (
	"unicode/utf16"
	"unicode/utf8"
)

// AppendUnquoted appends the text that a JSON string token stands for. quoted
// is a valid token with its quotes, such as a [Lexer] returns. The result is
// valid UTF-8: a surrogate escape without its partner and each byte that
// [utf8.DecodeRune] refuses become U+FFFD.
func AppendUnquoted(dst, quoted []byte) []byte {
	if len(quoted) < 2 {
		return dst
	}
	s := view(quoted[1 : len(quoted)-1])
	dst = reserve(dst, len(s))
	buf, n := dst[:cap(dst)], len(dst)
	for i := 0; i < len(s); {
		if i+8 <= len(s) {
			x := load64(s, i)
			put64(buf[n:], x) // right up to the first marked byte
			m := ((x ^ 0x5c*ones) - ones | x) & highs
			k := 8
			if m != 0 {
				k = firstMark(m)
			}
			i += k
			n += k
			if m == 0 {
				continue
			}
		}
		switch c := s[i]; {
		case c == '\\':
			r, w := unescape(s[i:])
			n += utf8.EncodeRune(buf[n:n+utf8.UTFMax], r)
			i += w
		case c < utf8.RuneSelf:
			buf[n] = c
			n++
			i++
		default:
			end := validRun(s, i)
			n += copy(buf[n:], s[i:end])
			if i = end; i < len(s) && s[i] >= utf8.RuneSelf {
				n += utf8.EncodeRune(buf[n:n+utf8.UTFMax], utf8.RuneError)
				i++
			}
		}
		if len(buf)-n < len(s)-i+slack { // a replacement is longer than what it replaces
			buf = regrow(buf[:n], len(s)-i)
		}
	}
	return buf[:n]
}

// validRun is the end of the valid characters outside ASCII that begin at s[i].
func validRun(s string, i int) int {
	for i < len(s) && s[i] >= utf8.RuneSelf {
		_, w := utf8.DecodeRuneInString(s[i:])
		if w == 1 {
			break
		}
		i += w
	}
	return i
}

// unescaped holds what the escapes of two characters stand for.
var unescaped = [256]byte{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// unescape returns what the escape at the start of s stands for, and its
// length. Two escapes that make a surrogate pair are one.
func unescape(s string) (rune, int) {
	if len(s) < 2 {
		return utf8.RuneError, 1
	}
	if c := unescaped[s[1]]; c != 0 {
		return rune(c), 2
	}
	r, ok := hex4(s)
	switch {
	case !ok:
		return utf8.RuneError, 1
	case !utf16.IsSurrogate(r):
		return r, 6
	}
	if low, ok := hex4(s[6:]); ok {
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return utf8.RuneError, 6
}
