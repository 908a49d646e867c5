package redact

// schemes are the authentication schemes (the IANA registry of HTTP
// authentication schemes, and some that vendors use) whose credentials are one
// word; longSchemes those whose credentials are a list.
var (
	schemes     = [...]string{"basic", "bearer", "token", "apikey", "api-key", "key", "negotiate", "ntlm", "dpop", "sso-key", "glpat", "sharedkey", "sharedkeylite", "googlelogin"}
	longSchemes = [...]string{"digest", "hawk", "oauth", "aws4-hmac-sha256", "signature", "scram-sha-256", "mutual", "vapid", "hoba"}
)

const longestScheme = 24

// schemeOf returns the scheme that s begins with, and where the credentials
// begin; 0 if s does not begin with a scheme and a blank.
func schemeOf(s string) (name string, credentials int, long bool) {
	n := 0
	for n < len(s) && n < longestScheme && (isAlnum(s[n]) || s[n] == '-') {
		n++
	}
	if n == len(s) || !isBlank(s[n]) {
		return "", 0, false
	}
	name = s[:n]
	for n < len(s) && isBlank(s[n]) {
		n++
	}
	switch {
	case oneOf(name, schemes[:]):
		return name, n, false
	case oneOf(name, longSchemes[:]):
		return name, n, true
	}
	return "", 0, false
}

// schemeKind is the kind of the credentials of a scheme.
func schemeKind(name string) string {
	switch {
	case foldedEqual(name, "basic"):
		return kindBasic
	case foldedEqual(name, "bearer"):
		return kindBearer
	}
	return kindSecret
}

// authorization reads a scheme and its credentials, the value of a header that
// begins at l (RFC 9110, section 11.6.2). The scheme is public. A value without
// one is not done.
func (x *scanner) authorization(l int, j joint) (f finding, done bool) {
	rest := x.s[j.value:min(len(x.s), j.value+longestScheme+mostBlanks)]
	name, n, long := schemeOf(rest)
	v := j.value + n
	switch {
	case name == "":
		return finding{}, false
	case v == len(x.s):
		return x.later(), true
	}
	c := argument
	switch prev := x.before(l); {
	case j.quote != 0:
		c = quoted(j.quote)
	case long && isQuote(prev):
		c = quoted(prev)
	case long:
		c = line
	}
	var end int
	var why ending
	if j.quote != 0 {
		end, why = x.unquote(j, v)
	} else {
		end, why = x.read(c, v, v)
	}
	if why == unknown {
		return finding{verdict: wait, start: v, until: c}, true
	}
	if f, done := x.settled(v, end, end, why, j.quote != 0 || long); done {
		return f, true
	}
	if end == v || exempt(x.s[v:end]) {
		return finding{}, true
	}
	f = finding{verdict: yes, start: v, end: end, kind: schemeKind(name), after: swallowRest(why, c)}
	if j.quote != 0 && why == overlong {
		f.after = swallower{mode: eatQuoted, quote: j.quote, backslash: j.backslash}
	}
	return f, true
}

// cookie reads the cookies of a header that begins at l; all of its line goes.
func (x *scanner) cookie(l, v int) finding {
	c := lineText
	if prev := x.before(l); isQuote(prev) {
		c = quoted(prev)
	}
	end, why := x.read(c, v, v)
	if why == unknown {
		return finding{verdict: wait, start: v, until: c}
	}
	if f, done := x.settled(v, end, end, why, true); done {
		return f
	}
	n := v
	for n < end && x.t.classes[x.s[n]]&wordDot != 0 {
		n++
	}
	if n == v || n+1 >= end || x.s[n] != '=' || exempt(x.s[n+1:end]) {
		return finding{}
	}
	return finding{verdict: yes, start: v, end: end, kind: kindSecret, after: swallowRest(why, c)}
}
