package contract

import "strings"

const stateLine = `"type":"system","subtype":"state" | "session_state":"running"`

// framingRules are about where a stream and its lines begin and end.
func framingRules() []Rule {
	text := textRun()
	return []Rule{
		Rule{
			ID: "stream-empty", Severity: SeverityError, Reader: SeverityError, Ref: "F2",
			Summary: "A run writes at least its init and its result.",
			Why:     "A program that failed before its first event and one that lost its output look alike, so the failing one has to say so.",
		}.withExamples(text, text, ""),
		Rule{
			ID: "bom", Severity: SeverityError, Reader: SeverityError, Ref: "F1",
			Summary: "The stream has no byte order mark.",
			Why:     "Readers take the line behind it for prose, and it is the init line that gets lost.",
		}.withExamples(text, "{", "\ufeff{"),
		Rule{
			ID: "blank-line", Severity: SeverityError, Reader: SeverityError, Ref: "F1",
			Summary: "No line is blank, and an envelope ends in one newline.",
			Why:     "Some readers end at a blank line or refuse it.",
		}.withExamples(text, "\n", "\n\n"),
		Rule{
			ID: "cr", Severity: SeverityError, Reader: SeverityError, Ref: "F1",
			Summary: "No carriage return stands in the stream.",
			Why:     "It shows that a text layer rewrites the bytes, which also breaks lengths and hashes; on a terminal it hides the line.",
		}.withExamples(text, "\n", "\r\n"),
		Rule{
			ID: "no-final-newline", Severity: SeverityError, Reader: SeverityError, Ref: "F1",
			Summary: "The last line ends in a newline, too.",
			Why:     "A reader that waits for whole lines never gets this one, and what is appended next is welded to it.",
		}.withExamples(text, "\"end_turn\"}\n", "\"end_turn\"}"),
		Rule{
			ID: "torn-tail", Severity: SeverityError, Reader: SeverityError, Ref: "F1",
			Summary: "The stream does not end in the middle of a line.",
			Why:     "The program was killed while it wrote, or its last write failed: what this line had to say is lost.",
		}.withExamples(text, "\"end_turn\"}\n", "\"end_turn\"}\n{\"type\":\"resu"),
	}
}

// lineRules are about what stands on a line.
func lineRules() []Rule {
	text := textRun()
	states := stream(initLine, stateLine, stateLine, success)
	return []Rule{
		Rule{
			ID: "two-values", Severity: SeverityError, Reader: SeverityError, Ref: "F1",
			Summary: "A line holds one JSON value, and so does the output of a command with --json.",
			Why:     "Two writers that share a descriptor, or an error document behind a result, weld values together; readers take the first one or none.",
		}.withExamples(states, "}\n{\"type\":\"system\",\"subtype\":\"state\",\"session_id\":\"sess_1\",\"seq\":2", "}{\"type\":\"system\",\"subtype\":\"state\",\"session_id\":\"sess_1\",\"seq\":2"),
		{
			ID: "line-too-long", Severity: SeverityError, Reader: SeverityError, Ref: "F1",
			Summary: "No line is longer than the limit that the check was given.",
			Why:     "Every reader has a limit, often 64 KiB, 1 MiB or 4 MiB, and many end quietly at the first line above it.",
			Good:    Example{Stdout: text, MaxLine: 400},
			Bad:     Example{Stdout: strings.Replace(text, `"text":"Hello."`, `"text":"`+strings.Repeat("Hello. ", 60)+`"`, 1), MaxLine: 400},
		},
		Rule{
			ID: "stray-space", Severity: SeverityWarning, Reader: SeverityWarning, Ref: "F1",
			Summary: "Nothing stands around the JSON value on its line, not even a blank.",
			Why:     "Readers that look at the first byte of a line to tell events from prose miss the event.",
		}.withExamples(text, "}\n", "} \n"),
		Rule{
			ID: "json", Severity: SeverityError, Reader: SeverityError, Ref: "F1, F11",
			Summary: "Every line is JSON; prose goes to stderr.",
			Why:     "One stray print, a spliced record or a half-written line costs the reader this event, and strict readers the whole stream.",
		}.withExamples(states, "}\n", "}\nLoading model...\n"),
		Rule{
			ID: "not-object", Severity: SeverityError, Reader: SeverityError, Ref: "F1",
			Summary: "The value on a line is an object, and so is an envelope.",
			Why:     "Readers ask the value for its type; a null in its place is known to end the stream of a widely used client.",
		}.withExamples(states, "}\n", "}\nnull\n"),
	}
}

// textRules are about what stands inside of a JSON text.
func textRules() []Rule {
	text := textRun()
	warning := stream(initLine, `"type":"system","subtype":"warning" | "category":"notice","message":"disk almost full"`, success)
	return []Rule{
		Rule{
			ID: "utf8", Severity: SeverityError, Reader: SeverityError, Ref: "F1, F8",
			Summary: "The bytes are valid UTF-8.",
			Why:     "Strict decoders refuse the line; the others replace what they can't read, each in its own way.",
		}.withExamples(text, "Hello.", "Hello\xff."),
		Rule{
			ID: "duplicate-key", Severity: SeverityError, Reader: SeverityError, Ref: "F7, E6",
			Summary: "No object has a key twice.",
			Why:     "Some readers take the first value, others the last one, so that two of them see two different events.",
		}.withExamples(text, `"seq":1,`, `"seq":1,"seq":1,`),
		Rule{
			ID: "depth", Severity: SeverityError, Reader: SeverityError, Ref: "F9",
			Summary: "Values are nested at most 1,000 deep.",
			Why:     "Parsers have limits, and recursive ones crash beyond theirs.",
		}.withExamples(toolRun(), `{"path":"go.mod"}`, strings.Repeat("[", 1010)+strings.Repeat("]", 1010)),
		Rule{
			ID: "raw-control", Severity: SeverityError, Reader: SeverityError, Ref: "F8, D4",
			Summary: "U+007F to U+009F, U+2028 and U+2029 are written as escapes.",
			Why:     "Python's splitlines and log viewers end a line at some of them, and terminals act on others.",
		}.withExamples(text, "Hello.", "Hello.\u2028"),
		Rule{
			ID: "lone-surrogate", Severity: SeverityError, Reader: SeverityError, Ref: "F8",
			Summary: "No escape is half of a surrogate pair.",
			Why:     "It stands for no character: databases and other languages refuse the whole document.",
		}.withExamples(text, "Hello.", `Hello.\ud83d`),
		Rule{
			ID: "needless-escape", Severity: SeverityWarning, Reader: SeverityWarning, Ref: "F8",
			Summary: "A character that needs no escape has none, and the short escape is used where there is one.",
			Why:     "One spelling for each string is what makes goldens, hashes and plain text searches work.",
		}.withExamples(text, "Hello.", `\u0048ello.`),
		Rule{
			ID: "ansi", Severity: SeverityError, Reader: SeverityError, Ref: "F10",
			Summary: "Strings that the program itself authors hold no terminal escape sequences.",
			Why:     "Whoever prints the decoded warning or error would let the stream drive the terminal.",
		}.withExamples(warning, "disk almost full", `\u001b[31mdisk almost full\u001b[0m`),
	}
}
