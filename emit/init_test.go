package emit_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/event"
)

// A full Init has all members of the catalog, in its order.
func TestInitMembers(t *testing.T) {
	var w tape
	o := partial(&w)
	em := begin(t, o)
	em.Log().Warn().Msg("said before")
	must(t, em.Init(event.Init{
		CWD:             "/repo",
		Agent:           event.Agent{Name: "a", Provider: "p", Model: "m", Role: "r", ContextWindowTokens: 200_000},
		EscalationAgent: &event.Agent{Name: "b", Provider: "q"},
		Tools:           []string{"read", "write"},
		MCPServers:      []event.MCPServer{{Name: "fs", Status: "connected"}},
		Route:           &event.RouteDecision{Target: "a", Reason: "cheap", Conclusive: true},
		SessionState:    "running",
		Warnings:        []string{"given"},
		Extra:           &event.Extra{Extension: map[string]any{"x": 1}, Meta: map[string]any{"host": "h", "run_id": "mine"}},
	}), em.Finish(event.Result{}))
	r := whole(t, w.bytes())[0]
	const keys = "type subtype session_id seq ts cwd kit_version agent escalation_agent tools mcp_servers route session_state warnings capabilities extension _meta"
	if got := strings.Join(r.keys, " "); got != keys {
		t.Errorf("the members %s", got)
	}
	holds(t, "init", r.raw,
		`"cwd":"/repo","kit_version":"1","agent":{"name":"a","provider":"p","model":"m","role":"r","context_window_tokens":200000}`,
		`"escalation_agent":{"name":"b","provider":"q"},"tools":["read","write"],"mcp_servers":[{"name":"fs","status":"connected"}]`,
		`"route":{"target":"a","reason":"cheap","conclusive":true},"session_state":"running","warnings":["given","said before"]`,
		`"capabilities":["stream_v1","partial_messages_v1"],"extension":{"x":1},"_meta":{"host":"h","run_id":"`)
	if r.str("_meta", "run_id") == "mine" {
		t.Error("the caller's run_id was taken")
	}
}

// What an Init leaves empty of its agent is filled, and no more.
func TestInitFillsTheAgent(t *testing.T) {
	for _, c := range []struct {
		agent event.Agent
		want  string
	}{
		{event.Agent{}, `"agent":{"name":"kit","provider":"local","role":"primary"}`},
		{event.Agent{Name: "a"}, `"agent":{"name":"a","provider":"local","role":"primary"}`},
		{event.Agent{Provider: "p", Model: "m"}, `"agent":{"name":"kit","provider":"p","model":"m","role":"primary"}`},
		{event.Agent{Role: "planner"}, `"agent":{"name":"kit","provider":"local","role":"planner"}`},
	} {
		var w tape
		em := begin(t, quiet(&w))
		must(t, em.Init(event.Init{Agent: c.agent}), em.Message("m").End(), em.Finish(event.Result{}))
		records := whole(t, w.bytes())
		holds(t, "init", records[0].raw, c.want)
		if role := records[1].str("agent"); !strings.Contains(c.want, `"role":"`+role+`"`) {
			t.Errorf("a message of the agent %q with %s", role, c.want)
		}
	}
}

// An Init that breaks a rule is refused with the member's name, writes nothing,
// and can be given again.
func TestInitRefused(t *testing.T) {
	for pointer, init := range map[string]event.Init{
		"/escalation_agent/name":     {EscalationAgent: &event.Agent{Provider: "p"}},
		"/escalation_agent/provider": {EscalationAgent: &event.Agent{Name: "n"}},
		"/mcp_servers/1/name":        {MCPServers: []event.MCPServer{{Name: "a", Status: "b"}, {Status: "b"}}},
		"/mcp_servers/0/status":      {MCPServers: []event.MCPServer{{Name: "a"}}},
		"/route/target":              {Route: &event.RouteDecision{Reason: "r"}},
		"/extension/f":               {Extra: &event.Extra{Extension: map[string]any{"f": func() {}}}},
	} {
		var w tape
		em := begin(t, quiet(&w))
		var refused *emit.EventError
		err := em.Init(init)
		if !errors.As(err, &refused) || refused.Type != "system" || refused.Subtype != "init" || refused.Pointer != pointer || w.String() != "" {
			t.Errorf("%s: %v, written %q", pointer, err, w.String())
		}
		must(t, em.Init(event.Init{CWD: "/second"}), em.Finish(event.Result{}))
		if got := whole(t, w.bytes())[0].str("cwd"); got != "/second" {
			t.Errorf("%s: cwd %q", pointer, got)
		}
	}
}

// Init is for the first line alone: behind it, it is refused and told, and the
// stream goes on.
func TestInitAfterTheFirstEvent(t *testing.T) {
	for name, first := range map[string]func(*emit.Emitter) error{
		"Init":         func(em *emit.Emitter) error { return em.Init(event.Init{}) },
		"Emit":         func(em *emit.Emitter) error { return em.Emit(event.State{SessionState: "running"}) },
		"a delta":      func(em *emit.Emitter) error { return em.Text(0, "x") },
		"nested Emit":  func(em *emit.Emitter) error { return em.Nested("p", "r").Warn("x", "y") },
		"half a delta": func(em *emit.Emitter) error { return em.Text(0, "\xe2") },
	} {
		var w, prose tape
		o := partial(&w)
		o.Stderr = &prose
		em := begin(t, o)
		must(t, first(em))
		var refused *emit.EventError
		if err := em.Init(event.Init{CWD: "/late"}); !errors.As(err, &refused) || refused.Subtype != "init" {
			t.Errorf("%s: %v", name, err)
		}
		must(t, em.Finish(event.Result{}))
		lacks(t, "the stream", w.bytes(), "/late")
		whole(t, w.bytes())
		holds(t, "stderr", prose.bytes(), "system/init refused", "before any event")
	}
}

