package main

import (
	"context"
	"encoding/json"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/event"
)

// modelName stands on the init line and counts the usage.
const modelName = "scripted-1"

// A model is all that the loop knows of one. A provider's would send the
// conversation, and turn its events into calls of msg's methods; this one
// plays a script.
//
// reply streams the model's next message into msg and leaves it open: what
// becomes of the message is the loop's decision. It must return as soon as ctx
// is done. A *retryError asks for the same message anew.
type model interface {
	reply(ctx context.Context, msg *emit.Message, seen results) (reply, error)
}

// A reply is what the loop needs to know of a message.
type reply struct {
	text  string
	calls []call
	stop  stopReason
	usage *event.Usage // nil: unknown
}

// A stopReason is why the model stopped, where that ends the run.
type stopReason string

const (
	stopRefusal   stopReason = "refusal"
	stopMaxTokens stopReason = "max_tokens"
)

// A call is a tool call that the model asks for.
type call struct {
	id    string
	name  string // by which later turns know the result
	tool  string
	input json.RawMessage
}

// results are what an agent has seen so far, by name.
type results map[string]output

// A retryError is a failure of the provider that another attempt can mend.
type retryError struct{ message string }

func (e *retryError) Error() string { return e.message }
