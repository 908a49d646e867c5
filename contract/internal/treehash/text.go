package treehash

import (
	"unicode/utf16"
	"unicode/utf8"
)

// text reads inside of a string.
func (h *Hasher) text(p []byte) int {
	n := 0
	for n < len(p) && p[n] != '"' && p[n] != '\\' {
		n++
	}
	if n > 0 {
		h.lone()
		h.utf8(p[:n])
	}
	if n == len(p) {
		return n
	}
	h.cutOff()
	if p[n] == '\\' {
		h.state = inEscape
		return n + 1
	}
	h.lone()
	if h.key {
		h.levels[len(h.levels)-1].key = h.str.Sum64()
		h.state = wantColon
	} else {
		h.end(mix(isString, h.str.Sum64()))
	}
	return n + 1
}

// utf8 hashes raw characters, each byte that is none as U+FFFD, so that a text
// and the repaired one (contract F8) are alike.
func (h *Hasher) utf8(p []byte) {
	if h.tailLen > 0 { // join the character that the last piece had begun
		n := copy(h.tail[h.tailLen:], p)
		joined := h.tail[:h.tailLen+n]
		if !utf8.FullRune(joined) && n == len(p) {
			h.tailLen += n
			return
		}
		_, w := utf8.DecodeRune(joined)
		if w <= h.tailLen { // no character after all: its bytes one by one
			held := append([]byte(nil), h.tail[:h.tailLen]...)
			h.tailLen = 0
			h.whole(held)
		} else {
			h.str.Write(joined[:w])
			p = p[w-h.tailLen:]
			h.tailLen = 0
		}
	}
	end := len(p)
	for k := 1; k < utf8.UTFMax && k <= len(p); k++ {
		if utf8.RuneStart(p[len(p)-k]) {
			if !utf8.FullRune(p[len(p)-k:]) {
				end = len(p) - k
			}
			break
		}
	}
	h.whole(p[:end])
	h.tailLen = copy(h.tail[:], p[end:])
}

// whole hashes characters none of which goes on behind p.
func (h *Hasher) whole(p []byte) {
	if utf8.Valid(p) {
		h.str.Write(p)
		return
	}
	for len(p) > 0 {
		r, w := utf8.DecodeRune(p)
		h.rune(r)
		p = p[w:]
	}
}

// cutOff hashes a character that is over before it was whole.
func (h *Hasher) cutOff() {
	if h.tailLen > 0 {
		n := h.tailLen
		h.tailLen = 0
		h.whole(h.tail[:n])
	}
}

func (h *Hasher) rune(r rune) {
	var buf [utf8.UTFMax]byte
	h.str.Write(utf8.AppendRune(buf[:0], r))
}

// lone hashes a high surrogate whose partner did not come.
func (h *Hasher) lone() {
	if h.high != 0 {
		h.high = 0
		h.rune(utf8.RuneError)
	}
}

func (h *Hasher) escape(c byte) {
	if c == 'u' {
		h.state, h.quad, h.unit = inQuad, 0, 0
		return
	}
	h.state = inString
	h.lone()
	switch c {
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	case '"', '\\', '/':
	default:
		h.bad = true
		return
	}
	h.str.WriteByte(c)
}

func (h *Hasher) hex(c byte) {
	switch {
	case '0' <= c && c <= '9':
		c -= '0'
	case 'a' <= c && c <= 'f':
		c -= 'a' - 10
	case 'A' <= c && c <= 'F':
		c -= 'A' - 10
	default:
		h.bad = true
		return
	}
	h.unit = h.unit<<4 | rune(c)
	if h.quad++; h.quad < 4 {
		return
	}
	h.state = inString
	switch r := h.unit; {
	case h.high != 0 && utf16.DecodeRune(h.high, r) != utf8.RuneError:
		h.rune(utf16.DecodeRune(h.high, r))
		h.high = 0
	case 0xd800 <= r && r < 0xdc00:
		h.lone()
		h.high = r
	default:
		h.lone()
		h.rune(r) // a low surrogate alone becomes U+FFFD by itself
	}
}
