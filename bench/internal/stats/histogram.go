package stats

import (
	"math"
	"math/bits"
	"time"
)

const (
	subBits  = 5 // each power of two has 32 buckets, so that a value is off by 3 % at most
	subCount = 1 << subBits
)

// A Histogram counts durations in buckets whose width grows with the value. It
// takes 15 KiB, whatever is added, and adding does not allocate. The zero
// Histogram is empty. It is not safe for concurrent use.
type Histogram struct {
	counts [(64 - subBits) * subCount]uint64
	total  uint64
	most   time.Duration
}

// Add counts d; a negative duration counts as 0.
func (h *Histogram) Add(d time.Duration) {
	d = max(d, 0)
	h.counts[bucket(uint64(d))]++
	h.total++
	h.most = max(h.most, d)
}

// Merge adds what o has counted.
func (h *Histogram) Merge(o *Histogram) {
	for i, n := range o.counts {
		h.counts[i] += n
	}
	h.total += o.total
	h.most = max(h.most, o.most)
}

// Count returns how many durations were added.
func (h *Histogram) Count() uint64 { return h.total }

// Max returns the longest duration.
func (h *Histogram) Max() time.Duration { return h.most }

// Quantile returns the duration that the share q of all does not exceed, by
// nearest rank, rounded up to the end of its bucket and to Max at most; 0 for
// an empty histogram.
func (h *Histogram) Quantile(q float64) time.Duration {
	rank := uint64(math.Ceil(min(max(q, 0), 1) * float64(h.total)))
	rank = max(rank, 1)
	var seen uint64
	for i, n := range h.counts {
		if seen += n; seen >= rank {
			return min(time.Duration(upper(i)), h.most)
		}
	}
	return h.most
}

// bucket returns the index of the bucket of v. Values below subCount have a
// bucket each; from there on the leading bits of v are the index.
func bucket(v uint64) int {
	if v < subCount {
		return int(v)
	}
	shift := bits.Len64(v) - 1 - subBits
	return (shift+1)*subCount + int(v>>shift) - subCount
}

// upper returns the largest value in a bucket.
func upper(i int) uint64 {
	if i < subCount {
		return uint64(i)
	}
	shift := i/subCount - 1
	return uint64(i%subCount+subCount+1)<<shift - 1
}
