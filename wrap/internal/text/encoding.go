package text

import (
	"unicode/utf16"
	"unicode/utf8"
)

// invalid is a byte that is never UTF-8. It stands for what could not be
// decoded until the line is told.
const invalid = 0xff

// encoding is how the bytes of an output are to be read.
type encoding uint8

const (
	unknown  encoding = iota // the start has not been seen
	utf8Text                 // or anything else
	utf16LE
	utf16BE
)

// A decoder takes the byte order mark off an output, and decodes UTF-16 where
// the mark announces it.
type decoder struct {
	encoding encoding
	held     []byte // the start while it may be a mark; half a code unit after it
	high     rune   // a high surrogate that waits for its low one; 0: none
	out      []byte
}

// decode returns the next bytes as UTF-8. They are valid until the next call.
func (d *decoder) decode(p []byte) []byte {
	switch d.encoding {
	case utf8Text:
		return p
	case unknown:
		d.held = append(d.held, p...)
		p = d.held
		var n int
		if d.encoding, n = sniff(p); d.encoding == unknown {
			return nil
		}
		d.held = nil
		p = p[n:]
		if d.encoding == utf8Text {
			return p
		}
	}
	d.out = d.units(d.out[:0], p)
	return d.out
}

// end returns what was held.
func (d *decoder) end() []byte {
	if d.encoding == unknown {
		return d.held
	}
	d.out = d.flush(d.out[:0])
	if len(d.held) > 0 {
		d.out = append(d.out, invalid)
	}
	return d.out
}

// sniff tells the encoding by the start of an output, and how long the byte
// order mark is. It is unknown while more bytes could make it one.
func sniff(p []byte) (e encoding, mark int) {
	for _, bom := range [...]struct {
		mark string
		e    encoding
	}{{"\xef\xbb\xbf", utf8Text}, {"\xff\xfe", utf16LE}, {"\xfe\xff", utf16BE}} {
		n := min(len(p), len(bom.mark))
		switch {
		case string(p[:n]) != bom.mark[:n]:
		case n == len(bom.mark):
			return bom.e, n
		default:
			return unknown, 0
		}
	}
	return utf8Text, 0
}

// units decodes the bytes of code units.
func (d *decoder) units(dst, p []byte) []byte {
	if len(d.held) > 0 && len(p) > 0 {
		dst = d.unit(dst, d.held[0], p[0])
		d.held, p = d.held[:0], p[1:]
	}
	for ; len(p) >= 2; p = p[2:] {
		dst = d.unit(dst, p[0], p[1])
	}
	d.held = append(d.held, p...)
	return dst
}

func (d *decoder) unit(dst []byte, first, second byte) []byte {
	u := rune(first) | rune(second)<<8
	if d.encoding == utf16BE {
		u = rune(first)<<8 | rune(second)
	}
	switch {
	case d.high != 0 && isLow(u):
		dst = utf8.AppendRune(dst, utf16.DecodeRune(d.high, u))
		d.high = 0
		return dst
	case isHigh(u):
		dst = d.flush(dst)
		d.high = u
		return dst
	case isLow(u):
		return append(d.flush(dst), invalid)
	}
	return utf8.AppendRune(d.flush(dst), u)
}

// flush gives up a high surrogate that no low one follows.
func (d *decoder) flush(dst []byte) []byte {
	if d.high == 0 {
		return dst
	}
	d.high = 0
	return append(dst, invalid)
}

func isHigh(u rune) bool { return 0xd800 <= u && u < 0xdc00 }
func isLow(u rune) bool  { return 0xdc00 <= u && u < 0xe000 }
