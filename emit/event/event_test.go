package event_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/event"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newRun begins a run whose init line is written, and returns what comes after.
func newRun(t *testing.T) (*emit.Emitter, func() string) {
	t.Helper()
	var out bytes.Buffer
	em, err := emit.New(context.Background(), emit.Options{Stdout: &out, Stderr: &bytes.Buffer{}, Partial: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = em.Close() })
	if err := em.Init(event.Init{}); err != nil {
		t.Fatal(err)
	}
	out.Reset()
	return em, out.String
}

// TestRefused has one row for each rule by which a single event is refused:
// the error names the member, nothing is written, no seq is used.
func TestRefused(t *testing.T) {
	nan := map[string]any{"ratio": math.NaN()}
	for _, c := range []struct {
		rule    string
		e       event.Event
		pointer string
	}{
		{"agent_switch needs from", event.AgentSwitch{To: "b"}, "/from"},
		{"agent_switch needs to", event.AgentSwitch{From: "a"}, "/to"},
		{"route needs target", event.Route{}, "/route/target"},
		{"notification needs id", event.Notification{Severity: "info"}, "/id"},
		{"notification needs severity", event.Notification{ID: "n"}, "/severity"},
		{"warning needs category", event.Warning{Message: "m"}, "/category"},
		{"state needs session_state", event.State{}, "/session_state"},
		{"idle needs stop_reason", event.State{SessionState: "idle"}, "/stop_reason"},
		{"only idle has stop_reason", event.State{SessionState: "running", StopReason: "end_turn"}, "/stop_reason"},
		{"task_started needs task_id", event.TaskStarted{Kind: "workflow"}, "/task_id"},
		{"task_started needs kind", event.TaskStarted{TaskID: "t"}, "/kind"},
		{"task_progress needs a running task", event.TaskProgress{TaskID: "t", Kind: "workflow"}, "/task_id"},
		{"task_notification needs status", event.TaskNotification{TaskID: "t", Kind: "workflow"}, "/status"},
		{"task_notification needs a running task", event.TaskNotification{TaskID: "t", Kind: "workflow", Status: "failed"}, "/task_id"},
		{"background_tasks_changed needs a list", event.BackgroundTasksChanged{}, ""},
		{"ids in a list are filled", event.BackgroundTasksChanged{RunningIDs: []string{"a", ""}}, "/running_ids/1"},
		{"memory needs op", event.Memory{}, "/op"},
		{"commands need names", event.Commands{Commands: []event.Command{{Name: "a"}, {Hint: "h"}}}, "/commands/1/name"},
		{"config_option needs option", event.ConfigOption{Value: "v"}, "/option"},
		{"permission_denied needs tool", event.PermissionDenied{}, "/tool"},
		{"heartbeats are the emitter's", event.Heartbeat{ElapsedMS: 1}, ""},
		{"init is the emitter's", event.Init{}, ""},
		{"result is the emitter's", event.Result{}, ""},
		{"a subtype of one's own is filled", event.System{}, "/subtype"},
		{"a subtype of the catalog has its type", event.System{Subtype: "warning"}, "/subtype"},
		{"init has its method", event.System{Subtype: "init"}, "/subtype"},
		{"fields are an object", event.System{Subtype: "x", Fields: []int{1}}, ""},
		{"fields are not the envelope's", event.System{Subtype: "x", Fields: map[string]any{"parent_tool_use_id": "p"}}, "/parent_tool_use_id"},
		{"fields can be encoded", event.System{Subtype: "x", Fields: map[string]any{"deep": nan}}, "/deep/ratio"},
		{"fields that are raw are JSON", event.System{Subtype: "x", Fields: json.RawMessage(`{"a":}`)}, "/a"},
		{"a key stands once", event.System{Subtype: "x", Fields: json.RawMessage(`{"a":1,"a":2}`)}, "/a"},
		{"extension can be encoded", event.Warning{Category: "c", Extra: &event.Extra{Extension: nan}}, "/extension/ratio"},
		{"_meta can be encoded", event.Warning{Category: "c", Extra: &event.Extra{Meta: nan}}, "/_meta/ratio"},
		{"tool_use needs id", event.Assistant{Content: []event.Block{event.Text{}, event.ToolUse{Name: "n"}}}, "/message/content/1/id"},
		{"tool_use needs name", event.Assistant{Content: []event.Block{event.ToolUse{ID: "t"}}}, "/message/content/0/name"},
		{"tool input can be encoded", event.Assistant{Content: []event.Block{event.ToolUse{ID: "t", Name: "n", Input: nan}}}, "/message/content/0/input/ratio"},
		{"tool ids are new on a line, too", event.Assistant{Content: []event.Block{event.ToolUse{ID: "t", Name: "n"}, event.ToolUse{ID: "t", Name: "n"}}}, "/message/content/1/id"},
		{"blocks are values", event.Assistant{Content: []event.Block{&event.Text{Text: "x"}}}, "/message/content/0"},
		{"blocks are not nil", event.Assistant{Content: []event.Block{nil}}, "/message/content/0"},
		{"tool_result needs tool_use_id", event.User{Content: []event.ToolResult{{Text: "x"}}}, "/message/content/0/tool_use_id"},
		{"tool_result needs an open call", event.User{Content: []event.ToolResult{{ToolUseID: "t", Text: "x"}}}, "/message/content/0/tool_use_id"},
		{"tool_result has one content", event.User{Content: []event.ToolResult{{ToolUseID: "t", Text: "x", Content: 1}}}, "/message/content/0/content"},
		{"tool_use_result sums up one result", event.User{ToolUseResult: &event.ToolUseResult{}}, "/tool_use_result"},
		{"a delta has an index", event.TextDelta{Index: -1, Text: "x"}, "/event/index"},
		{"a thinking delta has one, too", event.ThinkingDelta{Index: -1, Thinking: "x"}, "/event/index"},
		{"an argument delta has a tool", event.ToolArgsDelta{PartialJSON: "{"}, "/event/tool_use_id"},
		{"an event is not nil", nil, ""},
		{"nor is a pointer to one", (*event.Error)(nil), ""},
	} {
		t.Run(c.rule, func(t *testing.T) {
			em, written := newRun(t)
			var refused *emit.EventError
			if err := em.Emit(c.e); !errors.As(err, &refused) {
				t.Fatalf("Emit = %v, want an EventError", err)
			}
			if refused.Pointer != c.pointer || refused.Err == nil {
				t.Errorf("refused at %q: %v; want %q", refused.Pointer, refused, c.pointer)
			}
			if got := written(); got != "" {
				t.Errorf("written all the same: %s", got)
			}
			if err := em.Emit(event.Memory{Op: "get"}); err != nil {
				t.Fatal(err)
			}
			if got := written(); !strings.Contains(got, `"seq":1,`) {
				t.Errorf("the next line has no seq 1: %s", got)
			}
		})
	}
}

