package emit

import (
	"strconv"

	"github.com/streamjson/streamjson/clock"
)

// A head is what stands before the text in the lines of one block: everything
// but the digits of seq and ts is the same in all of them, so these are patched
// and the rest is copied as it is.
type head struct {
	text   []byte // empty: not built yet
	seq    uint64 // that text shows
	digits int    // where it begins
	stamp  int    // where ts begins
}

// build makes the head of a's stream_event lines with these members before the
// text.
func (h *head) build(s *stream, a *Actor, members ...string) {
	b := append(h.text[:0], `{"type":"stream_event"`...)
	b = append(b, s.session...)
	b = append(b, `,"seq":`...)
	h.digits = len(b)
	b = strconv.AppendUint(b, s.seq, 10)
	b = append(b, `,"ts":"`...)
	h.stamp = len(b)
	b = s.stamp.AppendText(b)
	b = append(b, '"')
	b = append(b, a.parent...)
	for _, m := range members {
		b = append(b, m...)
	}
	h.text, h.seq = b, s.seq
}

// patch makes the head that of the line seq, and reports false if it has to be
// built anew.
func (h *head) patch(seq uint64, stamp *clock.Stamper) bool {
	if len(h.text) == 0 {
		return false
	}
	last := h.stamp - len(`,"ts":"`) - 1
	switch {
	case seq == h.seq+1 && h.text[last] != '9':
		h.text[last]++
	case !h.spell(seq, last):
		return false
	}
	h.seq = seq
	stamp.AppendText(h.text[h.stamp:h.stamp])
	return true
}

// spell writes the digits of seq, the last of which stands at last, if there
// are as many as before.
func (h *head) spell(seq uint64, last int) bool {
	at := last
	for ; at >= h.digits && seq > 0; at-- {
		h.text[at] = byte('0' + seq%10)
		seq /= 10
	}
	return seq == 0 && at == h.digits-1
}
