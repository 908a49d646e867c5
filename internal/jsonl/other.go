package jsonl

import (
	"encoding/json"
	"fmt"
	"sync"
)

// other appends a value of a kind that only a general encoder knows.
func (e *encoder) other(dst []byte, x any) ([]byte, error) {
	s := scratches.Get().(*scratch)
	text, err := s.encode(e.Append, x)
	if err == nil {
		var out []byte
		if out, err = appendRaw(dst, text, e.Filter, e.here()); err == nil {
			s.release(len(text))
			return out, nil
		}
		err = fmt.Errorf("the encoded form of %T: %w", x, err)
	}
	s.release(len(text))
	return dst, err
}

var scratches = sync.Pool{New: func() any { return &scratch{buf: make([]byte, 0, 2<<10)} }}

// scratch is the buffer that a foreign encoder writes to, so that whatever it
// does there harms nobody.
type scratch struct {
	buf []byte
	std *json.Encoder // writes to buf
}

// release gives s back after a text of n bytes. That text may stand in an
// array of the encoder's own, which must not be written to, so it is never
// kept; a longer buffer is made for the next time.
func (s *scratch) release(n int) {
	s.buf = s.buf[:0]
	switch c := cap(s.buf); {
	case c > keptBytes:
		s.buf = nil
	case n > c && n <= keptBytes:
		s.buf = make([]byte, 0, min(keptBytes, 2*n))
	}
	scratches.Put(s)
}

// encode calls the encoder and turns a panic into an error.
func (s *scratch) encode(encoder func([]byte, any) ([]byte, error), x any) (text []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			s.std = nil
			text, err = nil, panicError(x, r)
		}
	}()
	if encoder == nil {
		text, err = s.standard(x)
	} else {
		text, err = encoder(s.buf[:0], x)
	}
	if err != nil {
		return nil, fmt.Errorf("%T can't be encoded: %w", x, err)
	}
	return text, nil
}

// standard encodes x by encoding/json without HTML escaping.
func (s *scratch) standard(x any) ([]byte, error) {
	if s.std == nil {
		s.std = json.NewEncoder((*scratchWriter)(s))
		s.std.SetEscapeHTML(false)
	}
	s.buf = s.buf[:0]
	err := s.std.Encode(x)
	if err != nil {
		s.std = nil // an encoder may remember its errors
	}
	return s.buf, err
}

// scratchWriter is the scratch that an encoder of encoding/json writes to.
type scratchWriter scratch

func (w *scratchWriter) Write(p []byte) (int, error) {
	w.buf = append(w.buf, p...)
	return len(p), nil
}

func panicError(x, r any) error {
	if err, ok := r.(error); ok {
		return fmt.Errorf("encoding %T panicked: %w", x, err)
	}
	return fmt.Errorf("encoding %T panicked: %v", x, r)
}
