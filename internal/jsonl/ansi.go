package jsonl

import "strings"

const (
	esc = 0x1b
	bel = 0x07
	can = 0x18
	sub = 0x1a
	c1  = 0xc2 // first byte of U+0080 to U+009F in UTF-8; the second is their code

	// heldMax is how much of an unfinished control string is kept in case that
	// it turns out to be none.
	heldMax = 4 << 10
)

// StripANSI returns s without the escape sequences of ECMA-48, for strings
// that the program itself authors (contract F10). It returns s itself, and
// allocates nothing, when there are none.
//
// A sequence starts with ESC or with a C1 control, U+0080 to U+009F in UTF-8.
// Single bytes 0x80 to 0x9f are no UTF-8 and no controls here: terminals in
// UTF-8 mode don't take them for any, and in text of another encoding they are
// letters. Taken out are
//
//   - control sequences (CSI) up to their final byte;
//   - control strings (OSC, DCS, SOS, PM, APC) up to ST, an OSC also up to BEL,
//     or up to the ESC or C1 of a next sequence;
//   - all other escape sequences of two or more bytes, and single C1 controls;
//   - what was begun, when CAN or SUB aborts it.
//
// A sequence never goes beyond the end of its line: one that is cut there, or
// at the end of the text, loses what was begun and nothing else. Text behind
// the start of a control string that does not end on its line stays (without
// the start), unless it is longer than 4,096 bytes; so a lone "ESC ]" in a
// message hides nothing of it.
//
// Nothing else goes: other control characters stay, for [AppendString] to
// escape, also those in the midst of a control sequence. (One exception: where
// a sequence goes from between two halves of a C1 control, so that it would
// appear only now, its second half goes too.)
func StripANSI(s string) string {
	i := nextSequence(s, 0)
	if i >= len(s) {
		return s
	}
	var p Stripper
	buf := p.keep(make([]byte, 0, len(s)), s[:i])
	buf = p.appendText(buf, s[i:])
	buf = p.Flush(buf)
	if len(buf) == len(s) {
		return s // the last byte looked like the first half of a C1 control
	}
	return string(buf)
}

// Stripper is [StripANSI] over a text that comes in pieces: what Append and, at
// the end, Flush have appended is what StripANSI returns for the whole text,
// wherever it was cut. It holds back an unfinished sequence, at most 4,096
// bytes of it. The zero value is ready for use.
type Stripper struct {
	mode   mode
	half   bool   // a byte 0xc2 has been read that may begin a C1 control
	long   bool   // the control string is longer than heldMax
	keptC2 bool   // the text so far ends in a byte 0xc2
	held   []byte // what was read of a control string
}

// mode is the kind of sequence that has been begun.
type mode uint8

const (
	ground       mode = iota // none
	escape                   // ESC
	intermediate             // ESC and bytes 0x20 to 0x2f
	csi                      // CSI
	osc                      // OSC
	dcs                      // DCS, SOS, PM, APC
)

// Append appends chunk without its escape sequences.
func (p *Stripper) Append(dst, chunk []byte) []byte { return p.appendText(dst, view(chunk)) }

// Flush ends the text: it appends what an unfinished sequence has held back of
// the text and makes p ready for a new one.
func (p *Stripper) Flush(dst []byte) []byte {
	dst = p.release(dst)
	if p.half {
		dst = append(dst, c1)
	}
	p.Reset()
	return dst
}

// Reset forgets what was read.
func (p *Stripper) Reset() {
	held := p.held[:0]
	*p = Stripper{held: held}
}

func (p *Stripper) appendText(dst []byte, s string) []byte {
	for i := 0; i < len(s); {
		if p.mode == ground && !p.half {
			end := nextSequence(s, i)
			dst = p.keep(dst, s[i:end])
			i = end
			if i >= len(s) {
				break
			}
		}
		dst = p.step(dst, s[i])
		i++
	}
	return dst
}