// Of the warnings before init a hundred are kept, and the others counted; the
// count is exact, and what comes later is a line of its own.
func TestWarningsBeforeInit(t *testing.T) {
	for _, c := range []struct {
		said int
		more string
	}{{1, ""}, {100, ""}, {101, "1 more"}, {350, "250 more"}} {
		var w tape
		em := begin(t, quiet(&w))
		for i := range c.said {
			em.Log().Warn().Int("i", i).Msg("early")
		}
		must(t, em.Init(event.Init{Warnings: []string{"given"}}))
		em.Log().Warn().Msg("late")
		must(t, em.Finish(event.Result{}))
		records := whole(t, w.bytes())
		list, _ := records[0].at("warnings").([]any)
		want := 1 + min(c.said, 100)
		if c.more != "" {
			want++
			if rest := fmt.Sprint(list[len(list)-1]); !strings.HasPrefix(rest, c.more+" warnings") {
				t.Errorf("%d said: the last is %q", c.said, rest)
			}
		}
		if len(list) != want || list[0] != "given" || list[1] != "early i=0" || list[min(c.said, 100)] != fmt.Sprint("early i=", min(c.said, 100)-1) {
			t.Errorf("%d said: %d stand there: %.200v", c.said, len(list), list)
		}
		if s := kinds(records); s != "init warning result/success" || records[1].str("message") != "late" || records[1].str("category") != "notice" {
			t.Errorf("%d said: %s", c.said, s)
		}
	}
}

// In a directory that was deleted cwd is what $PWD says, else ".".
func TestCWDOfADeletedDirectory(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a current directory can't be deleted there")
	}
	dir := filepath.Join(t.TempDir(), "gone")
	must(t, os.Mkdir(dir, 0o700))
	t.Chdir(dir)
	must(t, os.Remove(dir))
	if _, err := os.Getwd(); err == nil {
		t.Skip("this system still knows the deleted directory")
	}
	for pwd, want := range map[string]string{"/somewhere/else": "/somewhere/else", "": "."} {
		t.Setenv("PWD", pwd)
		if got := firstLine(t, func(*emit.Options) {}).str("cwd"); got != want {
			t.Errorf("PWD=%q: cwd %q", pwd, got)
		}
	}
}

// A handClock stands still until it is moved, and counts its readings.
type handClock struct {
	mu       sync.Mutex
	now      time.Time
	readings int
}

func (c *handClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.readings++
	return c.now
}

func (c *handClock) move(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(by)
}

// readAgain waits until the clock was read some more times.
func (c *handClock) readAgain(t *testing.T) {
	t.Helper()
	c.mu.Lock()
	from := c.readings
	c.mu.Unlock()
	eventually(t, "the clock is read again", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.readings > from+5
	})
}

// A heartbeat comes after that time without a line, and then each time again;
// never before init, and never while lines come.
func TestHeartbeat(t *testing.T) {
	var w tape
	c := &handClock{now: time.Unix(1000, 0)}
	o := quiet(&w)
	o.Heartbeat, o.Clock = 2*time.Millisecond, c
	em := begin(t, o)
	beats := func() int { return strings.Count(w.String(), `"heartbeat"`) }
	c.move(time.Hour)
	if w.String() != "" {
		t.Errorf("written before init: %s", w.String())
	}
	must(t, em.Emit(event.State{SessionState: "running"}))
	c.readAgain(t)
	c.move(time.Millisecond)
	c.readAgain(t)
	if beats() != 0 {
		t.Errorf("a heartbeat before its time: %s", w.String())
	}
	c.move(time.Millisecond)
	eventually(t, "the first heartbeat", func() bool { return beats() == 1 })
	c.readAgain(t)
	must(t, em.Nested("p", "r").Warn("x", "y")) // a line of anybody counts
	c.move(time.Millisecond)
	c.readAgain(t)
	if beats() != 1 {
		t.Errorf("a heartbeat though a line came: %s", w.String())
	}
	c.move(10 * time.Second)
	eventually(t, "the second heartbeat", func() bool { return beats() == 2 })
	must(t, em.Finish(event.Result{}))
	c.move(time.Hour)
	records := whole(t, w.bytes())
	if s := kinds(records); s != "init state heartbeat warning heartbeat result/success" {
		t.Error(s)
	}
	for i, want := range map[int]string{2: "3600002", 4: "3610003"} {
		if got := fmt.Sprint(records[i].at("elapsed_ms")); got != want {
			t.Errorf("elapsed_ms is %s, want %s", got, want)
		}
	}
}

// A clock that runs backwards makes none.
func TestNoHeartbeat(t *testing.T) {
	var w tape
	c := &handClock{now: time.Unix(1000, 0)}
	o := quiet(&w)
	o.Heartbeat, o.Clock = time.Millisecond, c
	em := begin(t, o)
	must(t, em.Init(event.Init{}))
	c.move(-time.Hour)
	c.readAgain(t)
	must(t, em.Finish(event.Result{}))
	if s := kinds(whole(t, w.bytes())); s != "init result/success" {
		t.Error(s)
	}
}
