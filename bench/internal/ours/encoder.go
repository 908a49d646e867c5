// Package ours writes the lines of package line by this SDK: whole emits
// through its public doors, and the encoding alone through the parts of which
// the emitter is made.
package ours

import (
	"errors"
	"strconv"
	"unsafe"

	"github.com/streamjson/streamjson/bench/internal/line"
	"github.com/streamjson/streamjson/emit/event"
	"github.com/streamjson/streamjson/envelope"
	"github.com/streamjson/streamjson/internal/jsonl"
	"github.com/streamjson/streamjson/internal/wire"
	"github.com/streamjson/streamjson/redact"
)

// Encoder encodes without order, state or clock: the members of a line as the
// event writes them, behind the head that the emitter puts before them.
// Results have a door of their own, see [Result].
type Encoder struct {
	redactor *redact.Redactor
	stream   *redact.Stream // of deltas; nil: no redaction
	args     *redact.JSONStream
	held     []byte
	sink     sink
	buf      []byte
	document lastWrite
}

// NewEncoder returns an encoder that redacts by r; redact.None() for none.
func NewEncoder(r *redact.Redactor) *Encoder {
	e := &Encoder{redactor: r}
	if r.Enabled() {
		e.stream, e.args = r.Stream(), r.JSONStream()
		e.sink.line.Values.Filter = r.Filter()
		e.sink.secret = r
	}
	return e
}

var errShape = errors.New("ours: the encoder has no door for lines of this shape")

// Encode implements line.Encoder.
func (e *Encoder) Encode(l *line.Line) ([]byte, error) {
	switch l.Shape {
	case line.TextDelta, line.ThinkingDelta, line.ToolArgs:
		return e.delta(l), nil
	case line.Assistant, line.ToolUse, line.ToolResult:
		return e.event(l)
	case line.Envelope:
		_, err := envelope.EmitJSON(&e.document, l.Data, envelope.Redact(e.redactor))
		return e.document.b, err
	default:
		return nil, errShape
	}
}

// delta encodes a line as the emitter's hot path does.
func (e *Encoder) delta(l *line.Line) []byte {
	buf := appendDeltaHead(e.buf[:0], l)
	switch {
	case e.stream == nil:
		buf = jsonl.AppendEscaped(buf, l.Text)
	case l.Shape == line.ToolArgs:
		e.held = e.args.Append(e.held[:0], l.Text)
		buf = jsonl.AppendEscaped(buf, view(e.held))
	default:
		e.held = e.stream.Append(e.held[:0], l.Text)
		buf = jsonl.AppendEscaped(buf, view(e.held))
	}
	e.buf = appendDeltaTail(buf, l.Shape)
	return e.buf
}

func appendHead(buf []byte, typ string, l *line.Line) []byte {
	buf = append(buf, `{"type":"`...)
	buf = append(buf, typ...)
	buf = append(buf, `","session_id":"`+line.Session+`","seq":`...)
	buf = strconv.AppendUint(buf, l.Seq, 10)
	buf = append(buf, `,"ts":"`...)
	buf = append(buf, l.TS...)
	return append(buf, '"')
}

func appendDeltaHead(buf []byte, l *line.Line) []byte {
	buf = append(buf, `{"type":"stream_event","session_id":"`+line.Session+`","seq":`...)
	buf = strconv.AppendUint(buf, l.Seq, 10)
	buf = append(buf, `,"ts":"`...)
	buf = append(buf, l.TS...)
	switch l.Shape {
	case line.ThinkingDelta:
		return append(buf, `","event":{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"`...)
	case line.ToolArgs:
		return append(buf, `","event":{"type":"tool_args_delta","tool_use_id":"`+line.ToolID+`","partial_json":"`...)
	default:
		return append(buf, `","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"`...)
	}
}

func appendDeltaTail(buf []byte, s line.Shape) []byte {
	if s == line.ToolArgs {
		return append(buf, "\"}}\n"...)
	}
	return append(buf, "\"}}}\n"...)
}

// event encodes a line by the code of its event.
func (e *Encoder) event(l *line.Line) ([]byte, error) {
	var err error
	typ := "assistant"
	switch l.Shape {
	case line.ToolUse:
		err = event.Send(event.Assistant{ID: line.MessageID, Content: []event.Block{
			event.ToolUse{ID: line.ToolID, Name: line.ToolName, Input: l.Input},
		}}, &e.sink)
	case line.ToolResult:
		typ = "user"
		err = event.Send(event.User{Content: []event.ToolResult{{ToolUseID: line.ToolID, Text: l.Text}}}, &e.sink)
	default:
		err = event.Send(event.Assistant{ID: line.MessageID, Content: []event.Block{event.Text{Text: l.Text}}}, &e.sink)
	}
	if err != nil {
		return nil, err
	}
	buf := appendHead(e.buf[:0], typ, l)
	buf = append(buf, e.sink.line.Buf...)
	e.buf = append(buf, "}\n"...)
	return e.buf, nil
}

// sink is what an event sees of an emitter, with nothing behind it.
type sink struct {
	line   wire.Line
	secret *redact.Redactor
}

func (s *sink) Begin(typ, subtype string) *wire.Line {
	s.line.Reset(typ, subtype)
	if s.secret != nil {
		s.line.Secret = s.secret
	}
	return &s.line
}

func (s *sink) Commit(l *wire.Line) error {
	if l.Refused != nil {
		return l.Refused.Err
	}
	return nil
}

func (*sink) TextDelta(int, string) error     { return errShape }
func (*sink) ThinkingDelta(int, string) error { return errShape }
func (*sink) ArgsDelta(string, string) error  { return errShape }
func (*sink) DiscardDeltas() error            { return errShape }

// lastWrite is a writer that remembers what it was given.
type lastWrite struct{ b []byte }

func (w *lastWrite) Write(p []byte) (int, error) {
	w.b = p
	return len(p), nil
}

// view is b seen as a string, for a callee that does not keep it.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
