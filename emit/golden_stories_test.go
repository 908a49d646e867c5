package emit_test

import (
	"context"
	"errors"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/event"
)

// storyRuns are whole runs as agents do them.
func storyRuns() []goldenRun {
	return []goldenRun{
		{name: "story_tool_use", body: toolUse},
		{name: "story_partial_messages", options: emit.Options{Partial: true}, body: partialMessages},
		{name: "story_retry", options: emit.Options{Partial: true}, body: retry},
		{name: "story_nested_agents", options: emit.Options{Partial: true, Capabilities: []string{"tasks_v1"}}, body: nestedAgents},
		{name: "story_failure_before_first_event", body: func(context.Context, *emit.Emitter) error {
			return errors.New("no API key: set MILK_API_KEY, or run milk login")
		}},
		{name: "story_interrupt", options: emit.Options{Partial: true, Capabilities: []string{"tasks_v1"}}, body: interrupt},
	}
}

func toolUse(_ context.Context, em *emit.Emitter) error {
	init := primary()
	init.Tools = []string{"read_file"}
	em.AddUsage("qwen2.5-coder-32b", event.Usage{InputTokens: 150, OutputTokens: 45, CacheRead: 90, CacheCreation: 25})
	err := errors.Join(
		em.Init(init),
		em.Emit(event.State{SessionState: event.StateRunning}),
		em.Emit(event.Assistant{Agent: "primary", ID: "msg_1", Content: []event.Block{
			event.Text{Text: "Checking go.mod."},
			event.ToolUse{ID: "toolu_1", Name: "read_file", Input: map[string]any{"path": "go.mod"}},
		}}),
		em.Emit(event.User{
			Content:       []event.ToolResult{{ToolUseID: "toolu_1", Text: "module example.com/t\n\ngo 1.25\n"}},
			ToolUseResult: &event.ToolUseResult{Path: "go.mod", Summary: "3 lines"},
		}))
	em.AddUsage("qwen2.5-coder-32b", event.Usage{InputTokens: 230, OutputTokens: 12, CacheRead: 150})
	return errors.Join(err,
		em.Emit(event.Assistant{Agent: "primary", ID: "msg_2", Content: []event.Block{
			event.Text{Text: "go.mod declares module example.com/t."},
		}}),
		em.Emit(event.State{SessionState: event.StateIdle, StopReason: "end_turn"}))
}

func partialMessages(_ context.Context, em *emit.Emitter) error {
	m := em.Message("msg_1")
	err := errors.Join(
		em.Init(primary()),
		m.Thinking("The question is about parsing; "),
		m.Thinking("check go.mod first."),
		m.Text("Let me look at "),
		m.Text("go.mod: caf\xc3"), // a character in two pieces
		m.Text("\xa9."),
		m.ToolArgs("toolu_1", `{"pa`),
		m.ToolArgs("toolu_1", `th":"go.mod"}`),
		m.ToolUse("toolu_1", "read_file", nil),
		m.End(),
		em.Emit(event.User{Content: []event.ToolResult{{ToolUseID: "toolu_1", Text: "module x"}}}))
	last := em.Message("msg_2")
	return errors.Join(err, last.Text("It is "), last.Text("module x."), last.End())
}

func retry(_ context.Context, em *emit.Emitter) error {
	m := em.Message("msg_1")
	err := errors.Join(
		m.Thinking("Now "), m.Text("The answer is 4"), m.Discard(),
		em.Emit(event.Error{Message: "the provider closed the stream, trying again", Recoverable: true}))
	m = em.Message("msg_2")
	return errors.Join(err, m.Text("The answer "), m.Text("is 42."), m.End())
}

func nestedAgents(_ context.Context, em *emit.Emitter) error {
	err := em.Emit(event.Assistant{ID: "msg_1", Content: []event.Block{
		event.ToolUse{ID: "toolu_a", Name: "agent", Input: map[string]any{"task": "count files"}},
		event.ToolUse{ID: "toolu_b", Name: "agent", Input: map[string]any{"task": "read go.mod"}},
	}})
	counter, reader := em.Nested("toolu_a", "counter"), em.Nested("toolu_b", "reader")
	err = errors.Join(err,
		counter.Emit(event.TaskStarted{TaskID: "task_a", Kind: event.KindToolAgent}),
		reader.Emit(event.TaskStarted{TaskID: "task_b", Kind: event.KindToolAgent}))
	mc, mr := counter.Message("msg_a1"), reader.Message("msg_b1")
	err = errors.Join(err,
		mc.Text("There are "), mr.ToolArgs("toolu_b1", `{"path":"go.mod"}`), mc.Text("7 files."),
		mr.ToolUse("toolu_b1", "read_file", nil), mr.End(), mc.End(),
		counter.Emit(event.TaskNotification{TaskID: "task_a", Kind: event.KindToolAgent, Status: event.StatusCompleted}),
		em.Emit(event.User{Content: []event.ToolResult{{ToolUseID: "toolu_a", Text: "7 files"}}}),
		reader.Emit(event.User{Content: []event.ToolResult{{ToolUseID: "toolu_b1", Text: "module x"}}}))
	stage := reader.Nested("toolu_b1", "check") // outlives its tool result
	m := stage.Message("")
	em.AddUsage("small", event.Usage{InputTokens: 10, OutputTokens: 2})
	err = errors.Join(err,
		m.Thinking("plausible"), m.Text("ok"), m.End(), stage.End(),
		reader.Emit(event.TaskNotification{TaskID: "task_b", Kind: event.KindToolAgent, Status: event.StatusFailed, Task: map[string]any{"error": "too short"}}),
		em.Emit(event.User{Content: []event.ToolResult{{ToolUseID: "toolu_b", Text: "failed", IsError: true}}}),
		counter.End(), reader.End())
	last := em.Message("msg_2")
	return errors.Join(err, last.Text("7 files, "), last.Text("and one failure."), last.End())
}

func interrupt(_ context.Context, em *emit.Emitter) error {
	m := em.Message("msg_1")
	err := errors.Join(
		m.Text("Running the tests."),
		m.ToolUse("toolu_1", "bash", map[string]any{"command": "go test ./..."}),
		m.ToolUse("toolu_2", "agent", map[string]any{"task": "wait"}),
		m.End())
	helper := em.Nested("toolu_2", "helper")
	hm := helper.Message("msg_h1")
	err = errors.Join(err,
		helper.Emit(event.TaskStarted{TaskID: "task_2", Kind: event.KindToolAgent}),
		hm.ToolUse("toolu_h1", "bash", map[string]any{"command": "sleep 60"}),
		hm.End(),
		helper.Text(0, "Still wai\xf0\x9f"), // the interrupt splits a character
	)
	return errors.Join(err, em.Finish(event.Result{Subtype: event.Interrupted, Errors: []string{"interrupted by SIGINT"}}))
}
