package rival

import (
	"encoding/json"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/phuslu/log"

	"github.com/streamjson/streamjson/bench/internal/line"
)

// phusluEncoder builds lines as phuslu's contexts: its Logger stamps each
// line by itself, which encoding alone must leave out.
type phusluEncoder struct {
	prefix            [line.Envelope]log.Context
	out, outer, inner []byte // memory of the line, and of its nested objects
	list              []byte
	models            map[string]line.Usage
	names             []string
	total             line.Usage
}

func newPhuslu() *phusluEncoder {
	e := &phusluEncoder{models: line.Models(), total: line.Total()}
	e.names = slices.Sorted(maps.Keys(e.models))
	for s := range e.prefix {
		context := log.NewContext(nil).Str("type", lineType(line.Shape(s)))
		if line.Shape(s) == line.Result {
			context = context.Str("subtype", "success")
		}
		e.prefix[s] = context.Str("session_id", line.Session).Value()
	}
	return e
}

func (e *phusluEncoder) Encode(l *line.Line) ([]byte, error) {
	entry := log.NewContext(e.out[:0]).Context(e.prefix[l.Shape]).Uint64("seq", l.Seq).Str("ts", l.TS)
	e.out = e.payload(entry, l).Value()
	e.out[0] = '{' // a context begins with a comma
	e.out = append(e.out, '}', '\n')
	return e.out, nil
}

// payload adds the payload. Nested objects go through memory that is kept.
func (e *phusluEncoder) payload(entry *log.Entry, l *line.Line) *log.Entry {
	switch l.Shape {
	case line.TextDelta:
		e.inner = log.NewContext(e.inner[:0]).Str("type", "text_delta").Str("text", l.Text).Value()
		e.outer = log.NewContext(e.outer[:0]).Str("type", "content_block_delta").Int("index", 0).Dict("delta", e.inner).Value()
		return entry.Dict("event", e.outer)
	case line.ThinkingDelta:
		e.inner = log.NewContext(e.inner[:0]).Str("type", "thinking_delta").Str("thinking", l.Text).Value()
		e.outer = log.NewContext(e.outer[:0]).Str("type", "content_block_delta").Int("index", 0).Dict("delta", e.inner).Value()
		return entry.Dict("event", e.outer)
	case line.ToolArgs:
		e.outer = log.NewContext(e.outer[:0]).Str("type", "tool_args_delta").
			Str("tool_use_id", line.ToolID).Str("partial_json", l.Text).Value()
		return entry.Dict("event", e.outer)
	case line.Result:
		return e.result(entry, l)
	}
	return e.message(entry, l)
}

func (e *phusluEncoder) message(entry *log.Entry, l *line.Line) *log.Entry {
	block := log.NewContext(e.inner[:0])
	message := log.NewContext(e.outer[:0])
	switch l.Shape {
	case line.ToolUse:
		block = phusluInput(block.Str("type", "tool_use").Str("id", line.ToolID).Str("name", line.ToolName), l.Input)
		message = message.Str("id", line.MessageID).Str("role", "assistant")
	case line.ToolResult:
		block = block.Str("type", "tool_result").Str("tool_use_id", line.ToolID).Str("content", l.Text)
		message = message.Str("role", "user")
	default:
		block = block.Str("type", "text").Str("text", l.Text)
		message = message.Str("id", line.MessageID).Str("role", "assistant")
	}
	e.inner = block.Value()
	e.list = phusluList(e.list[:0], e.inner)
	e.outer = message.RawJSON("content", e.list).Value()
	return entry.Dict("message", e.outer)
}

func phusluInput(e *log.Entry, input any) *log.Entry {
	if raw, ok := input.(json.RawMessage); ok {
		return e.RawJSON("input", raw)
	}
	return e.Interface("input", input)
}

// phusluList appends an array with one object, for which phuslu has no door
// but raw JSON.
func phusluList(dst []byte, context log.Context) []byte {
	dst = append(dst, '[', '{')
	dst = append(dst, context[1:]...)
	return append(dst, '}', ']')
}

func (e *phusluEncoder) result(entry *log.Entry, l *line.Line) *log.Entry {
	e.inner = log.NewContext(e.inner[:0]).Int("turn", 0).Str("target", line.Target).Value()
	e.list = phusluList(e.list[:0], e.inner)
	entry = entry.Bool("is_error", false).Int("num_turns", line.Turns).Int64("duration_ms", line.Duration).
		Str("result", l.Text).Str("stop_reason", "end_turn").RawJSON("route_history", e.list)
	e.inner = phusluUsage(e.inner[:0], e.total)
	entry = entry.Dict("usage", e.inner)
	models := log.NewContext(e.outer[:0])
	for _, name := range e.names {
		e.inner = phusluUsage(e.inner[:0], e.models[name])
		models = models.Dict(name, e.inner)
	}
	e.outer = models.Value()
	return entry.Dict("model_usage", e.outer).Float64("total_cost_usd", line.Cost)
}

func phusluUsage(dst []byte, u line.Usage) log.Context {
	return log.NewContext(dst).Int64("input_tokens", u.InputTokens).Int64("output_tokens", u.OutputTokens).
		Int64("cache_read", u.CacheRead).Int64("cache_creation", u.CacheCreation).Value()
}

// phusluEmitter is phuslu as it is meant to be used: the Logger reads the clock
// and writes.
type phusluEmitter struct {
	mu      sync.Mutex
	seq     uint64
	logger  log.Logger
	encoder *phusluEncoder
	last    failing
}

func newPhusluEmitter(w io.Writer) *phusluEmitter {
	e := &phusluEmitter{encoder: newPhuslu(), last: failing{w: w}}
	e.logger = log.Logger{Writer: log.IOWriter{Writer: &e.last}, TimeField: "ts", TimeLocation: time.UTC}
	return e
}

func (e *phusluEmitter) Emit(l *line.Line) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	entry := e.logger.Log().Context(e.encoder.prefix[l.Shape]).Uint64("seq", e.seq)
	e.seq++
	e.encoder.payload(entry, l).Msg("")
	return e.last.err
}

func (e *phusluEmitter) Close() error { return nil }

// failing remembers the error that a Logger doesn't return.
type failing struct {
	w   io.Writer
	err error
}

func (f *failing) Write(p []byte) (int, error) {
	n, err := f.w.Write(p)
	if err != nil {
		f.err = err
	}
	return n, err
}
