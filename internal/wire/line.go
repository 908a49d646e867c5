// Package wire holds what an event hands to the emitter: the members of one
// line, encoded, and what the line does to the state of its run. It knows
// neither the catalog of events (package event) nor writers, order and state
// (package emit), which stand on either side of it.
package wire

import (
	"errors"
	"strconv"

	"github.com/streamjson/streamjson/internal/jsonl"
)

// A Sink is where an event goes: the emitter, seen from the event.
type Sink interface {
	// Begin returns an empty line of the given type and subtype; a type
	// without subtypes has an empty one.
	Begin(typ, subtype string) *Line
	// Commit takes the line over, and with it every byte that it holds.
	Commit(*Line) error

	TextDelta(index int, text string) error
	ThinkingDelta(index int, text string) error
	ArgsDelta(toolUseID, fragment string) error
	DiscardDeltas() error
}

// ErrEmpty is the cause of a refusal: a member that the contract wants filled
// has nothing in it.
var ErrEmpty = errors.New("must not be empty")

// A Refusal says why a line is not taken.
type Refusal struct {
	Pointer string // to the member, RFC 6901
	Err     error
}

// A Line is one event on its way: its members, which stand behind the ones
// that every line begins with, and its effects on the run.
type Line struct {
	jsonl.Builder
	Type, Subtype string
	// Refused is set once the line broke a rule; the first one counts.
	Refused *Refusal
	Effects Effects

	// Overhead is how many bytes the emitter puts around the members, at
	// most; Max how long the whole line may be (0: no limit).
	Overhead, Max int
	// InvalidJSON: raw JSON that was none stands in the line as a string.
	InvalidJSON bool
	// Secret tells which ids hold a secret; nil: none does.
	Secret interface{ Contains(s string) bool }
	// Final: the line must be written whatever it takes, so that members
	// that are optional may be left out.
	Final bool
	// Empty: the result is that of a run with nothing to show for it.
	Empty bool

	level   int
	full    []int    // the sizes of texts before any was cut
	relaxed bool     // the limit was set right once
	in      string   // what stands before the name of the current member in a pointer
	inner   int      // the index that follows it; -1: none
	inside  string   // and what follows the index
	left    []string // names of optional members that Optional left out
}

// Reset makes the line empty, and keeps its memory.
func (l *Line) Reset(typ, subtype string) {
	l.Effects.reset()
	*l = Line{
		Builder: jsonl.Builder{Buf: l.Buf[:0], Sizes: l.Sizes[:0], Values: l.Values},
		Type:    typ, Subtype: subtype,
		Effects: l.Effects,
		inner:   -1,
		full:    l.full[:0],
		left:    l.left[:0],
	}
}

// In sets where the members that follow stand, for the pointers of refusals:
// prefix, index (-1: none), suffix. In("", -1, "") is the top level.
func (l *Line) In(prefix string, index int, suffix string) {
	l.in, l.inner, l.inside = prefix, index, suffix
}

// Refuse refuses the line because of the member called name.
func (l *Line) Refuse(name string, err error) {
	if l.Refused != nil || err == nil {
		return
	}
	p := l.in
	if l.inner >= 0 {
		p += "/" + strconv.Itoa(l.inner)
	}
	p += l.inside
	if name != "" {
		p += "/" + name
	}
	l.Refused = NewRefusal(p, err)
}

// ErrSecret is the cause of a refusal: an id holds a value that the redactor
// knows as a secret, and ids are never altered.
var ErrSecret = errors.New("holds a known secret, and an id is never altered: choose another one")

// NewRefusal returns the refusal of the member at pointer, or of the one inside
// of it that err is about.
func NewRefusal(pointer string, err error) *Refusal {
	return &Refusal{pointer + jsonl.ErrorPointer(err), withoutPointer(err)}
}

// withoutPointer returns err without the place that the refusal tells.
func withoutPointer(err error) error {
	switch e := err.(type) { //nolint:errorlint // as jsonl returns them
	case *jsonl.PointerError:
		return withoutPointer(e.Err)
	case *jsonl.SyntaxError:
		return &jsonl.SyntaxError{Offset: e.Offset, Msg: e.Msg}
	}
	return err
}

