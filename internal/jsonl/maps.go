package jsonl

import (
	"math/bits"
	"slices"
	"strings"
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
	for k, v := range m {
		e.members = append(e.members, member{prefix(k), k, v})
	}
	end := len(e.members)
	sortMembers(e.members[o.first:])
	dst = append(dst, '{')
	for i := o.first; i < end; i++ {
		dst = e.key(dst, &o, i)
		var err error
		if dst, err = e.value(dst, e.members[i].value); err != nil {
			return dst, atMember(err, e.members[i].key)
		}
	}
	return e.closeMap(dst, &o), nil
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
		e.members = append(e.members, member{prefix: prefix(k), key: k})
	}
	sortMembers(e.members[o.first:])
	dst = append(dst, '{')
	for i := o.first; i < len(e.members); i++ {
		key := e.members[i].key
		dst = e.key(dst, &o, i)
		var err error
		if dst, err = element(e, dst, m[key]); err != nil {
			return dst, atMember(err, key)
		}
	}
	return e.closeMap(dst, &o), nil
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

// key appends the name of member i and what stands around it, and notes
// whether its value is covered.
func (e *encoder) key(dst []byte, o *openMap, i int) []byte {
	if i > o.first {
		dst = append(dst, ',')
	}
	key := e.members[i].key
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
		for j := o.first; j < i; j++ {
			e.written.insert(e.members[j].key) // written as they are
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

func (m *member) before(n *member) bool {
	if m.prefix != n.prefix {
		return m.prefix < n.prefix
	}
	return m.key < n.key
}

// sortMembers sorts by the bytes of the keys, as encoding/json does.
func sortMembers(ms []member) {
	if len(ms) > fewNames {
		slices.SortFunc(ms, func(a, b member) int { return strings.Compare(a.key, b.key) })
		return
	}
	for i := 1; i < len(ms); i++ {
		if !ms[i].before(&ms[i-1]) {
			continue
		}
		x := ms[i]
		j := i
		for ; j > 0 && x.before(&ms[j-1]); j-- {
			ms[j] = ms[j-1]
		}
		ms[j] = x
	}
}
