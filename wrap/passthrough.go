package wrap

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/streamjson/streamjson/exitcode"
	"github.com/streamjson/streamjson/stdio"
	"github.com/streamjson/streamjson/wrap/internal/proc"
)

// Passthrough runs a program for people: what it writes goes to stdout and
// stderr byte for byte, with its secrets, and only the care of the other modes
// is added: time limits, signals, the end of the whole process group. The two
// writers are called from a goroutine each.
//
// The exit status is that of Run: the program's own, 128+n if signal n has
// ended it or this run (by the cause of ctx), 124 for a limit, 126 or 127 where
// it could not be started. Once stdout or stderr can't be written the program
// is told to end; the status then is 141 if the reader has gone, else 74.
//
// The error is nil if the program ended by itself, whatever its status: it has
// said itself what was wrong. Else it says what has ended it, or what is wrong
// with the command (status 2).
func Passthrough(ctx context.Context, c Command, stdout, stderr io.Writer) (exitCode int, err error) {
	c, err = c.normalize()
	if err != nil {
		return exitcode.Usage, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var life pulse
	life.start()
	if c.Timeout > 0 {
		limit := time.AfterFunc(c.Timeout, func() {
			cancel(&limitError{fmt.Sprintf("%s was ended after %v", c.program(), c.Timeout)})
		})
		defer limit.Stop()
	}
	if c.IdleTimeout > 0 {
		go c.endWhenIdle(ctx, &life, cancel)
	}
	out, errOut := &passed{w: stdout, life: &life}, &passed{w: stderr, life: &life}
	spec := c.spec()
	spec.Stdout, spec.Stderr = out, errOut
	exit, err := proc.Run(ctx, spec)
	switch broken := cmp.Or(out.err, errOut.err); {
	case broken == nil:
	case stdio.IsReaderGone(broken):
		return exitcode.ReaderGone, err
	default:
		return exitcode.IO, err
	}
	var o outcome
	var cause error
	if ctx.Err() != nil {
		cause = context.Cause(ctx)
	}
	o.settle(&c, exit, err, cause)
	return o.code, cmp.Or(cause, err)
}

// endWhenIdle calls cancel once the program has written nothing for so long.
func (c *Command) endWhenIdle(ctx context.Context, life *pulse, cancel context.CancelCauseFunc) {
	for left := c.IdleTimeout; left > 0; left = c.IdleTimeout - life.idle() {
		select {
		case <-ctx.Done():
			return
		case <-time.After(left):
		}
	}
	cancel(&limitError{fmt.Sprintf("%s was ended, for it wrote nothing for %v", c.program(), c.IdleTimeout)})
}

// A passed hands on what a program writes.
type passed struct {
	w    io.Writer
	life *pulse
	err  error // the first one of w, for when the run is over
}

func (p *passed) Write(b []byte) (int, error) {
	p.life.begin()
	defer p.life.end()
	n, err := p.w.Write(b)
	if p.err == nil {
		p.err = err
	}
	return n, err
}
