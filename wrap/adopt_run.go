package wrap

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/exitcode"
	"github.com/streamjson/streamjson/internal/signals"
	"github.com/streamjson/streamjson/stdio"
	"github.com/streamjson/streamjson/wrap/internal/adopt"
	"github.com/streamjson/streamjson/wrap/internal/proc"
)

const (
	// lastWrite is how long the last lines may take to be written once nobody
	// waits for the program any more.
	lastWrite = 250 * time.Millisecond
	// reaping is how long the end of a program may take beyond its Grace.
	reaping = 500 * time.Millisecond
)

// A departure is how the program ended.
type departure struct {
	exit proc.Exit
	err  error
}

// run sees the program to its end and returns the exit status.
func (a *adopter) run(parent context.Context, signals <-chan os.Signal) int {
	if parent == nil {
		parent = context.Background()
	}
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(parent))
	defer cancel(nil)
	a.cancel = cancel
	if parent.Err() != nil {
		a.end(context.Cause(parent))
	}
	a.stop = append(a.stop, stopOf(context.AfterFunc(parent, func() { a.end(context.Cause(parent)) })))
	a.watchReader()

	gone := make(chan departure, 1)
	a.pulse.start()
	go func() {
		exit, err := proc.Run(ctx, a.spec())
		gone <- departure{exit, err}
	}()
	stopBeats := a.beat()
	defer stopBeats()
	return a.await(ctx, signals, gone)
}

// await waits for the program, and tells it to end where it has to.
func (a *adopter) await(ctx context.Context, signals <-chan os.Signal, gone <-chan departure) int {
	timeout, idle := timer(a.c.Timeout), timer(a.c.IdleTimeout)
	defer timeout.Stop()
	defer idle.Stop()
	done := ctx.Done()
	var overdue <-chan time.Time
	for {
		select {
		case d := <-gone:
			a.takePending(signals)
			return a.conclude(a.outcome(ctx, d))
		case sig := <-signals:
			if a.take(sig) {
				return a.leave(ctx)
			}
		case <-timeout.C:
			a.end(&limitError{fmt.Sprintf("%s was ended after %v", a.c.program(), a.c.Timeout)})
		case <-idle.C:
			if rest := a.c.IdleTimeout - a.pulse.idle(); rest > 0 {
				idle.Reset(rest)
				continue
			}
			a.end(&limitError{fmt.Sprintf("%s was ended, for it wrote nothing for %v", a.c.program(), a.c.IdleTimeout)})
		case <-done:
			done = nil
			a.err.hurry.Store(true)
			overdue = time.After(a.c.Grace + reaping)
		case <-overdue:
			if a.stands.still(&a.pulse, a.c.Grace) {
				return a.leave(ctx)
			}
			overdue = time.After(reaping)
		}
	}
}

// timer returns a timer that never fires for a time of 0.
func timer(d time.Duration) *time.Timer {
	if d > 0 {
		return time.NewTimer(d)
	}
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}

// end tells the program to end, for that cause unless there is one already.
func (a *adopter) end(cause error) {
	a.once.Do(func() {
		a.late.Store(a.ending.Load()) // now, since the program may end at once
		a.cancel(cause)
	})
}

func stopOf(stop func() bool) func() { return func() { stop() } }

// take takes a signal, and reports whether it is a second one.
func (a *adopter) take(sig os.Signal) (again bool) {
	if a.first == nil {
		a.first, a.at = sig, time.Now()
		a.end(&signals.Error{Sig: sig})
		return false
	}
	return time.Since(a.at) >= signals.Same
}

// takePending takes a signal that has come before the program's end was seen.
// Behind the result it changes nothing.
func (a *adopter) takePending(signals <-chan os.Signal) {
	select {
	case sig := <-signals:
		if !a.ending.Load() {
			a.take(sig)
		}
	default:
	}
}

// leave ends the stream without the program: nobody waits for it any more, or
// stdout can't be written to, which must not keep this process.
func (a *adopter) leave(ctx context.Context) int {
	killed := departure{exit: proc.Exit{Killed: true}}
	code := make(chan int, 1)
	go func() { code <- a.conclude(a.outcome(ctx, killed)) }()
	select {
	case c := <-code:
		return c
	case <-time.After(lastWrite):
	}
	if code := a.result.Load(); code > 0 {
		return int(code) - 1
	}
	var o adopt.Outcome
	a.fromCause(&o, context.Cause(ctx), killed.exit)
	return o.Code
}

// conclude ends the stream, and returns the exit status.
func (a *adopter) conclude(o adopt.Outcome) int {
	if o.Late {
		a.err.say("warning", o.Errors[0]+", behind its result")
	}
	a.mu.Lock()
	a.mirror()
	code, err := a.filter.End(o)
	a.mu.Unlock()
	a.out.finish()
	code = a.broken(err, code)
	a.err.drain()
	return code
}

