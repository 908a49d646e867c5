package redact

import (
	"encoding/base64"
	"unicode/utf8"
)

// blanks skips spaces and tabs from i on, at most n.
func (x *scanner) blanks(i, n int) int {
	for end := i + n; i < end && i < len(x.s) && isBlank(x.s[i]); i++ {
	}
	return i
}

// bearer is the matcher for bearer tokens (RFC 6750) that stand in text
// without the name of their header.
func (x *scanner) bearer(a, z int) finding {
	if isLetter(x.before(a)) && !x.begins(a) {
		return finding{}
	}
	v := x.blanks(z, 4)
	switch {
	case v == len(x.s):
		return x.later()
	case v == z:
		return finding{}
	}
	end, why := x.read(token68, v, v)
	if why == unknown {
		return finding{verdict: wait, start: v, until: token68}
	}
	last := end
	for end > v && x.s[end-1] == '.' {
		end--
	}
	if f, settled := x.delegate(v, end, last, why); settled {
		return f
	}
	if t := x.s[v:end]; len(t) < 16 || x.replacedIn(v, end) || !plausible(t) || !hasDigit(t) || wordy(t) {
		return finding{}
	}
	return finding{verdict: yes, start: v, end: end, kind: kindBearer, after: swallowRest(why, token68)}
}

// swallowRest is what goes behind an overlong run.
func swallowRest(why ending, c class) swallower {
	if why == overlong {
		return swallower{mode: eatRun, class: c}
	}
	return swallower{}
}

// delegate settles what stands from v to end when what was read, up to last,
// runs into a replacement, or when it is a whole token of a kind of its own.
func (x *scanner) delegate(v, end, last int, why ending) (f finding, settled bool) {
	if why == overlong {
		return finding{}, false
	}
	switch x.touches(last) {
	case yes:
		return finding{}, true
	case wait:
		return finding{verdict: wait, start: v}, true
	}
	switch f = x.tokenAt(v); {
	case f.verdict == wait:
		f.start = v
		return f, true
	case f.verdict == yes && f.end == end:
		return f, true
	}
	return finding{}, false
}

// basic is the matcher for basic authentication (RFC 7617): base64 of a name,
// a colon and a password.
func (x *scanner) basic(a, z int) finding {
	if !x.begins(a) {
		return finding{}
	}
	v := x.blanks(z, 4)
	if v == len(x.s) {
		return x.later()
	}
	return x.credentials(v)
}

// credentials reads base64 of name:password, which begins at v.
func (x *scanner) credentials(v int) finding {
	end, why := x.read(base64Any, v, v)
	if why == unknown {
		return finding{verdict: wait, start: v, until: base64Any}
	}
	if why != overlong {
		switch x.touches(end) {
		case yes:
			return finding{}
		case wait:
			return finding{verdict: wait, start: v}
		}
	}
	if !isCredentials(x.s[v:end]) {
		return finding{}
	}
	return finding{verdict: yes, start: v, end: end, kind: kindBasic, after: swallowRest(why, base64Any)}
}

// isCredentials reports whether v decodes to a text with a colon in it.
func isCredentials(v string) bool {
	if len(v) < 6 || len(v) > window {
		return false
	}
	for v[len(v)-1] == '=' && len(v) > 1 {
		v = v[:len(v)-1]
	}
	text, err := base64.RawStdEncoding.DecodeString(v)
	if err != nil {
		if text, err = base64.RawURLEncoding.DecodeString(v); err != nil {
			return false
		}
	}
	if !utf8.Valid(text) {
		return false
	}
	found := false
	for _, c := range text {
		if c < ' ' || c == 0x7f {
			return false
		}
		found = found || c == ':'
	}
	return found
}

// webhook is the matcher for the URLs of incoming webhooks: whoever knows the
// path can post (Slack: Sending messages using incoming webhooks; Discord:
// Webhook resource).
func (x *scanner) webhook(z int) finding {
	const path = wordDash | slash
	end, why := x.read(path, z, z)
	switch {
	case why == unknown:
		return finding{verdict: wait, start: z, until: path}
	case why != overlong && x.touches(end) != no:
		if x.touches(end) == wait {
			return finding{verdict: wait, start: z}
		}
		return finding{}
	case end-z < 24 || !hasDigit(x.s[z:end]):
		return finding{}
	}
	return finding{verdict: yes, start: z, end: end, kind: kindWebhook, after: swallowRest(why, path)}
}

// sas is the matcher for the signature of a shared access signature (Azure
// Storage: Create a service SAS), a parameter of a URL.
func (x *scanner) sas(a, z int) finding {
	if c := x.before(a); c != '?' && c != '&' && c != ';' && !x.unicodeEscape(a) {
		return finding{}
	}
	const chars = base64Any | percent
	end, why := x.read(chars, z, z)
	switch {
	case why == unknown:
		return finding{verdict: wait, start: z, until: chars}
	case why != overlong && x.touches(end) != no:
		if x.touches(end) == wait {
			return finding{verdict: wait, start: z}
		}
		return finding{}
	case end-z < 40 || !plausible(x.s[z:end]):
		return finding{}
	}
	return finding{verdict: yes, start: z, end: end, kind: kindSAS, after: swallowRest(why, chars)}
}

// telegram is the matcher for bot tokens (Telegram: Bots, how bots work): the
// number of the bot, a colon, 35 characters that begin with AA.
func (x *scanner) telegram(a, z int) finding {
	const part = 33
	n := 0
	for n < 12 && isDigit(x.before(a-n)) {
		n++
	}
	if n < 6 || n > 11 {
		return finding{}
	}
	end, why := x.read(wordDash, z, z)
	switch {
	case why == unknown:
		return finding{verdict: wait, start: z, until: wordDash}
	case why == overlong, end-z < part, end-z > part+2:
		return finding{}
	case x.touches(end) == yes:
		return finding{}
	case x.touches(end) == wait:
		return finding{verdict: wait, start: z}
	}
	return finding{verdict: yes, start: z, end: end, kind: kindTelegram}
}
