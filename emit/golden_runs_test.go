package emit_test

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/event"
)

// primary is the init line of the recorded runs.
func primary() event.Init {
	return event.Init{Agent: event.Agent{
		Name: "qwen-local", Model: "qwen2.5-coder-32b", ContextWindowTokens: 131072,
	}}
}

// catalogRuns are one run for each line of the catalog, all members set.
func catalogRuns() []goldenRun {
	detail := &event.Extra{
		Extension: map[string]any{"provider": "local", "raw": json.RawMessage(`{"finish": "stop"}`)},
		Meta:      map[string]any{"host": "ci", "attempt": 2},
	}
	single := func(name string, events ...event.Event) goldenRun {
		return goldenRun{name: name, body: func(_ context.Context, em *emit.Emitter) error {
			return errors.Join(em.Init(primary()), em.EmitAll(events...))
		}}
	}
	return []goldenRun{
		{
			name: "init", options: emit.Options{Partial: true, Capabilities: []string{"tasks_v1", "workflows_v1"}},
			body: func(_ context.Context, em *emit.Emitter) error {
				em.Log().Warn().Str("key", "memory_total").Msg("config: unknown key")
				return em.Init(event.Init{
					CWD: "/repo/sub",
					Agent: event.Agent{
						Name: "qwen-local", Provider: "local", Model: "qwen2.5-coder-32b",
						Role: "primary", ContextWindowTokens: 131072,
					},
					EscalationAgent: &event.Agent{Name: "claude", Provider: "claude-cli", Model: "claude-sonnet-5", Role: "escalation"},
					Tools:           []string{"bash", "read_file"},
					MCPServers:      []event.MCPServer{{Name: "github", Status: "connected"}},
					Route:           &event.RouteDecision{Target: "primary", Reason: "configured directly", Conclusive: true},
					SessionState:    event.StateIdle,
					Warnings:        []string{"--permission-mode deny: bash is rejected without a prompt"},
					Extra:           detail,
				})
			},
		},
		{name: "init_default", body: func(_ context.Context, em *emit.Emitter) error {
			return em.Emit(event.State{SessionState: event.StateRunning})
		}},
		single("agent_switch", event.AgentSwitch{From: "primary", To: "escalation", Reason: "two failed edits", Extra: detail}),
		single("route", event.Route{Target: "escalation", Reason: "needs a larger model", Conclusive: true, Extra: detail}),
		single("notification", event.Notification{ID: "n1", Severity: "warning", Body: "The index is stale.", CommandHint: "milk index", Extra: detail}),
		single("warning", event.Warning{Category: "loop", Message: "the same tool call three times", Count: 3, Limit: 5, Extra: detail}),
		single("state",
			event.State{SessionState: event.StateRunning},
			event.State{SessionState: event.StateRequiresAction},
			event.State{SessionState: event.StateIdle, StopReason: "end_turn", Extra: detail}),
		single("tasks",
			event.TaskStarted{TaskID: "task_1", Kind: event.KindBackgroundAgent, Task: map[string]any{"label": "audit"}, Extra: detail},
			event.TaskProgress{TaskID: "task_1", Kind: event.KindBackgroundAgent, Task: map[string]any{"done": 3, "of": 7}, Extra: detail},
			event.TaskNotification{TaskID: "task_1", Kind: event.KindBackgroundAgent, Status: event.StatusCompleted, Task: "7 files", Extra: detail}),
		single("background_tasks_changed",
			event.BackgroundTasksChanged{RunningIDs: []string{"task_1", "task_2"}},
			event.BackgroundTasksChanged{RunningIDs: []string{"task_2"}, FinishedIDs: []string{"task_1"}, Extra: detail},
			event.BackgroundTasksChanged{FinishedIDs: []string{"task_2"}},
			event.BackgroundTasksChanged{RunningIDs: []string{}}),
		single("memory", event.Memory{Op: "record", PerceptID: "p_1", Subject: "build command", Extra: detail}),
		single("commands", event.Commands{Commands: []event.Command{
			{Name: "compact", Hint: "[instructions]", Description: "Sums up the conversation."}, {Name: "quit"},
		}, Extra: detail}),
		single("config_option", event.ConfigOption{Option: "model", Value: "claude-sonnet-5", Extra: detail}),
		single("permission_denied", event.PermissionDenied{Tool: "bash", Reason: "the mode is deny", ToolUseID: "toolu_1", Extra: detail}),
		single("error", event.Error{Message: "connection reset, trying again", Recoverable: true, Extra: detail}),
		single("system_own", event.System{Subtype: "milk_index", Fields: struct {
			Files int      `json:"files"`
			Roots []string `json:"roots"`
		}{7, []string{"cmd", "internal"}}, Extra: detail}),
		single("assistant", event.Assistant{Agent: "primary", ID: "msg_1", Content: []event.Block{
			event.Thinking{Thinking: " kept as it is \n"},
			event.Text{Text: "Quotes \", back\\slashes, <tags> & ümläüts, 😀, controls \x01\x1b\x7f\u0085\u2028, and a broken byte \xff."},
			event.ToolUse{ID: "toolu_1", Name: "read_file", Input: json.RawMessage("{\n \"path\": \"go.mod\",\n \"line\": 1e2\n}")},
		}, Extra: detail}),
		single("user",
			event.Assistant{Content: []event.Block{
				event.ToolUse{ID: "toolu_1", Name: "read_file", Input: map[string]any{"path": "go.mod"}},
				event.ToolUse{ID: "toolu_2", Name: "list", Input: nil},
				event.ToolUse{ID: "toolu_3", Name: "fetch", Input: json.RawMessage(`{"url": broken`)},
			}},
			event.User{
				Content:       []event.ToolResult{{ToolUseID: "toolu_1", Text: "no such file", IsError: true}},
				ToolUseResult: &event.ToolUseResult{Path: "go.mod", IsError: true, Summary: "\x1b[31mnot found\x1b[0m"},
				Extra:         detail,
			},
			event.User{Content: []event.ToolResult{
				{ToolUseID: "toolu_2", Content: []any{map[string]any{"name": "a.go", "size": 12}}},
				{ToolUseID: "toolu_3", Content: json.RawMessage(`{"half":`)},
			}}),
	}
}

