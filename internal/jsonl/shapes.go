package jsonl

import "unicode/utf8"

// shapes remembers the keys of maps. The inputs of a tool have the same ones
// again and again, and so have the records of a list; where they are known they
// need be neither gathered nor sorted nor escaped. There is place for one shape
// of each of some sizes. The zero value is ready for use.
type shapes [8]shape

// A shape is the keys of a map.
type shape struct {
	keys   []string // sorted
	text   []byte   // the keys as they are written, with what stands in front of each
	ends   []int    // of each in text
	misses int      // maps in this place that had other keys, in a row
}

const (
	// shapeText is how many bytes of keys are remembered.
	shapeText = 512
	// So many maps in a row must have other keys for a shape to be learned, in
	// a place that is free, or in that of another one: where all maps differ,
	// it is in vain.
	missesFree  = 2
	missesTaken = 64
)

// of returns the place for the shape of a map of n members, or nil.
func (s *shapes) of(n int) *shape {
	if n == 0 || n > fewNames {
		return nil
	}
	return &s[n%len(s)]
}

// recall adds the members of m, sorted, and reports true if m has the keys of
// s; else it adds none.
func (e *encoder) recall(s *shape, m map[string]any) bool {
	if s == nil || len(s.keys) != len(m) {
		return false
	}
	first := len(e.members)
	for _, k := range s.keys {
		v, ok := m[k]
		if !ok {
			clear(e.members[first:])
			e.members = e.members[:first]
			return false
		}
		x := e.member()
		x.key, x.value = k, v
	}
	s.misses = 0
	return true
}

// missed notes that a map had other keys than those of s, and may learn them.
func (s *shape) missed(o *openMap, ms []member) {
	s.misses++
	if s.misses < missesFree || len(s.keys) > 0 && s.misses < missesTaken {
		return
	}
	*s = shape{}
	size := 0
	for i := range ms {
		if size += len(ms[i].key); size > shapeText || !utf8.ValidString(ms[i].key) {
			return
		}
	}
	// An open map may still be written by the old shape, so all is made anew;
	// the keys, which may be parts of something big, are copied.
	all := make([]byte, 0, size)
	s.keys, s.ends = make([]string, len(ms)), make([]int, len(ms))
	for i := range ms {
		start := len(all)
		all = append(all, ms[o.at(i)-o.first].key...)
		s.keys[i] = view(all[start:])
		front := byte(',')
		if i == 0 {
			front = '{'
		}
		s.text = append(AppendString(append(s.text, front), s.keys[i]), ':')
		s.ends[i] = len(s.text)
	}
}
