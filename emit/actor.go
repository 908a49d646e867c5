package emit

import (
	"context"
	"errors"

	"github.com/streamjson/streamjson/emit/event"
	"github.com/streamjson/streamjson/internal/jsonl"
	"github.com/streamjson/streamjson/internal/ulid"
	"github.com/streamjson/streamjson/internal/wire"
	"github.com/streamjson/streamjson/redact"
)

// An Actor is one agent of a run: the top-level one, which the Emitter is, or
// a nested one (a sub-agent, a tool agent, a stage of a workflow). All actors
// of a run write one stream with one seq; the lines of a nested one carry its
// parent_tool_use_id (contract F6).
//
// Its methods are safe for concurrent use. Lines stand in the stream in the
// order in which their calls took effect; the lines of one goroutine in the
// order of its calls. A call returns when its line was handed to the kernel.
type Actor struct {
	stream *stream
	sink   wire.Sink
	depth  int    // 0 at top level
	order  uint64 // of its making, in the run
	parent []byte // the parent_tool_use_id member, encoded; empty at top level
	role   string

	// Guarded by stream.mu.
	ended   bool
	message *Message   // that is open
	kept    int        // bytes of text in blocks
	blocks  []block    // with deltas, not complete
	args    []argsText // of tool calls whose message is not complete
}

func newActor(s *stream, depth int, parentToolUseID, role string) *Actor {
	a := &Actor{stream: s, depth: depth, order: s.actors.Add(1), role: role}
	if depth > 0 {
		a.parent = append(a.parent, `,"parent_tool_use_id":`...)
		a.parent = jsonl.AppendString(a.parent, parentToolUseID)
	}
	a.sink = (*sink)(a)
	return a
}

func (a *Actor) top() bool { return a.depth == 0 }

// Emit writes one event. A refused event returns an *EventError, a stream that
// can't be written a *WriteError, one that is over ErrEnded.
//
// An event that is built in the call, without arbitrary values in it, costs no
// allocation. Refusals are told in prose, too, each kind once; a nil event is
// none, and is refused by its error alone.
func (a *Actor) Emit(e event.Event) error { return event.Send(e, a.sink) }

// EmitAll writes several events as neighbours in the stream, in one Write. The
// events that are refused are left out, and the error joins their errors; the
// others are written all the same.
func (a *Actor) EmitAll(events ...event.Event) error {
	b := batch{actor: a}
	var errs []error
	for _, e := range events {
		if err := event.Send(e, &b); err != nil {
			errs = append(errs, err)
		}
	}
	errs = append(errs, b.commit()...)
	return errors.Join(errs...)
}

// Redactor returns what keeps secrets out of the run. A program needs it for a
// text that it cuts up before it emits it, such as the output of a child line
// by line: each event is redacted by itself, and half a secret is none.
func (a *Actor) Redactor() *redact.Redactor { return a.stream.o.Redactor }

// Warn writes a warning line, and the same in prose.
func (a *Actor) Warn(category, message string) error {
	a.stream.prose.print(levelWarn, message, "")
	return a.Emit(event.Warning{Category: category, Message: message})
}

// Nested returns a new actor whose lines carry parentToolUseID: the id of the
// tool_use that started it, or one of its own for a stage that no tool call
// started. The role is the label of its messages. It may go on after the
// result of that tool call. End ends it; Finish ends those still open.
//
// An empty id is replaced by a new one, for a nested line without an id would
// pass for a top-level one; so is one that holds a known secret.
func (a *Actor) Nested(parentToolUseID, role string) *Actor {
	if parentToolUseID == "" || a.stream.o.Redactor.Contains(parentToolUseID) {
		parentToolUseID = "actor_" + ulid.New(a.stream.o.Clock.Now())
	}
	return newActor(a.stream, a.depth+1, parentToolUseID, role)
}

// End closes what the actor has opened: it writes the text that was held back,
// an error result for each of its open tool calls, and a cancelled notification
// for each of its running tasks. A nested actor takes no events after that; the
// top-level one does, until the stream ends. To end twice is fine.
func (a *Actor) End() error {
	s := a.stream
	s.mu.Lock()
	if err := s.ready(a); err != nil {
		s.mu.Unlock()
		if a.depth > 0 && errors.Is(err, ErrEnded) {
			return nil
		}
		return err
	}
	before := s.here()
	s.closeOpened(a)
	if a.depth > 0 {
		a.ended, a.message = true, nil
		a.forget()
	}
	return s.settle(before)
}

