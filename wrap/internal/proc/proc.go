// Package proc runs a command and ends it: the whole tree of it, in bounded
// time, without losing what it wrote last. It knows nothing of lines and
// events.
//
// The command gets a process group of its own, pipes of its own and, on Linux,
// a death that follows this process's. Its two streams are read side by side
// from the first moment; that the command has ended is learned beside them and
// never closes a pipe that still holds text. A process that the command leaves
// behind with a pipe in its hands is waited for as long as Spec.Grace, then it
// is killed.
//
// On Linux the command is reaped after the rest of its process group was
// killed, so that the group's number can't have become somebody else's. On
// systems other than Linux and macOS there are no groups and no signals: the
// command alone is killed at once.
package proc

import (
	"context"
	"errors"
	"io"
	"os"
	"syscall"
	"time"
)

// Stdin says what the command reads.
type Stdin uint8

const (
	// None is the end of file at once.
	None Stdin = iota
	// Inherit is this process's own standard input, which is handed over and
	// never read here. If it is the terminal that this process stands in the
	// foreground of, the command is put there until it ends.
	Inherit
)

// A Spec is what to run, and how.
type Spec struct {
	// Argv is the program and its arguments. A name without a separator is
	// looked for in the PATH of Env.
	Argv []string
	// Dir is the directory to run in; "" is the current one.
	Dir string
	// Env is the environment as "KEY=value"; nil is that of this process.
	Env   []string
	Stdin Stdin
	// PTY gives the command a terminal for its output, which all comes by
	// Stdout then. The terminal has the size of ours, if there is one.
	PTY bool

	// Stdout and Stderr take what the command writes; nil drops it. Each is
	// called from a goroutine of its own, one Write for each read of at most 64
	// KiB; p is valid during the call only. A writer that takes its time slows
	// the command down, so that memory stays bounded. After an error the rest
	// is read and dropped, and the command is told to end.
	Stdout, Stderr io.Writer

	// Grace is how long the command has from the first signal to KILL, and how
	// long a pipe is waited for that something else holds open after the
	// command has ended. Zero gives none.
	Grace time.Duration

	// Started is called with the command's process id before the first Write;
	// nil is allowed.
	Started func(pid int)

	// SoleParent says that this process has no child processes but this one,
	// and starts none before Run returns. It then adopts what the command's
	// processes leave behind (on Linux, as a child subreaper): wherever such an
	// orphan has gone, it is killed at the end, and reaped. A library can't
	// know that, and must not take the exit status of a child that others wait
	// for, so it is off by default: then an orphan that has left the process
	// group is found only when Run had to end the command while it was still
	// the command's descendant. So it is, too, if there is a child already.
	SoleParent bool
}

// An Exit is how the command ended.
type Exit struct {
	// Code is the exit status, 0 to 255: 128+n if signal n ended the command.
	Code int
	// Signal is the name of the signal that ended it, as "SIGKILL", or "".
	Signal string
	// Held says that Run did not wait for the end of a stream, because
	// something that the command has left behind held it open.
	Held bool
	// Killed says that Run killed the command, since it did not end within
	// Grace of the first signal.
	Killed bool
	// Duration is how long the command ran, without the wait for its streams.
	Duration time.Duration
}

// Run runs a command to its end. It returns when the command was reaped, both
// streams are through or given up, and what was left of the process group has
// been killed.
//
// Once ctx is done, the process group gets the signal of the context's cause
// (a method Signal() os.Signal, found by errors.As), else TERM; after
// Grace, the whole tree gets KILL. If ctx was done before, nothing is started
// and the error is its cause. A command that this process may not signal, as
// one that has become another user, is waited for.
//
// The error is a *StartError if the command could not be started; else the
// first error of Stdout or Stderr, or one that says why the exit status could
// not be had. Exit is filled in with each of them, as far as it is known.
func Run(ctx context.Context, s Spec) (Exit, error) {
	if ctx.Err() != nil {
		return Exit{}, context.Cause(ctx)
	}
	r := &run{spec: s, broken: make(chan error, 2), through: make(chan struct{})}
	if err := r.start(); err != nil {
		return Exit{Code: err.Code}, err
	}
	return r.supervise(ctx)
}

