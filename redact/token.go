package redact

// token is the matcher for a rule with a prefix: the secret part is the run of
// the rule's characters behind the prefix.
func (x *scanner) token(r *rule, a, z int) finding {
	if r.flags&atEdge != 0 && !x.begins(a) {
		return finding{}
	}
	if r.flags&generic != 0 && x.otherPrefix(r, a) {
		return finding{}
	}
	end, why := x.read(r.chars, z, z)
	if why == unknown {
		return finding{verdict: wait, start: z, until: r.chars}
	}
	found := finding{verdict: yes, start: z, end: end, kind: r.kind}
	if why == overlong {
		if r.flags&exact != 0 || !plausible(x.s[z:end]) {
			return finding{}
		}
		found.after = swallower{mode: eatRun, class: r.chars}
		return found
	}
	switch x.touches(end) {
	case yes:
		return finding{}
	case wait:
		return finding{verdict: wait, start: z}
	}
	for end > z && x.s[end-1] == '.' { // the end of a sentence
		end--
	}
	found.end = end
	if !r.accepts(x.s[z:end]) {
		return finding{}
	}
	if r.flags&exact != 0 && end < len(x.s) && isAlnum(x.s[end]) {
		return finding{}
	}
	return found
}

// otherPrefix reports whether a longer prefix than that of a generic rule, or
// a part of one that is still to be completed, stands at a.
func (x *scanner) otherPrefix(r *rule, a int) bool {
	rest := x.s[a:]
	for i := range rules {
		for _, p := range rules[i].prefixes {
			if &rules[i] != r && len(p) <= len(rest) && p[0] == rest[0] && rest[:len(p)] == p {
				return true
			}
		}
	}
	return false
}

// accepts says whether what follows the prefix is taken for the secret part.
func (r *rule) accepts(v string) bool {
	n := len(v)
	switch {
	case n < r.min, r.flags&exact != 0 && n != r.full:
		return false
	case r.flags&crc != 0 && n == r.full && checksummed(v):
		return true
	case !plausible(v):
		return false
	case n < r.full || r.flags&generic != 0:
		return hasDigit(v) && !wordy(v)
	}
	return r.flags&random == 0 || hasDigit(v) || !wordy(v)
}

// checked is how many bytes of a long text are looked at to judge it.
const checked = 256

// plausible reports whether v has more than a few different characters, as
// xxxxxxxxxxxx and 000000000000 have not.
func plausible(v string) bool {
	v = v[:min(len(v), checked)]
	var seen [4]uint64
	different := 0
	for i := range len(v) {
		c := v[i]
		if bit := uint64(1) << (c & 63); seen[c>>6]&bit == 0 {
			seen[c>>6] |= bit
			different++
		}
	}
	return different > 4
}

// checksummed reports whether the last six characters of v are the CRC-32 of
// what stands before them, in base 62, as in the tokens of GitHub and npm.
func checksummed(v string) bool {
	if len(v) <= 6 {
		return false
	}
	body, tail := v[:len(v)-6], v[len(v)-6:]
	return tail == base62(crc32(body))
}

// crc32 is the checksum of that name (IEEE 802.3). The tables of hash/crc32, of
// use for long texts, are made at the start of each program that imports it.
func crc32(s string) uint32 {
	const polynomial = 0xedb88320
	sum := ^uint32(0)
	for i := range len(s) {
		sum ^= uint32(s[i])
		for range 8 {
			sum = sum>>1 ^ polynomial&-(sum&1)
		}
	}
	return ^sum
}

// base62 writes n in six digits of 0-9, A-Z, a-z.
func base62(n uint32) string {
	var out [6]byte
	for i := len(out) - 1; i >= 0; i-- {
		out[i] = (digits + lettersUpper + lettersLower)[n%62]
		n /= 62
	}
	return string(out[:])
}

// tokenAt returns what the rules with a prefix say about a token at v. The
// value of a key name is often one, and the same secret gives the same text
// wherever it stands.
func (x *scanner) tokenAt(v int) finding {
	if v >= len(x.s) {
		return finding{}
	}
	if f := x.tableToken(rules[:], v); f.verdict != no {
		return f
	}
	if f := x.tableToken(x.r.tokens, v); f.verdict != no {
		return f
	}
	if rest := x.s[v:]; len(rest) > len(jwtPrefix) && rest[:len(jwtPrefix)] == jwtPrefix {
		return x.jwt(v + len(jwtPrefix))
	}
	return finding{}
}

func (x *scanner) tableToken(list []rule, v int) finding {
	rest := x.s[v:]
	for i := range list {
		for _, p := range list[i].prefixes {
			if p[0] != rest[0] || len(p) > len(rest) || rest[:len(p)] != p {
				continue
			}
			if f := x.token(&list[i], v, v+len(p)); f.verdict != no {
				return f
			}
		}
	}
	return finding{}
}
