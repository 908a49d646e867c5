package jsonl

import (
	"math/bits"
	"slices"
	"unicode/utf8"
)

const (
	block  = 64 // bytes of text that are looked at together: one bit each in a word
	margin = 32 // bytes that may be read beyond what is written of them

	// slack is the room that is kept in the output beyond the unread text, so
	// that whole words may be stored where less is needed.
	slack = 64
)

// AppendString appends s as a JSON string with its quotes, spelled by contract
// F8:
//
//   - \" \\ \b \t \n \f \r in the short form;
//   - all other control characters below U+0020, U+007F to U+009F, U+2028 and
//     U+2029 as \u and four lower-case hexadecimal digits;
//   - each byte that [utf8.DecodeRuneInString] refuses as a raw U+FFFD;
//   - everything else as it is, also / < > & and characters outside the BMP.
//
// It allocates only when dst is short of room, of which it wants 64 bytes more
// than the text is long.
func AppendString(dst []byte, s string) []byte {
	dst = reserve(dst, len(s)+2)
	buf, n := dst[:cap(dst)], len(dst)
	buf[n] = '"'
	buf, n = putText(buf, n+1, s)
	buf[n] = '"'
	return buf[:n+1]
}

// AppendEscaped appends s as [AppendString] does, without the quotes. The
// result of two calls is that of one call for both texts, unless a character
// was cut in two between them; see [CompletePrefix].
func AppendEscaped(dst []byte, s string) []byte {
	dst = reserve(dst, len(s))
	buf, n := putText(dst[:cap(dst)], len(dst), s)
	return buf[:n]
}

// putText writes s to buf[n:], which has room for len(s)+slack bytes. It
// returns the buffer and the new n, with room for slack bytes left.
func putText(buf []byte, n int, s string) ([]byte, int) {
	if len(s) <= block {
		if len(s) >= kernelMin && hasKernel(len(s)) {
			return putKernelShort(buf, n, s)
		}
		return putShort(buf, n, s, 0)
	}
	if hasKernel(len(s)) {
		return putKernel(buf, n, s)
	}
	return putBlocks(buf, n, s)
}

// putBlocks is putText in portable Go, the reference for the kernel, for a
// text of any length.
func putBlocks(buf []byte, n int, s string) ([]byte, int) {
	buf, n, i := putSome(buf, n, s, len(s))
	s = s[i:]
	if len(s) > block {
		cut := boundary(s, block)
		buf, n = putShort(buf, n, s[:cut], len(s)-cut)
		s = s[cut:]
	}
	return putShort(buf, n, s, 0)
}

// putSome writes s to buf[n:] in whole blocks until at least most bytes of it
// are written, or less than block+margin are left. It returns the buffer, the
// new n, and how many bytes of s are written.
//
// The branch predictor decides how fast this is: text is random to it, and
// each wrong guess costs as much as the copy of 64 clean bytes. So the special
// bytes of a block are first found without branches, as bits of a word, and
// then gone through bit by bit, which is one guess a block instead of one or
// two a special byte.
func putSome(buf []byte, n int, s string, most int) ([]byte, int, int) {
	from, i := 0, 0 // s[:from] is written, s[:i] is looked at
	clean := false
	again := 0 // where dense text is to be looked for
	for i < most && i+block+margin <= len(s) {
		if clean {
			n += copy(buf[n:], s[from:i])
			k := copyClean(buf[n:], s[i:])
			n += k
			i += k
			from = i
			if i+block+margin > len(s) {
				break
			}
		}
		m := marksOfBlock(s, i)
		if clean = m == 0; clean {
			i += block
			continue
		}
		if i >= again && bits.OnesCount64(m) >= denseMarks {
			n += copy(buf[n:], s[from:i])
			from = i
			if buf, n, i = putDense(buf, n, s, i, most); i > from {
				from = i
				continue
			}
			again = i + denseAgain
		}
		buf, n, from, i = putBlock(buf, n, s, from, i, m, len(s))
	}
	n += copy(buf[n:], s[from:i])
	return buf, n, i
}

// reserve makes room for a text of n bytes and a few escapes.
func reserve(dst []byte, n int) []byte {
	if cap(dst)-len(dst) >= n+slack {
		return dst
	}
	return slices.Grow(dst, n+n/16+slack)
}

// regrow makes room when escapes have used up the reserve, in proportion to
// the text that is still to come, and returns the whole of the new buffer.
func regrow(dst []byte, rest int) []byte {
	dst = slices.Grow(dst, rest+rest/4+4*slack)
	return dst[:cap(dst)]
}

