package adopt

import "bytes"

const (
	// keptBuffer is how large a buffer may be to be kept for the next line.
	keptBuffer = 64 << 10
	// headSize is how much is kept of a line that is too long, and of text
	// that has no end.
	headSize = 64 << 10
)

// lines cuts what comes into lines. It holds at most one line of max bytes,
// and copies only those that come in more than one piece. What it hands out
// does not depend on the pieces.
type lines struct {
	max    int // of a line
	head   int // what is kept of a line that is too long, and of text without end
	held   []byte
	length int // of the line at hand, so far; more than is held where it is too long
	text   int // bytes of it that were handed out as text before its end
}

// A raw is one line as it came, without its newline.
type raw struct {
	bytes  []byte
	length int  // more than there is in bytes: the line was too long
	ended  bool // by a newline
	more   bool // its beginning was handed out as text
}

func newLines(longest int) lines { return lines{max: longest, head: min(headSize, longest/4)} }

// cut hands out each line that ends in p, and the beginning of one that can't
// be an event to text.
func (l *lines) cut(p []byte, line func(raw), text func([]byte)) {
	for len(p) > 0 {
		n := bytes.IndexByte(p, '\n')
		switch {
		case n < 0:
			l.hold(p, text)
			return
		case l.length == 0 && l.text == 0 && n <= l.head:
			line(raw{bytes: p[:n], length: n, ended: true})
		default:
			l.hold(p[:n], text)
			l.end(true, line)
		}
		p = p[n+1:]
	}
}

// end hands out what is held.
func (l *lines) end(ended bool, line func(raw)) {
	if ended || l.length+l.text > 0 {
		line(raw{bytes: l.held, length: l.length, ended: ended, more: l.text > 0})
	}
	if cap(l.held) > keptBuffer {
		l.held = nil
	}
	l.held, l.length, l.text = l.held[:0], 0, 0
}

// hold keeps a piece of the line, as far as it will be looked at.
func (l *lines) hold(p []byte, text func([]byte)) {
	for len(p) > 0 {
		n := min(len(p), l.head)
		l.keep(p[:n])
		l.drain(text)
		p = p[n:]
	}
}

func (l *lines) keep(p []byte) {
	l.length += len(p)
	switch {
	case l.length <= l.max:
		if l.length > cap(l.held) { // in few steps, and never beyond max
			size := max(l.length, min(4*cap(l.held), l.max))
			l.held = append(make([]byte, 0, size), l.held...)
		}
		l.held = append(l.held, p...)
	case len(l.held) > l.head:
		l.held = append(make([]byte, 0, l.head), l.held[:l.head]...) // the rest is garbage now
	case len(l.held) < l.head:
		l.held = append(l.held, p[:min(len(p), l.head-len(l.held))]...)
	}
}

// drain hands out the part of a long line that stands before the first brace:
// it is text, however the line goes on, and need not be kept.
func (l *lines) drain(text func([]byte)) {
	if l.text+l.length <= l.head || l.length > l.max {
		return
	}
	n := bytes.IndexByte(l.held, '{')
	if n < 0 {
		n = len(l.held)
	}
	if n == 0 || l.text+n <= l.head {
		return
	}
	text(l.held[:n])
	l.text += n
	l.held = l.held[:copy(l.held, l.held[n:])]
	l.length -= n
}
