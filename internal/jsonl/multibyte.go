package jsonl

import (
	"math/bits"
	"unicode/utf8"
)

// An escape is up to seven bytes of output, lowest first, with their number in
// the highest byte: it can be stored at once.
const (
	plain = 1 << 56
	short = 2<<56 | '\\'
	hex   = 6<<56 | '\\' | 'u'<<8 | '0'<<16 | '0'<<24
	hex0  = hex | '0'<<32
	hex1  = hex | '1'<<32
	hex20 = 6<<56 | '\\' | 'u'<<8 | '2'<<16 | '0'<<24 | '2'<<32

	replacement = 3<<56 | 0xbdbfef // U+FFFD
)

// escapes holds what contract F8 makes of ASCII, escape or not.
var escapes = [256]uint64{
	'"': short | '"'<<8, '\\': short | '\\'<<8,
	'\b': short | 'b'<<8, '\t': short | 't'<<8, '\n': short | 'n'<<8, '\f': short | 'f'<<8, '\r': short | 'r'<<8,
	0x00: hex0 | '0'<<40, 0x01: hex0 | '1'<<40, 0x02: hex0 | '2'<<40, 0x03: hex0 | '3'<<40,
	0x04: hex0 | '4'<<40, 0x05: hex0 | '5'<<40, 0x06: hex0 | '6'<<40, 0x07: hex0 | '7'<<40,
	0x0b: hex0 | 'b'<<40, 0x0e: hex0 | 'e'<<40, 0x0f: hex0 | 'f'<<40,
	0x10: hex1 | '0'<<40, 0x11: hex1 | '1'<<40, 0x12: hex1 | '2'<<40, 0x13: hex1 | '3'<<40,
	0x14: hex1 | '4'<<40, 0x15: hex1 | '5'<<40, 0x16: hex1 | '6'<<40, 0x17: hex1 | '7'<<40,
	0x18: hex1 | '8'<<40, 0x19: hex1 | '9'<<40, 0x1a: hex1 | 'a'<<40, 0x1b: hex1 | 'b'<<40,
	0x1c: hex1 | 'c'<<40, 0x1d: hex1 | 'd'<<40, 0x1e: hex1 | 'e'<<40, 0x1f: hex1 | 'f'<<40,
	0x7f: hex | '7'<<32 | 'f'<<40,
	' ':  plain | ' ', '!': plain | '!', '#': plain | '#', '$': plain | '$', '%': plain | '%', '&': plain | '&',
	'\'': plain | '\'', '(': plain | '(', ')': plain | ')', '*': plain | '*', '+': plain | '+', ',': plain | ',',
	'-': plain | '-', '.': plain | '.', '/': plain | '/', '0': plain | '0', '1': plain | '1', '2': plain | '2',
	'3': plain | '3', '4': plain | '4', '5': plain | '5', '6': plain | '6', '7': plain | '7', '8': plain | '8',
	'9': plain | '9', ':': plain | ':', ';': plain | ';', '<': plain | '<', '=': plain | '=', '>': plain | '>',
	'?': plain | '?', '@': plain | '@', 'A': plain | 'A', 'B': plain | 'B', 'C': plain | 'C', 'D': plain | 'D',
	'E': plain | 'E', 'F': plain | 'F', 'G': plain | 'G', 'H': plain | 'H', 'I': plain | 'I', 'J': plain | 'J',
	'K': plain | 'K', 'L': plain | 'L', 'M': plain | 'M', 'N': plain | 'N', 'O': plain | 'O', 'P': plain | 'P',
	'Q': plain | 'Q', 'R': plain | 'R', 'S': plain | 'S', 'T': plain | 'T', 'U': plain | 'U', 'V': plain | 'V',
	'W': plain | 'W', 'X': plain | 'X', 'Y': plain | 'Y', 'Z': plain | 'Z', '[': plain | '[', ']': plain | ']',
	'^': plain | '^', '_': plain | '_', '`': plain | '`', 'a': plain | 'a', 'b': plain | 'b', 'c': plain | 'c',
	'd': plain | 'd', 'e': plain | 'e', 'f': plain | 'f', 'g': plain | 'g', 'h': plain | 'h', 'i': plain | 'i',
	'j': plain | 'j', 'k': plain | 'k', 'l': plain | 'l', 'm': plain | 'm', 'n': plain | 'n', 'o': plain | 'o',
	'p': plain | 'p', 'q': plain | 'q', 'r': plain | 'r', 's': plain | 's', 't': plain | 't', 'u': plain | 'u',
	'v': plain | 'v', 'w': plain | 'w', 'x': plain | 'x', 'y': plain | 'y', 'z': plain | 'z', '{': plain | '{',
	'|': plain | '|', '}': plain | '}', '~': plain | '~',
}

