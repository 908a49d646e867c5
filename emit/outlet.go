package emit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/streamjson/streamjson/stdio"
)

const (
	// keptBuffer is how large a buffer may be to be kept for the next line:
	// one huge line must not pin its memory for ever.
	keptBuffer = 256 << 10
	// firstBuffer is how large a buffer is at first: enough for most lines. To
	// grow by steps touches new memory in each, which is dear when a program
	// starts.
	firstBuffer = 1 << 10
	// idleWrites is how many writes in a row may take nothing.
	idleWrites = 100
)

// An outlet is the way of whole lines to one writer. Lines get their place in
// it under the emitter's lock; the first goroutine that needs its line written
// takes the turn and writes all that wait there in one Write, without the lock,
// while the lines of the others gather for the next one. So file order is the
// order of the places, a Write carries whole lines, and nothing waits in user
// space once wait has returned.
//
// All fields are guarded by the emitter's lock, which mu points to, but for
// done and watched, and what belongs to the one whose turn it is.
type outlet struct {
	mu      *sync.Mutex
	changed *sync.Cond // err or done changed
	waiting int        // goroutines in changed.Wait
	w       io.Writer

	pending []byte // lines that no write has taken
	first   uint64 // the seq of the first line in pending
	next    uint64 // the seq behind the last one
	end     uint64 // the offset in the stream behind pending
	err     *WriteError
	lines   bool              // the stream is lines, not one document
	gone    func(error) bool  // tells that nobody reads w any more; may be nil
	left    error             // the reader has gone while a write was on its way
	broken  func(*WriteError) // told once of err, under the lock
	burst   *burst            // nil: every line is waited for
	keep    int               // how large a buffer is kept

	// done is the offset up to which the writer has taken the stream, target the
	// one to which a write on its way will bring it: somebody has the turn to
	// write while they differ. Who has it moves done without the lock, so that a
	// line behind which nobody waits costs one lock and not two; then it takes
	// the lock all the same if somebody has set watched.
	done    atomic.Uint64
	target  uint64
	watched atomic.Bool
	spare   []byte // the other buffer; it belongs to the turn
}

func newOutlet(mu *sync.Mutex, w io.Writer, lines bool, broken func(*WriteError)) *outlet {
	return &outlet{
		mu: mu, changed: sync.NewCond(mu), w: w, lines: lines, broken: broken, keep: keptBuffer,
		pending: make([]byte, 0, firstBuffer),
	}
}

// open returns the buffer to which the next line is to be appended; close
// takes it back.
func (o *outlet) open(seq uint64) []byte {
	if len(o.pending) == 0 {
		o.first = seq
	}
	o.next = seq + 1
	return o.pending
}

func (o *outlet) close(buf []byte) {
	o.end += uint64(len(buf) - len(o.pending))
	o.pending = buf
}

// wait returns when the stream is written up to the offset end, or can't be;
// first is the first line that the caller has placed there. The emitter's lock
// is held, and released.
func (o *outlet) wait(end, first uint64) error {
	for {
		done := o.done.Load()
		switch {
		case done >= end:
			o.mu.Unlock()
			return nil
		case o.err != nil:
			err := o.cause(first)
			o.mu.Unlock()
			return err
		case done == o.target:
			o.gather()
			batch, seq := o.take()
			o.mu.Unlock()
			if o.write(batch, seq) == nil {
				return nil // the caller's lines were in it
			}
			o.mu.Lock()
		case o.busy():
			o.await()
		}
	}
}

// cause returns the error of a caller whose first line is first.
func (o *outlet) cause(first uint64) error {
	if !o.lines || first <= o.err.Seq {
		return o.err
	}
	return &WriteError{Seq: first, Err: o.err.Err} // the line that was cut stands before the caller's
}

// busy reports whether somebody writes; if so, that one will take the lock
// when it is through. The lock is held.
func (o *outlet) busy() bool {
	if o.done.Load() == o.target {
		return false
	}
	if !o.watched.Load() {
		o.watched.Store(true)
	}
	return o.done.Load() != o.target // who ended before it saw the mark does not look again
}

// idle reports whether nobody writes, and nobody waits for it.
func (o *outlet) idle() bool { return o.done.Load() == o.target && o.waiting == 0 }

// await waits for the one who writes. The lock is held, and busy was true.
func (o *outlet) await() {
	o.waiting++
	o.changed.Wait()
	o.waiting--
}

