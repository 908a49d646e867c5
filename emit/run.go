package emit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/streamjson/streamjson/emit/event"
	"github.com/streamjson/streamjson/exitcode"
	"github.com/streamjson/streamjson/internal/signals"
	"github.com/streamjson/streamjson/redact"
)

const (
	// lastWrite is how long the result may take to be written once the time
	// to wind down is over.
	lastWrite = 250 * time.Millisecond
)

// Run is all of main: os.Exit(emit.Run(…)). It begins a run, calls body with
// it on a goroutine of its own, writes the result that follows from what body
// returns, and returns the exit status (contract F13).
//
// Body returns nil for a success, unless it has called Finish itself; an error
// that wraps ErrRefused, ErrMaxTurns, ErrTimeout or an exitcode.Error for the
// result and status of these; any other error for error_during_execution. Once
// the run's own context is done, an error that body returns counts as its
// cause. What body returns after it has called Finish no longer counts; an
// error goes to prose.
//
// The first SIGINT, SIGTERM or SIGHUP (Options.Signals) cancels the run's
// context, with a cause that has a method Signal() os.Signal; body has
// Options.Grace to return. The result then is interrupted
// and names the signal, whatever body returns. A second signal ends the
// process at once. A panic of body or under Go ends the run with an error
// result; its trace follows on stderr. A panic of a bare goroutine, os.Exit,
// and SIGKILL can't be caught from inside: no result is written then.
//
// Options that New refuses are told on stderr, and Run returns
// exitcode.Usage.
func Run(ctx context.Context, o Options, body func(context.Context, *Emitter) error) (exitCode int) {
	taken := signals.Take(o.Signals)
	if o.Redactor == nil {
		o.Redactor = redact.WithEnviron(os.Environ())
	}
	e, err := New(ctx, o)
	if err != nil {
		tellRefused(o, err)
		return exitcode.Usage
	}
	sup := supervisor{stream: e.stream, signals: taken}
	sup.takeOver()
	return sup.run(func(ctx context.Context) error { return body(ctx, e) })
}

// Do is Run without signals, process exit and prose about the end, for a run
// inside a server or a test. It returns nil where the run ended well, else
// what body returned, what failed under Go, or why the stream could not be
// written. A run that has ended, or is in the hands of Run or Do already, is
// ErrEnded, and body is not called.
func (e *Emitter) Do(body func(context.Context) error) error {
	sup := supervisor{stream: e.stream, quiet: true}
	if !sup.takeOver() {
		return ErrEnded
	}
	if sup.run(body) == exitcode.OK {
		return nil
	}
	s := e.stream
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.out.err != nil:
		return s.out.err
	case sup.cause != nil:
		return sup.cause
	case sup.returned != nil:
		return sup.returned
	default:
		return s.end.failed
	}
}

// tellRefused tells why no run could begin.
func tellRefused(o Options, err error) {
	w := o.Stderr
	if w == nil {
		w = os.Stderr
	}
	_, _ = fmt.Fprintln(w, oneLine(o.Redactor.String(err.Error())))
}

// A supervisor sees to it that a run ends: with a result that tells the truth,
// whatever body does, and in bounded time once it is cancelled.
type supervisor struct {
	stream  *stream
	signals <-chan os.Signal // nil: none
	quiet   bool             // nothing is told in prose

	first    os.Signal // the signal that counts
	firstAt  time.Time
	returned error // by body
	before   error // why the run was cancelled before body returned, if it was
	expired  bool  // and that was a deadline
	cause    error // why the run ended, where that was not body's return
}

// takeOver makes the end of the run the supervisor's, and reports false if it
// can't be any more.
func (v *supervisor) takeOver() bool {
	s := v.stream
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.end.supervised || s.phase != phaseOpen {
		return false
	}
	s.end.supervised = true
	return true
}

// run calls body and returns the exit status.
func (v *supervisor) run(body func(context.Context) error) int {
	s := v.stream
	returned := make(chan error, 1)
	go protect(
		func() error { return body(NewContext(s.ctx, s.end.top)) },
		func(err error) { returned <- err },
	)
	var ended <-chan struct{} // closed when the stream has its result
	var late <-chan time.Time // the time to wind down is over
	var last <-chan time.Time // and the time for the last write, too
	done, broken := s.ctx.Done(), s.end.broken
	for {
		select {
		case err := <-returned:
			returned = nil
			switch {
			case ended == nil:
				ended = v.conclude(err)
			case err != nil && !v.quiet: // it comes behind the end of Grace
				s.tellLate(err)
			}
		case sig := <-v.signals:
			v.take(sig)
		case <-done:
			done = nil
			late = time.After(v.grace())
		case <-broken: // also where the run was cancelled before
			broken = nil
			if last == nil {
				late = time.After(v.grace())
			}
		case <-late:
			late = nil
			close(s.end.hurry)
			if ended == nil {
				ended = v.conclude(fmt.Errorf("the run's body did not return within %v of its cancellation", v.grace()))
			}
			last = time.After(lastWrite)
		case <-ended:
			return v.code()
		case <-last:
			return v.code()
		}
	}
}

