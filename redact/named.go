package redact

import "strings"

// A setting says where a key name and its value stand, and so which values
// are taken: any in the places that are made for it, only what looks like a
// secret in free text.
type setting uint8

const (
	nowhere setting = iota
	inText
	inFlag   // --token x, --token=x
	inQuery  // ?token=x&…
	inEnv    // TOKEN=x
	inHeader // X-Api-Key: x
	inAuth   // Authorization: scheme x
	inCookie // Cookie: a=x; b=y
	inMember // "token": "x"
	inPairs  // user=u password=x
	inFields // Server=s;Password=x;
	inTag    // <token>x</token>
	inLine   // password: x, alone on its line
	inCode   // "auth": "base64"
)

const (
	longestName = 96 // what stands before and in the keyword
	longestTail = 32 // what stands behind it
)

// named is the matcher for key names. The keyword in the name stands from a
// to z.
func (x *scanner) named(a, z int) finding {
	r := z
	for r < len(x.s) && r-z < longestTail && x.t.classes[x.s[r]]&nameByte != 0 {
		r++
	}
	switch {
	case r == len(x.s):
		return x.later()
	case !opensJoint(x.s[r]):
		return finding{}
	}
	l := x.nameStart(a)
	class := x.r.classify(x.s[l:r])
	if class == harmless {
		return finding{}
	}
	j, v := x.joint(r, x.before(l) == '<')
	if v != yes {
		if v == wait && !x.final {
			return finding{verdict: wait, start: j.value}
		}
		return finding{}
	}
	c := x.setting(l, r, class, j)
	if c == nowhere {
		return finding{}
	}
	if bare := c == inText && j.op == ' ' && j.quote == 0; !bare {
		if f := x.value(c, class, l, j); f.verdict != no {
			return f
		}
	}
	if j.quote != 0 || j.closing != "" || j.op != ':' && j.op != ' ' || c == inFlag {
		return finding{}
	}
	switch j, v = x.annotated(j); v {
	case yes:
		return x.value(inText, class, l, j)
	case wait:
		return x.later()
	}
	return finding{}
}

// opensJoint reports whether what stands behind a name can lead to a value.
func opensJoint(c byte) bool {
	switch c {
	case '=', ':', '"', '\'', '`', '\\', ' ', '\t', '>':
		return true
	}
	return false
}

// nameStart goes back to where the name with a keyword at a begins: behind the
// letters of an escape (\npassword, \u0026password) and of a colour, which
// belong to no name.
func (x *scanner) nameStart(a int) int {
	l := a
	for l > x.base && a-l < longestName && x.t.classes[x.s[l-1]]&(nameByte|dot) != 0 {
		l--
	}
	if l == a {
		return l
	}
	if x.before(l) == '\\' {
		switch x.s[l] {
		case 'n', 'r', 't', 'b', 'f', 'v':
			return l + 1
		case 'u':
			if l+5 <= a && x.unicodeEscape(l+5) {
				return l + 5
			}
		}
	}
	i := l
	for i < a && isDigit(x.s[i]) {
		i++
	}
	if i < a && x.s[i] == 'm' && x.colour(i+1) {
		return i + 1
	}
	return l
}

// setting says where the name from l to r stands.
func (x *scanner) setting(l, r int, class nameClass, j joint) setting {
	name := x.s[l:r]
	prev := x.before(l)
	switch {
	case class == authValue:
		return inCode
	case j.op == '>':
		return inTag
	case j.op == 'i':
		return inText
	case name[0] == '-' && len(name) > 2 && opensFlag(prev) && (j.op == '=' || j.op == ' ' || j.op == ','):
		return inFlag
	case j.op == ' ':
		if class == password && x.netrc(l) {
			return inPairs
		}
		return inText
	case j.op == ',':
		return nowhere
	case isQuote(prev) && j.closing != "" && j.op == ':':
		return inMember
	case j.op == ':' && class == authHeader:
		return inAuth
	case j.op == ':' && class == cookieHeader:
		return inCookie
	case j.op == ':' && isLetter(name[0]) && hasDash(name):
		return inHeader
	case j.op == '=' && j.tight && x.inQuery(l, prev):
		return inQuery
	case j.op == '=' && j.tight && capitals(name):
		return inEnv
	case j.op == '=' && (prev == ';' || isBlank(prev) && x.before(l-1) == ';') && x.inFields(l):
		return inFields
	case j.op == '=' && j.tight && isBlank(prev) && x.pairBefore(l):
		return inPairs
	case !j.code && (class == password || j.op == ':') && capitals(name) == (j.op == ':') && x.lineStart(l),
		j.op == ':' && class == password && x.lineStart(l):
		return inLine
	}
	return inText
}