// gather takes the turn, and lets the goroutines that were woken together with
// this one add their lines to the batch that it is about to take. Without that,
// each writes its own.
func (o *outlet) gather() {
	if o.waiting == 0 {
		return
	}
	o.target = taken
	o.mu.Unlock()
	runtime.Gosched()
	o.mu.Lock()
}

// taken is the target of one who has the turn, and no batch yet.
const taken = ^uint64(0)

// take takes the turn, which is free or the caller's, and all that is pending.
func (o *outlet) take() (batch []byte, first uint64) {
	batch = o.pending
	o.pending, o.spare = o.spare, nil
	o.target = o.end
	return batch, o.first
}

// write writes a batch whose first line is first, and ends the turn. The lock is
// not held.
func (o *outlet) write(batch []byte, first uint64) (err error) {
	n, returned := 0, false
	defer func() {
		if returned {
			return
		}
		err = errWriterExited // unless it panicked, the writer does not let us come back
		if r := recover(); r != nil {
			err = writerPanic(r)
		}
		o.wrote(batch, n, first, err)
	}()
	// After a system call each return is a mispredicted one: hence no further
	// function for what is the rule.
	m, err := o.w.Write(batch)
	if m == len(batch) && err == nil {
		n = m
	} else {
		err = writeRest(o.w, batch, &n, m, err)
	}
	returned = true
	o.wrote(batch, n, first, err)
	return err
}

// wrote ends the turn after a write of n bytes of the batch.
func (o *outlet) wrote(batch []byte, n int, first uint64, err error) {
	if cap(batch) <= o.keep {
		o.spare = batch[:0]
	}
	if o.burst != nil {
		o.burst.wrote = time.Now()
	}
	if err == nil {
		o.done.Add(uint64(n))
		if !o.watched.Load() {
			return
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if err != nil {
		o.target = o.done.Add(uint64(n))
	}
	if o.done.Load() == o.target { // else the mark is for who has the turn by now
		o.watched.Store(false)
	}
	switch {
	case o.err != nil:
	case err != nil:
		o.fail(batch[:n], first, err)
	case o.left != nil:
		o.abandon(o.left)
	}
	if o.waiting > 0 {
		o.changed.Broadcast()
	}
	if o.burst != nil && len(o.pending) > 0 {
		o.handOver()
	}
}

// abandon ends the outlet for good because nobody reads w any more. A write on
// its way is let come to its end: it knows how far it has come.
func (o *outlet) abandon(err error) {
	switch {
	case o.err != nil:
		return
	case o.busy():
		o.left = err
		return
	}
	next := o.next
	if len(o.pending) > 0 {
		next = o.first
	}
	o.err = &WriteError{Seq: next, Err: err}
	o.pending = nil
	o.changed.Broadcast()
	o.broken(o.err)
}

var errWriterExited = errors.New("the writer ended its goroutine (runtime.Goexit)")

// fail ends the outlet for good; written is what was taken of the batch whose
// first line is first.
func (o *outlet) fail(written []byte, first uint64, err error) {
	if o.gone != nil && o.gone(err) && !stdio.IsReaderGone(err) {
		err = fmt.Errorf("%w: %w", ErrReaderGone, err)
	}
	o.err = &WriteError{Seq: first, Written: len(written), Err: err}
	if o.lines {
		o.err.Seq += uint64(bytes.Count(written, []byte{'\n'}))
		o.err.Written -= bytes.LastIndexByte(written, '\n') + 1
	}
	o.pending = nil
	o.broken(o.err)
}

// writeRest goes on where a first write of p has returned m and err: it writes
// all of p, or returns why not; n is how much was taken. A writer that takes
// less without an error is asked again, and so is one that can't take more at
// the moment (EINTR, EAGAIN).
func writeRest(w io.Writer, p []byte, n *int, m int, err error) error {
	for idle := 0; ; m, err = w.Write(p[*n:]) {
		if m < 0 || m > len(p)-*n {
			return fmt.Errorf("the writer claims to have written %d of %d bytes", m, len(p)-*n)
		}
		*n += m
		again := errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EINTR)
		switch {
		case err != nil && !again:
			return err
		case *n == len(p):
			return nil
		case m > 0:
			idle = 0
			continue
		}
		if idle++; idle == idleWrites {
			if err == nil {
				err = io.ErrNoProgress
			}
			return err
		}
		if again {
			// There is nothing to poll behind a foreign writer.
			time.Sleep(time.Millisecond)
		}
	}
}

func writerPanic(r any) error {
	if err, ok := r.(error); ok {
		return fmt.Errorf("the writer panicked: %w", err)
	}
	return fmt.Errorf("the writer panicked: %v", r)
}
