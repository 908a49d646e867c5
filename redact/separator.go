package redact

// What stands between a key name and its value: quotes, blanks, a separator.

// A joint is how a name and a value are joined.
type joint struct {
	op    byte // '=', ':', ',' in a list of quoted words, '>' of a tag, ' '
	tight bool // no blanks around the separator
	code  bool // it is := or =>
	// closing is the quote, with its backslashes, behind a quoted name.
	closing string
	// quote, behind so many backslashes, opens the value.
	quote     byte
	backslash int
	// value is where the value begins; when the text ends before that is
	// known, the first place where it can.
	value int
}

const (
	mostBlanks      = 40
	mostBackslashes = 7 // a string in JSON, three times over
)

// quoteAt reads an escaped or plain quote at i.
func (x *scanner) quoteAt(i int) (q byte, backslashes, end int, v verdict) {
	j := i
	for j < len(x.s) && x.s[j] == '\\' && j-i < mostBackslashes {
		j++
	}
	switch {
	case j == len(x.s):
		return 0, 0, i, wait
	case isQuote(x.s[j]):
		return x.s[j], j - i, j + 1, yes
	}
	return 0, 0, i, no
}

// joint reads what stands behind a name that ends at i.
func (x *scanner) joint(i int, tag bool) (j joint, v verdict) {
	j.value = len(x.s)
	q, _, end, v := x.quoteAt(i)
	if v == wait {
		return j, wait
	}
	if q != 0 {
		j.closing = x.s[i:end]
		i = end
		if i < len(x.s) && x.s[i] == ']' { // config["token"] = …
			i++
		}
	}
	start := i
	i = x.blanks(i, mostBlanks)
	if i == len(x.s) {
		return j, wait
	}
	j.tight = i == start
	if i, v = x.operator(&j, i, tag); v != yes {
		return j, v
	}
	if start = i; j.op != '>' {
		i = x.blanks(i, mostBlanks)
	}
	j.tight = j.tight && i == start
	if i == len(x.s) {
		return j, wait
	}
	switch q, n, end, v := x.quoteAt(i); v {
	case wait:
		return j, wait
	case yes:
		j.quote, j.backslash, j.value = q, n, end
	default:
		j.value = i
	}
	return j, yes
}

// operator reads the separator at i.
func (x *scanner) operator(j *joint, i int, tag bool) (end int, v verdict) {
	j.op = x.s[i]
	switch {
	case j.op == '=' || j.op == ':':
		return x.assignment(j, i)
	case j.op == ',' && j.closing != "":
		return i + 1, yes
	case j.op == '>' && tag && j.tight && j.closing == "":
		return i + 1, yes
	case !j.tight && j.closing == "":
		return x.wordOperator(j, i)
	}
	return i, no
}

// assignment reads = : := =>, which are separators, and not == =~ ::.
func (x *scanner) assignment(j *joint, i int) (end int, v verdict) {
	next := byte(0)
	if i+1 < len(x.s) {
		next = x.s[i+1]
	} else if !x.final {
		return i, wait
	}
	switch {
	case j.op == '=' && next == '>', j.op == ':' && next == '=':
		j.code = true
		return i + 2, yes
	case next == j.op, next == '~':
		return i, no
	}
	return i + 1, yes
}

// wordOperator reads the word "is", or nothing: the value of a flag follows
// behind a blank.
func (x *scanner) wordOperator(j *joint, i int) (end int, v verdict) {
	const is = "is "
	rest := x.s[i:]
	n := min(len(rest), len(is))
	j.op = ' '
	switch {
	case !foldedPrefix(rest[:n], is[:n]):
		return i, yes
	case n == len(is):
		j.op = 'i'
		return i + n, yes
	case x.final:
		return i, yes
	}
	j.value = i // for it may be a value that begins with i
	return i, wait
}

// unquote returns where a quoted value ends that begins at i: at its quote, or
// where its line does.
func (x *scanner) unquote(j joint, i int) (end int, why ending) {
	lim, cut := x.limit(i)
	unit := 2 * (j.backslash + 1) // backslashes that stand for an escaped one
	slashes := 0
	for p := i; ; {
		e := x.runs.end(x, quoted(j.quote), p, lim)
		if e > p {
			slashes = 0
		}
		if e >= lim {
			return lim, x.why(lim, lim, cut)
		}
		switch c := x.s[e]; {
		case c == '\\':
			slashes++
		case c != j.quote:
			return e, broken // the end of the line
		case slashes < j.backslash, slashes%unit == j.backslash:
			return e - min(slashes, j.backslash), broken
		default:
			slashes = 0
		}
		p = e + 1
	}
}

// annotated skips the type in a declaration, as in
//
//	password: str = "…"
//	token string = "…"
//
// and returns the value behind it.
func (x *scanner) annotated(j joint) (joint, verdict) {
	const kind = word | dot
	i := j.value
	for n := 0; i < len(x.s) && n < mostBlanks; i, n = i+1, n+1 {
		c := x.s[i]
		if x.t.classes[c]&kind == 0 && c != '&' && c != '*' && c != '[' && c != ']' && c != '<' && c != '>' && c != '?' {
			break
		}
	}
	if i == len(x.s) {
		return j, wait
	}
	if i == j.value {
		return j, no
	}
	start := i
	i = x.blanks(i, mostBlanks)
	switch {
	case i+1 >= len(x.s):
		return j, wait
	case i == start, x.s[i] != '=', x.s[i+1] == '=', x.s[i+1] == '>':
		return j, no
	}
	i = x.blanks(i+1, mostBlanks)
	if i == len(x.s) {
		return j, wait
	}
	q, n, end, v := x.quoteAt(i)
	if v == yes {
		return joint{op: '=', quote: q, backslash: n, value: end}, yes
	}
	return j, v
}
