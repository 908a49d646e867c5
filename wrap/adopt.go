package wrap

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/streamjson/streamjson/clock"
	"github.com/streamjson/streamjson/exitcode"
	"github.com/streamjson/streamjson/internal/signals"
	"github.com/streamjson/streamjson/redact"
	"github.com/streamjson/streamjson/wrap/internal/adopt"
	"github.com/streamjson/streamjson/wrap/internal/proc"
)

// AdoptOptions says how the stream of an adopted program is written. The zero
// value is ready for use: to stdout, prose to stderr.
type AdoptOptions struct {
	// SessionID is the session of a run in which the program writes no event;
	// its own, if it writes any, stays. The default is new.
	SessionID string

	// Stdout and Stderr are where lines and prose go; nil means the process's
	// own. A nil Stdout is claimed (package stdio), and so is an *os.File that
	// is the process's stdout.
	Stdout, Stderr io.Writer

	// Also are further places for the lines, such as a log. Each has a
	// goroutine and a buffer of its own; one that fails, or that stands still
	// while its buffer is full, is cut off and told once, and stdout is
	// unharmed.
	Also []io.Writer

	// Clock gives the ts of lines that Adopt writes; nil is clock.System().
	Clock clock.Clock

	// Redactor keeps secrets out of all that leaves; redact.None() switches it
	// off. nil is redact.Default() and the values of the secrets in the
	// command's environment.
	Redactor *redact.Redactor

	// Heartbeat writes a heartbeat line after that time without a line; 0
	// writes none. There is none before the init line.
	Heartbeat time.Duration

	// Signals are what Adopt takes and passes on; nil is INT, TERM and HUP,
	// except those that were ignored at the start; an empty slice takes none.
	Signals []os.Signal

	// Quiet leaves out what Adopt itself has to say on stderr. The program's
	// stderr, and what it prints among its events, is passed on all the same.
	Quiet bool
}

// Adopt runs a program that writes a stream of its own (stream_v1), and makes
// sure that the stream is whole whatever happens to the program: it is all of
// main, as in os.Exit(wrap.Adopt(...)). Stdout gets one run with exactly one
// result, which is its last line, and the exit status agrees with it.
//
// The program's events pass byte for byte, in order, at once, until something
// had to be inserted or dropped; from then on the digits of seq are rewritten.
// Text that it prints among them goes to stderr and is told in a warning line.
// Where it ends without a result, be it by an exit, a crash, kill -9, a time
// limit, silence or a signal to this process, open tool calls and tasks are
// closed and a result is written that names the cause. Package
// wrap/internal/adopt has all the rules.
//
// Of c, MaxLine is the longest event that is taken, 0 meaning 16 MiB here, and
// MaxOutput means nothing. Once a limit or a signal comes, the program is told
// to end, and has Grace for that.
//
// The exit status is the program's own where that agrees with its result: a
// failure with exit status 0 gets that of its subtype (contract F13); a success
// with a failing status gets that status, and a warning in prose. Without a
// result it is the program's, 128+n for a signal, 124 for a limit, 126 or 127
// where the program could not be started. It is 141 when nobody reads stdout,
// 74 when it can't be written, and 2 when the options are refused, which is
// told on stderr. What comes after the program's result changes nothing.
//
// Signals are handled from the first moment and never given back, as emit.Run
// does. A second signal ends the wait for the program.
func Adopt(ctx context.Context, o AdoptOptions, c Command) (exitCode int) {
	taken := signals.Take(o.Signals)
	a, err := newAdopter(o, c)
	if err != nil {
		tellRefused(o, err)
		return exitcode.Usage
	}
	defer a.release()
	return a.run(ctx, taken)
}

// An adopter is a program on its way, and what becomes of its stream.
type adopter struct {
	o    AdoptOptions
	c    Command
	out  *adoptOut
	err  *adoptErr
	stop []func() // what gives back what was opened

	mu     sync.Mutex // guards filter: lines are written in order
	filter *adopt.Filter
	ending atomic.Bool  // the result has its place
	result atomic.Int32 // the exit status that it stands for, and one; 0: it is not written

	toldMu sync.Mutex
	told   []string // warnings in prose that the stream has not told yet

	pulse  pulse
	cancel context.CancelCauseFunc
	once   sync.Once   // for end
	late   atomic.Bool // the program was told to end behind its result
	first  os.Signal   // that was taken
	at     time.Time   // when
	stands standstill
}

// newAdopter checks the options and opens the outputs.
func newAdopter(o AdoptOptions, c Command) (*adopter, error) {
	longest := c.MaxLine
	c, err := c.normalize()
	switch {
	case err != nil:
		return nil, err
	case o.Heartbeat < 0:
		return nil, errors.New("wrap: AdoptOptions.Heartbeat must not be negative")
	case slices.Contains(o.Also, nil):
		return nil, errors.New("wrap: AdoptOptions.Also: a writer must not be nil")
	case longest != 0 && longest < adopt.LeastMaxLine:
		return nil, fmt.Errorf("wrap: MaxLine %d is below %d, the least that holds an event", longest, adopt.LeastMaxLine)
	}
	if o.Redactor == nil {
		o.Redactor = redact.WithEnviron(c.environ())
	}
	a := &adopter{o: o, c: c}
	if err := a.open(); err != nil {
		a.release()
		return nil, err
	}
	a.filter = adopt.New(a.out, adopt.Options{
		Name: cmp.Or(c.Name, strings.TrimSuffix(c.program(), ".exe")), CWD: c.cwd(), SessionID: o.SessionID,
		Clock: o.Clock, Redactor: o.Redactor, MaxLine: longest, Terminal: c.PTY,
		Foreign: func(text []byte) { _, _ = a.err.Write(text) },
		Notice:  func(text string) { a.err.say("warning", text) }, // the filter mirrors it
		Ending:  func() { a.ending.Store(true) },
	})
	return a, nil
}

// spec is how the program is started.
func (a *adopter) spec() proc.Spec {
	s := a.c.spec()
	s.Stdout, s.Stderr = adoptedStdout{a}, adoptedStderr{a}
	return s
}

// adoptedStdout takes what the program writes on its stdout.
type adoptedStdout struct{ *adopter }

func (a adoptedStdout) Write(p []byte) (int, error) {
	a.pulse.begin()
	defer a.pulse.end()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.mirror()
	n, err := a.filter.Write(p)
	if code, ended := a.filter.Ended(); ended {
		a.result.Store(int32(code) + 1)
	}
	return n, err
}

// adoptedStderr takes what the program writes on its stderr. What becomes of it
// does not end the program.
type adoptedStderr struct{ *adopter }

func (a adoptedStderr) Write(p []byte) (int, error) {
	a.pulse.begin()
	defer a.pulse.end()
	_, _ = a.err.child.Write(p)
	return len(p), nil
}

// warn tells something in prose, and the stream as soon as it can take a line
// (contract F11).
func (a *adopter) warn(text string) {
	a.err.say("warning", text)
	a.toldMu.Lock()
	defer a.toldMu.Unlock()
	a.told = append(a.told, text)
}

// mirror writes what warn has told. The lock of the filter is held.
func (a *adopter) mirror() {
	a.toldMu.Lock()
	list := a.told
	a.told = nil
	a.toldMu.Unlock()
	for _, text := range list {
		_ = a.filter.Warn(text) // the next Write returns the error
	}
}
