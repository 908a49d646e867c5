package emit

import (
	"errors"
	"fmt"

	"github.com/streamjson/streamjson/emit/event"
	"github.com/streamjson/streamjson/stdio"
)

// Causes that a body can return, and that the emitter's errors wrap.
var (
	// ErrEnded: the stream has its result, or the actor was ended; nothing
	// can follow.
	ErrEnded = errors.New("emit: the stream has ended")

	// ErrReaderGone: whoever read stdout has closed it.
	ErrReaderGone = errors.New("emit: the reader of stdout has gone")

	// ErrMaxTurns: the turn limit is reached. A body that returns it ends the
	// run as error_max_turns, exit code 3.
	ErrMaxTurns = errors.New(maxTurnsText)

	// ErrRefused: the model declined. A body that returns it ends the run as
	// refused, which is no error: exit code 0.
	ErrRefused = errors.New("the model refused")

	// ErrTimeout: a time limit ended the run, exit code 124. A body returns it,
	// or it is the cause by which the run's context was cancelled.
	ErrTimeout = errors.New("the time limit is reached")
)

// A WriteError says that a line could not be written. It is sticky: the
// stream is over, and every later call returns the first one's cause.
type WriteError struct {
	Seq     uint64 // of the line
	Written int    // bytes of that line that were written
	Err     error  // the cause
}

func (e *WriteError) Error() string {
	return fmt.Sprintf("emit: line %d was cut after %d bytes: %v", e.Seq, e.Written, e.Err)
}

// Unwrap returns the cause.
func (e *WriteError) Unwrap() error { return e.Err }

// Is lets errors.Is find ErrReaderGone.
func (e *WriteError) Is(target error) bool {
	return target == ErrReaderGone && stdio.IsReaderGone(e.Err)
}

// An EventError says that an event was refused: nothing was written, no seq
// was used, and the stream goes on (contract section 6). Its fields are Type
// and Subtype of the line that it would have become, Pointer to the member
// (RFC 6901; "" for the event as a whole), and Err, the cause.
type EventError = event.RefusedError

// refusal returns an EventError.
func refusal(typ, subtype, pointer string, err error) error {
	return &EventError{Type: typ, Subtype: subtype, Pointer: pointer, Err: err}
}
