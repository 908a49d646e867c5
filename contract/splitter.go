package contract

import "bytes"

// headSize is how much of a line over the limit is kept.
const headSize = 4 << 10

// A splitter cuts a stream into lines. It holds at most one line of max bytes,
// and copies only lines that come in more than one piece.
type splitter struct {
	max    int
	number int64
	offset int64 // of the line at hand
	held   []byte
	length int // of the line at hand, so far
}

// split hands out each line that ends in p.
func (s *splitter) split(p []byte, out func(line)) {
	for len(p) > 0 {
		n := bytes.IndexByte(p, '\n')
		if n < 0 {
			s.hold(p)
			return
		}
		if s.length == 0 {
			s.emit(p[:n], n, true, out)
		} else {
			s.hold(p[:n])
			s.emit(s.held, s.length, true, out)
		}
		p = p[n+1:]
	}
}

// rest hands out what stands behind the last newline.
func (s *splitter) rest(out func(line)) {
	if s.length > 0 {
		s.emit(s.held, s.length, false, out)
	}
}

// hold keeps a piece of a line, as far as it will be looked at.
func (s *splitter) hold(p []byte) {
	s.length += len(p)
	switch {
	case s.length <= s.max:
		if s.length > cap(s.held) { // in few steps, and never beyond max
			s.held = append(make([]byte, 0, max(s.length, min(4*cap(s.held), s.max))), s.held...)
		}
		s.held = append(s.held, p...)
	case len(s.held) > headSize:
		s.held = append([]byte(nil), s.held[:headSize]...) // the rest is garbage now
	case len(s.held) < headSize:
		s.held = append(s.held, p[:min(len(p), headSize-len(s.held))]...)
	}
}

func (s *splitter) emit(raw []byte, length int, ended bool, out func(line)) {
	s.number++
	if length > s.max {
		raw = raw[:min(len(raw), headSize)]
	}
	out(line{number: s.number, offset: s.offset, raw: raw, length: length, ended: ended})
	s.offset += int64(length) + 1
	s.length = 0
	const keep = 1 << 20
	if cap(s.held) > keep {
		s.held = nil
	}
	s.held = s.held[:0]
}
