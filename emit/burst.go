package emit

import "time"

const (
	// burstBuffer is how many bytes of lines may wait for the flusher; a call
	// that finds more waits for it.
	burstBuffer = 256 << 10
	// burstGap is how long after a write a line still belongs to a burst.
	burstGap = 50 * time.Microsecond
)

// A burst is what Options.Burst adds to an outlet: a goroutine that writes the
// lines which gather while others are written, and those that follow a write at
// once, so that their calls need not wait. A line that comes alone is written
// by its own call. Nothing wakes up while no lines come.
//
// Its fields are guarded by the emitter's lock, but for wrote.
type burst struct {
	started bool
	called  bool          // the flusher will look at what is pending
	ended   bool          // nothing comes any more
	wake    chan struct{} // capacity 1; one for each time that called becomes true
	wrote   time.Time     // when the last write ended; belongs to the turn
}

// startBurst makes o write bursts.
func (o *outlet) startBurst() {
	o.burst = &burst{wake: make(chan struct{}, 1)}
	o.keep = 3 * burstBuffer // a full buffer, and what append adds to it
}

// leave returns when the lines up to the offset end are written, or will be by
// somebody else; or can't be. Its parameters and the lock are as with wait.
func (o *outlet) leave(end, first uint64) error {
	for o.done.Load() < end {
		full := len(o.pending) > burstBuffer
		switch {
		case o.err != nil:
			err := o.cause(first)
			o.mu.Unlock()
			return err
		case o.busy():
			if !full {
				o.mu.Unlock()
				return nil // the one who writes sees to it
			}
			o.await()
		case full, time.Since(o.burst.wrote) >= burstGap:
			return o.wait(end, first)
		default:
			o.handOver()
			o.mu.Unlock()
			return nil
		}
	}
	o.mu.Unlock()
	return nil
}

// handOver makes sure that what is pending is written. The lock is held.
func (o *outlet) handOver() {
	b := o.burst
	if b.called {
		return
	}
	b.called = true
	if !b.started {
		b.started = true
		go o.flush()
	}
	b.wake <- struct{}{}
}

// flush is the flusher.
func (o *outlet) flush() {
	b := o.burst
	for range b.wake {
		o.mu.Lock()
		for len(o.pending) > 0 && o.err == nil {
			if o.done.Load() == o.target {
				batch, first := o.take()
				o.mu.Unlock()
				_ = o.write(batch, first) // it stays, and is told to those who come
				o.mu.Lock()
			} else if o.busy() {
				o.await()
			}
		}
		b.called = false
		ended := b.ended
		o.mu.Unlock()
		if ended {
			return
		}
	}
}

// endBurst ends the flusher once everything is written.
func (o *outlet) endBurst() {
	if o.burst == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.burst.ended = true
	if o.burst.started {
		o.handOver()
	}
}
