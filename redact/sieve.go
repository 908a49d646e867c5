package redact

import (
	"cmp"
	"slices"
)

// The sieve is the prefilter for processors that look up 64 bytes in a table of
// 128 at once (AVX-512 with VBMI). A bucket holds a few anchors, and knows for
// each of their four bytes which ones it can be; a bank is eight buckets, a bit
// for each. Four bytes in a row of which all are known to one bucket are an
// anchor, or so much like some that the index has to decide. All places of a
// text are looked at, not every other one as the filter does.
//
// Like the filter it says that something may stand at a place, never that
// nothing does where something is. Which buckets anchors go to decides only
// how often ordinary text is stopped for nothing: once in 500 bytes of code, and
// hardly ever in prose.

const (
	sharedBanks = 3 // for the keywords of the package
	mostBanks   = 4 // and one for those of a redactor
	perBank     = 8
	// atEnd is how much likelier any byte is than one: the three last bytes of
	// a text are held against the first three of an anchor, and there is one
	// such place in forty.
	atEnd = 25
	// mostStops of mostPlaces is how often the anchors of a redactor's own may
	// stop at ordinary text, lest the sieve cost more than it saves; mostOwn is
	// of how many anchors that is looked into.
	mostStops, mostPlaces = 1, 400
	mostOwn               = 500
)

// A bank is indexed by the place of a byte in an anchor, and by its low seven
// bits.
type bank [4][128]byte

// A sieve is immutable. The assembly knows how it is laid out.
type sieve struct {
	banks [mostBanks]bank
	// ascii is 0x80 where no anchor has another byte than ASCII: what looks
	// like one but for the high bit is then none.
	ascii byte
	// own: the last bank is in use.
	own byte
}

// newSieve returns the sieve of the package's keywords and of more anchors, or
// nil if these are too many, or would be met too often.
func newSieve(shared *[sharedBanks]bank, more []anchor) *sieve {
	v := &sieve{ascii: 0x80}
	copy(v.banks[:], shared[:])
	if len(more) == 0 {
		return v
	}
	if len(more) > mostOwn {
		return nil
	}
	buckets := distribute(more, perBank)
	stops := uint64(0)
	for i := range buckets {
		stops += buckets[i].cost
		v.banks[mostBanks-1].add(&buckets[i], i)
	}
	if stops > mostStops*letterWeight*letterWeight*letterWeight*letterWeight/mostPlaces {
		return nil
	}
	for _, a := range more {
		for _, set := range a.sets {
			if beyondASCII(set) {
				v.ascii = 0
			}
		}
	}
	v.own = 1
	return v
}

// A bucket is what anchors have in common that share a bit.
type bucket struct {
	sets    [4]byteSet
	weights [4]uint64 // of all bytes in each set
	cost    uint64    // how often text is stopped by it: of letterWeight^4 places
}

// A byteSet is the low seven bits of bytes.
type byteSet [2]uint64

func (s *byteSet) has(c byte) bool { return s[c>>6&1]>>(c&63)&1 != 0 }
func (s *byteSet) add(c byte)      { s[c>>6&1] |= 1 << (c & 63) }

// with returns the bucket with one more anchor.
func (b bucket) with(a *anchor) bucket {
	for i, set := range a.sets {
		for _, c := range []byte(set) {
			if !b.sets[i].has(c) {
				b.sets[i].add(c)
				b.weights[i] += weight(c & 0x7f)
			}
		}
	}
	b.cost = b.weights[0] * b.weights[1] * b.weights[2] * (b.weights[3] + atEnd)
	return b
}

// distribute puts anchors into n buckets, those first that text has most often,
// each where it adds least to what stops there.
func distribute(list []anchor, n int) []bucket {
	buckets := make([]bucket, n)
	order := make([]int, len(list))
	costs := make([]uint64, len(list))
	for i := range list {
		order[i], costs[i] = i, bucket{}.with(&list[i]).cost
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(costs[j], costs[i]) })
	for _, i := range order {
		best, least := 0, ^uint64(0)
		for k := range buckets {
			if more := buckets[k].with(&list[i]).cost - buckets[k].cost; more < least {
				best, least = k, more
			}
		}
		buckets[best] = buckets[best].with(&list[i])
	}
	return buckets
}

// add enters a bucket under its bit.
func (k *bank) add(b *bucket, bit int) {
	for i := range k {
		for c := range byte(128) {
			if b.sets[i].has(c) {
				k[i][c] |= 1 << bit
			}
		}
	}
}
