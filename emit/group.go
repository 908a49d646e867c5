package emit

import (
	"context"
	"fmt"
	"reflect"
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

// A panicError is a panic or a Goexit as an error. Its trace goes to stderr.
type panicError struct {
	value any
	trace []byte
}

func (e *panicError) Error() string {
	if e.value == nil {
		return "the goroutine ended itself (runtime.Goexit)"
	}
	return fmt.Sprintf("panic: %v", e.value)
}

// told returns what stderr says of it: the value on one line, and the trace.
func (e *panicError) told() []byte {
	return fmt.Appendf(nil, "%s\n\n%s", oneLine(e.Error()), e.trace)
}

// Unwrap returns what was thrown, where that is an error.
func (e *panicError) Unwrap() error {
	err, _ := e.value.(error)
	return err
}

// protect calls f, and makes an error of a panic or a Goexit. After a Goexit
// nothing can be returned, so the outcome goes to done.
func protect(f func() error, done func(error)) {
	returned := false
	defer func() {
		if returned {
			return
		}
		value := recover()
		done(&panicError{value, debug.Stack()})
	}()
	err := f()
	returned = true
	done(err)
}

// A group is the goroutines that run under Go.
type group struct {
	mu      sync.Mutex
	running map[uint64]int // by goroutine, so that one does not wait for itself
	count   int
	idle    chan struct{} // closed when count falls; replaced then
	failed  error         // the first failure; a panic beats any other
	decided bool          // the result tells of failed; what comes later it does not
}

// Go runs f on a goroutine of its own, with the run's context. Should f panic
// or return an error, the run ends with that cause: its context is cancelled,
// and its result tells the first of such errors. Finish waits for f; once the
// run is cancelled, for Options.Grace at most.
//
// A function that panics sends no answer: whoever waits for one must also wait
// for the context.
func (a *Actor) Go(f func(context.Context) error) {
	s := a.stream
	s.group.enter()
	go func() {
		self := goroutine()
		s.group.own(self, 1)
		protect(
			func() error { return f(NewContext(s.ctx, a)) },
			func(err error) {
				if err != nil && !s.cancelledBy(err) {
					if s.group.fail(err) {
						s.cancel(err)
					} else {
						s.tellLate(err)
					}
				}
				s.group.own(self, -1)
				s.group.leave()
			},
		)
	}()
}

// cancelledBy reports whether err is but the echo of the run's cancellation.
func (s *stream) cancelledBy(err error) bool {
	if _, thrown := errorAs[*panicError](err); thrown || s.ctx.Err() == nil {
		return false
	}
	return errorIs(err, s.ctx.Err()) || errorIs(err, context.Cause(s.ctx))
}

// tellLate tells of a failure that the result, which stands already, does not.
// A stream that could not be written has no result, and its exit code tells.
func (s *stream) tellLate(err error) {
	if _, broken := errorAs[*WriteError](err); broken {
		return
	}
	s.prose.print(levelError, "after the result: "+errorText(err), "")
	if thrown, ok := errorAs[*panicError](err); ok {
		s.prose.raw(thrown.told())
	}
}

func (g *group) enter() {
	g.mu.Lock()
	g.count++
	g.mu.Unlock()
}

func (g *group) leave() {
	g.mu.Lock()
	g.count--
	if g.idle != nil {
		close(g.idle)
		g.idle = nil
	}
	g.mu.Unlock()
}

func (g *group) own(goroutine uint64, by int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.running == nil {
		g.running = map[uint64]int{}
	}
	if g.running[goroutine] += by; g.running[goroutine] == 0 {
		delete(g.running, goroutine)
	}
}

// owns reports whether the goroutine runs under Go.
func (g *group) owns(goroutine uint64) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.running[goroutine] > 0
}

// fail keeps the first error, and a panic before all others. It reports false
// if the result no longer can tell.
func (g *group) fail(err error) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.decided {
		return false
	}
	_, thrown := errorAs[*panicError](err)
	_, before := errorAs[*panicError](g.failed)
	if g.failed == nil || thrown && !before {
		g.failed = err
	}
	return true
}

// decide returns the failure for the result to tell.
func (g *group) decide() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.decided = true
	return g.failed
}

// wait waits for what runs, but for the calling goroutine: once ctx is done for
// grace at most, and no longer than until hurry is closed. It returns how many
// still run.
func (g *group) wait(ctx context.Context, grace time.Duration, hurry <-chan struct{}) int {
	if g.none() {
		return 0
	}
	self := goroutine()
	done := ctx.Done()
	var late <-chan time.Time
	for {
		g.mu.Lock()
		left := g.count - g.running[self]
		if left > 0 && g.idle == nil {
			g.idle = make(chan struct{})
		}
		idle := g.idle
		g.mu.Unlock()
		if left <= 0 {
			return 0
		}
		select {
		case <-idle:
		case <-done:
			done = nil
			timer := time.NewTimer(grace)
			defer timer.Stop()
			late = timer.C
		case <-late:
			return left
		case <-hurry:
			return left
		}
	}
}

// none reports whether nothing runs.
func (g *group) none() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.count == 0
}

// insideFinish reports whether the calling goroutine ends a stream, this one or
// another, and has called what calls this from there: a marshaller, a writer or
// a clock of the program's. It would wait for itself. Nothing is noted for that
// beforehand, since to name a goroutine takes 0.1 ms at the start of a process.
func insideFinish() bool {
	self := runtime.FuncForPC(reflect.ValueOf((*stream).finish).Pointer()).Entry()
	var pcs [64]uintptr
	for skip := 1; ; skip += len(pcs) {
		n := runtime.Callers(skip, pcs[:])
		frames := runtime.CallersFrames(pcs[:n])
		for more := n > 0; more; {
			var f runtime.Frame
			if f, more = frames.Next(); f.Entry == self {
				return true
			}
		}
		if n < len(pcs) {
			return false
		}
	}
}

// goroutine is the number of the calling goroutine, 0 if there is none to see.
// Go has no ids for them on purpose; this one serves for nothing but to let
// Finish and Close, called by a goroutine that they would wait for, not wait for
// ever. It is read off the first line of a trace: "goroutine 7 [running]:".
func goroutine() uint64 {
	var buf [64]byte
	n := uint64(0)
	for _, c := range buf[:runtime.Stack(buf[:], false)] {
		switch {
		case c >= '0' && c <= '9':
			n = 10*n + uint64(c-'0')
		case c == '[':
			return n
		}
	}
	return n
}
