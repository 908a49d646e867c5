package jsonl

import "unicode/utf8"

// longestEscape is the number of bytes that one byte of text can grow to.
const longestEscape = 6

// AppendEscapedMax appends as many whole characters from the start of s as fit
// into max bytes after escaping, and returns how many bytes of s it took. It
// cuts between characters only, never inside a UTF-8 sequence or an escape:
//
//	out[len(dst):] equals AppendEscaped(nil, s[:n]), at most max bytes long
//
// and the next character would not have fitted. A character here is one code
// point; a base character and its combining marks may come apart.
func AppendEscapedMax(dst []byte, s string, max int) (out []byte, n int) {
	for n < len(s) {
		// Whatever stands in the first sixth of the room, it fits.
		safe := min(len(s)-n, max/longestEscape)
		if n+safe < len(s) {
			safe = boundary(s[n:], safe)
		}
		if safe < 8 && n+safe < len(s) {
			break
		}
		before := len(dst)
		dst = AppendEscaped(dst, s[n:n+safe])
		max -= len(dst) - before
		n += safe
	}
	for n < len(s) {
		w, size := escapedSize(s[n:])
		if size > max {
			break
		}
		dst = AppendEscaped(dst, s[n:n+w])
		max -= size
		n += w
	}
	return dst, n
}

// boundary is the last place at or before i, i < len(s), where one character
// of s ends and the next begins.
func boundary(s string, i int) int {
	if i <= 0 {
		return 0
	}
	// Only a continuation byte can be inside a character, and a character has
	// at most three of them.
	for j := i; j >= 0 && j > i-utf8.UTFMax; j-- {
		if utf8.RuneStart(s[j]) {
			if _, w := utf8.DecodeRuneInString(s[j:]); j+w > i {
				return j
			}
			break
		}
	}
	return i // a stray continuation byte stands for itself
}

// escapedSize is the length in bytes of the first character of s, and the
// length of what contract F8 makes of it.
func escapedSize(s string) (width, size int) {
	r, w := utf8.DecodeRuneInString(s)
	switch {
	case r == utf8.RuneError && w == 1:
		return 1, 3
	case r < utf8.RuneSelf:
		return 1, int(escapes[r] >> 56)
	case r < 0xa0 || r == '\u2028' || r == '\u2029':
		return w, longestEscape
	}
	return w, w
}

// CompletePrefix returns the length of s without a UTF-8 sequence at its end
// that is right so far but not finished: up to three bytes less than len(s).
// Bytes that can't become a character any more are not held back. A character
// split over two texts can so be joined before it is escaped (contract F8).
func CompletePrefix(s string) int {
	for back := 1; back < utf8.UTFMax && back <= len(s); back++ {
		at := len(s) - back
		if utf8.RuneStart(s[at]) {
			if utf8.FullRuneInString(s[at:]) {
				return len(s)
			}
			return at
		}
	}
	return len(s)
}
