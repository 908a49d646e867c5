// Package wrap makes any program machine-readable: it runs a child process and
// turns what the child does into a stream, the result of an agent's tool, or an
// envelope. The child need know nothing of it.
//
//   - [Run] is a whole run: the body of emit.Run.
//   - [Tool] is a tool of an agent that writes a stream already.
//   - [Envelope] is one answer; [Unwrap] is one for a child that speaks JSON.
//   - [Adopt] supervises a child that writes a stream of its own.
//   - [Passthrough] runs a child for people, with the same limits and care.
//
// # The lines of a run
//
//	system/init               agent.name: the program; tools: ["exec"]
//	assistant                 tool_use "exec", input {argv, cwd}
//	system/task_started       task {argv, cwd, pid}; no pid if it could not be started
//	system/task_progress      task {stream, text, partial, rewrite}, one for each line of output
//	user                      tool_result: stdout; tool_use_result.summary
//	system/task_notification  task {exit_code, signal, duration_ms, stdout_bytes, stderr_bytes,
//	                          truncated_bytes, held, killed, error}
//	result                    result: the last 64 KiB of stdout; errors: why it failed, and
//	                          the last 4 KiB of stderr; _meta.stdout_bytes where result
//	                          is not all of stdout
//
// The task lines carry the id of the tool_use as parent_tool_use_id. [Tool]
// writes them alone. What a child prints is only ever data: a line of its own
// that looks like an event is a text.
//
// # The text of a line
//
//	| member      | type   |   |                                                      |
//	| ----------- | ------ | - | ---------------------------------------------------- |
//	| task.stream | string | R | stdout or stderr; all is stdout with a PTY           |
//	| task.text   | string | R | without the end of the line                          |
//	| task.partial| bool   | O | the text does not end its line                       |
//	| task.rewrite| bool   | O | the text replaces what there was of its line         |
//	| _meta.invalid_utf8 | int | O | bytes that were no UTF-8, and are U+FFFD         |
//	| _meta.nul   | int    | O | U+0000 in the text, as in UTF-16 without its mark    |
//
// To have the text of a stream again, join its lines with "\n" behind each that
// is not partial, and drop what stands behind the last "\n" where one has
// rewrite. A line is told when it is complete, or after 100 ms; then it is
// partial, and so is one that is longer than Command.MaxLine, and the last one
// of a program that ends without a newline. Lines that are there together go
// out in one write. The two streams stand in the order in which they were read.
//
// Escape sequences are taken out (contract F10), "\r\n" is "\n", and a lone
// "\r" begins the line anew. UTF-16 with a byte order mark is decoded. Secrets
// are replaced before the text is cut up, so that one that stands on two lines
// is found, and argv is looked through as a whole.
//
// # What is bounded
//
// The child is read as fast as the stream is taken, and no faster. Of each of
// the two texts Command.MaxOutput bytes are kept for results, the first half
// and the last; a line says how many bytes stood between. The time in which a
// child ends is bounded: it is told to by a signal, and after Command.Grace it
// is killed, with everything in its process group.
//
// With emit.Options.MaxLineBytes, Command.MaxLine must be less than that by as
// much as a line's other members take (1 KiB is ample, more where the text is
// full of escapes): else the end of a long text is cut off, as
// _meta.truncated_bytes tells.
package wrap
