package ours

import (
	"io"
	"sync"
	"time"

	"github.com/streamjson/streamjson/bench/internal/line"
	"github.com/streamjson/streamjson/clock"
	"github.com/streamjson/streamjson/redact"
)

// Copy is the floor of encoding: the line of a delta with its text copied
// unseen. What it writes is JSON only where nothing needs an escape.
type Copy struct{ buf []byte }

// Encode implements line.Encoder, for deltas.
func (c *Copy) Encode(l *line.Line) ([]byte, error) {
	buf := appendDeltaHead(c.buf[:0], l)
	buf = append(buf, l.Text...)
	c.buf = appendDeltaTail(buf, l.Shape)
	return c.buf, nil
}

// Floor is the floor of a whole emit: what no emitter of numbered, stamped
// lines can do without. That is a reading of the monotonic clock, an
// uncontended lock, and the copy of the line.
type Floor struct {
	copy Copy
	mu   sync.Mutex
	base time.Time
	last time.Duration
}

// NewFloor returns a Floor.
func NewFloor() *Floor { return &Floor{base: time.Now()} }

// Emit implements line.Emitter, for deltas.
func (f *Floor) Emit(l *line.Line) error {
	f.mu.Lock()
	f.last = f.Clock()
	_, err := f.copy.Encode(l)
	f.mu.Unlock()
	return err
}

// Close implements line.Emitter.
func (*Floor) Close() error { return nil }

// Clock reads the clock, and Lock takes and gives back the lock: the floor's
// parts by themselves.
func (f *Floor) Clock() time.Duration { return time.Since(f.base) }

// Lock is described with Clock.
func (f *Floor) Lock() {
	f.mu.Lock()
	f.last++
	f.mu.Unlock()
}

// LockWrite is our encoder in the frame that rivals have: a lock around number,
// stamp, encoding, and one Write a line.
type LockWrite struct {
	w       io.Writer
	encoder *Encoder

	mu      sync.Mutex
	seq     uint64
	stamper clock.Stamper
	stamp   [clock.StampLen]byte
}

// NewLockWrite returns an emitter that writes to w, without redaction.
func NewLockWrite(w io.Writer) *LockWrite {
	return &LockWrite{w: w, encoder: NewEncoder(redact.None())}
}

// Emit implements line.Emitter.
func (e *LockWrite) Emit(l *line.Line) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	stamp := e.stamper.Append(e.stamp[:0], time.Now())
	l.Seq, l.TS = e.seq, view(stamp)
	e.seq++
	b, err := e.encoder.Encode(l)
	if err != nil {
		return err
	}
	_, err = e.w.Write(b)
	return err
}

// Close implements line.Emitter.
func (*LockWrite) Close() error { return nil }
