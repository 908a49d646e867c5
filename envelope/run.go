package envelope

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/streamjson/streamjson/exitcode"
	"github.com/streamjson/streamjson/redact"
)

// RunOptions is how [Run] runs a command body. The zero value answers people.
type RunOptions struct {
	// JSON: answer with one envelope on stdout. Under Command and the cobra
	// adapter it is the default of --json.
	JSON bool
	// JSONEnv names an environment variable (1, true, 0, false, …) that is the
	// default of --json, before JSON. Command and the cobra adapter look at it.
	JSONEnv string
	// Name is the program's name in front of messages on stderr; default: that
	// of the executable.
	Name string
	// Human writes data for people when JSON is false. It is called when the body
	// has returned no error, or data besides the error. nil: the body has
	// printed by itself.
	Human func(w io.Writer, data any) error
	// Compact writes the envelope on one line.
	Compact bool
	// Quiet: nothing on stderr in JSON mode.
	Quiet bool

	// Timeout ends the command after that time, with exit status 124; 0: never.
	Timeout time.Duration
	// Grace is how long a body may go on after its context was cancelled (half a
	// second at most if nobody reads stdout any more), and how long the reader may
	// then take for the document; default 5 s.
	Grace time.Duration
	// Heartbeat, if not 0, tells on stderr in such intervals that the command is
	// still at work: an envelope shows no life before its end.
	Heartbeat time.Duration
	// Signals end the command; nil: INT, TERM and HUP, save those that were
	// ignored when the process started; empty: none.
	Signals []os.Signal

	// Stdout and Stderr; nil: those of the process, and so is an *os.File on
	// descriptor 1 as Stdout. Only the process's own stdout is claimed.
	Stdout, Stderr io.Writer
	// Redactor replaces secrets in the envelope and on stderr; nil:
	// redact.Default() together with the secrets in the environment;
	// redact.None(): nothing is replaced. What Human writes is not its business.
	Redactor *redact.Redactor
	// Append encodes values beyond the usual kinds; see the option Append.
	Append func(dst []byte, v any) ([]byte, error)
}

// defaultGrace and goneGrace are how long a body may take to return once its
// context is cancelled; the second if nobody reads stdout any more.
const (
	defaultGrace = 5 * time.Second
	goneGrace    = 500 * time.Millisecond
)

// withDefaults fills in what was left unset.
func (o RunOptions) withDefaults() RunOptions {
	if o.Name == "" && len(os.Args) > 0 {
		o.Name = strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
	}
	if o.Grace <= 0 {
		o.Grace = defaultGrace
	}
	if o.Redactor == nil {
		o.Redactor = redact.WithEnviron(os.Environ())
	}
	return o
}

// Run runs the body of a command and answers for it, whatever happens: with
// exactly one envelope on stdout in JSON mode, else by o.Human. It returns the
// exit status; all of main is
//
//	os.Exit(envelope.Run(ctx, options, body))
//
// In JSON mode stdout is claimed for good: what the body, a library, a child
// process or a deferred function of main prints there lands on stderr, or
// nowhere if that is the same place (2>&1). Otherwise stdout is left alone.
// Errors and warnings are told on stderr in both modes.
//
// The body runs on a goroutine of its own. What ends the run, what the envelope
// says and the exit status:
//
//	the body returns nil              ok, and the data; 0
//	it returns an error               its messages (see Err), and the data; 1, 2
//	                                  for a UsageError, or the status of an
//	                                  exitcode.Error in the chain
//	it panics or calls Goexit         that; a trace follows on stderr; 1
//	a signal                          its name, and what the body still returns;
//	                                  128+n. The second one ends the process at once
//	o.Timeout, a deadline of ctx      the limit, and what the body still returns; 124
//	ctx is cancelled                  the cause, and what the body still returns; 130
//	the reader of stdout goes         nothing can be written; 141
//	stdout can't be written           what was written is no document; 74
//	data can't be encoded             the reason, data null; 1
//
// A signal, a time limit, ctx and a gone reader cancel the context of the body,
// with a cause that says which; what the body had returned before counts as it
// is. If it has not returned after o.Grace, the run ends without it.
//
// A signal that comes while the document is being written changes nothing in it,
// since it can't be taken back. The reader then has o.Grace to take the rest; if
// the document does not get through, the signal decides the exit status, also
// beside 74 and 141.
//
// On the process's own stdout the signals stay caught after Run, so that none
// comes between the document and the exit: call os.Exit soon. With a Stdout of
// the caller's they are given back.
func Run(ctx context.Context, o RunOptions, body func(context.Context, *Call) (data any, err error)) (exitCode int) {
	return start(ctx, o, body)
}

