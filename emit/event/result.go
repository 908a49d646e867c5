package event

import (
	"errors"

	"github.com/streamjson/streamjson/internal/wire"
)

// The subtypes of a Result in the catalog.
const (
	Success              = "success"                // is_error false, stop_reason end_turn
	Refused              = "refused"                // is_error false, stop_reason refusal
	ErrorDuringExecution = "error_during_execution" // is_error true, stop_reason error
	ErrorMaxTurns        = "error_max_turns"        // is_error true, stop_reason max_turns
	Interrupted          = "interrupted"            // is_error true, stop_reason cancelled
)

// Result is the last line of every stream, and the whole of it in the format
// json. The emitter's Finish method takes it; Emit refuses it. What is left
// unset is counted by the emitter.
//
//	| member         | type     |             |                                     |
//	| -------------- | -------- | ----------- | ----------------------------------- |
//	| is_error       | bool     | R           | follows from the subtype            |
//	| num_turns      | int      | R           | default: top-level assistant lines  |
//	| duration_ms    | int      | R           | default: since the run began        |
//	| result         | text     | R           | default: the newest top-level text  |
//	| errors         | prose[]  | R if failed | never empty; absent if not failed   |
//	| stop_reason    | enum     | R           | default: that of the subtype        |
//	| route_history  | object[] | O           | default: the hops, at most 1,000    |
//	| - turn         | int      | R           |                                     |
//	| - target       | string   | R filled    |                                     |
//	| usage          | object   | O           | absent: unknown; see Usage          |
//	| model_usage    | object   | O           | by model, see Usage                 |
//	| total_cost_usd | number   | O           | only where a cost is known          |
//
// The zero Result is a success.
type Result struct {
	// Subtype is one of the catalog's or the program's own; "" is Success.
	Subtype string
	// IsError is for a subtype of the program's own; those of the catalog
	// have theirs, and the other one is refused.
	IsError bool
	// Result is the final text.
	Result string
	// Errors says what went wrong, a message each.
	Errors []string
	// StopReason may be the program's own, but not that of another subtype.
	StopReason string

	NumTurns     int
	DurationMS   int64
	RouteHistory []Hop
	Usage        *Usage
	ModelUsage   map[string]Usage
	TotalCostUSD *float64
	// ExitCode is the exit status of a program whose run ends with this
	// result, where it is another one than the subtype's (contract F13). It
	// does not stand in the line. Only a failing result has one, 1 to 255.
	ExitCode int
	Extra    *Extra
}

// A Hop is one step of a result's route_history.
type Hop struct {
	Turn   int
	Target string
}

// Usage counts tokens.
//
//	| member         | type |   |
//	| -------------- | ---- | - |
//	| input_tokens   | int  | R |
//	| output_tokens  | int  | R |
//	| cache_read     | int  | R |
//	| cache_creation | int  | R |
type Usage struct {
	InputTokens, OutputTokens, CacheRead, CacheCreation int64
}

var errResult = errors.New("the last line is written by the emitter's Finish method")

func (e Result) send(s wire.Sink) error { return refuse(s, "result", e.Subtype, errResult) }
