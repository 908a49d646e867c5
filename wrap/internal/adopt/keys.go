package adopt

import "hash/maphash"

// manyKeys is the number of keys from which on those of an object are found by
// an index.
const manyKeys = 32

// A keySet holds the keys of the objects that are open in a line, the
// innermost last, as hashes.
type keySet struct {
	seed  maphash.Seed
	list  []uint64
	index map[keyRef]struct{} // of objects with many keys
	made  []keyRef            // names that redaction has put in place of others
}

// A keyRef is a key of the object whose keys begin at first.
type keyRef struct {
	first int
	hash  uint64
}

func newKeySet() keySet { return keySet{seed: maphash.MakeSeed(), index: map[keyRef]struct{}{}} }

func (k *keySet) reset() {
	const kept = 1 << 16
	k.list, k.made = k.list[:0], k.made[:0]
	if cap(k.list) > kept {
		k.list, k.index = nil, map[keyRef]struct{}{}
	}
	if len(k.index) > 0 {
		clear(k.index)
	}
}

// open returns where the keys of a new object begin.
func (k *keySet) open() int { return len(k.list) }

// close forgets the keys of the innermost object.
func (k *keySet) close(first int) {
	own := k.list[first:]
	if len(own) > manyKeys {
		for _, h := range own {
			delete(k.index, keyRef{first, h})
		}
	}
	for n := len(k.made); n > 0 && k.made[n-1].first == first; n-- {
		k.made = k.made[:n-1]
	}
	k.list = k.list[:first]
}

// add adds a key to the innermost object, and reports false if it is there.
func (k *keySet) add(first int, name []byte) bool {
	h := maphash.Bytes(k.seed, name)
	own := k.list[first:]
	if k.has(first, h) {
		return false
	}
	k.list = append(k.list, h)
	switch {
	case len(own) == manyKeys:
		for _, h := range k.list[first:] {
			k.index[keyRef{first, h}] = struct{}{}
		}
	case len(own) > manyKeys:
		k.index[keyRef{first, h}] = struct{}{}
	}
	return true
}

func (k *keySet) has(first int, h uint64) bool {
	own := k.list[first:]
	if len(own) > manyKeys {
		_, there := k.index[keyRef{first, h}]
		return there
	}
	for _, other := range own {
		if other == h {
			return true
		}
	}
	return false
}

// wasMade reports whether a key is there only since redaction has written it.
func (k *keySet) wasMade(first int, name []byte) bool {
	h := maphash.Bytes(k.seed, name)
	for _, m := range k.made {
		if m == (keyRef{first, h}) {
			return true
		}
	}
	return false
}

// make adds a key that redaction writes, and reports false if it is there.
func (k *keySet) make(first int, name string) bool {
	if !k.add(first, []byte(name)) {
		return false
	}
	k.made = append(k.made, keyRef{first, maphash.String(k.seed, name)})
	return true
}
