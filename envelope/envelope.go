package envelope

import (
	"encoding/json"
	"errors"

	"github.com/streamjson/streamjson/exitcode"
)

// SchemaVersion is the version of the envelope that this package writes and
// reads (contract E2).
const SchemaVersion = 1

// Envelope is one answer in memory: what [Decode] returns. To write one, use
// [EmitJSON] or [Run], which can't build a state that the contract forbids.
//
// Members may be added to this struct; use keyed literals.
type Envelope[T any] struct {
	SchemaVersion int      `json:"schema_version"`
	OK            bool     `json:"ok"`
	Data          T        `json:"data"`
	Errors        []string `json:"errors"`
	Warnings      []string `json:"warnings"`

	// Code is the exit status that goes with a failure, where it is known. It
	// isn't on the wire: Decode leaves it 0.
	Code int `json:"-"`
}

// ExitCode returns the exit status that goes with e (contract E1): 0 if e.OK;
// else e.Code, or 1 where that says nothing (it is 0, or no exit status at all).
func (e Envelope[T]) ExitCode() int {
	if e.OK {
		return exitcode.OK
	}
	return exitcode.Error{Code: e.Code}.Status()
}

// Err returns nil if e.OK, and otherwise e's errors joined into one error,
// which [Run] and [Err] take apart again, together with the exit status.
func (e Envelope[T]) Err() error {
	if e.OK {
		return nil
	}
	errs := make([]error, 0, len(e.Errors))
	for _, m := range e.Errors {
		errs = append(errs, errors.New(m))
	}
	if len(errs) == 0 {
		errs = append(errs, errors.New(noMessage))
	}
	return exitcode.Error{Code: e.ExitCode(), Err: errors.Join(errs...)}
}

// MarshalJSON writes e with all five members, lists as [] when they are empty.
// It refuses a state that the contract forbids (E4): ok with errors, a failure
// without a message, another schema version (0 counts as 1). Secrets stay as
// they are, since e may be on its way through a cache or a test; what leaves
// the process goes through EmitJSON.
func (e Envelope[T]) MarshalJSON() ([]byte, error) {
	switch {
	case e.SchemaVersion != 0 && e.SchemaVersion != SchemaVersion:
		return nil, &VersionError{Version: int64(e.SchemaVersion)}
	case e.OK && len(e.Errors) > 0:
		return nil, invalid("/errors", "ok is true, yet there are errors: set OK to false or drop them")
	case !e.OK && !hasText(e.Errors):
		return nil, invalid("/errors", "ok is false without a message: say in Errors what went wrong")
	}
	type plain Envelope[T] // without this method
	e.SchemaVersion = SchemaVersion
	e.Errors, e.Warnings = notNil(e.Errors), notNil(e.Warnings)
	return json.Marshal(plain(e))
}

// hasText tells whether list says what went wrong, as E4 asks of a failure.
func hasText(list []string) bool {
	for _, m := range list {
		if !isBlank(m) {
			return true
		}
	}
	return false
}

func notNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
