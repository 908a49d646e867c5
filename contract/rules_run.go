package contract

import "strings"

// deltaRules are about messages that are written in pieces.
func deltaRules() []Rule {
	return []Rule{
		Rule{
			ID: "delta-capability", Severity: SeverityError, Reader: SeverityError, Ref: "section 2",
			Summary: "Deltas come only in runs that announce partial_messages_v1.",
			Why:     "A reader that was told that there are none shows the text twice.",
		}.withExamples(deltaRun(), `,"partial_messages_v1"`, ""),
		Rule{
			ID: "delta-mismatch", Severity: SeverityError, Reader: SeverityError, Ref: "section 2",
			Summary: "The deltas of a block, joined, are the text of the completed block.",
			Why:     "Readers show the deltas and keep the block, so people see what is not on record. A message that a provider's retry replaces is closed by deltas_discarded.",
		}.withExamples(deltaRun(), `"text":"lo."`, `"text":"lo"`),
		{
			ID: "delta-index", Severity: SeverityError, Reader: SeverityWarning, Ref: "section 2, D10",
			Summary: "The index of a delta is the place of its block in the completed message, and a block has deltas of its own kind only.",
			Why:     "Readers append by index: text lands in another block or in none.",
			Good:    Example{Stdout: deltaRun()}, Bad: Example{Stdout: strings.ReplaceAll(deltaRun(), `"index":0`, `"index":1`)},
		},
		Rule{
			ID: "args-mismatch", Severity: SeverityError, Reader: SeverityError, Ref: "section 2",
			Summary: "The fragments of a tool call, joined, are JSON text that means the same as the completed input.",
			Why:     "People approve a call by what they saw being written.",
		}.withExamples(argsRun(), `\"go.mod\"`, `\"go.sum\"`),
	}
}

// toolRules are about what is opened and closed.
func toolRules() []Rule {
	const (
		started  = `"type":"system","subtype":"task_started" | "task_id":"k1","kind":"workflow"`
		progress = `"type":"system","subtype":"task_progress" | "task_id":"k1","kind":"workflow"`
		ended    = `"type":"system","subtype":"task_notification" | "task_id":"k1","kind":"workflow","status":"completed"`
	)
	tool, task := Example{Stdout: toolRun()}, Example{Stdout: taskRun()}
	return []Rule{
		{
			ID: "tool-use-open", Severity: SeverityError, Reader: SeverityError, Ref: "section 3",
			Summary: "A tool_use has an id that no open tool_use has.",
			Why:     "A result names its call by the id alone.",
			Good:    tool, Bad: Example{Stdout: stream(initLine, callLine, callLine, returnLine, success)},
		},
		{
			ID: "tool-result-orphan", Severity: SeverityError, Reader: SeverityError, Ref: "section 3",
			Summary: "A tool_result answers a tool_use of this run.",
			Why:     "Readers and model providers refuse a result without its call.",
			Good:    tool, Bad: Example{Stdout: stream(initLine, returnLine, success)},
		},
		{
			ID: "tool-result-double", Severity: SeverityError, Reader: SeverityError, Ref: "section 3",
			Summary: "A tool_use has one tool_result.",
			Why:     "Readers have closed the call; they drop the second result or fail.",
			Good:    tool, Bad: Example{Stdout: stream(initLine, callLine, returnLine, returnLine, success)},
		},
		{
			ID: "tool-unclosed", Severity: SeverityError, Reader: SeverityError, Ref: "section 3, D9",
			Summary: "Every tool_use has its tool_result before the run ends.",
			Why:     "Readers wait for ever on a call that never ends.",
			Good:    tool, Bad: Example{Stdout: stream(initLine, callLine, success)},
		},
		{
			ID: "task-running", Severity: SeverityError, Reader: SeverityError, Ref: "section 3",
			Summary: "A task starts once: its id is not running already.",
			Why:     "A notification names its task by the id alone.",
			Good:    task, Bad: Example{Stdout: stream(initLine, started, started, ended, success)},
		},
		{
			ID: "task-not-running", Severity: SeverityError, Reader: SeverityError, Ref: "section 3",
			Summary: "Progress and notification are of a task that is running.",
			Why:     "Readers have nothing to attach them to.",
			Good:    task, Bad: Example{Stdout: stream(initLine, started, ended, progress, success)},
		},
		{
			ID: "task-unclosed", Severity: SeverityError, Reader: SeverityError, Ref: "section 3, D9",
			Summary: "Every task that started has its task_notification before the run ends.",
			Why:     "Readers show it as running for ever.",
			Good:    task, Bad: Example{Stdout: stream(initLine, started, progress, success)},
		},
	}
}

