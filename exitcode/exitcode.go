// Package exitcode is the table of exit statuses of a program that writes
// machine-readable output (contract F13), and an error that carries one. It
// knows nothing of streams or envelopes.
package exitcode

import (
	"errors"
	"os"
	"strconv"
	"syscall"
)

// The exit statuses. A status is zero exactly when the result is no error; a
// program can map its own.
const (
	// OK: success, and a model's refusal, which is a complete turn.
	OK = 0
	// Failure: the run ended in an error that has no status of its own.
	Failure = 1
	// Usage: bad flags or arguments, and options that were refused.
	Usage = 2
	// MaxTurns: the turn limit ended the run.
	MaxTurns = 3
	// IO: stdout could not be written, for another reason than ReaderGone.
	IO = 74
	// Timeout: a time limit ended the run.
	Timeout = 124
	// NotExecutable: a wrapped command was found but could not be started.
	NotExecutable = 126
	// NotFound: a wrapped command was not found.
	NotFound = 127
	// Interrupted: the run was cancelled by something other than a signal, or
	// by SIGINT.
	Interrupted = 130
	// ReaderGone: whoever read stdout has closed it.
	ReaderGone = 141
)

// signalBase is what a shell adds to a signal's number.
const signalBase = 128

// FromSignal returns the exit status of a process that sig ended: 128 plus the
// signal's number, so 130 for SIGINT, 143 for SIGTERM, 129 for SIGHUP. A
// signal without a number gives Failure.
func FromSignal(sig os.Signal) int {
	if s, ok := sig.(syscall.Signal); ok && s > 0 {
		return signalBase + int(s)
	}
	return Failure
}

// Error is an error with an exit status of its own. A command's body returns
// it, as a value or a pointer, wrapped or not, to choose the status that the
// process ends with.
type Error struct {
	// Code is the exit status, 1 to 255. Since an error never exits with 0
	// and a status has eight bits, any other value counts as Failure.
	Code int
	// Err is what went wrong; nil is allowed.
	Err error
}

// Error returns the text of Err, or the status if there is none.
func (e Error) Error() string {
	if e.Err != nil {
		return e.Err.Error()
	}
	return "exit status " + strconv.Itoa(e.Status())
}

// Unwrap returns Err.
func (e Error) Unwrap() error { return e.Err }

// Status returns Code, or Failure where Code is no exit status of an error.
func (e Error) Status() int {
	if e.Code < 1 || e.Code > 255 {
		return Failure
	}
	return e.Code
}

// Of returns the exit status that the first Error in err's chain asks for, be
// it there as a value or as a pointer. It reports false if there is none.
func Of(err error) (code int, ok bool) {
	switch e := err.(type) { //nolint:errorlint // this is the walk over the chain
	case nil:
		return 0, false
	case Error:
		return e.Status(), true
	case *Error:
		if e == nil { // its methods would panic
			return 0, false
		}
		return e.Status(), true
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			if code, ok := Of(inner); ok {
				return code, true
			}
		}
		return 0, false
	}
	return Of(errors.Unwrap(err))
}