// escapeOf is the escape of a character outside ASCII that skipMultibyte has
// stopped at: one byte that is no UTF-8, a C1 control, U+2028 or U+2029.
func escapeOf(s string) uint64 {
	last := uint64(s[len(s)-1])
	switch len(s) {
	case 2:
		return hex | ('0'+last>>4)<<32 | uint64("0123456789abcdef"[last&0xf])<<40
	case 3:
		return hex20 | ('0'+last&0xf)<<40
	}
	return replacement
}

// smallest is the lowest code point that has a UTF-8 sequence of two, three
// and four bytes and can be copied as it is.
var smallest = [8]uint32{2: 0xa0, 3: 0x800, 4: 0x10000}

// skipMultibyte returns the end of the characters outside ASCII that begin at
// s[j] and can be copied as they are, and the width of the next one if it is
// one that can't: 1 for a byte that is no UTF-8, 2 for a C1 control, 3 for
// U+2028 and U+2029. The width is 0 at a byte of ASCII, or when fewer than
// four bytes are left; four must be there at the start.
func skipMultibyte(s string, j int) (end, width int) {
	// A single one among ASCII is of any width: no branch may depend on that.
	x := uint32(load32(s, j))
	w := uint(bits.LeadingZeros8(^uint8(x))) // as its first byte says
	if w-2 < 3 {
		keep := uint32(1)<<(8*w) - 1 // 0 for the bytes behind it; all for w == 4
		r := (x<<w&0xff>>w<<18 | x>>8&0x3f<<12 | x>>16&0x3f<<6 | x>>24&0x3f) >> (24 - 6*w)
		if (x&0xc0c0c000^0x80808000)&keep == 0 && r >= smallest[w&7] && r-0xd800 >= 0x800 && r&^1 != 0x2028 && r <= utf8.MaxRune {
			j += int(w)
			if s[j] < utf8.RuneSelf {
				return j, 0
			}
		}
	}
	return skipRun(s, j)
}

// hard has a bit for each low half of the first byte of a three-byte sequence
// that does not settle what it may be: E0 (overlong), E2 (U+2028), ED
// (surrogates).
const hard = 1<<0x0 | 1<<0x2 | 1<<0xd

// skipRun is skipMultibyte for a text in which one such character follows the
// other, most often of the same width, so that branches are guessed right.
func skipRun(s string, j int) (end, width int) {
	for j+4 <= len(s) {
		x := uint32(load32(s, j))
		switch {
		case x&0xc0c0f0 == 0x8080e0:
			if hard>>(x&0xf)&1 != 0 {
				r := x&0xf<<12 | x>>8&0x3f<<6 | x>>16&0x3f
				switch {
				case r < 0x800, r-0xd800 < 0x800:
					return j, 1
				case r&^1 == 0x2028:
					return j, 3
				}
			}
			j += 3
		case x&0xc0e0 == 0x80c0:
			switch r := x&0x1f<<6 | x>>8&0x3f; {
			case r < utf8.RuneSelf:
				return j, 1
			case r < 0xa0:
				return j, 2
			}
			j += 2
		case x&0xc0c0c0f8 == 0x808080f0:
			if r := x&0x7<<18 | x>>8&0x3f<<12; r < 0x10000 || r > utf8.MaxRune {
				return j, 1
			}
			j += 4
		case x&0x80 == 0:
			return j, 0
		default:
			return j, 1
		}
	}
	return j, 0
}