// TestPointersWork: an event behind a pointer is the event.
func TestPointersWork(t *testing.T) {
	em, written := newRun(t)
	if err := em.Emit(&event.Memory{Op: "list"}); err != nil {
		t.Fatal(err)
	}
	if got := written(); !strings.Contains(got, `"subtype":"memory"`) || !strings.Contains(got, `"op":"list"`) {
		t.Errorf("written: %s", got)
	}
}

// TestFieldsOfAnyKind: whatever encodes to an object becomes members.
func TestFieldsOfAnyKind(t *testing.T) {
	type fields struct {
		A int    `json:"a"`
		B string `json:"b,omitempty"`
	}
	for name, c := range map[string]struct {
		fields any
		want   string
	}{
		"nil":            {nil, `Z"}`},
		"an empty map":   {map[string]any{}, `Z"}`},
		"a map":          {map[string]any{"b": "x", "a": 1}, `Z","a":1,"b":"x"}`},
		"a struct":       {fields{A: 1}, `Z","a":1}`},
		"a pointer":      {&fields{1, "<&>"}, `Z","a":1,"b":"<&>"}`},
		"raw":            {json.RawMessage(" {\n\"a\" : [ 1 ] } "), `Z","a":[1]}`},
		"raw and empty":  {json.RawMessage(`{ }`), `Z"}`},
		"a map of texts": {map[string]string{"a": "\xff"}, `Z","a":"` + "\ufffd" + `"}`},
	} {
		t.Run(name, func(t *testing.T) {
			em, written := newRun(t)
			if err := em.Emit(event.System{Subtype: "own", Fields: c.fields}); err != nil {
				t.Fatal(err)
			}
			if got := strings.TrimSuffix(written(), "\n"); !strings.HasSuffix(got, c.want) {
				t.Errorf("written %s, want it to end in %s", got, c.want)
			}
		})
	}
}
