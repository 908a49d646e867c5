package event

import "github.com/streamjson/streamjson/internal/wire"

// The known kinds of tasks.
const (
	KindBackgroundAgent = "background_agent"
	KindWorkflow        = "workflow"
	KindToolAgent       = "tool_agent"
)

// The known statuses of a TaskNotification.
const (
	StatusCompleted = "completed"
	StatusFailed    = "failed"
	StatusCancelled = "cancelled"
)

// TaskStarted tells that a task runs from now on. A task that is still running
// when the run ends is closed by the emitter (contract section 3).
//
//	| member  | type   |          |                                        |
//	| ------- | ------ | -------- | -------------------------------------- |
//	| task_id | string | R filled | refused while a task of that id runs   |
//	| kind    | enum   | R filled | background_agent, workflow, tool_agent |
//	| task    | any    | O        | free-form                              |
//
// The line of a task that a tool started is emitted on the nested actor of
// that tool.
type TaskStarted struct {
	TaskID string
	Kind   string
	Task   any
	Extra  *Extra
}

func (e TaskStarted) send(s wire.Sink) error {
	l := s.Begin("system", "task_started")
	for more := true; more; more = l.Again() {
		l.MustID("task_id", e.TaskID)
		l.MustID("kind", e.Kind)
		l.OptValue("task", e.Task)
		l.Effects.Task(wire.StartTask, e.TaskID, e.Kind)
		e.Extra.end(l)
	}
	return s.Commit(l)
}

// TaskProgress tells what a running task does.
//
//	| member  | type   |          |                                        |
//	| ------- | ------ | -------- | -------------------------------------- |
//	| task_id | string | R filled | refused unless a task of that id runs  |
//	| kind    | enum   | R filled | background_agent, workflow, tool_agent |
//	| task    | any    | O        | free-form                              |
type TaskProgress struct {
	TaskID string
	Kind   string
	Task   any
	Extra  *Extra
}

func (e TaskProgress) send(s wire.Sink) error {
	l := s.Begin("system", "task_progress")
	for more := true; more; more = l.Again() {
		l.MustID("task_id", e.TaskID)
		l.MustID("kind", e.Kind)
		l.OptValue("task", e.Task)
		l.Effects.Task(wire.TouchTask, e.TaskID, e.Kind)
		e.Extra.end(l)
	}
	return s.Commit(l)
}

// TaskNotification tells that a task has ended.
//
//	| member  | type   |          |                                        |
//	| ------- | ------ | -------- | -------------------------------------- |
//	| task_id | string | R filled | refused unless a task of that id runs  |
//	| kind    | enum   | R filled | background_agent, workflow, tool_agent |
//	| status  | enum   | R filled | completed, failed, cancelled           |
//	| task    | any    | O        | free-form                              |
type TaskNotification struct {
	TaskID string
	Kind   string
	Status string
	Task   any
	Extra  *Extra
}

func (e TaskNotification) send(s wire.Sink) error {
	l := s.Begin("system", "task_notification")
	for more := true; more; more = l.Again() {
		l.MustID("task_id", e.TaskID)
		l.MustID("kind", e.Kind)
		l.MustID("status", e.Status)
		l.OptValue("task", e.Task)
		l.Effects.Task(wire.EndTask, e.TaskID, e.Kind)
		e.Extra.end(l)
	}
	return s.Commit(l)
}
