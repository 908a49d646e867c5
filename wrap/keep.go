package wrap

import (
	"fmt"
	"unicode/utf8"
)

// A keeper keeps the text of one stream for the result: the first bytes and
// the last ones. A failing program says at the beginning what it does and at
// the end what went wrong; what lies between is counted.
type keeper struct {
	max   int
	head  []byte
	tail  ring
	total int64 // bytes of text so far
	line  int64 // of them, those of the line that is not complete
}

func newKeeper(limit int) keeper {
	return keeper{max: limit / 2, tail: ring{max: limit - limit/2}}
}

// add takes the next piece of text, which is part of the current line.
func (k *keeper) add(s string) {
	k.total += int64(len(s))
	k.line += int64(len(s))
	if k.behind() == int64(len(s)) { // nothing went to the tail before
		n := min(len(s), k.max-len(k.head))
		k.head = append(k.head, s[:n]...)
		s = s[n:]
	}
	k.tail.write(s)
}

// behind is how many bytes came behind the head.
func (k *keeper) behind() int64 { return k.total - int64(len(k.head)) }

// newline ends the current line.
func (k *keeper) newline() {
	k.add("\n")
	k.line = 0
}

// rewrite takes back what there is of the current line.
func (k *keeper) rewrite() {
	inTail := min(k.line, k.behind())
	k.tail.drop(inTail)
	k.head = k.head[:int64(len(k.head))-(k.line-inTail)]
	k.total -= k.line
	k.line = 0
}

// left is how many bytes are not kept.
func (k *keeper) left() int64 { return k.behind() - int64(k.tail.n) }

// text is what is kept, with a line in the place of what is not.
func (k *keeper) text() string {
	tail := k.tail.bytes()
	if k.left() == 0 {
		return string(k.head) + string(tail)
	}
	head := wholeStart(k.head)
	tail = wholeEnd(tail)
	left := k.total - int64(len(head)) - int64(len(tail))
	mark := fmt.Sprintf("[%s left out]\n", count(left, "byte"))
	if n := len(head); n > 0 && head[n-1] != '\n' {
		mark = "\n" + mark
	}
	return string(head) + mark + string(tail)
}

// last is the end of the text, at most n bytes.
func (k *keeper) last(n int) string {
	tail := k.tail.bytes()
	if k.left() == 0 {
		tail = append(k.head[:len(k.head):len(k.head)], tail...)
	}
	if len(tail) > n {
		tail = tail[len(tail)-n:]
	}
	if int64(len(tail)) < k.total {
		tail = wholeEnd(tail)
	}
	return string(tail)
}

// wholeStart is text without half a character at its end.
func wholeStart(text []byte) []byte {
	for n := len(text) - 1; n >= 0 && n >= len(text)-utf8.UTFMax; n-- {
		if utf8.RuneStart(text[n]) {
			if !utf8.FullRune(text[n:]) {
				return text[:n]
			}
			break
		}
	}
	return text
}

// wholeEnd is text without half a character at its start.
func wholeEnd(text []byte) []byte {
	for len(text) > 0 && !utf8.RuneStart(text[0]) {
		text = text[1:]
	}
	return text
}

// A ring keeps the last bytes of what is written to it.
type ring struct {
	max  int
	buf  []byte
	next int // where the next byte goes
	n    int // how many bytes are kept
}

func (r *ring) write(s string) {
	if len(s) > r.max {
		s = s[len(s)-r.max:]
	}
	if len(r.buf) < r.max { // it has not gone round
		room := min(len(s), r.max-len(r.buf))
		r.buf = append(r.buf, s[:room]...)
		r.n += room
		r.next = len(r.buf) % r.max
		s = s[room:]
	}
	for s != "" {
		n := copy(r.buf[r.next:], s)
		s = s[n:]
		r.next = (r.next + n) % r.max
		r.n = min(r.n+n, r.max)
	}
}

// drop takes back the last n bytes, or what is kept of them.
func (r *ring) drop(n int64) {
	k := int(min(n, int64(r.n)))
	r.n -= k
	if len(r.buf) < r.max {
		r.buf = r.buf[:len(r.buf)-k]
		r.next = len(r.buf)
		return
	}
	r.next = (r.next - k + r.max) % r.max
}

// bytes is a copy of what is kept.
func (r *ring) bytes() []byte {
	if r.n == 0 {
		return nil
	}
	from := r.next - r.n
	if from >= 0 {
		return append([]byte(nil), r.buf[from:r.next]...)
	}
	out := make([]byte, 0, r.n)
	out = append(out, r.buf[from+len(r.buf):]...)
	return append(out, r.buf[:r.next]...)
}

// count returns "1 byte" or "2 bytes".
func count(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
