package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/event"
)

// maxAttempts is how often one message is asked for.
const maxAttempts = 3

// An agent asks its model, calls the tools that the model wants, and asks
// again, until the model wants none. The top-level agent and sub-agents are
// the same but for the actor that they write as.
type agent struct {
	*session
	actor  *emit.Actor
	model  model
	prefix string  // of its ids
	depth  int     // 0 at top level
	task   string  // the id of the task that it works on; "" at top level
	seen   results // the loop's own: tools, which run beside it, don't touch it
	asked  int     // messages so far, attempts included
}

// work runs the loop and returns the model's last reply.
func (a *agent) work(ctx context.Context) (reply, error) {
	for turn := 0; ; turn++ {
		if limit := a.config.maxTurns; limit != noLimit && turn >= limit {
			return reply{}, fmt.Errorf("%w: --max-turns %d", emit.ErrMaxTurns, limit)
		}
		r, err := a.ask(ctx)
		if err != nil || r.stop != "" || len(r.calls) == 0 {
			return r, err
		}
		if err := a.progress(turn+1, r.calls); err != nil {
			return r, err
		}
		if err := a.callTools(ctx, r.calls); err != nil {
			return r, err
		}
	}
}

// ask gets one message from the model. The message stays open where it fails:
// what was said so far is then the text of the result.
func (a *agent) ask(ctx context.Context) (reply, error) {
	for attempt := 1; ; attempt++ {
		a.asked++
		msg := a.actor.Message(fmt.Sprintf("msg_%s%d", a.prefix, a.asked))
		r, err := a.model.reply(ctx, msg, a.seen)
		if r.usage != nil {
			a.em.AddUsage(modelName, *r.usage)
		}
		var again *retryError
		switch {
		case errors.As(err, &again) && attempt < maxAttempts:
			err = errors.Join(
				msg.Discard(),
				a.actor.Emit(event.Error{Message: again.Error(), Recoverable: true}),
			)
			if err != nil {
				return r, err
			}
		case again != nil:
			return r, fmt.Errorf("gave up after %d attempts: %w", attempt, err)
		case err != nil:
			return r, err
		case ctx.Err() != nil:
			// A tool call that is never going to run is not announced.
			return r, context.Cause(ctx)
		default:
			return r, msg.End()
		}
	}
}

// callTools runs the calls of a message, all at once, and returns when each
// has its result. Go keeps the run honest: it can't end before they do, and a
// panic in a tool ends it with that cause.
func (a *agent) callTools(ctx context.Context, calls []call) error {
	type outcome struct {
		name string
		out  output
		err  error
	}
	done := make(chan outcome, len(calls))
	for _, c := range calls {
		a.actor.Go(func(ctx context.Context) error {
			out, err := a.callTool(ctx, c)
			done <- outcome{c.name, out, err}
			return nil
		})
	}
	for range calls {
		select {
		case o := <-done:
			if o.err != nil {
				return o.err
			}
			a.seen[o.name] = o.out
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// progress tells what a sub-agent is about to do.
func (a *agent) progress(turn int, calls []call) error {
	if a.task == "" {
		return nil
	}
	tools := make([]string, len(calls))
	for i, c := range calls {
		tools[i] = c.tool
	}
	return a.actor.Emit(event.TaskProgress{
		TaskID: a.task,
		Kind:   event.KindToolAgent,
		Task:   map[string]any{"turn": turn, "tools": tools},
	})
}
