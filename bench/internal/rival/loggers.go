package rival

import (
	"io"

	"github.com/streamjson/streamjson/bench/internal/line"
)

func loggers() []Library {
	return []Library{
		{
			Name: Zerolog, Module: "github.com/rs/zerolog", Writes: lines,
			New: func() line.Encoder { return newZerolog() },
		},
		{
			Name: "zap", Module: "go.uber.org/zap", Writes: lines,
			New: func() line.Encoder { return newZap() },
		},
		{
			Name: "phuslu/log", Module: "github.com/phuslu/log", Writes: lines,
			New:     func() line.Encoder { return newPhuslu() },
			emitter: func(w io.Writer) line.Emitter { return newPhusluEmitter(w) },
		},
		{
			Name: Slog, Writes: lines,
			New:     func() line.Encoder { return newSlog() },
			Renamed: map[string]string{"type": "msg"},
			Extra:   []string{"level"},
		},
	}
}

// lineType is the type of a line.
func lineType(s line.Shape) string {
	switch s {
	case line.TextDelta, line.ThinkingDelta, line.ToolArgs:
		return "stream_event"
	case line.ToolResult:
		return "user"
	case line.Result:
		return "result"
	default:
		return "assistant"
	}
}

// lastWrite is a writer that remembers what it was given.
type lastWrite struct{ b []byte }

func (w *lastWrite) Write(p []byte) (int, error) {
	w.b = p
	return len(p), nil
}
