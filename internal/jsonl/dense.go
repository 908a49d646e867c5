package jsonl

import "unsafe"

// Where special bytes stand close together, each of them ends a copy before it
// has begun, and is one more guess of the branch predictor. There a block is
// written byte by byte: every byte is the word that the table of escapes has for
// it, and the next one goes to where that ends. It takes half a nanosecond a byte,
// whatever the bytes are.

const (
	// denseMarks is how many special bytes a block of text must have to be
	// written byte by byte, and so must the blocks that follow it.
	denseMarks = 4
	// denseAgain is how many bytes of text are let pass before the next try when
	// a block of many special bytes was not ASCII.
	denseAgain = 64 * block
	// denseRoom is what a block can take of the output.
	denseRoom = block*longestEscape + 8
)

// putDense writes s from i on to buf[n:] as putSome does, up to the first block
// that has no special byte, or can't be written so. It returns the buffer, and
// the new n and i.
func putDense(buf []byte, n int, s string, i, most int) ([]byte, int, int) {
	for i < most && i+block+margin <= len(s) {
		k := denseBlock(buf[n:], s[i:])
		if k == 0 {
			break
		}
		n += k
		i += block
		if len(buf)-n < len(s)-i+slack {
			buf = regrow(buf[:n], len(s)-i)
		}
		if k == block {
			break
		}
	}
	return buf, n, i
}

// denseBlock writes the block of text that begins s to buf, and returns how many
// bytes that took; 0 if it is not all ASCII, or there may be too little room.
func denseBlock(buf []byte, s string) int {
	if len(buf) < denseRoom || len(s) < block {
		return 0
	}
	s = s[:block]
	if (load64(s, 0)|load64(s, 8)|load64(s, 16)|load64(s, 24)|load64(s, 32)|load64(s, 40)|load64(s, 48)|load64(s, 56))&highs != 0 {
		return 0
	}
	// The checks of each store would take as long as all the rest.
	p := unsafe.Pointer(&buf[0])
	k := uint64(0)
	for i := 0; i < block; i += 4 {
		k = putByte(p, k, s[i])
		k = putByte(p, k, s[i+1])
		k = putByte(p, k, s[i+2])
		k = putByte(p, k, s[i+3])
	}
	return int(k)
}

// putByte writes c to p[k:], where there is room for a word, and returns the
// place behind it.
func putByte(p unsafe.Pointer, k uint64, c byte) uint64 {
	e := escapes[c]
	put64((*[8]byte)(unsafe.Add(p, k))[:], e)
	return k + e>>56
}
