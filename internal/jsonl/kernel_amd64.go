//go:build gc && !purego && !msan

package jsonl

import (
	"math/bits"
	"unicode/utf8"
	"unsafe"
)

// The kernel writes blocks of text in assembly, with AVX2: those which are
// valid UTF-8 without a C1 control, U+2028 or U+2029. At other blocks, all of
// them rare, it stops, and portable Go takes over for a while.
//
// The build tag purego leaves it out. So does msan, which does not see that
// assembly has set the bytes of a buffer.

const (
	kernelMin  = 1        // bytes of text: an empty one may stand nowhere, and must not be read
	kernelMost = 64 << 10 // bytes in one call: nothing can preempt it
	pauseMost  = 4 << 10  // bytes that portable Go takes over at most
)

// escapeBlocks writes the text of n bytes at src, n at least block, to dst as
// contract F8 spells it. At dst there is room for the text, for what follows
// it, for slack bytes and for spare bytes that escapes may take, spare at
// least 0. It returns how many bytes it has read and written.
//
// It stops before a block that it can't write, and behind one after which
// spare is used up: then in is a multiple of block, and the last character may
// be cut. At the end of the text it writes what is left of it together with
// spaces that make a block of it, and in is a multiple of block greater than n;
// it leaves that out when there is hardly room.
//
//go:noescape
func escapeBlocks(dst, src *byte, n, spare int) (in, out int)

// putKernel is putBlocks with the kernel, for a text longer than a block.
func putKernel(buf []byte, n int, s string) ([]byte, int) {
	pause := block
	for len(s) >= block {
		size := min(len(s), kernelMost)
		in, out := escapeBlocks(&buf[n], unsafe.StringData(s), size, len(buf)-n-len(s)-slack)
		if in > size { // the spaces behind the text
			out -= in - size
			in = size
		}
		cut := openEnd(s[:in]) // is written again, with its other half
		n += out - cut
		s = s[in-cut:]
		switch {
		case len(buf)-n < len(s)+slack:
			buf = regrow(buf[:n], len(s))
			continue
		case size-in < block:
			continue
		case in >= 4*block:
			pause = block
		default: // no text for the kernel
			pause = min(4*pause, pauseMost)
		}
		buf, n, in = putSome(buf, n, s, pause)
		s = s[in:]
		if in < pause {
			break
		}
	}
	return putBlocks(buf, n, s)
}

// openEnd is how many bytes at the end of s, written by the kernel, belong to
// a character that does not end there as its first byte has it.
func openEnd(s string) int {
	for k := 1; k < utf8.UTFMax && k <= len(s); k++ {
		c := s[len(s)-k]
		if c < utf8.RuneSelf {
			break
		}
		if utf8.RuneStart(c) {
			if bits.LeadingZeros8(^c) > k {
				return k
			}
			break
		}
	}
	return 0
}

// escapeShort writes the text of n bytes at src, at most a block, and spaces
// that make a block of it, to dst, where there is room for two blocks. It
// returns how many bytes it has written; none if the text has anything but
// valid UTF-8 and short escapes. A character that is cut by the end of a whole
// block goes unseen.
//
// It reads a whole block at src. What stands behind the text has no part in
// what it does, and is on the same page if the caller has seen to that.
//
//go:noescape
func escapeShort(dst, src *byte, n int) (out int)

// pageSize is that of the smallest pages: memory that can be read is readable
// to the end of one.
const pageSize = 4 << 10

// putKernelShort is putShort for a whole text that is not empty: one load
// instead of a loop, the end of which the branch predictor can't foresee.
func putKernelShort(buf []byte, n int, s string) ([]byte, int) {
	src := unsafe.StringData(s)
	if len(buf)-n < 2*block || uintptr(unsafe.Pointer(src))%pageSize > pageSize-block {
		return putShort(buf, n, s, 0)
	}
	out := escapeShort(&buf[n], src, len(s))
	if out == 0 || len(s) == block && openEnd(s) > 0 {
		return putShort(buf, n, s, 0)
	}
	n += out - (block - len(s))
	if len(buf)-n < slack {
		buf = regrow(buf[:n], 0)
	}
	return buf, n
}
