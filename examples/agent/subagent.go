package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/event"
)

// maxDepth is how deep agents can start agents: a model that has an agent
// start itself must come to an end.
const maxDepth = 3

// startAgent runs a sub-agent to its end; its last words are the result.
//
// The sub-agent writes as a nested actor: each of its lines carries the id of
// this call. It is a task as well, so that readers can follow it without
// reading all that it does. Whatever way it ends, End closes what it opened.
func startAgent(ctx context.Context, a *agent, c call) (output, error) {
	var args struct{ Agent, Task string }
	if err := decode(c, &args); err != nil {
		return output{}, err
	}
	p, ok := a.script.agents[args.Agent]
	switch {
	case len(a.script.agents) == 0:
		return output{}, errors.New("the script has no sub-agents")
	case !ok:
		known := strings.Join(slices.Sorted(maps.Keys(a.script.agents)), ", ")
		return output{}, fmt.Errorf("no agent is called %q: use one of %s", args.Agent, known)
	case a.depth == maxDepth:
		return output{}, fmt.Errorf("agents start agents no more than %d deep", maxDepth)
	}

	actor := a.actor.Nested(c.id, args.Agent)
	defer func() { _ = actor.End() }() // what can't be written is told by other calls
	child := a.newAgent(actor, p, strings.TrimPrefix(c.id, "call_")+".")
	child.depth = a.depth + 1
	child.task = "task_" + strings.TrimPrefix(c.id, "call_")
	child.seen["task"] = output{text: args.Task}

	err := actor.Emit(event.TaskStarted{
		TaskID: child.task, Kind: event.KindToolAgent,
		Task: map[string]any{"agent": args.Agent, "task": args.Task},
	})
	if err != nil {
		return output{}, err
	}
	last, err := child.work(emit.NewContext(ctx, actor))
	if ctx.Err() != nil {
		return output{}, context.Cause(ctx)
	}
	return child.report(last, err)
}

// report ends the task of a sub-agent.
func (a *agent) report(last reply, err error) (output, error) {
	if err == nil && last.stop == stopRefusal {
		err = emit.ErrRefused
	}
	out := output{
		text:    last.text,
		summary: "done after " + plural(int64(a.asked), "message"),
		values:  map[string]string{"messages": strconv.Itoa(a.asked)},
	}
	end := event.TaskNotification{
		TaskID: a.task, Kind: event.KindToolAgent, Status: event.StatusCompleted,
		Task: map[string]any{"messages": a.asked},
	}
	if err != nil {
		end.Status = event.StatusFailed
		end.Task = map[string]any{"messages": a.asked, "error": err.Error()}
	}
	if emitErr := a.actor.Emit(end); emitErr != nil {
		return out, emitErr
	}
	return out, err
}