// inQuery reports whether a parameter of a URL begins at l.
func (x *scanner) inQuery(l int, prev byte) bool {
	switch prev {
	case '?', '&':
		return true
	case ';':
		return strings.HasSuffix(x.s[x.base:l], "&amp;")
	case '6':
		return strings.HasSuffix(x.s[x.base:l], `\u0026`)
	}
	return false
}

// opensFlag reports whether a flag can begin behind c.
func opensFlag(c byte) bool {
	return c <= ' ' || isQuote(c) || c == '[' || c == '(' || c == ',' || c == '=' || c == '|' || c == ']'
}

func hasDash(name string) bool {
	for i := range len(name) {
		if name[i] == '-' {
			return true
		}
	}
	return false
}

// capitals reports whether a name is spelled as environment variables are.
func capitals(name string) bool {
	for i := range len(name) {
		if c := name[i]; !isUpper(c) && !isDigit(c) && c != '_' {
			return false
		}
	}
	return true
}

// lineStart reports whether nothing but blanks and the dash of a list stands
// before i on its line.
func (x *scanner) lineStart(i int) bool {
	for j := i; j > i-mostBlanks; j-- {
		switch c := x.before(j); {
		case c == '\n' || c == '\r':
			return true
		case !isBlank(c) && c != '-':
			return false
		}
	}
	return false
}

// lineBefore returns the text that may be looked back at from i, and whether it
// begins behind a replacement.
func (x *scanner) lineBefore(i int) (text string, marked bool) {
	from := i - lookBack/2
	if from <= x.base {
		from, marked = x.base, x.edge == atMarker || x.edge == atUser
	}
	text = x.s[from:i]
	if x.r.home {
		if n := strings.LastIndexByte(text, '~'); n >= 0 {
			text, marked = text[n+1:], true
		}
	}
	return text, marked
}

// pairBefore reports whether a name=value pair ends before the blank before i.
func (x *scanner) pairBefore(i int) bool {
	text, marked := x.lineBefore(i - 1)
	if text == "" {
		return marked // a value that was replaced
	}
	if last := text[len(text)-1]; last == ',' || last == ';' {
		return false // arguments of a call, statements
	}
	for n := len(text) - 1; n >= 0 && text[n] > ' '; n-- {
		if text[n] == '=' {
			return n < len(text)-1 && n > 0 && isAlnum(text[n-1])
		}
	}
	return false
}

// fieldNames are what stands next to a password in a connection string.
var fieldNames = [...]string{
	"server=", "source=", "host=", "uid=", "user id=", "userid=", "username=", "user=", "database=", "catalog=",
	"accountname=", "endpoint=", "hostname=", "protocol=",
}

// inFields reports whether the fields of a connection string stand before i.
func (x *scanner) inFields(i int) bool {
	line, marked := x.lineBefore(i)
	for p := range len(line) {
		for _, name := range fieldNames {
			if toLower(line[p]) == name[0] && foldedPrefix(line[p:], name) {
				return true
			}
		}
	}
	return marked
}

// netrc reports whether "login name" stands before i.
func (x *scanner) netrc(i int) bool {
	line, _ := x.lineBefore(i)
	line = strings.TrimRight(line, " \t\r\n")
	n := strings.LastIndexAny(line, " \t\r\n")
	if n < 0 {
		return false
	}
	line = strings.TrimRight(line[:n], " \t\r\n")
	return strings.HasSuffix(line, "login") && (len(line) == 5 || line[len(line)-6] <= ' ')
}