// nextSequence is the position of the first byte of s from i on that may begin
// a sequence, or len(s). It looks for ESC in a window at a time: one search to
// the end for each C1 control would take quadratic time.
func nextSequence(s string, i int) int {
	const window = 1 << 10
	for i < len(s) {
		end := min(i+window, len(s))
		stop := end
		if n := strings.IndexByte(s[i:end], esc); n >= 0 {
			stop = i + n
		}
		for {
			n := strings.IndexByte(s[i:stop], c1)
			if n < 0 {
				break
			}
			i += n
			if i+1 >= len(s) || isC1(s[i+1]) {
				return i
			}
			i++
		}
		if stop < end {
			return stop
		}
		i = end
	}
	return len(s)
}

func isC1(second byte) bool { return 0x80 <= second && second < 0xa0 }

// step reads one byte.
func (p *Stripper) step(dst []byte, c byte) []byte {
	if p.half {
		p.half = false
		if isC1(c) {
			p.begin(c)
			return dst
		}
		dst = p.char(dst, c1)
	}
	switch c {
	case c1:
		p.half = true
		return dst
	case esc:
		p.enter(escape)
		return dst
	}
	return p.char(dst, c)
}

// enter begins a sequence; the one before, if any, is over and dropped.
func (p *Stripper) enter(m mode) {
	p.mode, p.long, p.held = m, false, p.held[:0]
}

// begin enters what a C1 control begins.
func (p *Stripper) begin(c byte) {
	switch c {
	case 0x9b:
		p.enter(csi)
	case 0x9d:
		p.enter(osc)
	case 0x90, 0x98, 0x9e, 0x9f:
		p.enter(dcs)
	default: // ST and controls without parameters
		p.enter(ground)
	}
}

// char reads one byte that is neither ESC nor part of a C1 control.
func (p *Stripper) char(dst []byte, c byte) []byte {
	switch {
	case p.mode == ground:
		return p.keepByte(dst, c)
	case c == '\n':
		return p.keepByte(p.release(dst), c)
	case c == can, c == sub:
		p.enter(ground)
		return dst
	}
	switch p.mode {
	case osc, dcs:
		return p.stringByte(dst, c)
	}
	switch {
	case c < 0x20 || c == 0x7f:
		return p.keepByte(dst, c) // acts at once on a terminal, and the sequence goes on
	case c >= 0x80:
		p.enter(ground)
		return p.keepByte(dst, c)
	}
	switch p.mode {
	case escape:
		p.afterEscape(c)
	case intermediate:
		if c >= 0x30 {
			p.enter(ground)
		}
	case csi:
		if c >= 0x40 {
			p.enter(ground)
		}
	}
	return dst
}

// afterEscape reads the first printable byte behind ESC.
func (p *Stripper) afterEscape(c byte) {
	switch {
	case c < 0x30:
		p.enter(intermediate)
	case 0x40 <= c && c < 0x60:
		p.begin(c + 0x40) // the two-byte form of a C1 control
	default:
		p.enter(ground)
	}
}

// stringByte reads one byte of a control string.
func (p *Stripper) stringByte(dst []byte, c byte) []byte {
	switch {
	case c == bel && p.mode == osc:
		p.enter(ground)
	case p.long:
	case len(p.held) == heldMax:
		p.long, p.held = true, p.held[:0]
	default:
		p.held = append(p.held, c)
	}
	return dst
}

// release ends a sequence at the end of a line or of the text: what was read
// of a control string was none and goes back into the text.
func (p *Stripper) release(dst []byte) []byte {
	dst = p.keep(dst, view(p.held))
	p.enter(ground)
	return dst
}

// keep appends text that is no part of a sequence. A broken byte 0xc2 in front
// of a sequence and a broken byte behind it must not meet and be a C1 control:
// the second one goes.
func (p *Stripper) keep(dst []byte, s string) []byte {
	for p.keptC2 && s != "" && isC1(s[0]) {
		s = s[1:]
	}
	if s == "" {
		return dst
	}
	p.keptC2 = s[len(s)-1] == c1
	return append(dst, s...)
}

func (p *Stripper) keepByte(dst []byte, c byte) []byte {
	if p.keptC2 && isC1(c) {
		return dst
	}
	p.keptC2 = c == c1
	return append(dst, c)
}
