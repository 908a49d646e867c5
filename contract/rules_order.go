package contract

import "strings"

// orderRules are about which lines a run has.
func orderRules() []Rule {
	text := textRun()
	return []Rule{
		{
			ID: "init-first", Severity: SeverityError, Reader: SeverityError, Ref: "F2",
			Summary: "The first line is system/init.",
			Why:     "It says what the run is and can emit; readers set themselves up by it.",
			Good:    Example{Stdout: text}, Bad: Example{Stdout: stream(hello, success)},
		},
		{
			ID: "init-twice", Severity: SeverityError, Reader: SeverityError, Ref: "F2",
			Summary: "A run has one init.",
			Why:     "A reader that sees a second one starts anew and forgets what it had.",
			Good:    Example{Stdout: text}, Bad: Example{Stdout: stream(initLine, initLine, hello, success)},
		},
		{
			ID: "result-missing", Severity: SeverityError, Reader: SeverityError, Ref: "F2",
			Summary: "A run ends in a result, whatever happened.",
			Why:     "Without it a reader can't tell a finished run from one that was cut off.",
			Good:    Example{Stdout: text}, Bad: Example{Stdout: stream(initLine, hello)},
		},
		{
			ID: "result-twice", Severity: SeverityError, Reader: SeverityError, Ref: "F2, F13",
			Summary: "A run has one result.",
			Why:     "Readers keep the first or the last one, and so disagree about how the run ended.",
			Good:    Example{Stdout: text}, Bad: Example{Stdout: stream(initLine, hello, success, failure)},
		},
		{
			ID: "after-result", Severity: SeverityError, Reader: SeverityError, Ref: "F2, D12",
			Summary: "Nothing follows the result, save for whole further runs.",
			Why:     "Readers stop at the result: what comes later is lost.",
			Good:    Example{Stdout: text}, Bad: Example{Stdout: stream(initLine, hello, success, stateLine)},
		},
		{
			ID: "unknown-type", Severity: SeverityWarning, Reader: SeverityWarning, Ref: "section 4",
			Summary: "A line is of one of the five types: system, stream_event, assistant, user, result.",
			Why:     "Readers skip what they don't know, and a new type is no addition that stream_v1 allows; a system subtype is.",
			Good:    Example{Stdout: text}, Bad: Example{Stdout: stream(initLine, `"type":"progress" | "done":3`, hello, success)},
		},
	}
}

// seqRules are about seq and ts.
func seqRules() []Rule {
	text, deltas := textRun(), deltaRun()
	shifted := strings.NewReplacer(`"seq":0`, `"seq":1`, `"seq":1`, `"seq":2`, `"seq":2`, `"seq":3`)
	return []Rule{
		{
			ID: "seq-start", Severity: SeverityError, Reader: SeverityError, Ref: "F3",
			Summary: "seq starts at 0.",
			Why:     "Any other start means that the beginning is lost.",
			Good:    Example{Stdout: text}, Bad: Example{Stdout: shifted.Replace(text)},
		},
		Rule{
			ID: "seq-gap", Severity: SeverityError, Reader: SeverityError, Ref: "F3, D1",
			Summary: "seq leaves out no number.",
			Why:     "A gap is how a reader learns that a line was lost.",
		}.withExamples(text, `"seq":2`, `"seq":3`),
		Rule{
			ID: "seq-repeat", Severity: SeverityError, Reader: SeverityError, Ref: "F3",
			Summary: "No number comes twice in a row.",
			Why:     "A reader that drops repeats, as it should after a reconnect, loses the second line.",
		}.withExamples(text, `"seq":2`, `"seq":1`),
		Rule{
			ID: "seq-backwards", Severity: SeverityError, Reader: SeverityError, Ref: "F3",
			Summary: "seq never falls: lines stand in the order of their numbers.",
			Why:     "Numbers that were taken before the lock that orders the lines come out of order under load.",
		}.withExamples(deltas, `"seq":3`, `"seq":1`),
		Rule{
			ID: "ts-missing", Severity: SeverityError, Reader: SeverityOff, Ref: "F4, D2",
			Summary: "Every line has a ts.",
			Why:     "Traces and latency figures are made from it. Readers accept its absence.",
		}.withExamples(text, `,"ts":"2026-01-02T03:04:05.001Z"`, ""),
		Rule{
			ID: "ts-format", Severity: SeverityError, Reader: SeverityError, Ref: "F4",
			Summary: "ts is RFC 3339 in UTC with Z and exactly three fraction digits.",
			Why:     "With one width and one zone, time stamps sort and compare as strings.",
		}.withExamples(text, `05.001Z`, `05.001+00:00`),
		Rule{
			ID: "ts-backwards", Severity: SeverityError, Reader: SeverityError, Ref: "F4",
			Summary: "ts never runs backwards within a run.",
			Why:     "Clocks step back; durations between lines must not become negative.",
		}.withExamples(text, `05.002Z`, `05.000Z`),
	}
}

