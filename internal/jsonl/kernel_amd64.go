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
	kernelMin  = 16       // bytes of text with a special one from which on a call is worth it
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

// blank is a block of spaces.
const blank = "                                                                "

// putPadded is putMixed with the kernel: it is given the text and spaces that
// make a block of it.
func putPadded(buf []byte, n int, s string) ([]byte, int) {
	spare := len(buf) - n - block - slack
	if spare < 0 {
		return putMixed(buf, n, s, 0)
	}
	var pad [block]byte
	copy(pad[:], blank)
	last := len(s) - 8
	for i := 0; i < last; i += 8 {
		put64(pad[i&(block-1):], load64(s, i))
	}
	put64(pad[last&(block-1):], load64(s, last))
	in, out := escapeBlocks(&buf[n], &pad[0], block, spare)
	if in < block || len(s) == block && openEnd(s) > 0 {
		return putMixed(buf, n, s, 0)
	}
	n += out - (block - len(s))
	if len(buf)-n < slack {
		buf = regrow(buf[:n], 0)
	}
	return buf, n
}
