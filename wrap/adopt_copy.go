package wrap

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

const (
	// copyRoom is how many bytes wait for a copy before stdout waits with them.
	copyRoom = 4 << 20
	// copyStall is how long a copy may take nothing before it is cut off.
	copyStall = time.Second
)

// A lineCopy is a further place for the lines (AdoptOptions.Also). A goroutine
// writes what gathers.
type lineCopy struct {
	w    io.Writer
	lost func(error) // told once why it was cut off

	mu    sync.Mutex
	moved *sync.Cond // buf, ended, cut or done changed
	buf   []byte
	ended bool
	cut   bool
	done  bool
	steps int // writes that have come to an end
}

func newCopy(w io.Writer, lost func(error)) *lineCopy {
	c := &lineCopy{w: w, lost: lost}
	c.moved = sync.NewCond(&c.mu)
	go c.run()
	return c
}

// put hands lines over. It waits only while the buffer is full and the writer
// moves.
func (c *lineCopy) put(lines []byte) {
	c.mu.Lock()
	c.await(fmt.Sprintf("it took nothing for %v while %d bytes waited", copyStall, copyRoom), func() bool {
		return len(c.buf) <= copyRoom
	})
	if !c.cut && !c.done {
		c.buf = append(c.buf, lines...)
	}
	c.moved.Broadcast()
	c.mu.Unlock()
}

// finish waits until all is written, as long as the writer moves.
func (c *lineCopy) finish() {
	c.mu.Lock()
	c.ended = true
	c.moved.Broadcast()
	c.await(fmt.Sprintf("it took nothing for %v at the end of the run", copyStall), func() bool { return false })
	c.mu.Unlock()
}

// await waits until ready, or until the copy has ended, and cuts it off where
// its writer stands still. The lock is held.
func (c *lineCopy) await(why string, ready func() bool) {
	for !ready() && !c.cut && !c.done {
		before, late := c.steps, false
		t := time.AfterFunc(copyStall, func() {
			c.mu.Lock()
			late = true
			c.moved.Broadcast()
			c.mu.Unlock()
		})
		for !ready() && !c.cut && !c.done && c.steps == before && !late {
			c.moved.Wait()
		}
		t.Stop()
		if late && c.steps == before && !ready() && !c.done {
			c.cutOff(errors.New(why))
		}
	}
}

// cutOff ends the copy and tells why, once. The lock is held, and given up
// meanwhile.
func (c *lineCopy) cutOff(err error) {
	if c.cut {
		return
	}
	c.cut, c.buf = true, nil
	c.mu.Unlock()
	c.lost(err)
	c.mu.Lock()
}

func (c *lineCopy) run() {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer func() {
		c.done = true
		c.moved.Broadcast()
	}()
	var batch []byte
	for {
		for len(c.buf) == 0 && !c.ended && !c.cut {
			c.moved.Wait()
		}
		if c.cut || len(c.buf) == 0 {
			return
		}
		batch, c.buf = c.buf, batch[:0]
		c.mu.Unlock()
		err := c.write(batch)
		if cap(batch) > copyRoom {
			batch = nil
		}
		c.mu.Lock()
		if err != nil {
			c.cutOff(err)
			return
		}
	}
}

// write writes whole lines in pieces, so that one who waits can see that the
// writer moves. A writer that takes less without an error is asked again.
func (c *lineCopy) write(batch []byte) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the writer panicked: %v", r)
		}
	}()
	rest := 0 // of a piece that was taken in part
	for len(batch) > 0 {
		if rest == 0 {
			rest = pieceOf(batch)
		}
		n, err := c.w.Write(batch[:rest])
		switch {
		case n < 0 || n > rest:
			return fmt.Errorf("the writer claims to have written %d of %d bytes", n, rest)
		case err != nil:
			return err
		case n == 0:
			return io.ErrNoProgress
		}
		batch, rest = batch[n:], rest-n
		c.mu.Lock()
		c.steps++
		c.moved.Broadcast()
		c.mu.Unlock()
	}
	return nil
}

// copyPiece is how many bytes a copy is given at once, or one line.
const copyPiece = 64 << 10

// pieceOf returns the length of the first lines of batch that make a piece.
func pieceOf(batch []byte) int {
	if len(batch) <= copyPiece {
		return len(batch)
	}
	if n := bytes.LastIndexByte(batch[:copyPiece], '\n') + 1; n > 0 {
		return n
	}
	return bytes.IndexByte(batch, '\n') + 1
}
