package rival

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/streamjson/streamjson/bench/internal/line"
)

// slogEncoder hands records to a JSONHandler, the fastest door of slog. The
// record has no time of its own, and its message is the type: a ReplaceAttr
// that renames it would make slog slower.
type slogEncoder struct {
	last    lastWrite
	handler slog.Handler
	models  map[string]line.Usage
	names   []string
	total   line.Usage
}

func newSlog() *slogEncoder {
	e := &slogEncoder{models: line.Models(), total: line.Total()}
	e.names = slices.Sorted(maps.Keys(e.models))
	e.handler = slog.NewJSONHandler(&e.last, nil).WithAttrs([]slog.Attr{slog.String("session_id", line.Session)})
	return e
}

func (e *slogEncoder) Encode(l *line.Line) ([]byte, error) {
	record := slog.NewRecord(time.Time{}, slog.LevelInfo, lineType(l.Shape), 0)
	record.AddAttrs(slog.Uint64("seq", l.Seq), slog.String("ts", l.TS))
	switch l.Shape {
	case line.TextDelta:
		record.AddAttrs(slog.GroupAttrs("event", slog.String("type", "content_block_delta"), slog.Int("index", 0),
			slog.GroupAttrs("delta", slog.String("type", "text_delta"), slog.String("text", l.Text))))
	case line.ThinkingDelta:
		record.AddAttrs(slog.GroupAttrs("event", slog.String("type", "content_block_delta"), slog.Int("index", 0),
			slog.GroupAttrs("delta", slog.String("type", "thinking_delta"), slog.String("thinking", l.Text))))
	case line.ToolArgs:
		record.AddAttrs(slog.GroupAttrs("event", slog.String("type", "tool_args_delta"),
			slog.String("tool_use_id", line.ToolID), slog.String("partial_json", l.Text)))
	case line.Result:
		e.result(&record, l)
	default:
		record.AddAttrs(slogMessage(l))
	}
	err := e.handler.Handle(context.Background(), record)
	return e.last.b, err
}

// slogMessage needs slog.Any for the array, which slog has no kind for.
func slogMessage(l *line.Line) slog.Attr {
	switch l.Shape {
	case line.ToolUse:
		return slog.GroupAttrs("message", slog.String("id", line.MessageID), slog.String("role", "assistant"), slog.Any("content",
			[]any{map[string]any{"type": "tool_use", "id": line.ToolID, "name": line.ToolName, "input": l.Input}}))
	case line.ToolResult:
		return slog.GroupAttrs("message", slog.String("role", "user"), slog.Any("content",
			[]map[string]string{{"type": "tool_result", "tool_use_id": line.ToolID, "content": l.Text}}))
	default:
		return slog.GroupAttrs("message", slog.String("id", line.MessageID), slog.String("role", "assistant"), slog.Any("content",
			[]map[string]string{{"type": "text", "text": l.Text}}))
	}
}

func (e *slogEncoder) result(record *slog.Record, l *line.Line) {
	models := make([]slog.Attr, 0, 3)
	for _, name := range e.names {
		models = append(models, slogUsage(name, e.models[name]))
	}
	record.AddAttrs(slog.String("subtype", "success"), slog.Bool("is_error", false), slog.Int("num_turns", line.Turns),
		slog.Int64("duration_ms", line.Duration), slog.String("result", l.Text), slog.String("stop_reason", "end_turn"),
		slog.Any("route_history", []any{map[string]any{"turn": 0, "target": line.Target}}),
		slogUsage("usage", e.total), slog.GroupAttrs("model_usage", models...), slog.Float64("total_cost_usd", line.Cost))
}

func slogUsage(name string, u line.Usage) slog.Attr {
	return slog.GroupAttrs(name, slog.Int64("input_tokens", u.InputTokens), slog.Int64("output_tokens", u.OutputTokens),
		slog.Int64("cache_read", u.CacheRead), slog.Int64("cache_creation", u.CacheCreation))
}
