package ours

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"sync/atomic"

	"github.com/streamjson/streamjson/bench/internal/line"
	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/event"
	"github.com/streamjson/streamjson/envelope"
	"github.com/streamjson/streamjson/redact"
)

// messageSize is how much text a message of deltas has before it is dropped
// and the next one begins: an emitter remembers the open message, and no model
// writes one without end.
const messageSize = 16 << 10

// shareSize is how much one goroutine writes before it counts for the message
// that all of them write.
const shareSize = 1 << 10

// Emitter writes whole lines through the doors that programs use.
type Emitter struct {
	e        *emit.Emitter
	w        io.Writer
	redactor *redact.Redactor
	open     atomic.Int64 // how much of the open message has gone by
}

// NewEmitter begins a run that writes to w. It redacts by r; burst is
// emit.Options.Burst.
func NewEmitter(w io.Writer, r *redact.Redactor, burst bool) (*Emitter, error) {
	e, err := emit.New(context.Background(), emit.Options{
		Product: "bench", Version: "1", SessionID: line.Session,
		Stdout: w, Stderr: io.Discard, Partial: true, Redactor: r, Burst: burst,
	})
	if err != nil {
		return nil, err
	}
	return &Emitter{e: e, w: w, redactor: r}, nil
}

// Emit implements line.Emitter. A tool_result must follow its tool_use.
func (e *Emitter) Emit(l *line.Line) error {
	switch l.Shape {
	case line.TextDelta:
		if err := e.e.Text(0, l.Text); err != nil {
			return err
		}
		return e.turn(l)
	case line.ThinkingDelta:
		if err := e.e.Thinking(0, l.Text); err != nil {
			return err
		}
		return e.turn(l)
	case line.ToolArgs:
		if err := e.e.ToolArgs(line.ToolID, l.Text); err != nil {
			return err
		}
		return e.turn(l)
	case line.Assistant:
		return e.e.Emit(event.Assistant{ID: line.MessageID, Content: []event.Block{event.Text{Text: l.Text}}})
	case line.ToolUse:
		return e.e.Emit(event.Assistant{ID: line.MessageID, Content: []event.Block{
			event.ToolUse{ID: line.ToolID, Name: line.ToolName, Input: l.Input},
		}})
	case line.ToolResult:
		return e.e.Emit(event.User{Content: []event.ToolResult{{ToolUseID: line.ToolID, Text: l.Text}}})
	case line.Envelope:
		_, err := envelope.EmitJSON(e.w, l.Data, envelope.Redact(e.redactor))
		return err
	default:
		return errShape
	}
}

// turn drops the open message once it is long enough.
func (e *Emitter) turn(l *line.Line) error {
	if l.Open += len(l.Text); l.Open < shareSize {
		return nil
	}
	all := e.open.Add(int64(l.Open))
	l.Open = 0
	if all < messageSize || !e.open.CompareAndSwap(all, 0) {
		return nil
	}
	return e.e.Emit(event.DeltasDiscarded{})
}

// Close writes the result.
func (e *Emitter) Close() error { return e.e.Finish(event.Result{}) }

// result is the last line of a run with three models.
func result(text string) event.Result {
	cost, total := line.Cost, usage(line.Total())
	res := event.Result{
		Result: text, NumTurns: line.Turns, DurationMS: line.Duration, TotalCostUSD: &cost, Usage: &total,
		RouteHistory: []event.Hop{{Turn: 0, Target: line.Target}}, ModelUsage: map[string]event.Usage{},
	}
	for name, u := range line.Models() {
		res.ModelUsage[name] = usage(u)
	}
	return res
}

func usage(u line.Usage) event.Usage { return event.Usage(u) }

// FinishLine returns the result line of a run whose last text is text.
func FinishLine(text string) ([]byte, error) {
	var w lastWrite
	e, err := NewEmitter(&w, redact.None(), false)
	if err != nil {
		return nil, err
	}
	if err := e.e.Emit(event.State{SessionState: event.StateRunning}); err != nil {
		return nil, err
	}
	err = e.e.Finish(result(text))
	return w.b, err
}

// A Result encodes result lines alone. Only Finish does that, and only once a
// run; but it encodes what it is given before it looks whether the run has
// ended, so that a run that has ended encodes as often as one likes.
type Result struct {
	e   *Emitter
	res event.Result
}

// NewResult returns an error if Finish no longer is that door.
func NewResult(r *redact.Redactor) (*Result, error) {
	e, err := NewEmitter(io.Discard, r, false)
	if err != nil {
		return nil, err
	}
	if err := e.Close(); err != nil {
		return nil, err
	}
	door := &Result{e, result("")}
	bad := result("")
	*bad.TotalCostUSD = math.NaN() // which only encoding finds out
	if err := e.e.Finish(bad); err == nil || errors.Is(err, emit.ErrEnded) {
		return nil, fmt.Errorf("ours: Finish of a run that has ended no longer encodes the result (%v): measure it by another door", err)
	}
	return door, nil
}

// Encode encodes a result with the given text.
func (r *Result) Encode(text string) error {
	r.res.Result = text
	if err := r.e.e.Finish(r.res); !errors.Is(err, emit.ErrEnded) {
		return fmt.Errorf("ours: Finish: %w", err)
	}
	return nil
}
