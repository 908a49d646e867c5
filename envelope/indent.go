package envelope

import (
	"bytes"

	"github.com/streamjson/streamjson/internal/jsonl"
)

const indentation = "  "

// appendIndented appends compact, which is valid JSON without white space, in
// the layout of encoding/json.Indent: two spaces a level, a member or element a
// line, [] and {} for what is empty. depth is the level that it stands on.
func appendIndented(dst, compact []byte, depth int) []byte {
	for i := 0; i < len(compact); {
		switch c := compact[i]; c {
		case '{', '[':
			dst = append(dst, c)
			i++
			if i < len(compact) && compact[i] == c+2 { // '}' and ']' are two behind
				dst = append(dst, compact[i])
				i++
				continue
			}
			depth++
			dst = appendNewline(dst, depth)
		case '}', ']':
			depth--
			dst = append(appendNewline(dst, depth), c)
			i++
		case ',':
			dst = appendNewline(append(dst, c), depth)
			i++
		case ':':
			dst = append(dst, ": "...)
			i++
		default:
			end := i + tokenLen(compact[i:])
			dst = append(dst, compact[i:end]...)
			i = end
		}
	}
	return dst
}

func appendNewline(dst []byte, depth int) []byte {
	dst = append(dst, '\n')
	for range depth {
		dst = append(dst, indentation...)
	}
	return dst
}

// tokenLen is the length of the string, number or word that text begins with.
func tokenLen(text []byte) int {
	if text[0] != '"' {
		n := 1
		for n < len(text) && text[n] != ',' && text[n] != ']' && text[n] != '}' {
			n++
		}
		return n
	}
	for i := 1; ; {
		n := bytes.IndexByte(text[i:], '"')
		if n < 0 {
			return len(text)
		}
		if i += n + 1; !isEscaped(text[:i-1]) {
			return i
		}
	}
}

// isEscaped tells whether the byte behind text is escaped: an odd number of
// backslashes stands in front of it.
func isEscaped(text []byte) bool {
	n := 0
	for n < len(text) && text[len(text)-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}

// appendList appends an array of strings on the first level of the document.
func appendList(dst []byte, list []string, compact bool) []byte {
	if len(list) == 0 {
		return append(dst, '[', ']')
	}
	dst = append(dst, '[')
	for i, s := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		if !compact {
			dst = appendNewline(dst, 2)
		}
		dst = jsonl.AppendString(dst, s)
	}
	if !compact {
		dst = appendNewline(dst, 1)
	}
	return append(dst, ']')
}
