package wrap

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/streamjson/streamjson/wrap/internal/proc"
)

// A job is what execute needs besides the command.
type job struct {
	tell    teller              // nil: nobody wants lines
	started func(pid int) error // nil: nobody asks; before the first line
	raw     bool                // stdout is wanted with its secrets, too
}

// execute runs the command to its end. The error is that of whoever is told;
// whatever becomes of the program is an outcome.
func (c *Command) execute(ctx context.Context, j job) (*outcome, error) {
	var raw capture
	var tap func([]byte)
	if j.raw {
		raw.max = c.MaxOutput
		tap = raw.take
	}
	out := newOutput(c, j.tell, tap)
	ctx, stop := c.limit(ctx, out)
	defer stop(nil)

	o := &outcome{Data: Data{Argv: c.Redactor.Args(c.Argv), CWD: c.cwd()}}
	spec := c.spec()
	spec.Stdout, spec.Stderr = out.streams[stdout], out.streams[stderr]
	var startErr error
	spec.Started = func(pid int) {
		o.started = true
		if j.started == nil {
			return
		}
		if startErr = j.started(pid); startErr != nil {
			stop(startErr)
		}
	}
	exit, err := proc.Run(ctx, spec)
	var cause error
	if ctx.Err() != nil {
		cause = context.Cause(ctx)
	}
	if told := errors.Join(startErr, out.end()); told != nil {
		return nil, told
	}
	o.settle(c, exit, err, cause)
	o.keep(out)
	if j.raw {
		o.raw = raw.bytes
	}
	return o, nil
}

// keep fills in what the program has written.
func (o *outcome) keep(out *output) {
	first, second := &out.streams[stdout].kept, &out.streams[stderr].kept
	o.Stdout, o.Stderr = first.text(), second.text()
	o.TruncatedBytes = first.left() + second.left()
	o.stdoutBytes, o.stderrBytes = first.total, second.total
	o.tail, o.errors = first.last(resultTail), second.last(errorTail)
}

// limit returns a context that is done, with the reason as its cause, when the
// program has had its time or has been silent for too long.
func (c *Command) limit(ctx context.Context, out *output) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	var timers []*time.Timer
	if c.Timeout > 0 {
		timers = append(timers, time.AfterFunc(c.Timeout, func() {
			cancel(&limitError{fmt.Sprintf("%s was ended after %v", c.program(), c.Timeout)})
		}))
	}
	if c.IdleTimeout > 0 {
		timers = append(timers, whenSilent(ctx, out, c.IdleTimeout, func() {
			cancel(&limitError{fmt.Sprintf("%s was ended, for it wrote nothing for %v", c.program(), c.IdleTimeout)})
		}))
	}
	return ctx, func(cause error) {
		for _, t := range timers {
			t.Stop()
		}
		cancel(cause)
	}
}

// whenSilent calls f once nothing has come for so long.
func whenSilent(ctx context.Context, out *output, limit time.Duration, f func()) *time.Timer {
	var mu sync.Mutex // the timer is set before it is used
	mu.Lock()
	defer mu.Unlock()
	var t *time.Timer
	t = time.AfterFunc(limit, func() {
		mu.Lock()
		defer mu.Unlock()
		if ctx.Err() != nil {
			return
		}
		if left := limit - out.silentFor(); left > 0 {
			t.Reset(left)
			return
		}
		f()
	})
	return t
}

// A capture keeps all that it takes, or nothing if that is too much.
type capture struct {
	max   int
	bytes []byte
	full  bool
}

func (c *capture) take(p []byte) {
	if c.full || len(c.bytes)+len(p) > c.max {
		c.full, c.bytes = true, nil
		return
	}
	c.bytes = append(c.bytes, p...)
}
