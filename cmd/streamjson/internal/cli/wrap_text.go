package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/streamjson/streamjson/exitcode"
	"github.com/streamjson/streamjson/internal/signals"
	"github.com/streamjson/streamjson/stdio"
	"github.com/streamjson/streamjson/wrap"
)

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

// notify sends the signals that end a run to a channel.
func notify(came chan os.Signal) {
	if list := signals.OrDefault(nil); len(list) > 0 { // without any, Notify would mean all
		signal.Notify(came, list...)
	}
}

// runText runs the command for people: what it writes is theirs as it is.
func (c *wrapCall) runText() int {
	came := make(chan os.Signal, 2)
	notify(came)
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
	e := awaitText(ended, came, cancel)
	if e.err != nil && !c.quiet {
		fmt.Fprintf(stderr, "streamjson wrap: %v\n", e.err)
	}
	return e.code
}

// awaitText returns how the command ended. The first signal is passed on to it,
// the second one ends the wait.
func awaitText(ended <-chan ending, came <-chan os.Signal, cancel context.CancelCauseFunc) ending {
	var first *stopped
	var at time.Time
	for {
		select {
		case e := <-ended:
			return e
		case sig := <-came:
			switch {
			case first == nil:
				first, at = &stopped{sig}, time.Now()
				cancel(first)
			case time.Since(at) >= signals.Same:
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