// resultRuns are one run for each subtype of a result.
func resultRuns() []goldenRun {
	cost := 0.0125
	finish := func(name string, res event.Result) goldenRun {
		return goldenRun{name: "result_" + name, body: func(_ context.Context, em *emit.Emitter) error {
			return errors.Join(em.Init(primary()), em.Finish(res))
		}}
	}
	return []goldenRun{
		finish("success", event.Result{
			Result: "Done.", NumTurns: 3, DurationMS: 31200, StopReason: "max_tokens",
			RouteHistory: []event.Hop{{Turn: 0, Target: "primary"}, {Turn: 2, Target: "escalation"}},
			Usage:        &event.Usage{InputTokens: 1234, OutputTokens: 567, CacheRead: 8000, CacheCreation: 200},
			ModelUsage: map[string]event.Usage{
				"qwen2.5-coder-32b": {InputTokens: 600, OutputTokens: 120, CacheRead: 4000, CacheCreation: 200},
				"claude-sonnet-5":   {InputTokens: 634, OutputTokens: 447, CacheRead: 4000},
			},
			TotalCostUSD: &cost,
			Extra:        &event.Extra{Extension: map[string]any{"finish": "length"}, Meta: map[string]any{"host": "ci"}},
		}),
		finish("empty", event.Result{}),
		finish("refused", event.Result{Subtype: event.Refused, Result: "I can't help with that."}),
		finish("error_during_execution", event.Result{Subtype: event.ErrorDuringExecution, Errors: []string{"the model server is unreachable", "two attempts failed"}}),
		finish("error_max_turns", event.Result{Subtype: event.ErrorMaxTurns}),
		finish("interrupted", event.Result{Subtype: event.Interrupted}),
		finish("own", event.Result{Subtype: "budget_exhausted", IsError: true, Errors: []string{"the budget of $1 is spent"}, StopReason: "budget"}),
	}
}
