package emit

import (
	"math"
	"strconv"

	"github.com/streamjson/streamjson/clock"
)

// A head is what stands before the text in the lines of one block: everything
// but the digits of seq and ts is the same in all of them, so the one of the
// line before is copied, and these are patched.
type head struct {
	text   []byte // of the line seq
	seq    uint64
	limit  uint64 // the first seq that has more digits; 0: nothing is built yet
	digits int    // where those of seq begin
	stamp  int    // where ts begins,
	milli  int64  // and what it says
}

// build makes the head of a's stream_event lines with these members before the
// text.
func (h *head) build(s *stream, a *Actor, members ...string) {
	b := append(h.text[:0], `{"type":"stream_event"`...)
	b = append(b, s.session...)
	b = append(b, `,"seq":`...)
	h.digits = len(b)
	b = strconv.AppendUint(b, s.seq, 10)
	h.limit = firstLonger(len(b) - h.digits)
	b = append(b, `,"ts":"`...)
	h.stamp = len(b)
	b = s.stamp.AppendText(b)
	h.milli = s.stamp.Milli()
	b = append(b, '"')
	b = append(b, a.parent...)
	for _, m := range members {
		b = append(b, m...)
	}
	h.text, h.seq = b, s.seq
}

// firstLonger is the first number with more than so many digits.
func firstLonger(digits int) uint64 {
	n := uint64(1)
	for range digits {
		if n > math.MaxUint64/10 {
			return math.MaxUint64
		}
		n *= 10
	}
	return n
}

// fits reports whether the line seq, later than the one before, has this head
// but for digits.
func (h *head) fits(seq uint64) bool { return seq < h.limit }

// append appends the head of the line seq, which fits. It patches the copy and
// the original, rather than to copy what it has just patched: the processor
// would have to wait for these bytes to arrive in memory.
func (h *head) append(buf []byte, seq uint64, stamp *clock.Stamper) []byte {
	n := len(buf)
	buf = append(buf, h.text...)
	line := buf[n:]
	last := h.stamp - len(`,"ts":"`) - 1
	if digit := h.text[last] + 1; seq == h.seq+1 && digit <= '9' {
		h.text[last], line[last] = digit, digit
	} else {
		spell(h.text[h.digits:last+1], seq)
		spell(line[h.digits:last+1], seq)
	}
	h.seq = seq
	if at := stamp.Milli(); at != h.milli {
		h.milli = at
		stamp.AppendText(h.text[h.stamp:h.stamp])
		stamp.AppendText(line[h.stamp:h.stamp])
	}
	return buf
}

// spell fills digits with those of n.
func spell(digits []byte, n uint64) {
	for i := len(digits) - 1; i >= 0; i-- {
		digits[i] = byte('0' + n%10)
		n /= 10
	}
}
