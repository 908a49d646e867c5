package redact

import (
	"io"
	"sync"
)

// A Writer redacts what is written through it: prose for people, the output of
// a child process. A secret that is cut in two by writes is found, also one of
// several lines.
//
// Each Write is followed by at most one Write to the writer below, of all that
// is decided; text up to the end of a line nearly always is, so that a line
// that comes in one piece leaves in one. At most 4096 bytes are held back, up
// to the next Write, Flush or Close.
//
// A Writer is safe for concurrent use.
type Writer struct {
	mu   sync.Mutex
	w    io.Writer
	s    Stream
	out  []byte
	err  error
	done bool
}

// NewWriter returns a Writer on w. Without a redactor that redacts, all goes
// straight to w.
func NewWriter(w io.Writer, r *Redactor) *Writer {
	return &Writer{w: w, s: *r.Stream()}
}

// Write redacts p, and writes what can be written by now. It reports all of p
// as written, or the error of the writer below, which stays: what was lost
// then can't be told from what was held.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.err != nil:
		return 0, w.err
	case w.done:
		return 0, io.ErrClosedPipe
	}
	if w.s.r == nil {
		n, err := w.w.Write(p)
		w.err = err
		return n, err
	}
	w.out = w.s.Append(w.out[:0], view(p))
	if err := w.emit(); err != nil {
		return 0, err
	}
	return len(p), nil
}

// emit writes out, and keeps the buffer if it is not too large.
func (w *Writer) emit() error {
	if len(w.out) > 0 {
		n, err := w.w.Write(w.out)
		if err == nil && n < len(w.out) {
			err = io.ErrShortWrite
		}
		w.err = err
	}
	if cap(w.out) > keptBuffer {
		w.out = nil
	}
	return w.err
}

// Flush decides about what is held, as at the end of a text, and writes it.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil || w.done {
		return w.err
	}
	w.out = w.s.AppendFlush(w.out[:0])
	return w.emit()
}

// Close is Flush, after which nothing can be written. It does not close the
// writer below.
func (w *Writer) Close() error {
	err := w.Flush()
	w.mu.Lock()
	w.done = true
	w.mu.Unlock()
	return err
}