// identityRules are about who wrote a line.
func identityRules() []Rule {
	text := textRun()
	return []Rule{
		Rule{
			ID: "envelope-member", Severity: SeverityError, Reader: SeverityError, Ref: "F7, section 2",
			Summary: "type, session_id and seq are there and of their type, a system or result line has a subtype, and a parent_tool_use_id is a filled string.",
			Why:     "They are what readers route a line by, whether or not they know what is in it.",
		}.withExamples(text, `"session_id":"sess_1","seq":1`, `"seq":1`),
		Rule{
			ID: "member-order", Severity: SeverityWarning, Reader: SeverityWarning, Ref: "F7",
			Summary: "type, subtype, session_id, seq, ts and parent_tool_use_id lead the line in this order; extension and _meta end it.",
			Why:     "Readers can look at the head of a long line without parsing all of it.",
		}.withExamples(text, `"session_id":"sess_1","seq":1`, `"seq":1,"session_id":"sess_1"`),
		Rule{
			ID: "session-change", Severity: SeverityError, Reader: SeverityError, Ref: "F5",
			Summary: "session_id is the same on all lines of a run.",
			Why:     "Readers file lines by it, and resume by the one that they saw first.",
		}.withExamples(text, `"session_id":"sess_1","seq":1`, `"session_id":"sess_2","seq":1`),
		Rule{
			ID: "run-id", Severity: SeverityError, Reader: SeverityOff, Ref: "F5",
			Summary: "init carries _meta.run_id: 26 letters and digits, another one for each run.",
			Why:     "A resumed session has the same session id, so this and seq are what tells two deliveries of a line from two lines.",
		}.withExamples(text, initTail, ""),
		Rule{
			ID: "version-member", Severity: SeverityError, Reader: SeverityError, Ref: "section 2, D6",
			Summary: "init has exactly one member <product>_version.",
			Why:     "It is the one place that names the program and the version that wrote the stream.",
		}.withExamples(text, `"demo_version":"1.0.0",`, `"demo_version":"1.0.0","other_version":"1.0.0",`),
		Rule{
			ID: "capability-missing", Severity: SeverityError, Reader: SeverityError, Ref: "section 2",
			Summary: "init.capabilities holds stream_v1.",
			Why:     "It is the version of this contract; without it a reader must not guess.",
		}.withExamples(text, `["stream_v1"]`, `["stream_v2"]`),
		{
			ID: "parent-unknown", Severity: SeverityWarning, Reader: SeverityWarning, Ref: "F6",
			Summary: "A parent_tool_use_id is the id of a tool_use of this run.",
			Why:     "Readers hang the nested lines under that call. Only a stage that no tool_use started has an id of its own, which can't be told from a wrong one.",
			Good:    Example{Stdout: nestedRun()},
			Bad:     Example{Stdout: strings.Replace(text, `"message":`, `"parent_tool_use_id":"t9","message":`, 1)},
		},
		Rule{
			ID: "parent-top-level", Severity: SeverityWarning, Reader: SeverityWarning, Ref: "F6, D3",
			Summary: "The result of a top-level tool_use does not carry a parent_tool_use_id.",
			Why:     "The member marks nested actors; on a top-level line it makes readers file the result under the call itself.",
		}.withExamples(toolRun(), `"message":{"role":"user"`, `"parent_tool_use_id":"t1","message":{"role":"user"`),
		Rule{
			ID: "tool-result-actor", Severity: SeverityWarning, Reader: SeverityWarning, Ref: "F6, section 3",
			Summary: "The result of a nested tool_use is written on the actor that made the call.",
			Why:     "Readers that follow one actor look for the answer where they saw the call.",
		}.withExamples(nestedRun(), `"parent_tool_use_id":"t1","message":{"role":"user"`, `"message":{"role":"user"`),
	}
}
