//go:build gc && !purego && !msan

package redact

import (
	"math/bits"
	"unsafe"

	"github.com/streamjson/streamjson/internal/cpu"
)

// The build tag purego leaves the assembly out. So does msan, which does not
// see that assembly has set the bytes of a buffer.

const (
	sieveMost = 61       // bytes that sieveTake takes
	pieceMost = 64 << 10 // bytes that sieveText looks at in one call: nothing can preempt it
)

// sieveTake copies the n bytes at src, 1 to sieveMost, to dst, and looks for
// anchors in the three bytes of before and what it copies. It returns a bit for
// each place where one may stand, the lowest for the first of the three bytes;
// at the third byte from the end it is enough that three bytes are right.
//
//go:noescape
func sieveTake(v *sieve, dst, src *byte, n int, before uint32) (hits uint64)

// sieveText looks for anchors in the n bytes at src, 3 at least. It returns a
// bit for each of the places from at on where one may stand, as sieveTake; none
// if there is no such place.
//
//go:noescape
func sieveText(v *sieve, src *byte, n int) (at int, hits uint64)

// sieveGate opens with the first texts.
var sieveGate cpu.Gate

// kernel returns the sieve if the processor can use it, and enough has come to
// be worth it: n bytes do now.
func (r *Redactor) kernel(n int) *sieve {
	if v := r.sieve.Load(); v != nil {
		return v
	}
	return r.askKernel(n)
}

func (r *Redactor) askKernel(n int) *sieve {
	if !sieveGate.Open() && !sieveGate.Knock(n/64, cpu.HasVBMI) {
		return nil
	}
	r.sieved.Do(func() { r.sieve.Store(newSieve(&sharedSieve, r.anchors)) })
	return r.sieve.Load()
}

// next returns the first place of s from from on where an anchor may stand, -1
// if there is none.
func (v *sieve) next(s string, from int) int {
	for len(s)-from >= 3 {
		n := min(len(s)-from, pieceMost)
		at, hits := sieveText(v, unsafe.StringData(s[from:]), n)
		if hits != 0 {
			return from + at + bits.TrailingZeros64(hits)
		}
		from += n - 2
	}
	return -1
}

// takeSieved appends a chunk of at most sieveMost bytes to the buffer, which has
// the room. It returns a bit for each place where an anchor may stand, from the
// third byte before the chunk on.
func (s *Stream) takeSieved(v *sieve, chunk string) (stops uint64) {
	before := len(s.buf)
	back, none := uint32(0), 0
	if before-s.base >= 3 {
		back = load24(view(s.buf), before-3)
	} else {
		for i := s.base; i < before; i++ {
			back = back>>8 | uint32(s.buf[i])<<16
		}
		none = 3 - (before - s.base) // bits of places where there is no text
	}
	s.buf = s.buf[:before+len(chunk)]
	stops = sieveTake(v, &s.buf[before], unsafe.StringData(chunk), len(chunk), back)
	return stops >> none << none
}

// meetsAny reports whether a keyword stands where takeSieved has stopped, at a
// chunk that begins at before.
func (s *Stream) meetsAny(stops uint64, before int) bool {
	for ; stops != 0; stops &= stops - 1 {
		if s.r.meetsAt(view(s.buf), s.base, before-3+bits.TrailingZeros64(stops)) {
			return true
		}
	}
	return false
}
