package jsonl

import "fmt"

// str reads a string token, whose opening quote stands at l.pos. A problem is
// left with l.pos at the offending byte.
func (l *Lexer) str(k Kind) (Token, string) {
	tok := Token{Kind: k, Start: l.pos}
	data, i := l.data, l.pos+1
	for {
		i = skipText(data, i, &tok.form)
		if i >= len(data) {
			l.pos = len(data)
			return tok, "the text ends inside a string"
		}
		switch c := data[i]; c {
		case '"':
			l.pos = i + 1
			tok.End = l.pos
			return tok, ""
		case '\\':
			n, f, problem := scanEscape(data[i:])
			if problem != "" {
				l.pos = i
				return tok, problem
			}
			tok.form |= f
			i += n
		default:
			l.pos = i
			return tok, fmt.Sprintf("control character 0x%02x stands raw in a string", c)
		}
	}
}

// skipText returns the position of the first byte from i on that is a quote, a
// backslash or a control character, and notes in f what else must be looked at.
func skipText(data string, i int, f *form) int {
	// ASCII alone first, then anything: two loops, so that a text in another
	// script is not stopped at in each of its bytes.
	for ; i+8 <= len(data); i += 8 {
		m := specials(load64(data, i)) & highs
		if m == 0 {
			continue
		}
		i += firstMark(m)
		if data[i] < 0x7f {
			return i
		}
		*f |= checked
		break
	}
	for ; i+8 <= len(data); i += 8 {
		if m := syntax(load64(data, i)); m != 0 {
			// The word may hold marks of 0x7f and up only for what follows
			// a syntax byte, so what was skipped is ASCII or noted.
			return i + firstMark(m)
		}
	}
	for ; i < len(data); i++ {
		switch c := data[i]; {
		case c < ' ', c == '"', c == '\\':
			return i
		case c >= 0x7f:
			*f |= checked
		}
	}
	return i
}

// scanEscape returns the length of the escape at the start of s and the form
// of a string that holds it, or a reason why it is none.
func scanEscape(s string) (n int, f form, problem string) {
	if len(s) < 2 {
		return 0, 0, "the text ends inside an escape"
	}
	switch c := s[1]; {
	case c == '/':
		return 2, escaped | respelled, ""
	case unescaped[c] != 0:
		return 2, escaped, ""
	case c == 'u':
		r, ok := hex4(s)
		if !ok {
			return 0, 0, `\u must be followed by four hexadecimal digits`
		}
		if r < 0x80 && escapes[r] == 6<<56|load32(s, 0)|load32(s, 2)<<16 {
			return 6, escaped, ""
		}
		return 6, escaped | respelled, ""
	}
	return 0, 0, "a backslash stands before a character that can't be escaped"
}

// hex4 is the value of the escape \uXXXX at the start of s.
func hex4(s string) (r rune, ok bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	for _, c := range []byte(s[2:6]) {
		switch {
		case isDigit(c):
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
