package rival

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/rs/zerolog"

	"github.com/streamjson/streamjson/bench/internal/line"
)

// zerologEncoder has a logger for each type of line, whose first members are
// encoded once.
type zerologEncoder struct {
	last    lastWrite
	loggers [line.Envelope]zerolog.Logger
	models  map[string]line.Usage
	names   []string
	total   line.Usage
}

func newZerolog() *zerologEncoder {
	e := &zerologEncoder{models: line.Models(), total: line.Total()}
	e.names = slices.Sorted(maps.Keys(e.models))
	for s := range e.loggers {
		context := zerolog.New(&e.last).With().Str("type", lineType(line.Shape(s)))
		if line.Shape(s) == line.Result {
			context = context.Str("subtype", "success")
		}
		e.loggers[s] = context.Str("session_id", line.Session).Logger()
	}
	return e
}

func (e *zerologEncoder) Encode(l *line.Line) ([]byte, error) {
	event := e.loggers[l.Shape].Log().Uint64("seq", l.Seq).Str("ts", l.TS)
	switch l.Shape {
	case line.TextDelta:
		event = event.Dict("event", zerolog.Dict().Str("type", "content_block_delta").Int("index", 0).
			Dict("delta", zerolog.Dict().Str("type", "text_delta").Str("text", l.Text)))
	case line.ThinkingDelta:
		event = event.Dict("event", zerolog.Dict().Str("type", "content_block_delta").Int("index", 0).
			Dict("delta", zerolog.Dict().Str("type", "thinking_delta").Str("thinking", l.Text)))
	case line.ToolArgs:
		event = event.Dict("event", zerolog.Dict().Str("type", "tool_args_delta").
			Str("tool_use_id", line.ToolID).Str("partial_json", l.Text))
	case line.Assistant:
		event = event.Dict("message", zerolog.Dict().Str("id", line.MessageID).Str("role", "assistant").
			Array("content", zerolog.Arr().Dict(zerolog.Dict().Str("type", "text").Str("text", l.Text))))
	case line.ToolUse:
		event = event.Dict("message", zerolog.Dict().Str("id", line.MessageID).Str("role", "assistant").
			Array("content", zerolog.Arr().Dict(zerologInput(zerolog.Dict().Str("type", "tool_use").
				Str("id", line.ToolID).Str("name", line.ToolName), l.Input))))
	case line.ToolResult:
		event = event.Dict("message", zerolog.Dict().Str("role", "user").
			Array("content", zerolog.Arr().Dict(zerolog.Dict().Str("type", "tool_result").
				Str("tool_use_id", line.ToolID).Str("content", l.Text))))
	default:
		event = e.result(event, l)
	}
	event.Send()
	return e.last.b, nil
}

// zerologInput takes the fastest door for each kind of input.
func zerologInput(e *zerolog.Event, input any) *zerolog.Event {
	switch input := input.(type) {
	case map[string]any:
		return e.Dict("input", zerolog.Dict().Fields(input))
	case json.RawMessage:
		return e.RawJSON("input", input)
	default:
		return e.Interface("input", input)
	}
}

func (e *zerologEncoder) result(event *zerolog.Event, l *line.Line) *zerolog.Event {
	models := zerolog.Dict()
	for _, name := range e.names {
		models.Dict(name, zerologUsage(e.models[name]))
	}
	return event.Bool("is_error", false).Int("num_turns", line.Turns).Int64("duration_ms", line.Duration).
		Str("result", l.Text).Str("stop_reason", "end_turn").
		Array("route_history", zerolog.Arr().Dict(zerolog.Dict().Int("turn", 0).Str("target", line.Target))).
		Dict("usage", zerologUsage(e.total)).Dict("model_usage", models).Float64("total_cost_usd", line.Cost)
}

func zerologUsage(u line.Usage) *zerolog.Event {
	return zerolog.Dict().Int64("input_tokens", u.InputTokens).Int64("output_tokens", u.OutputTokens).
		Int64("cache_read", u.CacheRead).Int64("cache_creation", u.CacheCreation)
}
