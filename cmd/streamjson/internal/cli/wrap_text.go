package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/streamjson/streamjson/exitcode"
	"github.com/streamjson/streamjson/stdio"
	"github.com/streamjson/streamjson/wrap"
)

// sameSignal is how soon after the first one a signal counts as the same:
// timeout(1) signals the group and the process.
const sameSignal = 100 * time.Millisecond

// A stopped is the cause of a command that a signal to this process has ended.
type stopped struct{ signal os.Signal }

func (s *stopped) Error() string { return "stopped by a signal: " + s.signal.String() }

// Signal is what the command gets, too.
func (s *stopped) Signal() os.Signal { return s.signal }

// An ending is how the command ended.
type ending struct {
	code int
	err  error
}

// notify sends the signals that end a run to a channel, save those that the
// process was started to ignore, by nohup or as a job in the background.
func notify(signals chan os.Signal) {
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(sig) {
			signal.Notify(signals, sig)
		}
	}
}

// runText runs the command for people: what it writes is theirs as it is.
func (c *wrapCall) runText() int {
	signals := make(chan os.Signal, 2)
	notify(signals)
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	stdout, unwatch := c.stdout(cancel)
	defer unwatch()
	stderr := c.stderr()
	ended := make(chan ending, 1)
	go func() {
		code, err := wrap.Passthrough(ctx, c.command, stdout, stderr)
		ended <- ending{code, err}
	}()
	e := awaitText(ended, signals, cancel)
	if e.err != nil && !c.quiet {
		fmt.Fprintf(stderr, "streamjson wrap: %v\n", e.err)
	}
	return e.code
}

// awaitText returns how the command ended. The first signal is passed on to it,
// the second one ends the wait.
func awaitText(ended <-chan ending, signals <-chan os.Signal, cancel context.CancelCauseFunc) ending {
	var first *stopped
	var at time.Time
	for {
		select {
		case e := <-ended:
			return e
		case sig := <-signals:
			switch {
			case first == nil:
				first, at = &stopped{sig}, time.Now()
				cancel(first)
			case time.Since(at) >= sameSignal:
				return ending{exitcode.FromSignal(first.signal), first}
			}
		}
	}
}

// stdout is where what the command writes goes. When its reader has gone, the
// command is told to end at once, not when it writes next.
func (c *wrapCall) stdout(cancel context.CancelCauseFunc) (w io.Writer, unwatch func()) {
	if c.s.file == nil {
		return c.s.out, func() {}
	}
	out := stdio.FromFile(c.s.file)
	return out, out.WatchReader(func(err error) {
		cancel(exitcode.Error{Code: exitcode.ReaderGone, Err: fmt.Errorf("the reader of stdout has gone: %w", err)})
	})
}

// stderr is where what the command says goes. That nobody reads it must not be
// the command's problem, nor end this process.
func (c *wrapCall) stderr() io.Writer {
	if f, ok := c.s.err.(*os.File); ok {
		return heedless{stdio.FromFile(f)}
	}
	return heedless{c.s.err}
}

// A heedless writer has no errors.
type heedless struct{ w io.Writer }

func (h heedless) Write(b []byte) (int, error) {
	_, _ = h.w.Write(b)
	return len(b), nil
}
