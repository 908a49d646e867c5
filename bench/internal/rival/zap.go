package rival

import (
	"go.uber.org/zap"
	"go.uber.org/zap/buffer"
	"go.uber.org/zap/zapcore"

	"github.com/streamjson/streamjson/bench/internal/line"
)

// zapEncoder uses zap's JSON encoder by itself, the part of zap that writes.
type zapEncoder struct {
	encoders [line.Envelope]zapcore.Encoder
	last     *buffer.Buffer
	models   map[string]line.Usage
	total    line.Usage
	line     *line.Line // that is being written
}

func newZap() *zapEncoder {
	e := &zapEncoder{models: line.Models(), total: line.Total()}
	for s := range e.encoders {
		encoder := zapcore.NewJSONEncoder(zapcore.EncoderConfig{LineEnding: "\n"})
		encoder.AddString("type", lineType(line.Shape(s)))
		if line.Shape(s) == line.Result {
			encoder.AddString("subtype", "success")
		}
		encoder.AddString("session_id", line.Session)
		e.encoders[s] = encoder
	}
	return e
}

func (e *zapEncoder) Encode(l *line.Line) ([]byte, error) {
	if e.last != nil {
		e.last.Free()
	}
	e.line = l
	fields := [...]zap.Field{zap.Uint64("seq", l.Seq), zap.String("ts", l.TS), zap.Inline(zapcore.ObjectMarshalerFunc(e.members))}
	var err error
	e.last, err = e.encoders[l.Shape].EncodeEntry(zapcore.Entry{}, fields[:])
	if err != nil {
		return nil, err
	}
	return e.last.Bytes(), nil
}

// members adds the payload.
func (e *zapEncoder) members(o zapcore.ObjectEncoder) error {
	switch e.line.Shape {
	case line.TextDelta, line.ThinkingDelta, line.ToolArgs:
		return o.AddObject("event", zapEvent{e.line})
	case line.Result:
		return e.result(o)
	default:
		return o.AddObject("message", zapMessage{e.line})
	}
}

type zapEvent struct{ *line.Line }

func (l zapEvent) MarshalLogObject(o zapcore.ObjectEncoder) error {
	if l.Shape == line.ToolArgs {
		o.AddString("type", "tool_args_delta")
		o.AddString("tool_use_id", line.ToolID)
		o.AddString("partial_json", l.Text)
		return nil
	}
	o.AddString("type", "content_block_delta")
	o.AddInt("index", 0)
	return o.AddObject("delta", zapDelta(l))
}

type zapDelta struct{ *line.Line }

func (l zapDelta) MarshalLogObject(o zapcore.ObjectEncoder) error {
	if l.Shape == line.ThinkingDelta {
		o.AddString("type", "thinking_delta")
		o.AddString("thinking", l.Text)
		return nil
	}
	o.AddString("type", "text_delta")
	o.AddString("text", l.Text)
	return nil
}

type zapMessage struct{ *line.Line }

func (l zapMessage) MarshalLogObject(o zapcore.ObjectEncoder) error {
	if l.Shape == line.ToolResult {
		o.AddString("role", "user")
	} else {
		o.AddString("id", line.MessageID)
		o.AddString("role", "assistant")
	}
	return o.AddArray("content", zapContent(l))
}

type zapContent struct{ *line.Line }

func (l zapContent) MarshalLogArray(a zapcore.ArrayEncoder) error {
	return a.AppendObject(zapBlock(l))
}

type zapBlock struct{ *line.Line }

func (l zapBlock) MarshalLogObject(o zapcore.ObjectEncoder) error {
	switch l.Shape {
	case line.ToolUse:
		o.AddString("type", "tool_use")
		o.AddString("id", line.ToolID)
		o.AddString("name", line.ToolName)
		return o.AddReflected("input", l.Input)
	case line.ToolResult:
		o.AddString("type", "tool_result")
		o.AddString("tool_use_id", line.ToolID)
		o.AddString("content", l.Text)
	default:
		o.AddString("type", "text")
		o.AddString("text", l.Text)
	}
	return nil
}

func (e *zapEncoder) result(o zapcore.ObjectEncoder) error {
	o.AddBool("is_error", false)
	o.AddInt("num_turns", line.Turns)
	o.AddInt64("duration_ms", line.Duration)
	o.AddString("result", e.line.Text)
	o.AddString("stop_reason", "end_turn")
	o.AddFloat64("total_cost_usd", line.Cost)
	if err := o.AddArray("route_history", zapcore.ArrayMarshalerFunc(zapRoute)); err != nil {
		return err
	}
	if err := o.AddObject("usage", zapUsage(e.total)); err != nil {
		return err
	}
	return o.AddObject("model_usage", zapcore.ObjectMarshalerFunc(func(o zapcore.ObjectEncoder) error {
		for name, u := range e.models {
			if err := o.AddObject(name, zapUsage(u)); err != nil {
				return err
			}
		}
		return nil
	}))
}

func zapRoute(a zapcore.ArrayEncoder) error {
	return a.AppendObject(zapcore.ObjectMarshalerFunc(func(o zapcore.ObjectEncoder) error {
		o.AddInt("turn", 0)
		o.AddString("target", line.Target)
		return nil
	}))
}

type zapUsage line.Usage

func (u zapUsage) MarshalLogObject(o zapcore.ObjectEncoder) error {
	o.AddInt64("input_tokens", u.InputTokens)
	o.AddInt64("output_tokens", u.OutputTokens)
	o.AddInt64("cache_read", u.CacheRead)
	o.AddInt64("cache_creation", u.CacheCreation)
	return nil
}
