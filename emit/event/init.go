package event

import (
	"errors"

	"github.com/streamjson/streamjson/internal/wire"
)

// Init is the first line of every stream. The emitter writes one by itself
// before the first event where the program gives none; Emit refuses it, the
// emitter's Init method takes it.
//
//	| member                     | type     |          |                            |
//	| -------------------------- | -------- | -------- | -------------------------- |
//	| cwd                        | string   | R filled | default: working directory |
//	| <product>_version          | string   | R        | from the emitter's options |
//	| agent                      | object   | R        |                            |
//	| agent.name                 | string   | R filled | default: the product       |
//	| agent.provider             | string   | R filled | default: local             |
//	| agent.model                | string   | O        |                            |
//	| agent.role                 | string   | O        | default: primary           |
//	| agent.context_window_tokens| int      | O        |                            |
//	| escalation_agent           | object   | O        | the same members           |
//	| tools                      | string[] | O        |                            |
//	| mcp_servers                | object[] | O        |                            |
//	| mcp_servers[].name         | string   | R filled |                            |
//	| mcp_servers[].status       | enum     | R filled |                            |
//	| route                      | object   | O        | see Route                  |
//	| session_state              | enum     | O        | see State                  |
//	| warnings                   | prose[]  | O        | and what prose was written |
//	|                            |          |          | before the line            |
//	| capabilities               | string[] | R        | from the emitter's options |
//
// Its _meta carries run_id: 26 characters, sortable by time, new for each run,
// also where a session is resumed under its old session_id.
type Init struct {
	CWD             string
	Agent           Agent
	EscalationAgent *Agent
	Tools           []string
	MCPServers      []MCPServer
	Route           *RouteDecision
	SessionState    string
	Warnings        []string
	Extra           *Extra
}

// An Agent is one that works in the run; see Init.
type Agent struct {
	Name                string
	Provider            string
	Model               string
	Role                string
	ContextWindowTokens int
}

// An MCPServer is a tool server that the run is connected to; see Init.
type MCPServer struct {
	Name, Status string
}

var errInit = errors.New("the first line is written by the emitter's Init method, or by itself")

func (e Init) send(s wire.Sink) error { return refuse(s, "system", "init", errInit) }
