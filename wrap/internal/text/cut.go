package text

import (
	"bytes"
	"unicode/utf8"
)

// cut returns where a text that is longer than limit is to be cut: between
// characters, and not in the midst of what stands for a secret. It looks at
// the first limit+1 bytes alone, so that it does not matter how much of the
// text is there.
func cut(text []byte, limit int) int {
	n := limit
	for range utf8.UTFMax - 1 {
		if utf8.RuneStart(text[n]) {
			break
		}
		n--
	}
	if !utf8.RuneStart(text[n]) {
		n = limit // in the midst of bytes that are no characters
	}
	if start := openMarker(text[:n]); start > 0 {
		return start
	}
	return n
}

const (
	markerHead = "[REDACTED:"
	// longestMarker bounds how far back a marker begins that is not complete.
	longestMarker = 48
)

// openMarker returns where the marker of a secret begins that may go on behind
// the end of text, or -1.
func openMarker(text []byte) int {
	near := max(0, len(text)-longestMarker)
	i := bytes.LastIndexByte(text[near:], '[')
	if i < 0 {
		return -1
	}
	start := near + i
	tail := text[start:]
	n := min(len(tail), len(markerHead))
	if string(tail[:n]) != markerHead[:n] || bytes.IndexByte(tail, ']') >= 0 {
		return -1
	}
	return start
}

// valid returns text with U+FFFD for each byte that is no UTF-8 (contract F8),
// and how many they are. It is a view on text, or on the Splitter's memory.
func (s *Splitter) valid(text []byte) (out string, invalid int) {
	if utf8.Valid(text) {
		return view(text), 0
	}
	start := len(s.fixed)
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if r == utf8.RuneError && n == 1 {
			invalid++
		}
		s.fixed = utf8.AppendRune(s.fixed, r)
		text = text[n:]
	}
	return view(s.fixed[start:]), invalid
}
