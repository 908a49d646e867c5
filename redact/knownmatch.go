package redact

import "strings"

// knownAt compares the text at i with a form.
func (x *scanner) knownAt(n, i int) finding {
	f := &x.r.known.forms[n]
	if f.whole && isAlnum(x.before(i)) {
		return finding{}
	}
	at, end, v := x.compare(f, i)
	found := finding{verdict: yes, start: i, end: end, kind: f.kind, literal: f.literal}
	switch {
	case v == no:
		return finding{}
	case v == wait:
		return finding{verdict: wait, start: i}
	case at < len(f.text): // identified
		found.after = swallower{mode: eatKnown, form: n, at: at}
		return found
	case !f.whole && !f.tail:
		return found
	case end == len(x.s):
		if x.final {
			return found
		}
		return finding{verdict: wait, start: i}
	case f.whole && (isAlnum(x.s[end]) || x.s[end] == '_' || x.s[end] == '-'):
		return finding{}
	case f.whole && x.touches(end) != no:
		if x.touches(end) == wait {
			found.verdict = wait
			return found
		}
		return finding{}
	case f.tail && x.t.classes[x.s[end]]&(base64Any&^equals) != 0:
		found.end++
	}
	return found
}

// compare goes through a form from its start and through the text from i on,
// as long as they are the same. It says yes when the form ends, or when enough
// of it was seen; wait when the text ends.
func (x *scanner) compare(f *form, i int) (at, end int, v verdict) {
	lim := i + identified
	if lim > x.bound {
		return 0, i, no // it would not be waited for
	}
	if f.spelling == asIs {
		n := min(len(f.text), identified)
		at, end, v = n, i+n, yes
		if have := x.s[i:min(len(x.s), i+n)]; !strings.HasPrefix(f.text, have) {
			v = no
		} else if len(have) < n {
			v = wait
		}
	} else {
		for end, v = i, yes; at < len(f.text) && end < lim && v == yes; {
			var n int
			n, end, v = x.same(f, at, end)
			at += n
		}
	}
	if v == wait && x.final {
		v = no
	}
	return at, end, v
}

// same compares the character of the form at a place with the one at i, and
// says how long both are.
func (x *scanner) same(f *form, at, i int) (n, end int, v verdict) {
	if i >= len(x.s) {
		return 0, i, wait
	}
	want := f.text[at]
	switch f.spelling {
	case inJSON, inJSON2:
		c, v := x.unescape(i, int(f.spelling-inJSON)+1)
		if v != yes {
			return 0, i, v
		}
		if !strings.HasPrefix(f.text[at:], string(c.bytes[:c.n])) {
			return 0, i, no
		}
		return c.n, c.end, yes
	case inURL:
		return x.sameInURL(want, i)
	case inBase64:
		if at > 0 {
			i, v = x.lineBreak(i)
		}
		if i >= len(x.s) || v == wait {
			return 0, i, wait
		}
		if c := x.s[i]; want == '+' && c == '-' || want == '/' && c == '_' {
			return 1, i + 1, yes
		}
	}
	if x.s[i] == want {
		return 1, i + 1, yes
	}
	return 0, i, no
}

func (x *scanner) sameInURL(want byte, i int) (n, end int, v verdict) {
	switch c := x.s[i]; {
	case c == '%':
		if i+3 > len(x.s) {
			if i+1 < len(x.s) && !isHex(x.s[i+1]) {
				return 0, i, no
			}
			return 0, i, wait
		}
		if isHex(x.s[i+1]) && isHex(x.s[i+2]) && unhex(x.s[i+1])<<4|unhex(x.s[i+2]) == want {
			return 1, i + 3, yes
		}
	case c == want, c == '+' && want == ' ':
		return 1, i + 1, yes
	}
	return 0, i, no
}

// lineEnds are the ends of lines, raw and as JSON has them, that base64 is
// broken by.
var lineEnds = [...]string{"\r\n", "\n", `\r\n`, `\n`}

// lineBreak skips a line end, raw or escaped, between two characters of
// base64. It says wait when the text ends within one.
func (x *scanner) lineBreak(i int) (int, verdict) {
	rest := x.s[i:min(len(x.s), i+4)]
	if rest == "" || rest[0] != '\n' && rest[0] != '\r' && rest[0] != '\\' {
		return i, no
	}
	for _, end := range lineEnds {
		if strings.HasPrefix(rest, end) {
			return i + len(end), yes
		}
		if strings.HasPrefix(end, rest) {
			return i, wait
		}
	}
	return i, no
}

// swallowKnown goes on with a form as long as the text does. What was seen of it
// can have been the same in several spellings, so each is tried.
func (x *scanner) swallowKnown() bool {
	text := x.r.known.forms[x.eat.form].text
	for x.eat.at < len(text) {
		n, end, v := x.sameInAny(text)
		if v != yes {
			return v == no || x.final
		}
		x.eat.at += n
		x.done = end
	}
	return true
}

// sameInAny compares the next character of a form with the text, in each
// spelling of the form, that of the last character first.
func (x *scanner) sameInAny(text string) (n, end int, v verdict) {
	forms := x.r.known.forms
	if n, end, v = x.same(&forms[x.eat.form], x.eat.at, x.done); v == yes {
		return n, end, v
	}
	for i := range forms {
		if i == x.eat.form || forms[i].text != text {
			continue
		}
		n2, end2, v2 := x.same(&forms[i], x.eat.at, x.done)
		if v2 == yes {
			x.eat.form = i
			return n2, end2, yes
		}
		v = max(v, v2)
	}
	return 0, 0, v
}