// grace returns how long the run may take to wind down.
func (v *supervisor) grace() time.Duration {
	select {
	case <-v.stream.end.broken:
		return min(brokenGrace, v.stream.o.Grace)
	default:
		return v.stream.o.Grace
	}
}

// take takes a signal: the first one cancels the run, a later one ends the
// process.
func (v *supervisor) take(sig os.Signal) {
	switch {
	case v.first == nil:
		v.first, v.firstAt = sig, time.Now()
		v.stream.cancel(&signals.Error{Sig: sig})
	case time.Since(v.firstAt) >= signals.Same:
		os.Exit(exitcode.FromSignal(v.first))
	}
}

// conclude ends the stream, on a goroutine of its own since a write may hang,
// and returns a channel that is closed then. Body has ended with err.
func (v *supervisor) conclude(err error) <-chan struct{} {
	s := v.stream
	v.takePending()
	v.returned = err
	v.before, v.expired = context.Cause(s.ctx), s.ctx.Err() == context.DeadlineExceeded
	if err != nil && !errorIs(err, ErrRefused) {
		s.cancel(err) // what runs under Go may wait for nothing else
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		finishErr := s.finish(func(left int, failed error) verdict { return v.verdict(err, left, failed) })
		if errors.Is(finishErr, ErrEnded) {
			<-s.end.done // body has called Finish, or does
			if err != nil && !v.quiet {
				s.tellLate(err)
			}
		}
	}()
	return ended
}

// takePending takes a signal that has come before body returned.
func (v *supervisor) takePending() {
	select {
	case sig := <-v.signals:
		v.take(sig)
	default:
	}
}

// verdict returns how the run ends whose body has returned err.
func (v *supervisor) verdict(err error, left int, failed error) verdict {
	s := v.stream
	_, failedByPanic := errorAs[*panicError](failed)
	_, endedByPanic := errorAs[*panicError](err)
	sig, interrupted := errorAs[*signals.Error](context.Cause(s.ctx))
	switch {
	case failedByPanic:
		v.cause = failed
		return s.verdictOf(failed)
	case endedByPanic:
		return s.verdictOf(err)
	case interrupted:
		v.cause = sig
		return s.withLeft(left, verdict{
			res:  event.Result{Subtype: event.Interrupted, Errors: withOthers(sig, err)},
			code: exitcode.FromSignal(sig.Sig),
		})
	case failed != nil:
		v.cause = failed
		return s.verdictOf(failed)
	case err != nil && v.before != nil:
		v.cause = v.before
		return s.withLeft(left, v.cancelled(err))
	case left > 0:
		v.cause = errors.New(leftText(left, s.o.Grace))
		return verdict{res: event.Result{Subtype: event.ErrorDuringExecution, Errors: withOthers(v.cause, err)}}
	default:
		return s.verdictOf(err)
	}
}

// withLeft adds to a failing verdict what did not end with the run.
func (s *stream) withLeft(left int, v verdict) verdict {
	if left > 0 && v.res.Errors != nil {
		v.res.Errors = append(v.res.Errors, leftText(left, s.o.Grace))
	}
	return v
}

// cancelled returns how a run ends whose own context was done before body
// returned err.
func (v *supervisor) cancelled(err error) verdict {
	errs := withOthers(v.before, err)
	switch {
	case v.expired && !errorIs(v.before, ErrTimeout):
		code := cmp.Or(codeOf(v.before), exitcode.Timeout)
		return verdict{res: event.Result{Subtype: event.ErrorDuringExecution, Errors: errs}, code: code}
	case v.before == context.Canceled: //nolint:errorlint // nobody gave a cause
		return verdict{res: event.Result{Subtype: event.Interrupted, Errors: errs}}
	}
	out := v.stream.verdictOf(v.before)
	if out.res.Errors != nil {
		out.res.Errors = errs
	}
	return out
}

// withOthers returns the messages of the cause, and what err says beyond it.
func withOthers(cause, err error) []string {
	list := texts(cause)
	if err == nil || errorIs(err, cause) || errorIs(err, context.Canceled) || errorIs(err, context.DeadlineExceeded) {
		return list
	}
	return append(list, texts(err)...)
}

// code returns the exit status: a signal beats a stdout that could not be
// written.
func (v *supervisor) code() int {
	s := v.stream
	v.takePending()
	s.mu.Lock()
	code := s.exitCode()
	broken, ended := s.out.err, s.phase == phaseEnded
	s.mu.Unlock()
	switch {
	case v.first != nil && (broken != nil || !ended || s.unwritten()):
		return exitcode.FromSignal(v.first)
	case broken != nil:
		if code == exitcode.IO && !v.quiet {
			s.prose.print(levelError, broken.Error(), "")
			s.prose.drain()
		}
		return code
	case !ended:
		return exitcode.Failure
	default:
		return code
	}
}

// unwritten reports whether the result has its place but is not written.
func (s *stream) unwritten() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.done.Load() < s.out.end
}