// A run is one command, from its start to its end.
type run struct {
	spec     Spec
	child    *child
	terminal *terminal // nil without a PTY
	streams  []*stream
	broken   chan error    // a writer has failed
	through  chan struct{} // closed when all streams are

	exit  Exit
	err   error
	asked time.Time   // when the command was first told to end
	last  os.Signal   // the signal that it was told by
	kill  *time.Timer // Grace after asked
}

// supervise sees the started command to its end.
func (r *run) supervise(ctx context.Context) (Exit, error) {
	began := time.Now()
	r.kill = time.NewTimer(time.Hour)
	r.kill.Stop()
	defer r.kill.Stop()
	if r.spec.Started != nil {
		r.spec.Started(r.child.pid)
	}
	r.read()

	r.awaitExit(ctx)
	r.exit.Duration = time.Since(began)
	r.awaitStreams(ctx)
	r.child.killRest(!r.asked.IsZero())
	<-r.through // a writer that takes its time is waited for
	r.close()

	if err := r.child.reap(&r.exit, max(r.spec.Grace, minReap)); err != nil {
		r.fail(err)
	}
	select {
	case err := <-r.broken:
		r.fail(err)
	default:
	}
	return r.exit, r.err
}

// minReap is the least time that killed orphans have to go.
const minReap = time.Second

// awaitExit returns when the command itself has ended.
func (r *run) awaitExit(ctx context.Context) {
	cancelled := ctx.Done()
	for {
		select {
		case <-r.child.exited:
			return
		case <-cancelled:
			cancelled = nil
			r.tell(signalOf(context.Cause(ctx)))
		case err := <-r.broken:
			r.fail(err)
			r.tell(syscall.SIGTERM)
		case <-r.kill.C:
			r.exit.Killed = true
			r.child.kill()
		}
	}
}

// awaitStreams returns when the streams of the ended command are through, or
// what holds them has had its time.
func (r *run) awaitStreams(ctx context.Context) {
	cancelled := ctx.Done()
	if !r.asked.IsZero() {
		cancelled = nil
		r.child.signalRest(r.last) // nobody else may be left to tell them
	}
	wait := time.NewTimer(r.left())
	defer wait.Stop()
	for {
		select {
		case <-r.through:
			if !r.asked.IsZero() {
				r.child.settle(time.Now().Add(r.left()))
			}
			return
		case <-cancelled:
			cancelled = nil
			r.tell(signalOf(context.Cause(ctx)))
		case err := <-r.broken:
			r.fail(err)
			r.tell(syscall.SIGTERM)
		case <-wait.C:
			r.giveUp()
			return
		}
	}
}

// left is how long what the command has left behind may go on: Grace, from the
// command's end or, if it was told to end, from that moment.
func (r *run) left() time.Duration {
	if r.asked.IsZero() {
		return r.spec.Grace
	}
	return max(time.Until(r.asked.Add(r.spec.Grace)), 0)
}

// tell asks the command's process group to end.
func (r *run) tell(sig os.Signal) {
	r.last = sig
	if r.asked.IsZero() {
		r.asked = time.Now()
		r.kill.Reset(r.spec.Grace)
	}
	r.child.tell(sig)
}

// fail keeps the first error.
func (r *run) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// giveUp kills what holds the streams that are still open, and lets their
// readers take what stands in the pipes, but wait for no more. A stream that
// nobody holds any more is only slow: its end is sure to come.
func (r *run) giveUp() {
	var held []*stream
	for _, s := range r.streams {
		if s.held() {
			held = append(held, s)
		}
	}
	r.exit.Held = len(held) > 0
	r.child.killRest(true)
	for _, s := range held {
		s.giveUp()
	}
}

// signalOf is the signal that a cause stands for.
func signalOf(cause error) os.Signal {
	var by interface{ Signal() os.Signal }
	if errors.As(cause, &by) {
		if sig, ok := by.Signal().(syscall.Signal); ok && sig > 0 {
			return sig
		}
	}
	return syscall.SIGTERM
}
