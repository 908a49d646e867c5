package redact

import "strings"

// url is the matcher for user names and passwords in URLs and connection
// strings (RFC 3986, section 3.2.1): what stands between the first colon behind
// :// and the last @ of the authority.
func (x *scanner) url(a, z int) finding {
	if !isAlnum(x.before(a)) {
		return finding{}
	}
	for i := z; i < len(x.s) && i < z+lookBack/2; i++ {
		c := x.s[i]
		if c == ':' {
			return x.password(i + 1)
		}
		if c == '@' || x.t.classes[c]&userinfo == 0 {
			return finding{}
		}
	}
	if len(x.s) < z+lookBack/2 {
		return x.later()
	}
	return finding{}
}

// password reads the password of a URL, which begins at v.
func (x *scanner) password(v int) finding {
	end, why := x.read(userinfo, v, v)
	if why == unknown {
		return finding{verdict: wait, start: v, until: userinfo}
	}
	if why != overlong {
		switch x.touches(end) {
		case yes:
			return finding{}
		case wait:
			return finding{verdict: wait, start: v}
		}
	}
	n := strings.LastIndexByte(x.s[v:end], '@')
	if n <= 0 && why == overlong {
		n = end - v // no authority is as long as that
	}
	if n <= 0 || exempt(x.s[v:v+n]) {
		return finding{}
	}
	f := finding{verdict: yes, start: v, end: v + n, kind: kindPassword}
	if v+n == end && why == overlong {
		f.after = swallower{mode: eatRun, class: userinfo}
	}
	return f
}

// userBefore reports whether what starts at i stands in the place of a URL's
// user name: a password may still follow it.
func (x *scanner) userBefore(i int) bool {
	for j := i; j > x.base && j > i-lookBack/2; j-- {
		c := x.s[j-1]
		if c == '/' {
			return j-3 > x.base && x.s[j-3:j] == "://" && isAlnum(x.s[j-4])
		}
		if c == '@' || c == ':' || x.t.classes[c]&userinfo == 0 {
			return false
		}
	}
	return false
}

// afterUser looks for the password behind a user name that was a secret
// itself, and was replaced.
func (x *scanner) afterUser() finding {
	if x.base == len(x.s) {
		x.open = x.base
		return finding{}
	}
	if x.s[x.base] != ':' {
		return finding{}
	}
	f := x.password(x.base + 1)
	f.anchor = x.base
	if f.verdict == wait && f.start >= len(x.s) {
		x.open = x.base
		return finding{}
	}
	if f.start < x.done {
		return finding{}
	}
	return f
}
