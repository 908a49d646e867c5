package event

import (
	"errors"
	"fmt"

	"github.com/streamjson/streamjson/internal/wire"
)

// AgentSwitch tells that another agent takes over.
//
//	| member | type   |          |                    |
//	| ------ | ------ | -------- | ------------------ |
//	| from   | string | R filled | the agent before   |
//	| to     | string | R filled | the agent from now |
//	| reason | prose  | O        |                    |
//
// It adds To to the result's route_history.
type AgentSwitch struct {
	From, To string
	Reason   string
	Extra    *Extra
}

func (e AgentSwitch) send(s wire.Sink) error {
	l := s.Begin("system", "agent_switch")
	for more := true; more; more = l.Again() {
		l.MustText("from", e.From)
		l.MustText("to", e.To)
		l.OptProse("reason", e.Reason)
		l.Effects.Step(wire.Hop, -1, e.To)
		e.Extra.end(l)
	}
	return s.Commit(l)
}

// Route tells where the run is routed.
//
//	| member           | type   |          |                               |
//	| ---------------- | ------ | -------- | ----------------------------- |
//	| route            | object | R        |                               |
//	| route.target     | string | R filled | the agent that was chosen     |
//	| route.reason     | prose  | O        |                               |
//	| route.conclusive | bool   | O        | the choice is not a tentative |
//
// It adds Target to the result's route_history.
type Route struct {
	Target     string
	Reason     string
	Conclusive bool
	Extra      *Extra
}

func (e Route) send(s wire.Sink) error {
	l := s.Begin("system", "route")
	for more := true; more; more = l.Again() {
		RouteDecision{e.Target, e.Reason, e.Conclusive}.Append(l)
		l.Effects.Step(wire.Hop, -1, e.Target)
		e.Extra.end(l)
	}
	return s.Commit(l)
}

// RouteDecision is the member route of an init line; see Route.
type RouteDecision struct {
	Target     string
	Reason     string
	Conclusive bool
}

// Append appends the member route. It is for package emit.
func (d RouteDecision) Append(l *wire.Line) {
	l.Open("route", '{')
	l.In("/route", -1, "")
	l.MustText("target", d.Target)
	l.OptProse("reason", d.Reason)
	l.OptBool("conclusive", d.Conclusive)
	l.In("", -1, "")
	l.Close('}')
}

// Notification is for a person to read.
//
//	| member       | type   |          |                                  |
//	| ------------ | ------ | -------- | -------------------------------- |
//	| id           | string | R filled |                                  |
//	| severity     | enum   | R filled | info, warning, error             |
//	| body         | prose  | R        |                                  |
//	| command_hint | prose  | O        | a command that would help        |
type Notification struct {
	ID          string
	Severity    string
	Body        string
	CommandHint string
	Extra       *Extra
}

func (e Notification) send(s wire.Sink) error {
	l := s.Begin("system", "notification")
	for more := true; more; more = l.Again() {
		l.MustID("id", e.ID)
		l.MustID("severity", e.Severity)
		l.Prose("body", e.Body)
		l.OptProse("command_hint", e.CommandHint)
		e.Extra.end(l)
	}
	return s.Commit(l)
}

// Warning tells of something that is not right, but no failure. Prose of level
// warn and above becomes a line of category notice by itself (contract F11).
//
//	| member   | type  |          |                                     |
//	| -------- | ----- | -------- | ----------------------------------- |
//	| category | enum  | R filled | notice, loop                        |
//	| message  | prose | R        |                                     |
//	| count    | int   | O        | how often, or how many              |
//	| limit    | int   | O        | the limit that count came up to     |
type Warning struct {
	Category     string
	Message      string
	Count, Limit int
	Extra        *Extra
}

func (e Warning) send(s wire.Sink) error {
	l := s.Begin("system", "warning")
	for more := true; more; more = l.Again() {
		l.MustID("category", e.Category)
		l.Prose("message", e.Message)
		l.OptInt("count", int64(e.Count))
		l.OptInt("limit", int64(e.Limit))
		e.Extra.end(l)
	}
	return s.Commit(l)
}

// The known session states of a State.
const (
	StateRunning        = "running"
	StateIdle           = "idle"
	StateRequiresAction = "requires_action"
)

// State tells what the session does from now on.
//
//	| member        | type |             |                                |
//	| ------------- | ---- | ----------- | ------------------------------ |
//	| session_state | enum | R filled    | running, idle, requires_action |
//	| stop_reason   | enum | R when idle | absent in every other state    |
type State struct {
	SessionState string
	StopReason   string
	Extra        *Extra
}

