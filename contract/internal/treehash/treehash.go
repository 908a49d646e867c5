// Package treehash tells whether two JSON texts mean the same, without holding
// either: it hashes the value that a text stands for while the text comes in,
// in pieces of any size. White space, the spelling of strings and numbers, and
// the order of members make no difference.
package treehash

import (
	"hash/maphash"
	"unicode/utf8"
)

// MaxDepth is the deepest nesting that a Hasher follows.
const MaxDepth = 1000

// A Hasher hashes one JSON value that is written to it. Its memory is bounded
// by the depth of the value. It is not safe for concurrent use.
//
// Text that is no JSON value is noticed where the structure breaks; it may
// pass where only the grammar of a string's inside is at stake, since a Hasher
// compares and does not validate.
type Hasher struct {
	seed   maphash.Seed
	str    maphash.Hash // the string at hand
	levels []level
	state  state
	value  uint64 // the hash of the value that was read last
	bad    bool

	number  []byte // the number at hand
	literal string // what must follow of true, false or null
	kind    uint64 // of that literal
	quad    int    // digits of a \u escape that were read
	unit    rune   // their value
	high    rune   // a high surrogate that waits for its partner
	key     bool   // the string at hand is a key
	tail    [utf8.UTFMax]byte
	tailLen int // an unfinished character at the end of a piece
}

type level struct {
	object bool
	key    uint64
	sum    uint64
}

type state uint8

const (
	wantValue state = iota
	wantElement
	wantKey
	wantMember
	wantColon
	wantMore
	inString
	inEscape
	inQuad
	inNumber
	inLiteral
)

// kinds of values, mixed into their hashes.
const (
	isString uint64 = iota + 1
	isNumber
	isTrue
	isFalse
	isNull
	isArray
	isObject
)

// maxNumber is how much of a number is looked at; longer ones are compared as
// spelled.
const maxNumber = 256

// New returns a Hasher. Only sums of hashers with the same seed can be compared.
func New(seed maphash.Seed) *Hasher {
	h := &Hasher{seed: seed}
	h.str.SetSeed(seed)
	return h
}

// Sum ends the text. It reports false if the text is not one JSON value, or is
// nested too deep.
func (h *Hasher) Sum() (sum uint64, ok bool) {
	if h.state == inNumber {
		h.endNumber()
	}
	return h.value, !h.bad && h.state == wantMore && len(h.levels) == 0
}

// Write takes the next piece of the text. It never fails.
func (h *Hasher) Write(p []byte) (int, error) {
	for i := 0; i < len(p) && !h.bad; {
		i += h.step(p[i:])
	}
	return len(p), nil
}

// step reads something from the front of p, which is not empty, and returns
// how much it was.
func (h *Hasher) step(p []byte) int {
	switch h.state {
	case inString:
		return h.text(p)
	case inEscape:
		h.escape(p[0])
		return 1
	case inQuad:
		h.hex(p[0])
		return 1
	case inNumber:
		n := 0
		for n < len(p) && isNumberByte(p[n]) {
			n++
		}
		h.keepNumber(p[:n])
		if n < len(p) {
			h.endNumber()
		}
		return n
	case inLiteral:
		if p[0] != h.literal[0] {
			h.bad = true
		} else if h.literal = h.literal[1:]; h.literal == "" {
			h.end(mix(h.kind, 0))
		}
		return 1
	}
	if c := p[0]; c != ' ' && c != '\t' && c != '\n' && c != '\r' {
		h.token(c)
	}
	return 1
}

// token reads the first byte of a token.
func (h *Hasher) token(c byte) {
	switch {
	case c == '"' && h.state != wantColon && h.state != wantMore:
		h.key = h.state == wantKey || h.state == wantMember
		h.str.Reset()
		h.state = inString
	case h.state == wantColon && c == ':':
		h.state = wantValue
	case c == '}' && (h.state == wantMember || h.state == wantMore):
		h.close(true)
	case c == ']' && (h.state == wantElement || h.state == wantMore):
		h.close(false)
	case h.state == wantMore && c == ',' && len(h.levels) > 0:
		h.state = wantValue
		if h.levels[len(h.levels)-1].object {
			h.state = wantKey
		}
	case h.state == wantValue || h.state == wantElement:
		h.begin(c)
	default:
		h.bad = true
	}
}

// begin reads the first byte of a value other than a string.
func (h *Hasher) begin(c byte) {
	switch c {
	case '{':
		h.open(true, wantMember)
	case '[':
		h.open(false, wantElement)
	case 't':
		h.state, h.literal, h.kind = inLiteral, "rue", isTrue
	case 'f':
		h.state, h.literal, h.kind = inLiteral, "alse", isFalse
	case 'n':
		h.state, h.literal, h.kind = inLiteral, "ull", isNull
	default:
		if c != '-' && (c < '0' || c > '9') {
			h.bad = true
			return
		}
		h.state = inNumber
		h.number = append(h.number[:0], c)
		h.str.Reset()
		h.str.WriteByte(c)
	}
}

func (h *Hasher) open(object bool, next state) {
	if len(h.levels) >= MaxDepth {
		h.bad = true
		return
	}
	h.levels = append(h.levels, level{object: object})
	h.state = next
}

func (h *Hasher) close(object bool) {
	n := len(h.levels)
	if n == 0 || h.levels[n-1].object != object {
		h.bad = true
		return
	}
	kind := isArray
	if object {
		kind = isObject
	}
	sum := h.levels[n-1].sum
	h.levels = h.levels[:n-1]
	h.end(mix(kind, sum))
}

// end takes a whole value into its container.
func (h *Hasher) end(value uint64) {
	h.value, h.state = value, wantMore
	if len(h.levels) == 0 {
		return
	}
	top := &h.levels[len(h.levels)-1]
	if top.object {
		top.sum += mix(top.key, value) // the order of members is no matter
	} else {
		top.sum = mix(top.sum+1, value)
	}
}

func (h *Hasher) keepNumber(p []byte) {
	h.str.Write(p)
	if room := maxNumber - len(h.number); room > 0 {
		h.number = append(h.number, p[:min(room, len(p))]...)
	}
}

func (h *Hasher) endNumber() {
	sum := h.str.Sum64()
	if len(h.number) < maxNumber {
		canonical, ok := appendCanonical(nil, h.number)
		if !ok {
			h.bad = true
			return
		}
		sum = maphash.Bytes(h.seed, canonical)
	}
	h.end(mix(isNumber, sum))
}

// mix makes one hash of two in this order, by the finalizer of splitmix64.
func mix(a, b uint64) uint64 {
	x := a*0x9e3779b97f4a7c15 + b
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