// start is Run, for the fronts.
func start(ctx context.Context, o RunOptions, body func(context.Context, *Call) (any, error)) int {
	caught := catchSignals(o.Signals)
	o = o.withDefaults()
	out, err := openSink(&o)
	defer out.close()
	if !out.own {
		defer caught.release()
	}
	r := &run{o: o, signals: caught, out: out, done: make(chan outcome, 1)}
	if o.JSON {
		r.prose = newProse(&o, out.w)
	} else {
		r.prose = newProse(&o, nil)
	}
	defer r.prose.drain()
	if err != nil {
		r.tellErrors(messagesOf(err))
		return exitcode.IO
	}
	r.call = &Call{json: o.JSON, prose: r.prose}
	stop := r.begin(ctx, body)
	defer stop()
	return r.finish(r.wait())
}

// run is the state of one Run. All of it belongs to the goroutine of Run,
// except for call and prose, which lock by themselves.
type run struct {
	o       RunOptions
	ctx     context.Context
	cancel  context.CancelCauseFunc
	signals *signals
	out     *sink
	prose   *prose
	call    *Call
	done    chan outcome // takes one, so that a body that returns late can end
}

// begin starts the body and what may cancel its context.
func (r *run) begin(ctx context.Context, body func(context.Context, *Call) (any, error)) (stop func()) {
	if ctx == nil {
		ctx = context.Background()
	}
	release := func() {}
	if r.o.Timeout > 0 {
		ctx, release = context.WithTimeoutCause(ctx, r.o.Timeout, &timeoutError{r.o.Timeout})
	}
	r.ctx, r.cancel = context.WithCancelCause(context.WithValue(ctx, callKey{}, r.call))
	unwatch := r.out.watch(func(error) { r.cancel(errReaderGone) })
	go r.runBody(body)
	return func() {
		unwatch()
		r.cancel(context.Canceled)
		release()
	}
}

// timeoutError is the cause of a run's context after its time limit.
type timeoutError struct{ limit time.Duration }

func (e *timeoutError) Error() string {
	return "the time limit of " + e.limit.String() + " ended the command"
}
func (e *timeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// wait returns when the body has, or when it is to be waited for no longer.
func (r *run) wait() outcome {
	var patience <-chan time.Time
	ended := r.ctx.Done()
	beat, stop := r.heartbeat()
	defer stop()
	begun := time.Now()
	for {
		select {
		case out := <-r.done:
			return out
		case sig := <-r.signals.ch:
			if r.signals.note(sig) {
				r.abort()
			}
			r.cancel(&signalError{r.signals.first})
		case <-ended:
			ended = nil
			patience = time.After(r.grace())
		case <-patience:
			return outcome{stuck: true, cause: context.Cause(r.ctx)}
		case <-beat:
			r.prose.say("", "still at work after "+time.Since(begun).Round(time.Second).String())
		}
	}
}

func (r *run) grace() time.Duration {
	if errors.Is(context.Cause(r.ctx), errReaderGone) {
		return min(r.o.Grace, goneGrace)
	}
	return r.o.Grace
}

func (r *run) heartbeat() (beat <-chan time.Time, stop func()) {
	if r.o.Heartbeat <= 0 {
		return nil, func() {}
	}
	t := time.NewTicker(r.o.Heartbeat)
	return t.C, t.Stop
}
