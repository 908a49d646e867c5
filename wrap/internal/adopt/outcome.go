package adopt

import "github.com/streamjson/streamjson/exitcode"

// A kindOfEnd is a row of the table of results (contract section 2 and F13).
type kindOfEnd struct {
	subtype    string
	isError    bool
	stopReason string
	code       int
}

const (
	endSuccess     = "success"
	endFailed      = "error_during_execution"
	endInterrupted = "interrupted"
)

// endOf returns the row of a subtype, if it is one of the table.
func endOf(subtype string) (kindOfEnd, bool) {
	for _, k := range [...]kindOfEnd{
		{endSuccess, false, "end_turn", exitcode.OK},
		{"refused", false, "refusal", exitcode.OK},
		{endFailed, true, "error", exitcode.Failure},
		{"error_max_turns", true, "max_turns", exitcode.MaxTurns},
		{endInterrupted, true, "cancelled", exitcode.Interrupted},
	} {
		if k.subtype == subtype {
			return k, true
		}
	}
	return kindOfEnd{}, false
}

// An Outcome is how the child ended.
type Outcome struct {
	// Code is the exit status where the child has written no result: the
	// child's own, 128+n for a signal, exitcode.Timeout for a limit, and so on.
	Code int
	// Status is the child's own exit status, for which Code may stand in.
	Status int
	// Interrupted: the cause is a signal, or a cancellation, and no failure.
	Interrupted bool
	// Limit: a time limit has ended the child.
	Limit bool
	// Late: the child was told to end, but only after its result had passed.
	// Its exit status says nothing about the run then.
	Late bool
	// Errors name the cause, for a result that the child has not written.
	Errors []string
}

// exitCode returns the exit status of a run whose result the child has
// written, and reports whether it denies a success.
func (o Outcome) exitCode(subtype string, failed bool) (code int, denied bool) {
	switch {
	case !failed && (o.Late || o.Status == exitcode.OK):
		return exitcode.OK, false
	case !failed:
		return o.Status, true
	case o.Limit && !o.Late && o.Code != exitcode.OK:
		return o.Code, false
	case o.Status != exitcode.OK && !o.Late:
		return o.Status, false
	}
	return meaning(subtype, failed), false
}

// meaning is the exit status that a result stands for (contract F13).
func meaning(subtype string, failed bool) int {
	k, known := endOf(subtype)
	switch {
	case !failed:
		return exitcode.OK
	case known && k.isError:
		return k.code
	}
	return exitcode.Failure
}

// ownCode returns the exit status of a run whose result the child has not
// written: never that of a success.
func (o Outcome) ownCode() int {
	if o.Code == exitcode.OK {
		return exitcode.Failure
	}
	return o.Code
}
