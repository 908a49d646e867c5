package wrap

import (
	"context"
	"strings"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/event"
)

// Tool runs a program as the tool of an agent. The actor has emitted the
// tool_use with the id toolUseID, and emits the tool_result that Tool returns:
//
//	res, err := wrap.Tool(ctx, a, call.ID, wrap.Command{Argv: call.Argv})
//	if err != nil {
//		return err
//	}
//	return a.Emit(event.User{Content: []event.ToolResult{res}})
//
// Meanwhile Tool tells what the program does, on an actor nested in the call:
// task_started, a task_progress for each line as it comes, task_notification.
// See the package about these lines.
//
// The text of the result is what the program wrote on stdout, then what it
// wrote on stderr, then why it failed; IsError says that it did. That it could
// not be started, was ended by a limit, or that ctx was done is such a failure,
// for the model to read; a caller whose ctx is done knows by itself whether
// there is still somebody to read it. The error is that of the stream: it is
// over or can't be written, and nothing more can be said.
//
// When ctx is done the program is ended, all of what it has started with it,
// by the signal of the cause (a method Signal() os.Signal), else TERM.
//
// A command that makes no sense is a failure like others: models get them
// wrong. Tool is safe for concurrent use.
func Tool(ctx context.Context, a *emit.Actor, toolUseID string, c Command) (event.ToolResult, error) {
	res := event.ToolResult{ToolUseID: toolUseID}
	c.Redactor = redactorOf(a)
	c, err := c.normalize()
	if err != nil {
		res.Text, res.IsError = err.Error(), true
		return res, nil
	}
	t := newTask(a, toolUseID, &c)
	out, err := t.run(ctx)
	if err == nil {
		err = t.end(out)
	}
	if err != nil {
		_ = t.actor.End() // for a run that goes on
		return event.ToolResult{}, err
	}
	out.report(&c)
	res.Text, res.IsError = out.forModel(), out.Err != nil
	return res, nil
}

// forModel is the outcome as one text.
func (o *outcome) forModel() string {
	var b strings.Builder
	section := func(head, body string) {
		if body == "" {
			return
		}
		if b.Len() > 0 && !strings.HasSuffix(b.String(), "\n") {
			b.WriteByte('\n')
		}
		b.WriteString(head)
		b.WriteString(body)
	}
	section("", o.Stdout)
	section("[stderr]\n", o.Stderr)
	if o.Err != nil {
		section("", "["+o.Err.Error()+"]")
	}
	return b.String()
}
