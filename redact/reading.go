package redact

// What matchers read text with: what stands before a place, and runs of bytes of
// a class behind it.

// before returns the byte before i.
func (x *scanner) before(i int) byte {
	switch {
	case i > x.base:
		return x.s[i-1]
	case x.edge == atStart:
		return '\n'
	case x.edge == truncated:
		return 'x'
	}
	return ']'
}

// begins reports whether a word can begin at i: what stands before it is no
// letter or digit, or the end of an escape (\n of a JSON string, %20 of a URL,
// the m of a colour on a terminal).
func (x *scanner) begins(i int) bool {
	c := x.before(i)
	if !isAlnum(c) {
		return true
	}
	b := x.before(i - 1)
	switch {
	case b == '\\':
		return c == 'n' || c == 'r' || c == 't' || c == 'b' || c == 'f' || c == 'v'
	case isHex(c) && isHex(b) && x.before(i-2) == '%', x.unicodeEscape(i):
		return true
	}
	return isLetter(c) && x.colour(i)
}

// unicodeEscape reports whether \uXXXX stands before i.
func (x *scanner) unicodeEscape(i int) bool {
	for j := i; j > i-4; j-- {
		if !isHex(x.before(j)) {
			return false
		}
	}
	return x.before(i-4) == 'u' && x.before(i-5) == '\\'
}

// colour reports whether a control sequence, ESC [ numbers letter, ends at i.
func (x *scanner) colour(i int) bool {
	for j := i - 1; j > i-16; j-- {
		c := x.before(j)
		if c == '[' {
			b := x.before(j - 1)
			return b == 0x1b || b == 'b' || b == '3' // raw, \u001b, \033
		}
		if !isDigit(c) && c != ';' {
			return false
		}
	}
	return false
}

// limit is how far a matcher may look when a secret starts at start. cut says
// that more text would not be looked at.
func (x *scanner) limit(start int) (end int, cut bool) {
	w := min(start+window, x.bound)
	if len(x.s) >= w {
		return w, true
	}
	return len(x.s), false
}

// An ending says why a run of bytes ends.
type ending uint8

const (
	broken   ending = iota // another byte follows
	finished               // nothing follows
	unknown                // the text ends, and more may follow
	overlong               // it goes on beyond the window
)

// read returns the end of the run of bytes of a class that begins at i, for a
// secret that starts at start.
func (x *scanner) read(c class, start, i int) (end int, why ending) {
	lim, cut := x.limit(start)
	end = x.runs.end(x, c, i, lim)
	return end, x.why(end, lim, cut)
}

func (x *scanner) why(end, lim int, cut bool) ending {
	switch {
	case end < lim:
		return broken
	case cut:
		return overlong
	case x.final:
		return finished
	}
	return unknown
}

// runs remembers the last runs that were read, so that a run is read once
// however many keywords are in it.
type runs struct {
	last [4]span
	n    uint8
}

type span struct {
	class    class
	from, to int
}

func (r *runs) reset() { *r = runs{} }

func (r *runs) end(x *scanner, c class, i, lim int) int {
	var known *span
	for n := range r.last {
		if v := &r.last[n]; v.class == c && v.from <= i && i < v.to {
			known = v
			break
		}
	}
	if known == nil {
		known = &r.last[r.n%4]
		r.n++
		*known = span{c, i, i}
	}
	for known.to < lim && x.t.classes[x.s[known.to]]&c != 0 {
		known.to++
	}
	return min(known.to, max(lim, i))
}