var (
	errIdle    = errors.New("must not be empty when session_state is idle")
	errNotIdle = errors.New("stands only where session_state is idle")
)

func (e State) send(s wire.Sink) error {
	l := s.Begin("system", "state")
	for more := true; more; more = l.Again() {
		l.MustID("session_state", e.SessionState)
		switch idle := e.SessionState == StateIdle; {
		case idle && e.StopReason == "":
			l.Refuse("stop_reason", errIdle)
		case !idle && e.StopReason != "":
			l.Refuse("stop_reason", errNotIdle)
		}
		l.OptID("stop_reason", e.StopReason)
		e.Extra.end(l)
	}
	return s.Commit(l)
}

// BackgroundTasksChanged is a snapshot that replaces the one before.
//
//	| member       | type     |   |                                         |
//	| ------------ | -------- | - | --------------------------------------- |
//	| running_ids  | string[] | O | the tasks that run now                  |
//	| finished_ids | string[] | O | those that ended since the last one     |
//
// At least one of them must be given; an empty slice that is not nil says that
// there are none.
type BackgroundTasksChanged struct {
	RunningIDs, FinishedIDs []string
	Extra                   *Extra
}

var errNoIDs = errors.New("at least one of running_ids and finished_ids must be given (an empty slice that is not nil says: none)")

func (e BackgroundTasksChanged) send(s wire.Sink) error {
	l := s.Begin("system", "background_tasks_changed")
	for more := true; more; more = l.Again() {
		mustIDs(l, "/running_ids", e.RunningIDs)
		mustIDs(l, "/finished_ids", e.FinishedIDs)
		switch {
		case e.RunningIDs == nil && e.FinishedIDs == nil:
			l.Refuse("", errNoIDs)
		case len(e.RunningIDs) > 0 || len(e.FinishedIDs) == 0 && e.RunningIDs != nil:
			l.IDs("running_ids", e.RunningIDs)
		}
		if len(e.FinishedIDs) > 0 || e.RunningIDs == nil {
			l.IDs("finished_ids", e.FinishedIDs)
		}
		e.Extra.end(l)
	}
	return s.Commit(l)
}

// mustIDs refuses an id that is empty.
func mustIDs(l *wire.Line, pointer string, ids []string) {
	for i, id := range ids {
		if id == "" {
			l.In(pointer, i, "")
			l.Refuse("", wire.ErrEmpty)
			l.In("", -1, "")
		}
	}
}

// Memory tells of an access to the agent's memory.
//
//	| member     | type   |          |                            |
//	| ---------- | ------ | -------- | -------------------------- |
//	| op         | enum   | R filled | record, get, list, forget  |
//	| percept_id | string | O        |                            |
//	| subject    | string | O        |                            |
type Memory struct {
	Op        string
	PerceptID string
	Subject   string
	Extra     *Extra
}

func (e Memory) send(s wire.Sink) error {
	l := s.Begin("system", "memory")
	for more := true; more; more = l.Again() {
		l.MustID("op", e.Op)
		l.OptID("percept_id", e.PerceptID)
		l.OptText("subject", e.Subject)
		e.Extra.end(l)
	}
	return s.Commit(l)
}

// A Command is one that a user can give; see Commands.
type Command struct {
	Name        string
	Hint        string
	Description string
}

// Commands lists the commands that a user can give; it replaces the list
// before.
//
//	| member                 | type     |          |                       |
//	| ---------------------- | -------- | -------- | --------------------- |
//	| commands               | object[] | R        |                       |
//	| commands[].name        | string   | R filled |                       |
//	| commands[].hint        | prose    | O        | how to call it        |
//	| commands[].description | prose    | O        |                       |
type Commands struct {
	Commands []Command
	Extra    *Extra
}

func (e Commands) send(s wire.Sink) error {
	l := s.Begin("system", "commands")
	for more := true; more; more = l.Again() {
		l.Open("commands", '[')
		for i, c := range e.Commands {
			l.In("/commands", i, "")
			l.Element('{')
			l.MustText("name", c.Name)
			l.OptProse("hint", c.Hint)
			l.OptProse("description", c.Description)
			l.Close('}')
		}
		l.Close(']')
		e.Extra.end(l)
	}
	return s.Commit(l)
}

