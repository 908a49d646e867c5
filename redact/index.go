package redact

// An index finds the keywords whose anchor holds a group of three bytes. It is
// immutable once it is built.
type index struct {
	keywords []keyword
	heads    []head  // open addressing; its size is a power of two
	places   []place // chained by next
}

type head struct {
	group uint32 // 0: free. No anchor holds three zero bytes.
	first int32  // into places
}

type place struct {
	keyword int32
	offset  int32 // from the start of the keyword's text to the group
	next    int32 // -1: none
}

// An anchor is a way to spell the four bytes that a keyword is found by: the
// bytes that can stand at each, and where they stand in the keyword's text.
type anchor struct {
	sets   [4]string
	offset int
}

// builder collects an index, and the filter for it and the anchors in it unless
// they are there.
type builder struct {
	index
	filter  *filter
	anchors []anchor
	used    int
}

func newBuilder(f *filter) *builder {
	return &builder{
		index:  index{keywords: make([]keyword, 0, 200), heads: make([]head, 1<<12), places: make([]place, 0, 1536)},
		filter: f,
	}
}

// add adds a keyword that is found by an anchor.
func (b *builder) add(k keyword, a anchor) {
	n := int32(len(b.keywords))
	k.pre = max(0, -a.offset)
	k.post = max(0, a.offset+4-len(k.text))
	b.keywords = append(b.keywords, k)
	if b.filter != nil {
		b.anchors = append(b.anchors, a)
	}
	b.groups(n, a.sets[:3], a.offset)
	b.groups(n, a.sets[1:], a.offset+1)
}

// groups enters each group of bytes that the three sets spell.
func (b *builder) groups(keyword int32, sets []string, offset int) {
	for _, x := range []byte(sets[0]) {
		for _, y := range []byte(sets[1]) {
			for _, z := range []byte(sets[2]) {
				group := uint32(x) | uint32(y)<<8 | uint32(z)<<16
				if b.filter != nil {
					b.filter.add(group)
				}
				b.enter(group, place{keyword: keyword, offset: int32(offset)})
			}
		}
	}
}

func (b *builder) enter(group uint32, p place) {
	if 2*b.used >= len(b.heads) {
		b.grow()
	}
	h := b.find(group)
	p.next = -1
	if h.group != 0 {
		p.next = h.first
		for i := h.first; i >= 0; i = b.places[i].next {
			if q := b.places[i]; q.keyword == p.keyword && q.offset == p.offset {
				return
			}
		}
	} else {
		b.used++
	}
	*h = head{group: group, first: int32(len(b.places))}
	b.places = append(b.places, p)
}

func (b *builder) grow() {
	old := b.heads
	b.heads = make([]head, 2*len(old))
	for _, h := range old {
		if h.group != 0 {
			*b.find(h.group) = h
		}
	}
}

// find returns where a group is, or where it would be.
func (x *index) find(group uint32) *head {
	mask := uint32(len(x.heads) - 1)
	for i := group * 0x9e3779b1 >> 12; ; i++ {
		if h := &x.heads[i&mask]; h.group == group || h.group == 0 {
			return h
		}
	}
}

// lookup returns the first place of a group, -1 if there is none.
func (x *index) lookup(group uint32) int32 {
	if h := x.find(group); h.group != 0 {
		return h.first
	}
	return -1
}

// rarest returns the anchor of k that ordinary text holds least often.
func (k *keyword) rarest() anchor {
	var room [40]string
	var weights [40]uint64
	sets, start := room[:0], 0
	if k.before != "" {
		sets = append(sets, k.before)
		start = -1
	}
	for i := range len(k.text) {
		sets = append(sets, k.spellings(i))
	}
	for more := k.after != ""; more; more = len(sets) < 4 {
		sets = append(sets, k.after)
	}
	for i, set := range sets {
		weights[i] = frequency(set)
	}
	if k.at > 0 {
		return anchor{[4]string(sets[k.at-start : k.at-start+4]), k.at}
	}
	best, least := 0, ^uint64(0)
	for i := 0; i+4 <= len(sets); i++ {
		w := weights[i+1] * weights[i+2] * (weights[i] + weights[i+3])
		if w < least {
			best, least = i, w
		}
	}
	return anchor{[4]string(sets[best : best+4]), start + best}
}

// bytesInOrder holds all ASCII bytes, so that a set of one needs no memory.
const bytesInOrder = "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f" +
	"\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f" +
	" !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~\x7f"

const bothCases = "AaBbCcDdEeFfGgHhIiJjKkLlMmNnOoPpQqRrSsTtUuVvWwXxYyZz"

// spellings is the set of bytes that can stand for text[i].
func (k *keyword) spellings(i int) string {
	c := k.text[i]
	if k.fold && isLower(c) {
		n := 2 * int(c-'a')
		return bothCases[n : n+2]
	}
	return bytesInOrder[c : c+1]
}

// frequency is a rough measure of how often one of the bytes of a set is met
// in text and code.
func frequency(set string) uint64 {
	sum := uint64(0)
	for _, c := range []byte(set) {
		sum += weight(c)
	}
	return sum
}

// letterWeight is the sum of letterWeights, about that of all bytes.
const letterWeight = 1000

// weight is what frequency gives for one byte.
func weight(c byte) uint64 {
	switch {
	case isLower(c):
		return uint64(letterWeights[c-'a'])
	case c == ' ':
		return 30
	case isUpper(c), isDigit(c):
		return 3
	}
	return 5
}

// letterWeights are the frequencies of a to z in Go's own source, in
// thousandths of all letters, at least 2.
var letterWeights = [26]byte{
	76, 20, 46, 37, 120, 30, 20, 25, 70, 2, 7, 45, 27,
	76, 67, 32, 2, 74, 66, 97, 34, 12, 9, 10, 14, 2,
}
