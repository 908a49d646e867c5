package redact

// What the tests see of the inside.

// MostHeld is the most that a stream holds back.
const MostHeld = mostHeld

// Window is how far a matcher looks ahead.
const Window = window

// A RuleInfo describes a rule of the table.
type RuleInfo struct {
	Kind, Source, Chars string
	Prefixes            []string
	Min, Full           int
	CRC                 bool
}

// Rules returns the table.
func Rules() []RuleInfo {
	var list []RuleInfo
	for _, r := range rules {
		list = append(list, RuleInfo{r.kind, r.source, members(r.chars), r.prefixes, r.min, r.full, r.flags&crc != 0})
	}
	return list
}

// OtherKinds returns the kinds that are not in the table.
func OtherKinds() []string { return otherKinds[:] }

// Checksummed is the test of a checksum.
func Checksummed(v string) bool { return checksummed(v) }

// Base62 writes a checksum.
var Base62 = base62

// Covers reports whether a name makes its value secret.
func (r *Redactor) Covers(name string) bool { return r.covers(name) }

// Forms returns the texts that a redactor looks for.
func (r *Redactor) Forms() (list []string) {
	for _, f := range r.known.forms {
		list = append(list, f.text)
	}
	return list
}

// RedactCounting is String that counts by kind.
func (r *Redactor) RedactCounting(s string, counts map[string]int) string {
	return r.redact(s, func(kind string) { counts[kind]++ })
}

// BuildIndex does what is done once a process.
func BuildIndex() any {
	b := newBuilder(nil)
	b.addShared()
	return b
}

// Size is the memory that a stream keeps.
func (s *Stream) Size() int { return cap(s.buf) + cap(s.scratch) }
