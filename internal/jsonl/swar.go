package jsonl

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// Eight bytes are looked at in one 64-bit word, the first byte lowest. A byte
// is marked by its highest bit. Where subtraction borrows from the byte above,
// the lowest mark is exact and those above it may be wrong.
const (
	ones   = 0x0101010101010101
	highs  = 0x80 * ones
	spaces = 0x20 * ones
)

// specials marks bytes that can't be copied unseen into a JSON string of
// contract F8: controls, the quote, the backslash, 0x7f, and each byte of a
// character outside ASCII. The lowest mark is exact; bits other than marks are
// noise, left in so that several words can be joined first.
func specials(x uint64) uint64 {
	// x^0x02 moves the quote next to the controls, in reach of one comparison.
	// x+0x01 lifts 0x7f to 0xfe over the edge; 0xff is left to the first term.
	return ((x ^ 0x02*ones) - 0x21*ones) | ((x ^ 0x5c*ones) - ones) | (x + ones)
}

// marks has one bit for each byte that specials is about; all are exact.
func marks(x uint64) uint64 {
	y := x &^ highs // nothing is carried or borrowed from a byte now
	m := (0xa0*ones - (y ^ 0x02*ones)) | (highs - (y ^ 0x5c*ones)) | (y + ones) | x
	return (m & highs) * 0x0002040810204081 >> 56
}

// marksOfBlock has one bit for each byte of s[i:i+64], as marks.
func marksOfBlock(s string, i int) uint64 {
	s = s[i : i+64]
	return marks(load64(s, 0)) | marks(load64(s, 8))<<8 | marks(load64(s, 16))<<16 | marks(load64(s, 24))<<24 |
		marks(load64(s, 32))<<32 | marks(load64(s, 40))<<40 | marks(load64(s, 48))<<48 | marks(load64(s, 56))<<56
}

// syntax marks what ends or escapes a JSON string, or can't stand in one:
// controls, the quote and the backslash. Bytes from 0x80 up are not marked.
// The lowest mark is exact.
func syntax(x uint64) uint64 {
	return (((x ^ 0x02*ones) - 0x21*ones) | ((x ^ 0x5c*ones) - ones)) &^ x & highs
}

// firstMark is the position, 0 to 7, of the lowest marked byte.
func firstMark(m uint64) int { return bits.TrailingZeros64(m) >> 3 }

// load64 reads s[i:i+8]; the compiler makes it one load.
func load64(s string, i int) uint64 {
	b := s[i : i+8]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// load32 reads s[i:i+4].
func load32(s string, i int) uint64 {
	b := s[i : i+4]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24
}

// loadShort reads a text of 1 to 7 bytes and fills the rest of the word with
// spaces, which no mask marks.
func loadShort(s string) uint64 {
	n := len(s)
	fill := uint64(spaces) << (8 * uint(n))
	if n >= 4 { // the first and the last four bytes, some of them twice
		return load32(s, 0) | load32(s, n-4)<<(8*uint(n-4)) | fill
	}
	mid := n >> 1 // the first, middle and last byte, some of them twice
	return uint64(s[0]) | uint64(s[mid])<<(8*uint(mid)) | uint64(s[n-1])<<(8*uint(n-1)) | fill
}

// put64 writes x to the first eight bytes of b.
func put64(b []byte, x uint64) { binary.LittleEndian.PutUint64(b, x) }

// view is b seen as a string, without a copy: for a callee that does not keep
// it, while nobody changes b. A copy would cost an allocation for each string
// of a raw value.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
