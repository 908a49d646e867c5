package emit

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/streamjson/streamjson/emit/event"
	"github.com/streamjson/streamjson/internal/jsonl"
	"github.com/streamjson/streamjson/internal/wire"
)

var (
	errOneMessage  = errors.New("another Message is open on this actor: end or discard it first")
	errMessageOver = errors.New("this Message was ended or discarded")
	errToolTwice   = errors.New("this message has a tool_use of this id already")
	errArgsAfter   = errors.New("the tool_use of this id is complete")
)

// A Message is an assistant message on its way. What is streamed into it goes
// out as deltas where Options.Partial is set; End writes the assistant line,
// which is built from what was streamed, so that both say the same by
// construction. Its methods are safe for concurrent use, but a model's output
// has an order of its own.
type Message struct {
	actor *Actor
	id    string

	// Guarded by actor.stream.mu.
	err   error // why nothing can be written; nil while open
	parts []part
}

// A part is one block of the message's content.
type part struct {
	kind  wire.BlockKind
	id    string // of a tool call
	name  string
	input json.RawMessage // nil: the joined fragments
}

// Message begins a message of the actor, of that id or none. One can be open
// at a time: the methods of a second one return an error until it is begun
// anew after the first was ended or discarded.
func (a *Actor) Message(id string) *Message {
	s := a.stream
	m := &Message{actor: a, id: id}
	s.mu.Lock()
	if a.message != nil {
		m.err = errOneMessage
		s.mu.Unlock()
		return m
	}
	a.message = m
	before := s.here()
	// A message of the low-level door that was never completed ends here.
	if s.ready(a) == nil {
		a.writeDiscard()
	}
	// Should that fail, the first call of m tells.
	_ = s.settle(before)
	return m
}

// Text streams a piece of text. It goes into a new block after anything else.
func (m *Message) Text(text string) error { return m.stream(wire.TextBlock, text) }

// Thinking streams a piece of thinking. It goes into a new block after
// anything else.
func (m *Message) Thinking(text string) error { return m.stream(wire.ThinkingBlock, text) }

func (m *Message) stream(kind wire.BlockKind, text string) error {
	a := m.actor
	s := a.stream
	s.mu.Lock()
	if err := m.ready("stream_event"); err != nil {
		s.mu.Unlock()
		return s.tell(err)
	}
	if text == "" {
		s.mu.Unlock()
		return nil
	}
	before := s.here()
	if n := len(m.parts); n == 0 || m.parts[n-1].kind != kind {
		m.parts = append(m.parts, part{kind: kind})
	}
	b, err := a.block(kind, len(m.parts)-1)
	if err != nil {
		s.mu.Unlock()
		return s.tell(err)
	}
	b.text = appendText(b.text, text)
	a.pushText(b, text)
	return s.settle(before)
}

// ToolArgs streams a fragment of the input of the tool call toolUseID, whose
// ToolUse follows. Fragments of several calls may come in turns.
func (m *Message) ToolArgs(toolUseID, fragment string) error {
	a := m.actor
	s := a.stream
	s.mu.Lock()
	before := s.here()
	err := m.ready("stream_event")
	if err == nil && m.tool(toolUseID) >= 0 {
		err = refusal("stream_event", "", "/event/tool_use_id", errArgsAfter)
	}
	if err == nil {
		err = a.pushFragment(toolUseID, fragment)
	}
	if err != nil {
		s.mu.Unlock()
		return s.tell(err)
	}
	return s.settle(before)
}

// ToolUse adds a tool call. A nil input is the joined fragments of ToolArgs,
// or {} if there are none; fragments that are no valid JSON become a string,
// with _meta.invalid_json. The line itself is written by End.
func (m *Message) ToolUse(id, name string, input any) error {
	s := m.actor.stream
	raw, encodeErr := m.encode(input)
	s.mu.Lock()
	err := m.ready("assistant")
	switch {
	case err != nil:
	case encodeErr != nil:
		err = m.refuse("/input", encodeErr)
	case id == "":
		err = m.refuse("/id", wire.ErrEmpty)
	case name == "":
		err = m.refuse("/name", wire.ErrEmpty)
	case m.tool(id) >= 0:
		err = m.refuse("/id", errToolTwice)
	case s.opened.isOpen(openTool, id):
		err = m.refuse("/id", errToolOpen)
	default:
		m.parts = append(m.parts, part{wire.ToolBlock, jsonl.Valid(id), name, raw})
	}
	s.mu.Unlock()
	return s.tell(err)
}

