package emittest

import (
	"bytes"

	"github.com/streamjson/streamjson/internal/jsonl"
)

// Normalize returns a stream with what differs from run to run made the same:
// ts, session_id, duration_ms, elapsed_ms, cwd, and run_id in _meta. Nothing
// else changes, nor the order of members; what is no line of a stream stays as
// it is.
func Normalize(stream []byte) []byte {
	out := make([]byte, 0, len(stream))
	for line := range bytes.Lines(stream) {
		out = appendNormal(out, line)
	}
	return out
}

// appendNormal appends one line with the values of such members replaced.
func appendNormal(out, line []byte) []byte {
	mark, copied := len(out), 0
	meta := false // the current member of the line is _meta
	var replacement string
	var lexer jsonl.Lexer
	lexer.Reset(line)
	for {
		token, err := lexer.Next()
		if err != nil {
			return append(out[:mark], line...)
		}
		switch {
		case token.Kind == jsonl.End:
			return append(out, line[copied:]...)
		case token.Kind == jsonl.Key:
			name := string(jsonl.AppendUnquoted(nil, line[token.Start:token.End]))
			if lexer.Depth() == 1 {
				meta = name == "_meta"
			}
			replacement = normal(name, lexer.Depth(), meta)
		default:
			scalar := token.Kind == jsonl.String || token.Kind == jsonl.Number
			if replacement != "" && scalar {
				out = append(append(out, line[copied:token.Start]...), replacement...)
				copied = token.End
			}
			replacement = ""
		}
	}
}

// normal returns what stands for the value of a member, or "".
func normal(name string, depth int, meta bool) string {
	switch {
	case depth == 2 && meta && name == "run_id":
		return `"` + runID + `"`
	case depth != 1:
		return ""
	}
	switch name {
	case "ts":
		return `"` + start().Format("2006-01-02T15:04:05.000Z") + `"`
	case "session_id":
		return `"` + sessionID + `"`
	case "cwd":
		return `"/cwd"`
	case "duration_ms", "elapsed_ms":
		return "0"
	}
	return ""
}
