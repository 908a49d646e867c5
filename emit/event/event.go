// Package event is the catalog of stream_v1: one Go type for each line that a
// stream may hold (contract section 2). The types are plain data. An emitter
// takes them by its Emit method and writes them; this package does not know
// where, and holds no state.
//
// # Reading the tables
//
// The doc comment of each type lists the members of its line in the order in
// which they are written, by their names on the wire. R marks a member that is
// always there, also when it is zero or empty; O one that is left out then, so
// that an absent member means zero or empty. "filled" marks a string that must
// not be empty: an event without it is refused. Enumerations are open: the
// values named are the known ones, and a reader ignores what it does not know.
//
// Before these members every line carries type, subtype (on system and result
// lines), session_id, seq, ts and, on a line of a nested actor,
// parent_tool_use_id. After them it may carry extension and _meta (see Extra).
//
// # How strings are written
//
// Ids and enumerated values are written as they are. Text (what models, tools
// and users wrote) is redacted. Prose (what the program itself says: reasons,
// messages, bodies, summaries, errors, warnings) is also stripped of escape
// sequences (contract F10).
//
// # Refused events
//
// An event that breaks a rule is refused as a whole: the emitter returns an
// error that names the member, writes nothing, and goes on (contract section
// 6). Events are passed as values; a pointer to an event works, too.
package event

import (
	"errors"
	"unsafe"

	"github.com/streamjson/streamjson/internal/wire"
)

// An Event is one line of the stream, before it is written. The interface is
// sealed: the types of this package are all there are, and System is the door
// for lines of a program's own.
type Event interface {
	// send encodes the event into a line of s and commits it. Each type has
	// its own short copy instead of one type switch in the emitter: a call
	// that names the type then compiles to a direct one, and an event built in
	// the call, its blocks included, stays on the caller's stack.
	send(s wire.Sink) error
}

var errNil = &RefusedError{Err: errors.New("a nil event was given")}

// Send hands e to an emitter. It is for package emit, which alone can make a
// wire.Sink; programs call Emit. It must stay cheap enough to be inlined into
// Emit and with it into the caller (a test pins that): hence the look at the
// interface's data word, which catches nil and nil pointers without a call.
func Send(e Event, s wire.Sink) error {
	if (*[2]uintptr)(unsafe.Pointer(&[...]Event{e}))[1] == 0 {
		return errNil
	}
	return e.send(s)
}

// Extra is what any line may carry besides its own members.
//
//	| member    | type   |   |                                         |
//	| --------- | ------ | - | --------------------------------------- |
//	| extension | object | O | detail of the model's provider          |
//	| _meta     | object | O | detail of the host and of the emitter   |
//
// In _meta the emitter itself writes run_id, truncated_bytes, invalid_json,
// left_out and empty; values of the caller's under these names are ignored.
type Extra struct {
	Extension map[string]any
	Meta      map[string]any
}

// end appends the members that close every line.
func (x *Extra) end(l *wire.Line) {
	if x == nil {
		l.End(nil, nil, "")
		return
	}
	l.End(x.Extension, x.Meta, "")
}

// A RefusedError says that an event was refused: nothing was written, no seq
// was used, and the stream goes on (contract section 6). Package emit calls it
// EventError.
type RefusedError struct {
	Type, Subtype string // of the line that the event would have become
	Pointer       string // to the member (RFC 6901); "" for the event as a whole
	Err           error  // what is wrong, and what to do
}

func (e *RefusedError) Error() string {
	text := "emit: " + e.name() + " refused: "
	if e.Pointer != "" {
		text += e.Pointer + ": "
	}
	return text + e.Err.Error()
}

func (e *RefusedError) name() string {
	switch {
	case e.Type == "":
		return "event"
	case e.Subtype != "":
		return e.Type + "/" + e.Subtype
	default:
		return e.Type
	}
}

// Unwrap returns the cause.
func (e *RefusedError) Unwrap() error { return e.Err }
