package redact

import "strings"

const (
	markerHead = "[REDACTED:"
	// longestMarker bounds the length of a replacement.
	longestMarker = len(markerHead) + longestKind + 1
	longestKind   = 32
)

func (f *finding) appendReplacement(dst []byte) []byte {
	if f.literal != "" {
		return append(dst, f.literal...)
	}
	dst = append(dst, f.quote...)
	dst = appendMarker(dst, f.kind)
	return append(dst, f.quote...)
}

func appendMarker(dst []byte, kind string) []byte {
	dst = append(dst, markerHead...)
	dst = append(dst, kind...)
	return append(dst, ']')
}

// isKind reports whether the redactor replaces secrets by this kind.
func (r *Redactor) isKind(kind string) bool {
	for _, k := range otherKinds {
		if k == kind {
			return true
		}
	}
	for i := range rules {
		if rules[i].kind == kind {
			return true
		}
	}
	for i := range r.tokens {
		if r.tokens[i].kind == kind {
			return true
		}
	}
	return false
}

// markerAt returns the end of the replacement that stands at i. wait: it may
// become one.
func (x *scanner) markerAt(i int) (end int, v verdict) {
	rest := x.s[i:]
	if len(rest) < len(markerHead) {
		if strings.HasPrefix(markerHead, rest) && !x.final {
			return 0, wait
		}
		return 0, no
	}
	if !strings.HasPrefix(rest, markerHead) {
		return 0, no
	}
	for n := len(markerHead); n < longestMarker; n++ {
		if n == len(rest) {
			if x.final {
				return 0, no
			}
			return 0, wait
		}
		switch c := rest[n]; {
		case c == ']':
			if x.r.isKind(rest[len(markerHead):n]) {
				return i + n + 1, yes
			}
			return 0, no
		case !isLower(c) && !isDigit(c) && c != '-':
			return 0, no
		}
	}
	return 0, no
}

// marker is the matcher for replacements: they stay as they are, and looking
// back ends behind them as it does behind a secret that was just replaced.
// This is what makes a second pass find what the first one has found.
func (x *scanner) marker(a int) finding {
	end, v := x.markerAt(a)
	switch v {
	case yes:
		return finding{verdict: yes, start: a, end: end, verbatim: true}
	case wait:
		return finding{verdict: wait, start: max(a, x.done)}
	}
	return finding{}
}

// isMarker reports whether s is a replacement and nothing else.
func (r *Redactor) isMarker(s string) bool {
	return len(s) > len(markerHead) && len(s) <= longestMarker && strings.HasPrefix(s, markerHead) &&
		s[len(s)-1] == ']' && r.isKind(s[len(markerHead):len(s)-1])
}

// isReplaced reports whether s is a replacement, with the public prefix of a
// token before it or none.
func (r *Redactor) isReplaced(s string) bool {
	i := strings.Index(s, markerHead)
	return i >= 0 && r.isMarker(s[i:]) && (i == 0 || r.isPrefix(s[:i]))
}

// isPrefix reports whether s is the public prefix of a kind of token.
func (r *Redactor) isPrefix(s string) bool {
	for i := range rules {
		for _, p := range rules[i].prefixes {
			if p == s {
				return true
			}
		}
	}
	for i := range r.tokens {
		if r.tokens[i].prefixes[0] == s {
			return true
		}
	}
	return s == jwtPrefix || s == pem64Prefix
}

// touches reports whether a replacement stands at i. A text that runs into one
// was looked at when that replacement was made, and was no secret then.
func (x *scanner) touches(i int) verdict {
	if i >= len(x.s) || x.s[i] != '[' {
		return no
	}
	_, v := x.markerAt(i)
	return v
}

// replacedIn reports whether the text from i to end holds a replacement.
func (x *scanner) replacedIn(i, end int) bool {
	s := x.s[i:end]
	return strings.Contains(s, markerHead) || x.r.home && strings.IndexByte(s, '~') >= 0
}
