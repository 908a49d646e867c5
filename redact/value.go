package redact

import "strings"

// value is what is found where the value of a name stands that begins at l.
func (x *scanner) value(c setting, class nameClass, l int, j joint) finding {
	switch {
	case class == authHeader && c != inText:
		if f, done := x.authorization(l, j); done {
			return f
		}
	case c == inCookie && j.quote == 0:
		return x.cookie(l, j.value)
	}
	v := j.value
	end, why := x.valueEnd(c, j)
	if why == unknown {
		return finding{verdict: wait, start: v, until: valueClass(c, j)}
	}
	last := end
	if j.quote == 0 && c != inTag && why != overlong {
		for end > v && (x.s[end-1] == '.' || x.s[end-1] == ',' || x.s[end-1] == ':') {
			end-- // the end of a sentence
		}
	}
	if f, done := x.settled(v, end, last, why, j.quote != 0); done {
		return f
	}
	if end == v || !x.takes(c, class, v, end, why, j) {
		return finding{}
	}
	f := finding{verdict: yes, start: v, end: end, kind: kindSecret, after: swallowRest(why, valueClass(c, j))}
	if j.quote != 0 && why == overlong {
		f.after = swallower{mode: eatQuoted, quote: j.quote, backslash: j.backslash}
	}
	if c == inCode {
		f.kind = kindBasic
	}
	if c == inMember && j.quote == 0 {
		f.quote = j.closing
	}
	return f
}

// valueClass is the class of the bytes that a value is made of.
func valueClass(c setting, j joint) class {
	switch {
	case j.quote != 0:
		return quoted(j.quote)
	case c == inTag:
		return lineText
	case c == inQuery:
		return query
	case c == inFields:
		return argument | blank
	case c == inText, c == inCode, c == inMember:
		return freeText
	}
	return argument
}

// valueEnd reads the value.
func (x *scanner) valueEnd(c setting, j joint) (end int, why ending) {
	if j.quote != 0 {
		return x.unquote(j, j.value)
	}
	return x.read(valueClass(c, j), j.value, j.value)
}

// settled settles a value that is a token of a kind of its own, or that holds
// a replacement: it was looked at when that one was made. The value ends at
// end, what was read at last.
func (x *scanner) settled(v, end, last int, why ending, inQuotes bool) (f finding, done bool) {
	switch {
	case strings.Contains(x.s[v:end], markerHead):
		return finding{}, true
	case why == overlong:
		return finding{}, false
	case !inQuotes:
		return x.delegate(v, end, last, why)
	}
	f = x.tokenAt(v)
	if f.verdict == wait {
		f.start = v
	}
	return f, f.verdict == wait || f.verdict == yes && f.end == end
}

// takes decides about a value.
func (x *scanner) takes(c setting, class nameClass, v, end int, why ending, j joint) bool {
	s := x.s[v:end]
	if why == overlong {
		switch {
		case c == inCode:
			return false
		case c == inMember && j.quote == 0:
			return numeric(s)
		}
		return c != inText && c != inLine || !wordy(s)
	}
	next := byte(0)
	if end < len(x.s) {
		next = x.s[end]
	}
	switch c {
	case inCode:
		return isCredentials(s)
	case inText:
		return !x.replacedIn(v, end) && takesText(class, s, next, j)
	case inLine:
		return !x.replacedIn(v, end) && takesLine(class, s, next, j)
	case inTag:
		return next == '<' && !exempt(s) && !hasSpace(s)
	case inMember:
		if j.quote == 0 {
			return numeric(s)
		}
	case inCookie:
		return strings.Contains(s, "=") && !exempt(s)
	case inHeader, inAuth:
		return !exempt(s) && (j.quote != 0 || endsValue(next) || secretive(s))
	case inFlag:
		return !exempt(s) && next != '(' && class != cookieHeader && (j.op != ' ' || j.quote != 0 || s[0] != '-')
	}
	if class == cookieHeader && c != inMember && !strings.Contains(s, "=") {
		return secretive(s)
	}
	return !exempt(s) && next != '('
}

// endsValue reports whether what stands behind a header's value ends its line,
// or the text that it stands in.
func endsValue(next byte) bool {
	return next == 0 || next == '\n' || next == '\r' || next == '\\' || isQuote(next)
}

// takesText decides about a value in text or code.
func takesText(class nameClass, s string, next byte, j joint) bool {
	if exempt(s) || hasSpace(s) {
		return false
	}
	if j.quote != 0 {
		if class == password && j.op != ' ' {
			return len(s) >= 6 && !sentence(s)
		}
		return secretive(s)
	}
	if next == '(' || next == '[' || next == '{' {
		return false
	}
	return secretive(s)
}

// takesLine decides about a value that stands alone with its name on a line of
// a configuration.
func takesLine(class nameClass, s string, next byte, j joint) bool {
	if j.quote != 0 || next != 0 && next != '\n' && next != '\r' {
		return takesText(class, s, next, j)
	}
	return len(s) >= 6 && !exempt(s) && !located(s) && !hexNumber(s) && (hasDigit(s) || symbols(s)) && !sentence(s)
}

// symbols reports whether s has a character that names and paths have not.
func symbols(s string) bool {
	for i := range len(s) {
		switch s[i] {
		case '!', '@', '#', '$', '%', '^', '&', '*', '+', '~', '?':
			return true
		}
	}
	return false
}

// sentence reports whether s is code or a format, not a literal value.
func sentence(s string) bool {
	for i := range len(s) {
		switch s[i] {
		case '(', ')', '[', ']', '{', '}', '<', '>', ';':
			return true
		case '%':
			if i+1 < len(s) && (s[i+1] == 's' || s[i+1] == 'v' || s[i+1] == 'q' || s[i+1] == 'd') {
				return true
			}
		}
	}
	return false
}

func hasSpace(s string) bool {
	for i := range len(s) {
		if isBlank(s[i]) {
			return true
		}
	}
	return false
}

// numeric reports whether s is a JSON number.
func numeric(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case isDigit(c), c == '-' && (i == 0 || i > 1), c == '+' && i > 0, c == '.' && i > 0, (c == 'e' || c == 'E') && i > 0:
		default:
			return false
		}
	}
	return hasDigit(s)
}
