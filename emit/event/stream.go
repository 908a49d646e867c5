package event

import "github.com/streamjson/streamjson/internal/wire"

// TextDelta is a piece of an assistant message's text on its way. Emitting one
// is the same as calling the actor's Text method, which is the faster door.
//
//	| member           | type   |   |                                         |
//	| ---------------- | ------ | - | --------------------------------------- |
//	| event            | object | R |                                         |
//	| event.type       | enum   | R | content_block_delta                     |
//	| event.index      | int    | R | position in the message's content, from |
//	|                  |        |   | 0 for each message of each actor        |
//	| event.delta      | object | R |                                         |
//	| event.delta.type | enum   | R | text_delta                              |
//	| event.delta.text | string | R |                                         |
//
// Lines of type stream_event are written only with Options.Partial.
type TextDelta struct {
	Index int
	Text  string
}

func (e TextDelta) send(s wire.Sink) error { return s.TextDelta(e.Index, e.Text) }

// ThinkingDelta is a piece of a message's thinking on its way; see TextDelta.
//
//	| member               | type   |   |                                     |
//	| -------------------- | ------ | - | ----------------------------------- |
//	| event                | object | R |                                     |
//	| event.type           | enum   | R | content_block_delta                 |
//	| event.index          | int    | R | position in the message's content   |
//	| event.delta          | object | R |                                     |
//	| event.delta.type     | enum   | R | thinking_delta                      |
//	| event.delta.thinking | string | R |                                     |
type ThinkingDelta struct {
	Index    int
	Thinking string
}

func (e ThinkingDelta) send(s wire.Sink) error { return s.ThinkingDelta(e.Index, e.Thinking) }

// ToolArgsDelta is a piece of a tool call's input on its way: the pieces
// joined are the JSON text of the input of the tool_use that follows.
//
//	| member             | type   |          |                               |
//	| ------------------ | ------ | -------- | ----------------------------- |
//	| event              | object | R        |                               |
//	| event.type         | enum   | R        | tool_args_delta               |
//	| event.tool_use_id  | string | R filled | the id of the later tool_use  |
//	| event.partial_json | string | R        |                               |
type ToolArgsDelta struct {
	ToolUseID   string
	PartialJSON string
}

func (e ToolArgsDelta) send(s wire.Sink) error { return s.ArgsDelta(e.ToolUseID, e.PartialJSON) }

// DeltasDiscarded tells that the actor's open message will not be completed:
// what its deltas said so far is void, for a provider's retry.
//
//	| member     | type   |   |                  |
//	| ---------- | ------ | - | ---------------- |
//	| event      | object | R |                  |
//	| event.type | enum   | R | deltas_discarded |
type DeltasDiscarded struct{}

func (DeltasDiscarded) send(s wire.Sink) error { return s.DiscardDeltas() }