// encode encodes the input of a tool call; raw JSON is checked by End.
func (m *Message) encode(input any) (json.RawMessage, error) {
	switch v := input.(type) {
	case nil:
		return nil, nil
	case json.RawMessage:
		if v == nil {
			return nil, nil
		}
		return slices.Clone(v), nil
	default:
		return jsonl.Values{Append: m.actor.stream.o.Append}.AppendValue(nil, input)
	}
}

// refuse returns why the block that would come next is refused.
func (m *Message) refuse(member string, err error) error {
	pointer := "/message/content/" + itoa(len(m.parts)) + member
	return m.actor.stream.refusalOf("assistant", "", wire.NewRefusal(pointer, err))
}

// tool returns the index of the part that calls the tool of that id, or -1.
func (m *Message) tool(id string) int {
	id = jsonl.Valid(id)
	return slices.IndexFunc(m.parts, func(p part) bool { return p.kind == wire.ToolBlock && p.id == id })
}

// ready returns why the message takes nothing, or nil. The lock is held.
func (m *Message) ready(typ string) error {
	if err := m.actor.stream.ready(m.actor); err != nil {
		return err
	}
	if m.err != nil {
		return refusal(typ, "", "", m.err)
	}
	return nil
}

// End writes the assistant line. If it is refused (a tool call of the same id
// was opened by somebody else meanwhile), the message is discarded.
func (m *Message) End() error {
	a := m.actor
	s := a.stream
	s.mu.Lock()
	if err := m.ready("assistant"); err != nil {
		s.mu.Unlock()
		return s.tell(err)
	}
	m.err = errMessageOver
	content := m.content()
	s.mu.Unlock()
	return event.Send(event.Assistant{Agent: a.label(), ID: m.id, Content: content}, (*messageSink)(m))
}

// Discard ends the message without a line of its own: what was streamed is
// void. A provider's retry begins with it.
func (m *Message) Discard() error {
	a := m.actor
	s := a.stream
	s.mu.Lock()
	if err := m.ready("stream_event"); err != nil {
		s.mu.Unlock()
		return s.tell(err)
	}
	m.err = errMessageOver
	m.close()
	before := s.here()
	a.writeDiscard()
	return s.settle(before)
}

// close makes room for the actor's next message.
func (m *Message) close() {
	if m.actor.message == m {
		m.actor.message = nil
	}
}

// content returns the blocks of the message. The lock is held.
func (m *Message) content() []event.Block {
	a := m.actor
	content := make([]event.Block, len(m.parts))
	for i, p := range m.parts {
		switch p.kind {
		case wire.ToolBlock:
			content[i] = event.ToolUse{ID: p.id, Name: p.name, Input: m.input(p)}
		case wire.ThinkingBlock:
			content[i] = event.Thinking{Thinking: a.textAt(i)}
		default:
			content[i] = event.Text{Text: a.textAt(i)}
		}
	}
	return content
}

// textAt returns the text of the block at index.
func (a *Actor) textAt(index int) string {
	for i := range a.blocks {
		if a.blocks[i].index == index {
			return string(a.blocks[i].text)
		}
	}
	return ""
}

// input returns what p calls its tool with.
func (m *Message) input(p part) any {
	if p.input != nil {
		return p.input
	}
	for i := range m.actor.args {
		if t := &m.actor.args[i]; string(t.id) == p.id {
			return json.RawMessage(slices.Clone(t.text))
		}
	}
	return nil
}

// A messageSink is the sink of a message's own line, which alone may pass
// while the message is open.
type messageSink Message

func (k *messageSink) Begin(typ, subtype string) *wire.Line {
	return k.actor.sink.Begin(typ, subtype)
}

func (k *messageSink) Commit(l *wire.Line) error {
	return k.actor.commit(l, (*Message)(k))
}

func (*messageSink) TextDelta(int, string) error     { return nil }
func (*messageSink) ThinkingDelta(int, string) error { return nil }
func (*messageSink) ArgsDelta(string, string) error  { return nil }
func (*messageSink) DiscardDeltas() error            { return nil }
