package redact

import (
	"encoding/base64"
	"strings"
)

const (
	// pemReach is how far behind the first line of a PEM block its body must
	// begin: headers, line numbers and quotes of a program stand between.
	pemReach = 512
	// pemRun is how many characters of base64 in a row make a body.
	pemRun = 32
	// notInLabel can't stand between the dashes of a line.
	notInLabel = "\r\n\"'`\\"
)

// pem is the matcher for private keys in PEM (RFC 7468), also on one line,
// with escaped line ends, or as lines of a listing. The first line is public;
// once a body is seen, everything up to the line with the end is left out.
func (x *scanner) pem(z int) finding {
	start, v := x.pemLabel(z)
	switch v {
	case no:
		return finding{}
	case wait:
		return x.later()
	}
	lim, cut := x.limit(start)
	if n := start + pemReach; lim >= n {
		lim, cut = n, true
	}
	if x.s[start:min(lim, start+1)] == "[" {
		switch x.touches(start) {
		case yes:
			return finding{}
		case wait:
			return finding{verdict: wait, start: start}
		}
	}
	for i := start; i < lim; {
		end := x.runs.end(x, base64Std, i, lim)
		// The first characters decide, for the rest may not be there yet.
		if end-i >= pemRun && !wordy(x.s[i:i+pemRun]) {
			if x.replacedIn(start, i) {
				return finding{} // looked at when that replacement was made
			}
			return finding{verdict: yes, start: start, end: i + pemRun, kind: kindPrivateKey, after: swallower{mode: eatPEM, at: longestPEM}}
		}
		i = end + 1
	}
	switch {
	case !cut && !x.final:
		return finding{verdict: wait, start: start}
	case !cut && x.pemStub(start) && !x.replacedIn(start, lim):
		return finding{verdict: yes, start: start, end: lim, kind: kindPrivateKey}
	}
	return finding{}
}

// pemStub reports whether the text ends in the first characters of a body that
// begins at i.
func (x *scanner) pemStub(i int) bool {
	s := strings.TrimLeft(x.s[i:], " \r\n\t")
	for strings.HasPrefix(s, `\n`) || strings.HasPrefix(s, `\r`) {
		s = s[2:]
	}
	for i := range len(s) {
		if x.t.classes[s[i]]&base64Std == 0 {
			return false
		}
	}
	return len(s) >= 8 && !wordy(s)
}

// pemLabel reads the rest of a line BEGIN ... PRIVATE KEY, and returns the
// place behind it.
func (x *scanner) pemLabel(z int) (end int, v verdict) {
	rest := x.s[z:min(len(x.s), z+longestLabel)]
	n := strings.Index(rest, pemDashes)
	label := rest[:max(n, 0)]
	switch {
	case n < 0 && len(rest) < longestLabel && !strings.ContainsAny(rest, notInLabel):
		return 0, wait
	case n < 0, strings.ContainsAny(label, notInLabel):
		return 0, no
	}
	i := strings.Index(label, "PRIVATE")
	if i < 0 || !strings.Contains(label[i:], "KEY") {
		return 0, no
	}
	return z + n + len(pemDashes), yes
}

// pem64 is the matcher for a PEM block that is encoded in base64 as a whole,
// as in a kubeconfig: the first bytes tell whether it is a private key.
func (x *scanner) pem64(z int) finding {
	end, why := x.read(base64Any, z, z)
	if why == unknown {
		return finding{verdict: wait, start: z, until: base64Any}
	}
	head := x.s[z-len(pem64Prefix) : min(end, z-len(pem64Prefix)+64)]
	head = strings.NewReplacer("-", "+", "_", "/", "=", "").Replace(head)
	text, _ := base64.RawStdEncoding.DecodeString(head[:len(head)&^3])
	if !strings.Contains(string(text), "PRIVATE") {
		return finding{}
	}
	f := finding{verdict: yes, start: z, end: end, kind: kindPrivateKey}
	if why == overlong {
		f.after = swallower{mode: eatRun, class: base64Any}
	}
	return f
}
