package redact

// The prefilter of most processors; sieve is that of others. Each keyword has an
// anchor: four bytes in a row, that is two neighbouring groups of three. Text is
// looked at in steps of two bytes, so that one of the two groups is always met,
// and a table of all groups tells whether anything can be there at all. Fresh
// text goes through at two to three bytes a nanosecond, and nothing else is done
// for it.

// A filter holds the groups of three bytes that stand in anchors: at the slot
// of a group its third byte, which together with the slot is the group, or
// several when more than one has that slot.
type filter [1 << 16]byte

// several marks a slot of more than one group. No anchor holds this byte.
const several = 0xff

// slot is a hash of the group in the three low bytes of w. The hash of a longer
// word holds those of the groups at its bytes 0, 2 and 4 side by side, for two
// operations: a multiplication for each would cost twice the time.
func slot(w uint32) uint16 { return uint16(w ^ w>>5) }

func (f *filter) add(group uint32) {
	third := byte(group >> 16)
	switch s := slot(group); f[s] {
	case 0, third:
		f[s] = third
	default:
		f[s] = several
	}
}

// has reports whether the group in the three low bytes of w stands in an
// anchor; several groups of one slot can be taken for each other.
func (f *filter) has(w uint32) bool {
	third := f[slot(w)]
	return third == byte(w>>16) && third != 0 || third == several
}

// next returns the first position p of from, from+2, from+4 and so on where
// the three bytes at p are in the filter, or -1.
func (f *filter) next(s string, from int) int {
	i := from
	for ; i+8 <= len(s); i += 6 {
		w := load64(s, i)
		h := w ^ w>>5
		a, b, c := f[uint16(h)], f[uint16(h>>16)], f[uint16(h>>32)]
		if a|b|c == 0 { // one branch that is seldom taken, not three
			continue
		}
		switch {
		case a == byte(w>>16) && a != 0, a == several:
			return i
		case b == byte(w>>32) && b != 0, b == several:
			return i + 2
		case c == byte(w>>48) && c != 0, c == several:
			return i + 4
		}
	}
	if j := len(s) - 8; j >= 0 && i+3 <= len(s) { // the last groups at once
		w := load64(s, j) >> (8 * uint(i-j) & 8)
		h := w ^ w>>5
		if f[uint16(h)]|f[uint16(h>>16)]|f[uint16(h>>32)] == 0 {
			return -1
		}
	}
	for ; i+3 <= len(s); i += 2 {
		if f.has(load24(s, i)) {
			return i
		}
	}
	return -1
}

// next returns the first place of s from from on where an anchor may stand, or
// the second group of one, -1 if there is none; step is how far behind a place
// to go on.
func (r *Redactor) next(s string, from int) (p, step int) {
	if v := r.kernel(len(s) - from); v != nil {
		return v.next(s, from), 1
	}
	return r.filter.next(s, from), 2
}

// meets reports whether a keyword stands in s: the search of next, for texts in
// which there is none.
func (r *Redactor) meets(s string) bool {
	for p, step := r.next(s, 0); p >= 0; p, step = r.next(s, p+step) {
		if r.meetsAt(s, 0, p) {
			return true
		}
	}
	return false
}

// meetsNext is meets for a stream: whether a keyword stands in s from the last
// three bytes before the chunk on, which s ends with, or may stand at its end.
// The chunk is read where it lies: what was just copied to s can't be read in
// words of another alignment without a wait.
func (r *Redactor) meetsNext(s, chunk string, base int) bool {
	f, before := r.filter, len(s)-len(chunk)
	p, step := before-3, 2
	if p < base { // the places that are left may be the wrong half of them
		p, step = base, 1
	}
	for ; p < before && p+3 <= len(s); p += step {
		if f.has(load24(s, p)) && r.meetsAt(s, base, p) {
			return true
		}
	}
	for p, step := r.next(chunk, 0); p >= 0; p, step = r.next(chunk, p+step) {
		if r.meetsAt(s, base, before+p) {
			return true
		}
	}
	last := len(s) - 3
	return last >= base && f.has(load24(s, last)) && r.meetsAt(s, base, last)
}

func (r *Redactor) meetsAt(s string, base, p int) bool {
	group := load24(s, p)
	return sharedTables().index.meets(s, group, base, p) || r.own != nil && r.own.meets(s, group, base, p)
}

func (in *index) meets(s string, group uint32, base, p int) bool {
	for i := in.lookup(group); i >= 0; i = in.places[i].next {
		at := in.places[i]
		k := &in.keywords[at.keyword]
		a := p - int(at.offset)
		if a < base || !k.stands(s, a) {
			continue
		}
		if z := a + len(k.text); k.do != doName || z >= len(s) || nameGoesOn(s[z]) {
			return true
		}
	}
	return false
}

// nameGoesOn reports whether a name that c follows can have a value.
func nameGoesOn(c byte) bool {
	return isAlnum(c) || c == '_' || c == '-' || opensJoint(c)
}

// load64 reads s[i:i+8], lowest byte first; the compiler makes it one load.
func load64(s string, i int) uint64 {
	b := s[i : i+8]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// load24 reads the group at s[i:i+3].
func load24(s string, i int) uint32 {
	b := s[i : i+3]
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16
}
