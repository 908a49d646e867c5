package redact

import (
	"encoding/base64"
	"strings"
)

const (
	jwtPrefix   = "eyJ"
	pem64Prefix = "LS0tLS1CRUdJTi"
)

// jwt is the matcher for JSON Web Tokens in compact form (RFC 7519, RFC 7515,
// RFC 7516): parts in base64url, set apart by dots; the first one is a JSON
// object.
func (x *scanner) jwt(z int) finding {
	end, why := x.read(wordDot, z, z)
	if why == unknown {
		return finding{verdict: wait, start: z, until: wordDot}
	}
	v := x.s[z-len(jwtPrefix) : end]
	if why != overlong {
		switch x.touches(end) {
		case yes:
			return finding{}
		case wait:
			return finding{verdict: wait, start: z}
		}
		for strings.HasSuffix(v, "..") || strings.HasSuffix(v, ".") && strings.Count(v, ".") != 2 {
			v = v[:len(v)-1] // the end of a sentence
		}
	}
	if !isJWT(v) {
		return finding{}
	}
	f := finding{verdict: yes, start: z, end: z - len(jwtPrefix) + len(v), kind: kindJWT}
	if why == overlong {
		f.after = swallower{mode: eatRun, class: wordDot}
	}
	return f
}

// isJWT reports whether v is a token, or what the window shows of one.
func isJWT(v string) bool {
	head, rest, ok := strings.Cut(v, ".")
	if !ok || len(head) < 12 || len(rest) < 8 {
		return false
	}
	if strings.HasPrefix(rest, jwtPrefix) {
		return true // a signed token whose claims are an object, too
	}
	room := make([]byte, 0, checked)
	json, err := base64.RawURLEncoding.AppendDecode(room, []byte(head))
	if err != nil || len(json) == 0 || json[len(json)-1] != '}' {
		return false
	}
	return strings.Contains(string(json), `"alg"`) || strings.Contains(string(json), `"enc"`)
}
