// Package line holds the payloads that every library of the comparison
// writes: lines of the stream and envelopes of the sizes that agents have.
package line

import "encoding/json"

// A Shape is a kind of line.
type Shape int

// The shapes.
const (
	TextDelta     Shape = iota // a piece of text on its way
	ThinkingDelta              // a piece of thinking on its way
	ToolArgs                   // a piece of a tool call's input on its way
	Assistant                  // a completed message with one text block
	ToolUse                    // a completed message with one tool call
	ToolResult                 // what a tool returned
	Result                     // the last line of a run
	Envelope                   // an indented document of five members
)

// Shapes returns all shapes.
func Shapes() []Shape {
	return []Shape{TextDelta, ThinkingDelta, ToolArgs, Assistant, ToolUse, ToolResult, Result, Envelope}
}

func (s Shape) String() string {
	names := [...]string{"text delta", "thinking delta", "tool arguments", "assistant", "tool_use", "tool_result", "result", "envelope"}
	if s < 0 || int(s) >= len(names) {
		return "unknown"
	}
	return names[s]
}

// What stands on lines beside their payload.
const (
	Session   = "sess_01jc3kz9w4x7q2m8v5t6b0n1ra" // the session id
	Stamp     = "2026-10-02T12:00:00.123Z"        // the time stamp where encoding alone is measured
	MessageID = "msg_01Hk3Vw9Qz"
	ToolID    = "toolu_01ABCDEFGHJKLMNPQRSTUV"
	ToolName  = "edit_file"
	Turns     = 12
	Duration  = 98_765 // milliseconds
	Cost      = 0.123456
	Target    = "primary"
)

// A Line is what is to be written. Which members count depends on its Shape.
type Line struct {
	Shape Shape
	Seq   uint64
	TS    string
	Text  string // the text, thinking, fragment, content or final text
	Input any    // of ToolUse
	Data  any    // of Envelope

	// Open is for an Emitter to count in: how much of a message has gone by.
	Open int
}

// An Encoder writes lines into memory. It is not safe for concurrent use.
type Encoder interface {
	// Encode returns l as a whole line with its newline. The bytes are valid
	// until the next call.
	Encode(l *Line) ([]byte, error)
}

// An Emitter writes lines to a writer, in the order of their numbers. It is
// safe for concurrent use, each goroutine with a Line of its own.
type Emitter interface {
	// Emit numbers, stamps and writes l, whose Seq and TS it may overwrite.
	Emit(l *Line) error
	// Close returns when all lines are written.
	Close() error
}

// Usage counts tokens.
type Usage struct {
	InputTokens   int64 `json:"input_tokens"`
	OutputTokens  int64 `json:"output_tokens"`
	CacheRead     int64 `json:"cache_read"`
	CacheCreation int64 `json:"cache_creation"`
}

// Models returns the usage of a run with three models. It is a new map.
func Models() map[string]Usage {
	return map[string]Usage{
		"claude-opus-4-5":  {InputTokens: 3702, OutputTokens: 1701, CacheRead: 267_036, CacheCreation: 10_368},
		"claude-haiku-4-5": {InputTokens: 1234, OutputTokens: 567, CacheRead: 89_012, CacheCreation: 3456},
		"gpt-5.2-codex":    {InputTokens: 2468, OutputTokens: 1134, CacheRead: 178_024, CacheCreation: 6912},
	}
}

// Total returns the sum of Models.
func Total() Usage {
	var sum Usage
	for _, u := range Models() {
		sum.InputTokens += u.InputTokens
		sum.OutputTokens += u.OutputTokens
		sum.CacheRead += u.CacheRead
		sum.CacheCreation += u.CacheCreation
	}
	return sum
}

// Input returns the input of a call of an editing tool, ten keys with text as
// one of the values. It is a new map.
func Input(text string) map[string]any {
	return map[string]any{
		"file_path":   "/home/dev/project/internal/server/handler.go",
		"old_string":  "func (h *Handler) Serve(w http.ResponseWriter) error {\n\treturn nil\n}",
		"new_string":  text,
		"replace_all": false,
		"timeout_ms":  float64(120_000),
		"ratio":       0.375,
		"count":       42,
		"tags":        []any{"a", "b", `c with "quotes"`},
		"options":     map[string]any{"recursive": true, "depth": float64(3), "glob": "**/*.go"},
		"nothing":     nil,
	}
}

// Records returns the data of an envelope: a list of records of about 250
// bytes, with the texts of next.
func Records(n int, next func() string) any {
	list := make([]any, n)
	for i := range list {
		list[i] = map[string]any{
			"id": i, "name": next(), "note": next(), "done": i%2 == 0,
			"score": float64(i) * 0.25, "tags": []any{"one", "two"},
		}
	}
	return map[string]any{"count": n, "items": list}
}

// Decode returns the members of a line or document, numbers as they are
// spelled.
func Decode(b []byte) (map[string]any, error) {
	var m map[string]any
	d := decoder(b)
	err := d.Decode(&m)
	return m, err
}

// ToAny is v as Decode returns it: through encoding/json and back.
func ToAny(v any) (any, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var out any
	err = decoder(b).Decode(&out)
	return out, err
}
