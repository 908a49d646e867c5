package event

import (
	"errors"

	"github.com/streamjson/streamjson/internal/wire"
)

// Assistant is a completed message of a model. It completes all that the
// actor's deltas had opened.
//
//	| member           | type     |   |                                        |
//	| ---------------- | -------- | - | -------------------------------------- |
//	| agent            | string   | O | the role label of the agent            |
//	| message          | object   | R |                                        |
//	| message.id       | string   | O |                                        |
//	| message.role     | enum     | R | assistant                              |
//	| message.content  | object[] | R | the blocks: Text, Thinking and ToolUse |
type Assistant struct {
	Agent   string
	ID      string
	Content []Block
	Extra   *Extra
}

// A Block is a part of an assistant message: Text, Thinking or ToolUse.
type Block interface{ block() }

// Text is what the model says.
//
//	| member | type   |   |      |
//	| ------ | ------ | - | ---- |
//	| type   | enum   | R | text |
//	| text   | string | R |      |
type Text struct{ Text string }

// Thinking is what the model thinks, neither trimmed nor rewritten.
//
//	| member   | type   |   |          |
//	| -------- | ------ | - | -------- |
//	| type     | enum   | R | thinking |
//	| thinking | string | R |          |
type Thinking struct{ Thinking string }

// ToolUse is a call of a tool. It is open until a ToolResult names its id; the
// emitter closes what is still open when the run ends (contract section 3).
//
//	| member | type   |          |                                         |
//	| ------ | ------ | -------- | --------------------------------------- |
//	| type   | enum   | R        | tool_use                                |
//	| id     | string | R filled | refused while a call of that id is open |
//	| name   | string | R filled | the tool                                |
//	| input  | any    | R        | nil is written as {}                    |
//
// An Input of type json.RawMessage that is no valid JSON is written as a
// string, with _meta.invalid_json.
type ToolUse struct {
	ID    string
	Name  string
	Input any
}

var errBlock = errors.New("a block must be a value of type event.Text, event.Thinking or event.ToolUse, neither a pointer nor nil")

func (Text) block()     {}
func (Thinking) block() {}
func (ToolUse) block()  {}

func (e Assistant) send(s wire.Sink) error {
	l := s.Begin("assistant", "")
	for more := true; more; more = l.Again() {
		l.OptText("agent", e.Agent)
		l.Open("message", '{')
		l.OptID("id", e.ID)
		l.ID("role", "assistant")
		l.Open("content", '[')
		for i, b := range e.Content {
			l.In("/message/content", i, "")
			appendBlock(l, i, b)
		}
		l.Close(']')
		l.Close('}')
		e.Extra.end(l)
	}
	return s.Commit(l)
}

func appendBlock(l *wire.Line, i int, b Block) {
	l.Element('{')
	defer l.Close('}')
	switch b := b.(type) {
	case Text:
		l.ID("type", "text")
		l.Text("text", b.Text)
		l.Effects.TextBlock(wire.TextBlock, b.Text)
	case Thinking:
		l.ID("type", "thinking")
		l.Text("thinking", b.Thinking)
		l.Effects.TextBlock(wire.ThinkingBlock, b.Thinking)
	case ToolUse:
		l.ID("type", "tool_use")
		l.MustID("id", b.ID)
		l.MustText("name", b.Name)
		from := len(l.Buf) + len(`,"input":`)
		l.Input("input", b.Input)
		l.Effects.ToolBlock(b.ID, from, len(l.Buf))
		l.Effects.Step(wire.OpenTool, i, b.ID)
	default:
		l.Refuse("", errBlock)
	}
}

// User is what goes back to the model: the results of its tool calls.
//
//	| member                  | type     |   |                               |
//	| ----------------------- | -------- | - | ----------------------------- |
//	| message                 | object   | R |                               |
//	| message.role            | enum     | R | user                          |
//	| message.content         | object[] | R | the tool results              |
//	| tool_use_result         | object   | O | one tool result on the line   |
//	| tool_use_result.path    | string   | O | the file that it is about     |
//	| tool_use_result.is_error| bool     | O |                               |
//	| tool_use_result.summary | prose    | O | for a person                  |
type User struct {
	Content       []ToolResult
	ToolUseResult *ToolUseResult
	Extra         *Extra
}

// ToolResult is what a tool returned.
//
//	| member      | type   |          |                                       |
//	| ----------- | ------ | -------- | ------------------------------------- |
//	| type        | enum   | R        | tool_result                           |
//	| tool_use_id | string | R filled | refused unless that call is open      |
//	| content     | any    | O        | Text, or Content where Text is empty  |
//	| is_error    | bool   | O        |                                       |
//
// Most results are plain text: Text holds them without an allocation. Content
// is any other JSON value; of type json.RawMessage and no valid JSON, it is
// written as a string, with _meta.invalid_json.
type ToolResult struct {
	ToolUseID string
	Text      string
	Content   any
	IsError   bool
}

// ToolUseResult sums up the one tool result of its line for a person.
type ToolUseResult struct {
	Path    string
	IsError bool
	Summary string
}

var (
	errTwoContents = errors.New("give Text or Content, not both")
	errOneResult   = errors.New("stands only on a line with one tool result")
)

func (e User) send(s wire.Sink) error {
	l := s.Begin("user", "")
	for more := true; more; more = l.Again() {
		l.Open("message", '{')
		l.ID("role", "user")
		l.Open("content", '[')
		for i := range e.Content {
			l.In("/message/content", i, "")
			e.Content[i].appendTo(l, i)
		}
		l.Close(']')
		l.Close('}')
		if r := e.ToolUseResult; r != nil {
			l.In("", -1, "")
			if len(e.Content) != 1 {
				l.Refuse("tool_use_result", errOneResult)
			}
			l.Open("tool_use_result", '{')
			l.OptText("path", r.Path)
			l.OptBool("is_error", r.IsError)
			l.OptProse("summary", r.Summary)
			l.Close('}')
		}
		e.Extra.end(l)
	}
	return s.Commit(l)
}

func (r *ToolResult) appendTo(l *wire.Line, i int) {
	l.Element('{')
	l.ID("type", "tool_result")
	l.MustID("tool_use_id", r.ToolUseID)
	switch {
	case r.Text != "" && r.Content != nil:
		l.Refuse("content", errTwoContents)
	case r.Text != "":
		l.Text("content", r.Text)
	case r.Content != nil:
		l.Content("content", r.Content)
	}
	l.OptBool("is_error", r.IsError)
	l.Close('}')
	l.Effects.Step(wire.CloseTool, i, r.ToolUseID)
}
