// Package clock is the one place where time enters a program that writes a
// stream: a source of instants, and a stamper that turns them into the text of
// the wire's ts member. It knows nothing of events, writers or output.
package clock

import (
	"sync"
	"time"
)

// A Clock tells the time. Now must be safe for concurrent use, must not block,
// and must not call back into the emitter that reads it: an emitter reads its
// clock while it holds its own lock.
type Clock interface {
	Now() time.Time
}

// System returns the clock of the machine.
func System() Clock { return systemClock{} }

type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

// Fixed returns a clock that stands still at t. Golden tests use it.
func Fixed(t time.Time) Clock { return fixedClock{t} }

type fixedClock struct{ t time.Time }

func (c fixedClock) Now() time.Time { return c.t }

// Stepping returns a clock whose first reading is start and whose every
// further reading is step later than the one before, so that a test sees
// distinct times that depend on nothing but the number of readings. A negative
// step makes a clock that runs backwards.
func Stepping(start time.Time, step time.Duration) Clock {
	return &steppingClock{next: start, step: step}
}

type steppingClock struct {
	mu   sync.Mutex
	next time.Time
	step time.Duration
}

func (c *steppingClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.next
	c.next = t.Add(c.step)
	return t
}