// ConfigOption tells the value of a configuration option.
//
//	| member | type   |          |
//	| ------ | ------ | -------- |
//	| option | string | R filled |
//	| value  | string | R        |
type ConfigOption struct {
	Option, Value string
	Extra         *Extra
}

func (e ConfigOption) send(s wire.Sink) error {
	l := s.Begin("system", "config_option")
	for more := true; more; more = l.Again() {
		l.MustID("option", e.Option)
		l.Text("value", e.Value)
		e.Extra.end(l)
	}
	return s.Commit(l)
}

// PermissionDenied tells that a tool was not allowed to run.
//
//	| member      | type   |          |                                   |
//	| ----------- | ------ | -------- | --------------------------------- |
//	| tool        | string | R filled | the tool's name                   |
//	| reason      | prose  | O        |                                   |
//	| tool_use_id | string | O        | the call that was denied          |
type PermissionDenied struct {
	Tool      string
	Reason    string
	ToolUseID string
	Extra     *Extra
}

func (e PermissionDenied) send(s wire.Sink) error {
	l := s.Begin("system", "permission_denied")
	for more := true; more; more = l.Again() {
		l.MustText("tool", e.Tool)
		l.OptProse("reason", e.Reason)
		l.OptID("tool_use_id", e.ToolUseID)
		e.Extra.end(l)
	}
	return s.Commit(l)
}

// Error tells of an error while the run goes on; a result still follows.
//
//	| member      | type  |   |                                         |
//	| ----------- | ----- | - | --------------------------------------- |
//	| is_error    | bool  | R | true                                    |
//	| message     | prose | R |                                         |
//	| recoverable | bool  | R | the run may still succeed (a reconnect) |
type Error struct {
	Message     string
	Recoverable bool
	Extra       *Extra
}

func (e Error) send(s wire.Sink) error {
	l := s.Begin("system", "error")
	for more := true; more; more = l.Again() {
		l.Bool("is_error", true)
		l.Prose("message", e.Message)
		l.Bool("recoverable", e.Recoverable)
		e.Extra.end(l)
	}
	return s.Commit(l)
}

// Heartbeat tells that the run lives although it writes nothing else.
//
//	| member     | type |   |                              |
//	| ---------- | ---- | - | ---------------------------- |
//	| elapsed_ms | int  | R | since the run began          |
//
// The emitter writes it by itself where Options.Heartbeat asks for it; Emit
// refuses it.
type Heartbeat struct {
	ElapsedMS int64
}

var errHeartbeat = errors.New("heartbeats are written by the emitter itself: set Options.Heartbeat")

func (e Heartbeat) send(s wire.Sink) error {
	return refuse(s, "system", "heartbeat", errHeartbeat)
}

// refuse commits a line that is refused for a reason that no member has.
func refuse(s wire.Sink, typ, subtype string, err error) error {
	l := s.Begin(typ, subtype)
	l.Refuse("", err)
	return s.Commit(l)
}

// System is a line with a subtype of the program's own.
//
//	| member  | type   |          |                                           |
//	| ------- | ------ | -------- | ----------------------------------------- |
//	| subtype | string | R filled | none of the catalog's                     |
//	| ...     | any    | O        | the members of Fields                     |
//
// Fields is anything that encodes to a JSON object: a map, a struct,
// json.RawMessage; nil for no members. Its keys must not be those of the
// envelope: type, subtype, session_id, seq, ts, parent_tool_use_id, extension
// and _meta. A reader that does not know the subtype ignores the line.
type System struct {
	Subtype string
	Fields  any
	Extra   *Extra
}

func (e System) send(s wire.Sink) error {
	l := s.Begin("system", e.Subtype)
	switch {
	case e.Subtype == "":
		l.Refuse("subtype", wire.ErrEmpty)
	case catalog(e.Subtype):
		l.Refuse("subtype", fmt.Errorf("%q stands in the catalog: use its own type in package event", e.Subtype))
	}
	for more := true; more; more = l.Again() {
		if e.Fields != nil {
			l.Fields(e.Fields)
		}
		e.Extra.end(l)
	}
	return s.Commit(l)
}

// catalog reports whether a system subtype is one that the contract defines.
func catalog(subtype string) bool {
	switch subtype {
	case "init", "agent_switch", "route", "notification", "warning", "state",
		"task_started", "task_progress", "task_notification", "background_tasks_changed",
		"memory", "commands", "config_option", "permission_denied", "error", "heartbeat":
		return true
	}
	return false
}
