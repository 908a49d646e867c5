package emit

import (
	"cmp"
	"strconv"
	"time"

	"github.com/streamjson/streamjson/emit/event"
	"github.com/streamjson/streamjson/internal/wire"
)

// The agent of an init line where the program names none.
const (
	defaultProvider = "local"
	defaultRole     = "primary"
)

func itoa(n int) string { return strconv.Itoa(n) }

// begin writes the init line, unless it is written. The lock is held; the line
// holds nothing that runs a caller's code.
func (s *stream) begin() {
	if s.inited {
		return
	}
	l := s.encodeInit(s.end.top, event.Init{}, s.notices.list())
	s.writeInit(s.end.top, event.Init{}, l)
	s.recycle(l)
}

// encodeInit returns the init line.
func (s *stream) encodeInit(a *Actor, e event.Init, warnings []string) *wire.Line {
	l := s.line(a, "system", "init")
	l.Final = true
	fillAgent(&e.Agent, s.o.Product)
	for more := true; more; more = l.Again() {
		l.Text("cwd", cmp.Or(e.CWD, s.cwd))
		l.Text(s.o.Product+"_version", s.o.Version)
		appendAgent(l, "agent", e.Agent)
		if e.EscalationAgent != nil && l.Optional("escalation_agent") {
			appendAgent(l, "escalation_agent", *e.EscalationAgent)
		}
		if len(e.Tools) > 0 && l.Optional("tools") {
			l.Texts("tools", e.Tools)
		}
		if len(e.MCPServers) > 0 && l.Optional("mcp_servers") {
			appendServers(l, e.MCPServers)
		}
		if e.Route != nil && l.Optional("route") {
			e.Route.Append(l)
		}
		l.OptID("session_state", e.SessionState)
		if len(e.Warnings)+len(warnings) > 0 && l.Optional("warnings") {
			l.Proses("warnings", append(e.Warnings[:len(e.Warnings):len(e.Warnings)], warnings...))
		}
		l.IDs("capabilities", s.o.Capabilities)
		endLine(l, e.Extra, s.runID)
	}
	return l
}

// endLine appends the members that close a line.
func endLine(l *wire.Line, x *event.Extra, runID string) {
	if x == nil {
		x = &event.Extra{}
	}
	l.End(x.Extension, x.Meta, runID)
}

func fillAgent(a *event.Agent, product string) {
	a.Name = cmp.Or(a.Name, product)
	a.Provider = cmp.Or(a.Provider, defaultProvider)
	a.Role = cmp.Or(a.Role, defaultRole)
}

func appendAgent(l *wire.Line, name string, a event.Agent) {
	l.Open(name, '{')
	l.In("/"+name, -1, "")
	l.MustText("name", a.Name)
	l.MustText("provider", a.Provider)
	l.OptText("model", a.Model)
	l.OptText("role", a.Role)
	l.OptInt("context_window_tokens", int64(a.ContextWindowTokens))
	l.In("", -1, "")
	l.Close('}')
}

func appendServers(l *wire.Line, servers []event.MCPServer) {
	l.Open("mcp_servers", '[')
	for i, m := range servers {
		l.In("/mcp_servers", i, "")
		l.Element('{')
		l.MustText("name", m.Name)
		l.MustID("status", m.Status)
		l.Close('}')
	}
	l.In("", -1, "")
	l.Close(']')
}

// writeInit gives the init line its place. The lock is held.
func (s *stream) writeInit(a *Actor, e event.Init, l *wire.Line) {
	s.put(a, l.Type, l.Subtype, l.Buf)
	s.inited = true
	a.role = cmp.Or(e.Agent.Role, defaultRole)
	target := a.role
	if e.Route != nil {
		target = e.Route.Target
	}
	s.ledger.hop(target)
	if s.o.Heartbeat > 0 {
		s.lastLine = s.o.Clock.Now()
		s.beat = time.AfterFunc(s.o.Heartbeat, s.heartbeat)
	}
}

// heartbeat writes a heartbeat line where there was no line for that long, and
// comes back when there could be one to write again.
func (s *stream) heartbeat() {
	s.mu.Lock()
	if s.ready(s.end.top) != nil {
		s.mu.Unlock()
		return
	}
	now := s.o.Clock.Now()
	idle := now.Sub(s.lastLine)
	switch {
	case s.out.done.Load() < s.out.end: // a reader that stands still needs no more lines
		idle = 0
	case idle >= s.o.Heartbeat:
		elapsed := max(now.Sub(s.began).Milliseconds(), 0)
		before := s.here()
		s.put(s.end.top, "system", "heartbeat", strconv.AppendInt([]byte(`,"elapsed_ms":`), elapsed, 10))
		// What can't be written is told by the events.
		_ = s.settle(before)
		idle = 0
		s.mu.Lock()
	}
	if s.ready(s.end.top) == nil {
		s.beat.Reset(s.o.Heartbeat - max(idle, 0))
	}
	s.mu.Unlock()
}

// label returns the role of the actor, for its messages.
func (a *Actor) label() string {
	a.stream.mu.Lock()
	defer a.stream.mu.Unlock()
	if a.top() {
		return cmp.Or(a.role, defaultRole)
	}
	return a.role
}