// copyClean copies whole blocks of s to dst up to the first one with a special
// byte, and returns how many bytes that were. It is written out because the
// compiler inlines neither a loop nor a function for one word.
func copyClean(dst []byte, s string) int {
	n := 0
	for n+block+margin <= len(s) {
		d, t := dst[n:n+block], s[n:n+block]
		x0, x1, x2, x3 := load64(t, 0), load64(t, 8), load64(t, 16), load64(t, 24)
		put64(d[0:], x0)
		put64(d[8:], x1)
		put64(d[16:], x2)
		put64(d[24:], x3)
		m := specials(x0) | specials(x1) | specials(x2) | specials(x3)
		x0, x1, x2, x3 = load64(t, 32), load64(t, 40), load64(t, 48), load64(t, 56)
		put64(d[32:], x0)
		put64(d[40:], x1)
		put64(d[48:], x2)
		put64(d[56:], x3)
		m |= specials(x0) | specials(x1) | specials(x2) | specials(x3)
		if m&highs != 0 {
			break
		}
		n += block
	}
	return n
}

// putShort writes at most 64 bytes of text to buf[n:], which rest more will
// follow. It returns the buffer and the new n.
func putShort(buf []byte, n int, s string, rest int) ([]byte, int) {
	if putClean(buf, n, s) {
		return buf, n + len(s)
	}
	return putMixed(buf, n, s, rest)
}

// putClean copies at most 64 bytes of text to buf[n:] and reports whether they
// can stand there: there is no special byte among them.
func putClean(buf []byte, n int, s string) bool {
	last := len(s) - 8
	if last < 0 {
		if len(s) == 0 {
			return true
		}
		x := loadShort(s)
		put64(buf[n:], x)
		return specials(x)&highs == 0
	}
	out := buf[n : n+block]
	var m uint64
	for i := 0; i < last; i += 8 {
		x := load64(s, i)
		put64(out[i:], x)
		m |= specials(x)
	}
	x := load64(s, last) // may overlap the one before
	put64(out[last:], x)
	return (m|specials(x))&highs == 0
}

// putMixed is putShort for a text with special bytes that putClean has copied.
func putMixed(buf []byte, n int, s string, rest int) ([]byte, int) {
	var pad [block + 2*margin]byte // s with room to read beyond its end
	var m uint64
	if last := len(s) - 8; last < 0 {
		x := loadShort(s)
		put64(pad[:], x)
		m = marks(x)
	} else {
		for i := 0; i < last; i += 8 {
			x := load64(s, i)
			put64(pad[i&(block-1):], x)
			m |= marks(x) << uint(i)
		}
		x := load64(s, last)
		put64(pad[last&(block-1):], x)
		m |= marks(x) << uint(last)
	}
	from := bits.TrailingZeros64(m)
	text := view(pad[:])
	buf, n, from, _ = putBlock(buf, n+from, text, from, 0, m, len(s)+rest)
	copy32(buf[n:], text[from:])
	if len(s)-from > 32 {
		copy32(buf[n+32:], text[from+32:])
	}
	return buf, n + len(s) - from
}

// putBlock writes s[from:] to buf[n:] up to the last character of s[i:i+64]
// that can't be copied as it is. The bits of m, not 0, say which bytes of the
// block are to be looked at. total is the length of the whole text. It returns
// the buffer, the new n, up to where the text is written, and up to where it
// is looked at: the end of the block, or of the last character in it.
func putBlock(buf []byte, n int, s string, from, i int, m uint64, total int) ([]byte, int, int, int) {
	next := i + block
	for m != 0 {
		at := i + bits.TrailingZeros64(m)
		c := s[at]
		width := 1 // of the character that can't be copied
		e := escapes[c]
		if c < utf8.RuneSelf {
			m &= m - 1
		} else {
			at, width = skipMultibyte(s, at)
			next = max(next, at+width)
			m &= above(at + width - i)
			if width == 0 {
				continue
			}
			e = escapeOf(s[at : at+width])
		}
		if k := at - from; k <= margin {
			copy32(buf[n:], s[from:])
		} else {
			copy(buf[n:], s[from:at])
		}
		n += at - from
		from = at + width
		put64(buf[n:], e)
		n += int(e >> 56)
		if len(buf)-n < total-from+slack {
			buf = regrow(buf[:n], total-from)
		}
	}
	return buf, n, from, next
}

// above has the bits from k on, 0 to 63, and none when k is greater.
func above(k int) uint64 { return ^uint64(0) << uint(k) }

// copy32 copies 32 bytes: for as many as that, a call that counts them takes
// longer than to copy too many.
func copy32(dst []byte, s string) {
	dst, s = dst[:32], s[:32]
	copy(dst[:16], s[:16])
	copy(dst[16:], s[16:])
}
