package wrap

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/exitcode"
	"github.com/streamjson/streamjson/wrap/internal/proc"
)

// Data is what came of a program.
//
// Stdout and Stderr are text as a person would read it: valid UTF-8, without
// escape sequences, "\n" at the end of lines, of lines that were rewritten by
// "\r" the last state. Secrets are replaced in them and in Argv.
type Data struct {
	Argv []string `json:"argv"`
	// CWD is the absolute path of the directory that the program ran in.
	CWD string `json:"cwd"`
	// ExitCode is the program's own status: 128+n if signal n has ended it,
	// 127 and 126 if it could not be started.
	ExitCode int `json:"exit_code"`
	// Signal is the name of the signal that has ended it, as "SIGKILL".
	Signal     string `json:"signal,omitempty"`
	DurationMS int64  `json:"duration_ms"`
	Stdout     string `json:"stdout"`
	Stderr     string `json:"stderr"`
	// StdoutJSON is stdout where that is JSON as a whole, or JSON values that
	// each begin on a line of their own: then an array of them. Envelope alone
	// fills it in.
	StdoutJSON json.RawMessage `json:"stdout_json,omitempty"`
	// TruncatedBytes is how many bytes of the two texts were left out. A line
	// "[n bytes left out]" stands for them.
	TruncatedBytes int64 `json:"truncated_bytes,omitempty"`

	// Err is why the program has failed, nil if it has not. It holds an
	// exitcode.Error with the status that goes with it (contract F13): the
	// program's own, or 124 with emit.ErrTimeout for a time limit, and what
	// belongs to the cause where its context was cancelled.
	Err error `json:"-"`
}

const (
	// resultTail is how much of stdout is the text of the result, and
	// errorTail how much of stderr stands in errors.
	resultTail = 64 << 10
	errorTail  = 4 << 10
)

// An outcome is Data and what only this package needs.
type outcome struct {
	Data
	code    int   // the exit status of the run
	cause   error // why the program was told to end, or nil
	started bool
	held    bool // something left behind held the output open
	killed  bool // the program did not end by itself when it was told to

	stdoutBytes, stderrBytes int64
	tail, errors             string // the ends of stdout and stderr
	raw                      []byte // stdout with its secrets; nil: not wanted, or too long
}

// A limitError says which time limit has ended the program.
type limitError struct{ text string }

func (e *limitError) Error() string { return emit.ErrTimeout.Error() + ": " + e.text }
func (e *limitError) Unwrap() error { return emit.ErrTimeout }

// settle fills in how the program ended; err is what proc.Run has returned,
// cause why the context was done, or nil.
func (o *outcome) settle(c *Command, exit proc.Exit, err, cause error) {
	o.ExitCode, o.Signal = exit.Code, exit.Signal
	o.DurationMS = exit.Duration.Round(time.Millisecond).Milliseconds()
	o.held, o.killed, o.cause = exit.Held, exit.Killed, cause
	var notStarted *proc.StartError
	switch {
	case cause != nil:
		o.code = codeOf(cause)
		if !o.started {
			o.ExitCode = o.code
		}
		o.Err = exitcode.Error{Code: o.code, Err: cause}
	case errors.As(err, &notStarted):
		o.ExitCode, o.code = notStarted.Code, notStarted.Code
		o.Err = exitcode.Error{Code: o.code, Err: err}
	case err != nil: // the exit status could not be had
		o.code = exitcode.Failure
		o.Err = exitcode.Error{Code: o.code, Err: err}
	case exit.Code != 0:
		o.code = exit.Code
		o.Err = exitcode.Error{Code: o.code, Err: errors.New(c.program() + ": " + o.status())}
	}
}

// codeOf is the exit status of a run that was ended from outside.
func codeOf(cause error) int {
	var by interface{ Signal() os.Signal }
	code, own := exitcode.Of(cause)
	switch {
	case errors.As(cause, &by):
		return exitcode.FromSignal(by.Signal())
	case own:
		return code
	case errors.Is(cause, emit.ErrTimeout), errors.Is(cause, context.DeadlineExceeded):
		return exitcode.Timeout
	case errors.Is(cause, context.Canceled):
		return exitcode.Interrupted
	default:
		return exitcode.Failure
	}
}

// cancelled reports whether somebody has ended the run from outside.
func (o *outcome) cancelled() bool {
	var by interface{ Signal() os.Signal }
	return errors.As(o.cause, &by) || errors.Is(o.cause, context.Canceled)
}

// interrupted reports whether the run counts as interrupted: it was cancelled,
// or a signal that was not ours has ended the program (contract F13, 128+n).
func (o *outcome) interrupted() bool {
	return o.cancelled() || o.cause == nil && o.Signal != ""
}

// status says how the program itself ended.
func (o *outcome) status() string {
	if o.Signal != "" {
		return "ended by " + o.Signal
	}
	return fmt.Sprintf("exit status %d", o.ExitCode)
}

// summary is the outcome on one line for people.
func (o *outcome) summary(c *Command) string {
	var b strings.Builder
	if o.Err != nil {
		b.WriteString(o.Err.Error())
	} else {
		b.WriteString(c.program() + ": " + o.status())
	}
	if o.stdoutBytes > 0 {
		b.WriteString(", " + count(o.stdoutBytes, "byte") + " on stdout")
	}
	if o.stderrBytes > 0 {
		b.WriteString(", " + count(o.stderrBytes, "byte") + " on stderr")
	}
	return b.String()
}

// messages is what went wrong, for the errors of a result or an envelope: why,
// and the last that the program has said about it.
func (o *outcome) messages() []string {
	if o.Err == nil {
		return nil
	}
	list := []string{o.Err.Error()}
	if said := strings.TrimSpace(o.errors); said != "" {
		list = append(list, said)
	}
	return list
}

// report hands the data on to whom the command names.
func (o *outcome) report(c *Command) {
	if c.Report != nil {
		c.Report(o.Data)
	}
}