// broken returns the exit status, which is another one where stdout could not
// be written: a signal beats that.
func (a *adopter) broken(err error, code int) int {
	switch {
	case err == nil:
		return code
	case a.first != nil:
		return exitcode.FromSignal(a.first)
	case a.out.isGone(err):
		return exitcode.ReaderGone
	}
	a.err.say("error", err.Error())
	return exitcode.IO
}

// outcome says how the program ended.
func (a *adopter) outcome(ctx context.Context, d departure) adopt.Outcome {
	_ = a.err.child.Flush()
	o := adopt.Outcome{Code: d.exit.Code, Status: d.exit.Code, Late: a.late.Load()}
	why := "exit status " + strconv.Itoa(d.exit.Code)
	var start *proc.StartError
	switch cause := context.Cause(ctx); {
	case errors.As(d.err, &start):
		o.Code, o.Status = start.Code, start.Code
		o.Errors = []string{start.Error()}
		return o
	case cause != nil:
		a.fromCause(&o, cause, d.exit)
	case d.exit.Signal != "":
		o.Interrupted, why = true, "ended by "+d.exit.Signal
	default:
		// What a shell makes of a signal is one, too.
		o.Interrupted = d.exit.Code > 128 && d.exit.Code != exitcode.ReaderGone
	}
	if o.Errors == nil {
		o.Errors = []string{a.c.program() + ": " + why + ", and no result was written"}
		if d.err != nil {
			o.Errors = append(o.Errors, d.err.Error())
		}
	}
	if said := a.err.lastWords(); said != "" {
		o.Errors = append(o.Errors, said)
	}
	if d.exit.Held {
		a.warn("something that " + a.c.program() + " has left behind held its output open: what it writes is not waited for")
	}
	return o
}

// fromCause fills in the outcome of a program that was told to end.
func (a *adopter) fromCause(o *adopt.Outcome, cause error, exit proc.Exit) {
	var sig interface{ Signal() os.Signal }
	o.Errors = []string{cause.Error()}
	o.Code = codeOf(cause)
	switch {
	case errors.Is(cause, emit.ErrReaderGone):
		o.Interrupted, o.Code = true, exitcode.ReaderGone
	case errors.As(cause, &sig):
		o.Interrupted = true
	case o.Code == exitcode.Timeout:
		o.Limit = true
	default:
		o.Interrupted = errors.Is(cause, context.Canceled)
	}
	if exit.Killed {
		o.Status = o.Code
		o.Errors = append(o.Errors, fmt.Sprintf("%s did not end within %v of that", a.c.program(), a.c.Grace))
	}
}

// watchReader ends the program when nobody reads stdout any more. After the
// result it need not be read.
func (a *adopter) watchReader() {
	out, ok := a.out.w.(*stdio.Stdout)
	if !ok {
		return
	}
	a.stop = append(a.stop, out.WatchReader(func(err error) {
		if !a.ending.Load() {
			a.end(fmt.Errorf("%w: %w", emit.ErrReaderGone, err))
		}
	}))
}

// beat writes heartbeat lines until stop is called.
func (a *adopter) beat() (stop func()) {
	every := a.o.Heartbeat
	if every == 0 {
		return func() {}
	}
	quit := make(chan struct{})
	go func() {
		t := time.NewTimer(every)
		defer t.Stop()
		for {
			select {
			case <-quit:
				return
			case <-t.C:
			}
			if idle := a.out.idle(); idle < every {
				t.Reset(every - idle)
				continue
			}
			a.mu.Lock()
			a.mirror()
			_ = a.filter.Heartbeat() // the next Write returns the error
			a.mu.Unlock()
			t.Reset(every)
		}
	}()
	return sync.OnceFunc(func() { close(quit) })
}

// A standstill is looked for once the program should have ended.
type standstill struct {
	seen  int64 // writes of the program that were taken by then
	since int   // looks at which nothing had moved
}

// still reports whether nothing moves any more: our own output hangs, or the
// end of the program takes longer than it may.
func (s *standstill) still(p *pulse, grace time.Duration) bool {
	taken := p.taken.Load()
	if s.since++; taken != s.seen {
		s.seen, s.since = taken, 1
	}
	if p.busy() {
		return s.since > 1
	}
	return time.Duration(s.since)*reaping > max(grace, time.Second)+4*reaping
}

// A pulse tells how long a program has written nothing.
type pulse struct {
	begun  time.Time
	last   atomic.Int64 // since begun
	taking atomic.Int64 // writes of the program that are on their way
	taken  atomic.Int64 // and those that are through
}

func (p *pulse) start() { p.begun = time.Now() }

func (p *pulse) begin() { p.taking.Add(1) }

func (p *pulse) end() {
	p.last.Store(int64(time.Since(p.begun)))
	p.taken.Add(1)
	p.taking.Add(-1)
}

// busy reports whether something that the program wrote is being taken: our own
// output may hang.
func (p *pulse) busy() bool { return p.taking.Load() > 0 }

// idle returns how long the program has written nothing, and was not waited for.
func (p *pulse) idle() time.Duration {
	if p.busy() {
		return 0
	}
	return time.Since(p.begun) - time.Duration(p.last.Load())
}