// resultRules are about the last line.
func resultRules() []Rule {
	text, failed, usage := textRun(), failedRun(), usageRun()
	return []Rule{
		Rule{
			ID: "result-flag", Severity: SeverityError, Reader: SeverityError, Ref: "section 2, D8",
			Summary: "is_error is what the subtype says: false for success and refused, true for the other three; a subtype of one's own states it.",
			Why:     "Some readers branch on the one, some on the other.",
		}.withExamples(text, `"is_error":false,"num_turns":1,"duration_ms":5,"result":"Hello."`,
			`"is_error":true,"num_turns":1,"duration_ms":5,"result":"Hello.","errors":["rate limit"]`),
		Rule{
			ID: "stop-reason", Severity: SeverityError, Reader: SeverityError, Ref: "section 2, D8",
			Summary: "A result has a stop_reason, and not the one that belongs to another subtype.",
			Why:     "end_turn on a failed run, or cancelled on a successful one, gives readers two answers.",
		}.withExamples(text, `"end_turn"`, `"refusal"`),
		Rule{
			ID: "errors-missing", Severity: SeverityError, Reader: SeverityError, Ref: "section 2, D7",
			Summary: "A result with is_error true says what went wrong in errors.",
			Why:     "A widely used client library crashes on a failing result without it, and the result is lost.",
		}.withExamples(failed, `"errors":["no model"],`, ""),
		Rule{
			ID: "errors-unexpected", Severity: SeverityError, Reader: SeverityError, Ref: "section 2, D7",
			Summary: "A result with is_error false has no errors.",
			Why:     "Readers that look for the member take the run for a failed one.",
		}.withExamples(text, `"result":"Hello.",`, `"result":"Hello.","errors":[],`),
		Rule{
			ID: "result-text", Severity: SeverityError, Reader: SeverityWarning, Ref: "section 2, D10",
			Summary: "A result has the final text in result, empty if there is none.",
			Why:     "Readers that take the answer from the last line must not have to tell absent from empty.",
		}.withExamples(text, `"result":"Hello.",`, ""),
		Rule{
			ID: "usage-sum", Severity: SeverityError, Reader: SeverityError, Ref: "section 2",
			Summary: "usage is the sum of model_usage.",
			Why:     "Bills are made from either.",
		}.withExamples(usage, `"input_tokens":9`, `"input_tokens":8`),
		Rule{
			ID: "usage-zero", Severity: SeverityError, Reader: SeverityWarning, Ref: "section 2, D10",
			Summary: "usage without a token in it, and without a model that was used, is left out.",
			Why:     "Zeros read as free; unknown is said by absence.",
		}.withExamples(text, `"stop_reason":"end_turn"`, `"stop_reason":"end_turn","usage":{"input_tokens":0,"output_tokens":0,"cache_read":0,"cache_creation":0}`),
	}
}

// outsideRules are about what stands beside the stream.
func outsideRules() []Rule {
	text, failed := textRun(), failedRun()
	return []Rule{
		{
			ID: "exit-code", Severity: SeverityError, Reader: SeverityError, Ref: "F13, D5",
			Summary: "The exit status is zero exactly when the result's is_error is false.",
			Why:     "Scripts and clients branch on the status, people on the result.",
			Good:    Example{Stdout: text, Exit: status(0)}, Bad: Example{Stdout: text, Exit: status(1)},
		},
		{
			ID: "exit-meaning", Severity: SeverityWarning, Reader: SeverityWarning, Ref: "F13",
			Summary: "The exit status is not one that the contract gives to another kind of end.",
			Why:     "3 says that the turn limit was reached, 124 a time limit, 128+n a signal. A program can map statuses of its own; these are taken.",
			Good:    Example{Stdout: failed, Exit: status(1)}, Bad: Example{Stdout: failed, Exit: status(3)},
		},
		{
			ID: "stderr-event", Severity: SeverityError, Reader: SeverityError, Ref: "F11",
			Summary: "No event stands on stderr.",
			Why:     "The reader of stdout never sees it, and stderr is for people.",
			Good:    Example{Stdout: text, Stderr: "INFO model loaded\n"},
			Bad:     Example{Stdout: text, Stderr: `{"type":"system","subtype":"warning","session_id":"sess_1","seq":1,"category":"notice","message":"slow disk"}` + "\n"},
		},
		Rule{
			ID: SchemaRule, Severity: SeverityError, Reader: SeverityError, Ref: "section 2, section 5",
			Summary: "The line, or the envelope, is as the schema describes it.",
			Why:     "A misspelt, missing or retyped member is what breaks the readers that rely on it.",
		}.withExamples(stream(initLine, `"type":"assistant" | "agent":"primary","message":{"role":"assistant","content":[]}`, success), `"agent":"primary"`, `"agnet":"primary"`),
	}
}
