package contract

import "hash/maphash"

// manyKeys is the number of keys from which on an object gets an index.
const manyKeys = 32

// A keySet compares the keys of all open objects of a line, as hashes.
type keySet struct {
	seed  maphash.Seed
	list  []uint64
	index map[int]map[uint64]struct{} // by the place where an object's keys begin
}

type keyState uint8

const (
	keyNew keyState = iota
	keyTwice
	keyUnseen // there is no room for it
)

func (k *keySet) reset() {
	k.list = k.list[:0]
	if len(k.index) > 0 {
		clear(k.index)
	}
	if cap(k.list) > maxItems {
		k.list = nil
	}
}

// open returns where the keys of a new object begin.
func (k *keySet) open() int { return len(k.list) }

// close forgets the keys of the innermost object.
func (k *keySet) close(first int) {
	if len(k.index) > 0 {
		delete(k.index, first)
	}
	k.list = k.list[:first]
}

// add adds a key to the innermost object, whose keys begin at first.
func (k *keySet) add(first int, name []byte) keyState {
	h := maphash.Bytes(k.seed, name)
	own := k.list[first:]
	switch {
	case len(own) >= manyKeys:
		if k.index[first] == nil {
			k.build(first)
		}
		if _, there := k.index[first][h]; there {
			return keyTwice
		}
	default:
		for _, other := range own {
			if other == h {
				return keyTwice
			}
		}
	}
	if len(k.list) >= maxKeys {
		return keyUnseen
	}
	k.list = append(k.list, h)
	if len(own) >= manyKeys {
		k.index[first][h] = struct{}{}
	}
	return keyNew
}

func (k *keySet) build(first int) {
	if k.index == nil {
		k.index = map[int]map[uint64]struct{}{}
	}
	set := make(map[uint64]struct{}, 2*manyKeys)
	for _, h := range k.list[first:] {
		set[h] = struct{}{}
	}
	k.index[first] = set
}