type contextKey struct{}

// NewContext returns a context that carries a.
func NewContext(ctx context.Context, a *Actor) context.Context {
	return context.WithValue(ctx, contextKey{}, a)
}

// FromContext returns the actor that ctx carries, or nil.
func FromContext(ctx context.Context) *Actor {
	a, _ := ctx.Value(contextKey{}).(*Actor)
	return a
}

// A sink is an actor as its events see it.
type sink Actor

func (k *sink) Begin(typ, subtype string) *wire.Line {
	a := (*Actor)(k)
	l := a.stream.line(a, typ, subtype)
	l.Effects.WantText = a.top() || a.stream.o.Partial
	return l
}

func (k *sink) Commit(l *wire.Line) error { return (*Actor)(k).commit(l, nil) }

// commit gives a line its place and waits until it is written. The line is
// that of the message m, which ends with it, if m is not nil.
func (a *Actor) commit(l *wire.Line, m *Message) error {
	s := a.stream
	if l.Refused != nil && m == nil {
		return s.refused(l)
	}
	s.mu.Lock()
	from := s.here()
	from.urgent = l.Type == "system" && l.Subtype == "error"
	var refused error
	if l.Refused != nil {
		refused = s.refusalOf(l.Type, l.Subtype, l.Refused)
	}
	if m != nil {
		m.close()
	}
	if refused == nil {
		refused = s.accept(a, l)
	}
	if refused != nil && m != nil && s.ready(a) == nil {
		a.writeDiscard()
	}
	err := s.settle(from)
	s.recycle(l)
	switch {
	case refused == nil:
		return err
	case err == nil:
		return s.tell(refused)
	default:
		return errors.Join(s.tell(refused), err)
	}
}

func (k *sink) TextDelta(index int, text string) error {
	return (*Actor)(k).Text(index, text)
}

func (k *sink) ThinkingDelta(index int, text string) error {
	return (*Actor)(k).Thinking(index, text)
}

func (k *sink) ArgsDelta(toolUseID, fragment string) error {
	return (*Actor)(k).ToolArgs(toolUseID, fragment)
}

func (k *sink) DiscardDeltas() error { return (*Actor)(k).discard() }

// A batch is a sink that gathers what EmitAll was given, and then lets it take
// effect in one go.
type batch struct {
	actor *Actor
	items []batchItem
}

// A batchItem is a line, or a delta that takes effect without one.
type batchItem struct {
	line  *wire.Line
	delta func() error // the lock is held
}

func (b *batch) Begin(typ, subtype string) *wire.Line { return b.actor.sink.Begin(typ, subtype) }

func (b *batch) Commit(l *wire.Line) error {
	if l.Refused != nil {
		return b.actor.stream.refused(l)
	}
	b.items = append(b.items, batchItem{line: l})
	return nil
}

func (b *batch) add(delta func() error) error {
	b.items = append(b.items, batchItem{delta: delta})
	return nil
}

func (b *batch) TextDelta(index int, text string) error {
	return b.add(func() error { return b.actor.pushDelta(wire.TextBlock, index, text) })
}

func (b *batch) ThinkingDelta(index int, text string) error {
	return b.add(func() error { return b.actor.pushDelta(wire.ThinkingBlock, index, text) })
}

func (b *batch) ArgsDelta(toolUseID, fragment string) error {
	return b.add(func() error { return b.actor.pushArgs(toolUseID, fragment) })
}

func (b *batch) DiscardDeltas() error {
	return b.add(func() error { return b.actor.dropOpen() })
}

// commit lets everything take effect, and returns what did not.
func (b *batch) commit() []error {
	s := b.actor.stream
	var refused []error
	s.mu.Lock()
	before := s.here()
	for _, item := range b.items {
		var err error
		if item.line != nil {
			err = s.accept(b.actor, item.line)
		} else {
			err = item.delta()
		}
		if err != nil {
			refused = append(refused, err)
		}
	}
	err := s.settle(before)
	for i, e := range refused {
		refused[i] = s.tell(e)
	}
	for _, item := range b.items {
		if item.line != nil {
			s.recycle(item.line)
		}
	}
	return append(refused, err)
}