// MustID appends an id that must not be empty.
func (l *Line) MustID(name, s string) {
	if s == "" {
		l.Refuse(name, ErrEmpty)
	}
	l.checkID(name, s)
	l.ID(name, s)
}

// checkID refuses an id that holds a secret.
func (l *Line) checkID(name, s string) {
	if l.Secret != nil && l.Secret.Contains(jsonl.Hide(s)) {
		l.Refuse(name, ErrSecret)
	}
}

// MustText appends a text that must not be empty.
func (l *Line) MustText(name, s string) {
	if s == "" {
		l.Refuse(name, ErrEmpty)
	}
	l.Text(name, s)
}

// OptID appends an id unless it is empty.
func (l *Line) OptID(name, s string) {
	if s != "" {
		l.checkID(name, s)
		l.ID(name, s)
	}
}

// OptText appends a text unless it is empty.
func (l *Line) OptText(name, s string) {
	if s != "" {
		l.Text(name, s)
	}
}

// OptProse appends prose unless it is empty.
func (l *Line) OptProse(name, s string) {
	if s != "" {
		l.Prose(name, s)
	}
}

// OptInt appends an integer unless it is zero.
func (l *Line) OptInt(name string, n int64) {
	if n != 0 {
		l.Int(name, n)
	}
}

// OptBool appends a boolean unless it is false.
func (l *Line) OptBool(name string, v bool) {
	if v {
		l.Bool(name, v)
	}
}

// Members is a value of this module's own that appends the members of an object
// by itself: its names need no look at, and its order is its own.
type Members interface{ AppendMembers(l *Line) }

// OptValue appends an arbitrary value unless it is nil.
func (l *Line) OptValue(name string, v any) {
	switch v := v.(type) {
	case nil:
	case Members:
		l.Open(name, '{')
		v.AppendMembers(l)
		l.Close('}')
	default:
		l.Refuse(name, l.Value(name, v))
	}
}

// Optional reports whether an optional member may still be written; it may
// not once a final line would be too long with it.
func (l *Line) Optional(name string) bool {
	if l.level < levelDrop {
		return true
	}
	l.left = append(l.left, name)
	return false
}

// ErrNoObject is the cause of a refusal: the members of a line come from a
// value that is no JSON object.
var ErrNoObject = errors.New("must be a JSON object, for its members become those of the line")

// Fields appends the members of v, which must encode to an object without a
// key of the envelope's (contract F7).
func (l *Line) Fields(v any) {
	mark := len(l.Buf)
	buf, err := l.Cutting().AppendValue(l.Buf, v)
	l.Buf = buf
	switch object := l.Buf[mark:]; {
	case err != nil:
	case object[0] != '{':
		err = ErrNoObject
	default:
		l.refuseEnvelope(object)
	}
	if err != nil {
		l.Buf = l.Buf[:mark]
		l.Refuse("", err)
		return
	}
	// The object's own braces become the comma that joins its members to the
	// line's.
	l.Buf = l.Buf[:len(l.Buf)-1]
	if len(l.Buf) == mark+1 {
		l.Buf = l.Buf[:mark]
		return
	}
	l.Buf[mark] = ','
}

// refuseEnvelope refuses the line if a key of the object is the envelope's.
func (l *Line) refuseEnvelope(object []byte) {
	var lexer jsonl.Lexer
	lexer.Reset(object)
	for {
		token, err := lexer.Next()
		if err != nil || token.Kind == jsonl.End {
			return
		}
		if token.Kind != jsonl.Key || lexer.Depth() != 1 {
			continue
		}
		var name [256]byte // longer than any name of the envelope, and the room that it takes
		key := jsonl.AppendUnquoted(name[:0], object[token.Start:token.End])
		if Envelope(string(key)) {
			l.Refuse(string(key), ErrEnvelope)
		}
	}
}

// ErrEnvelope is the cause of a refusal: a payload's key is the envelope's.
var ErrEnvelope = errors.New("is a member of the envelope: choose another name for it")

// Envelope reports whether a member's name is one that the contract reserves
// for the envelope of each line.
func Envelope(name string) bool {
	switch name {
	case "type", "subtype", "session_id", "seq", "ts", "parent_tool_use_id", "extension", "_meta":
		return true
	}
	return false
}
