package jsonl

import (
	"math/bits"
	"slices"
	"unicode/utf8"
	"unsafe"
)

// member is one of a map that is open.
type member struct {
	prefix uint64 // of the key, to sort by
	key    string
	value  any // in a map[string]any
}

// openMap is a map that is being written.
type openMap struct {
	first   int  // of its members in the encoder
	covered bool // a key above it is covered
	renamed bool // the name of a member is not its key
	few     bool // order says how the members come, sorted by key; else they come as they stand
	order   [fewNames]uint8
}

// at is where the member stands that is written as number i.
func (o *openMap) at(i int) int {
	if o.few {
		return o.first + int(o.order[i%fewNames])
	}
	return o.first + i
}

// anyMap appends m, or null, member by member, sorted by key.
func (e *encoder) anyMap(dst []byte, m map[string]any) ([]byte, error) {
	if m == nil {
		return append(dst, "null"...), nil
	}
	if e.deep() && e.trail.pass(e.depth+1, identity{mapAddress(m), len(m)}) {
		return dst, errCycle
	}
	if err := e.enter(); err != nil {
		return dst, err
	}
	o := openMap{first: len(e.members), covered: e.covered}
	known := e.shapes.of(len(m))
	if e.recall(known, m) {
		if e.Filter == nil {
			return e.shaped(dst, &o, *known)
		}
	} else {
		for k, v := range m {
			x := e.member()
			x.prefix, x.key, x.value = prefix(k), k, v
		}
		if e.sort(&o); !o.few {
			for i := o.first; i < len(e.members); i++ {
				e.members[i].value = m[e.members[i].key]
			}
		}
		if known != nil {
			known.missed(&o, e.members[o.first:])
		}
	}
	n := len(e.members) - o.first
	dst = append(dst, '{')
	for i := range n {
		dst = e.key(dst, &o, i)
		var err error
		if dst, err = e.value(dst, e.members[o.at(i)].value); err != nil {
			return dst, atMember(err, e.members[o.at(i)].key)
		}
	}
	return e.closeMap(dst, &o), nil
}

// shaped goes on with a map that has the keys of s, and is not filtered.
func (e *encoder) shaped(dst []byte, o *openMap, s shape) ([]byte, error) {
	start := 0
	for i, end := range s.ends {
		dst = append(dst, s.text[start:end]...)
		start = end
		var err error
		if dst, err = e.value(dst, e.members[o.first+i].value); err != nil {
			return dst, atMember(err, s.keys[i])
		}
	}
	return e.closeMap(dst, o), nil
}

// mapAddress returns where m is. A map is a pointer; reflect would tell it,
// too, but would have the compiler take m for escaped.
func mapAddress(m map[string]any) uintptr { return *(*uintptr)(unsafe.Pointer(&m)) }

// appendMap is anyMap for maps of one kind of element.
func appendMap[T any](e *encoder, dst []byte, m map[string]T, element func(*encoder, []byte, T) ([]byte, error)) ([]byte, error) {
	if m == nil {
		return append(dst, "null"...), nil
	}
	if err := e.enter(); err != nil {
		return dst, err
	}
	o := openMap{first: len(e.members), covered: e.covered}
	for k := range m {
		x := e.member()
		x.prefix, x.key = prefix(k), k
	}
	e.sort(&o)
	dst = append(dst, '{')
	for i := range len(e.members) - o.first {
		key := e.members[o.at(i)].key
		dst = e.key(dst, &o, i)
		var err error
		if dst, err = element(e, dst, m[key]); err != nil {
			return dst, atMember(err, key)
		}
	}
	return e.closeMap(dst, &o), nil
}

// member adds an empty one.
func (e *encoder) member() *member {
	n := len(e.members)
	if n == cap(e.members) {
		e.members = slices.Grow(e.members, 16)
	}
	e.members = e.members[:n+1]
	return &e.members[n]
}

func (e *encoder) closeMap(dst []byte, o *openMap) []byte {
	clear(e.members[o.first:]) // keep nothing of the caller's
	e.members = e.members[:o.first]
	e.covered = o.covered
	if o.renamed {
		e.written.close()
	}
	e.leave()
	return append(dst, '}')
}

// key appends the name of the member that comes as number i and what stands
// around it, and notes whether its value is covered.
func (e *encoder) key(dst []byte, o *openMap, i int) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	key := e.members[o.at(i)].key
	if e.Filter == nil && !o.renamed {
		start := len(dst)
		dst = AppendString(dst, key)
		// Repaired bytes have made it longer, if there are any.
		if len(dst)-start == len(key)+2 || utf8.ValidString(key) {
			return append(dst, ':')
		}
		dst = dst[:start]
	}
	name := key
	if e.Filter != nil {
		var below bool
		name, below = e.Filter.Key(key)
		e.covered = o.covered || below
	}
	name = Valid(name)
	if !o.renamed && name != key {
		o.renamed = true
		e.written.open()
		for j := range i {
			e.written.insert(e.members[o.at(j)].key) // written as they are
		}
	}
	if o.renamed {
		name = e.written.unique(name)
	}
	return append(AppendString(dst, name), ':')
}

// prefix is the start of a key as a number that sorts like it, so that most
// comparisons are of numbers.
func prefix(key string) uint64 {
	switch n := len(key); {
	case n >= 8:
		return bits.ReverseBytes64(load64(key, 0))
	case n > 0:
		return bits.ReverseBytes64(loadShort(key) &^ (spaces << (8 * uint(n))))
	}
	return 0
}

// sort sorts the members ms of o by the bytes of their keys, as encoding/json
// does: by its order where their beginnings tell it, else their keys alone.
func (e *encoder) sort(o *openMap) {
	ms := e.members[o.first:]
	if o.few = len(ms) <= fewNames && o.rank(ms); o.few {
		return
	}
	first := len(e.keys)
	for i := range ms {
		e.keys = append(e.keys, ms[i].key)
	}
	keys := e.keys[first:]
	slices.Sort(keys)
	for i, k := range keys {
		ms[i].key = k
	}
	clear(keys)
	e.keys = e.keys[:first]
}

// rank sets order, if the beginnings of the keys tell it: each member comes
// behind as many as have a lower one. The order of a map is random, so that
// each comparison that branches is wrong every other time.
func (o *openMap) rank(ms []member) bool {
	var prefixes, ranks [fewNames]uint64
	equal := uint64(0)
	for i := range ms {
		p := ms[i].prefix
		behind := uint64(0)
		for j, q := range prefixes[:i] {
			_, lower := bits.Sub64(q, p, 0)
			behind += lower
			ranks[j] += 1 - lower
			_, same := bits.Sub64(p^q, 1, 0)
			equal |= same
		}
		prefixes[i], ranks[i] = p, behind
	}
	for i := range ms {
		o.order[ranks[i]%fewNames] = uint8(i)
	}
	return equal == 0
}
