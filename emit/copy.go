package emit

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"time"
)

const (
	// copyBuffer is how many bytes of lines wait for a copy at most before
	// the emitter waits with them.
	copyBuffer = 4 << 20
	// copyPiece is how many bytes a copy is given at once, or one line.
	copyPiece = 16 << 10
	// copyStall is how long the writer of a copy may take for a piece, and for
	// each copyPiece of a longer line, before it counts as standing still.
	copyStall = time.Second
)

// A lineCopy is a further place for the lines of a stream (Options.Also). Its
// goroutine writes what its buffer gathers.
type lineCopy struct {
	w    io.Writer
	lost func(error) // told once why it was cut off

	mu      sync.Mutex
	buf     []byte
	ended   bool
	cut     bool
	piece   int           // the bytes that are being written
	arrived chan struct{} // capacity 1: there is something to write, or an end
	moved   chan struct{} // closed and replaced when the writer took something
	done    chan struct{} // closed when the goroutine has ended
}

func newCopy(w io.Writer, lost func(error)) *lineCopy {
	c := &lineCopy{
		w: w, lost: lost,
		arrived: make(chan struct{}, 1), moved: make(chan struct{}), done: make(chan struct{}),
	}
	go c.run()
	return c
}

// put hands lines over. It never blocks.
func (c *lineCopy) put(lines []byte) {
	c.mu.Lock()
	if !c.cut && !c.ended {
		c.buf = append(c.buf, lines...)
	}
	c.mu.Unlock()
	c.wake()
}

func (c *lineCopy) wake() {
	select {
	case c.arrived <- struct{}{}:
	default:
	}
}

func (c *lineCopy) run() {
	defer close(c.done)
	returned := false
	defer func() {
		if !returned {
			c.cutOff(errWriterExited)
		}
	}()
	c.writeLines()
	returned = true
}

// writeLines writes what arrives until the end, or until the writer fails.
func (c *lineCopy) writeLines() {
	var batch []byte
	for range c.arrived {
		c.mu.Lock()
		batch, c.buf = c.buf, batch[:0]
		ended := c.ended
		c.mu.Unlock()
		for rest := batch; len(rest) > 0; {
			n := wholeLines(rest)
			if err := c.write(rest[:n]); err != nil {
				c.cutOff(err)
				return
			}
			rest = rest[n:]
		}
		if cap(batch) > copyBuffer {
			batch = nil
		}
		if ended {
			return
		}
	}
}

// wholeLines returns the length of the first lines of batch that make a piece.
func wholeLines(batch []byte) int {
	if len(batch) <= copyPiece {
		return len(batch)
	}
	if n := bytes.LastIndexByte(batch[:copyPiece], '\n') + 1; n > 0 {
		return n
	}
	return bytes.IndexByte(batch, '\n') + 1
}

// write writes a piece, and tells those who wait for it.
func (c *lineCopy) write(piece []byte) error {
	c.mu.Lock()
	c.piece = len(piece)
	c.mu.Unlock()
	err := c.writeSafely(piece)
	c.mu.Lock()
	close(c.moved)
	c.moved = make(chan struct{})
	c.mu.Unlock()
	return err
}

// writeSafely writes all of a piece to a writer that may panic.
func (c *lineCopy) writeSafely(piece []byte) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = writerPanic(r)
		}
	}()
	n := 0
	m, err := c.w.Write(piece)
	return writeRest(c.w, piece, &n, m, err)
}

// relieve waits while the buffer is full, and cuts the copy off where its
// writer stands still.
func (c *lineCopy) relieve() {
	for {
		c.mu.Lock()
		full, moved := len(c.buf) > copyBuffer && !c.cut, c.moved
		c.mu.Unlock()
		if !full {
			return
		}
		if !c.await(moved) {
			c.cutOff(fmt.Errorf("it took nothing for %v while %d bytes waited", copyStall, copyBuffer))
			return
		}
	}
}

// await waits for the writer to take what it is given.
func (c *lineCopy) await(moved <-chan struct{}) bool {
	c.mu.Lock()
	pieces := 1 + c.piece/copyPiece
	c.mu.Unlock()
	timer := time.NewTimer(time.Duration(pieces) * copyStall)
	defer timer.Stop()
	select {
	case <-moved:
		return true
	case <-c.done:
		return true
	case <-timer.C:
		return false
	}
}

// cutOff ends the copy and tells why, once.
func (c *lineCopy) cutOff(err error) {
	c.mu.Lock()
	first := !c.cut
	c.cut, c.buf = true, nil
	c.mu.Unlock()
	if first {
		c.lost(err)
	}
}

// finish waits until all lines are written, as long as the writer moves.
func (c *lineCopy) finish() {
	c.mu.Lock()
	c.ended = true
	moved := c.moved
	c.mu.Unlock()
	c.wake()
	for {
		select {
		case <-c.done:
			return
		default:
		}
		if !c.await(moved) {
			c.cutOff(fmt.Errorf("it took nothing for %v at the end of the run", copyStall))
			return
		}
		c.mu.Lock()
		moved = c.moved
		c.mu.Unlock()
	}
}
