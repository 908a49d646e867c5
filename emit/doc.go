// Package emit writes the output of a program that other programs read: a
// stream of JSON lines on stdout (contract stream_v1), prose on stderr.
//
// It is made for command-line agents, and for anything else whose run is a
// sequence of events with one result. What it promises, whatever the program
// around it does:
//
//   - Each line is one whole JSON object and a newline, in one Write or as one
//     of several whole lines in it. No print of a library, no child and no
//     second goroutine gets between.
//   - seq counts the lines from 0 without a gap, in the order of the file. ts
//     never runs backwards. Every line has the same session_id.
//   - The first line is system/init, the last one a result, and there is one
//     of each, also after a panic, a signal, a time limit, or a failure before
//     the first event.
//   - What was opened gets closed: tool calls, tasks, messages.
//   - A line is in the kernel when the call that wrote it returns.
//   - What can't be written is refused with an error that names the member,
//     and costs no other line.
//
// # A first stream
//
//	func main() {
//		os.Exit(emit.Run(context.Background(), emit.Options{}, run))
//	}
//
//	func run(ctx context.Context, em *emit.Emitter) error {
//		m := em.Message("msg_1")
//		for piece := range model(ctx) {
//			m.Text(piece)
//		}
//		return m.End()
//	}
//
// Run takes signals, panics and the exit code. Do is the same for a run inside
// another program; New, Finish and Close are the parts.
//
// # Who writes what
//
// The Emitter is the run and its top-level Actor. Nested makes actors for
// sub-agents, whose lines carry parent_tool_use_id. Message streams a model's
// output and builds the assistant line from it. Emit writes any event of
// package event, System among them for lines of a program's own.
//
// Log and SlogHandler are for prose. Warnings and errors said there stand in
// the stream, too, for nobody reads the stderr of an agent in a pipeline.
//
// # Errors
//
// A refused event returns an *EventError, and the stream goes on. A write that
// fails returns a *WriteError and ends the stream for good: the run's context
// is cancelled, later calls return the same cause, and the exit code tells.
// ErrEnded is returned by what comes after the result. A program may ignore
// these errors: refusals are told in prose, and a broken stream cancels the
// context.
//
// # Where stdout goes
//
// With a nil Options.Stdout and a machine format the process's stdout is
// claimed (package stdio) for the life of the process: fmt.Println, loggers,
// C code and children that inherit stdout write to stderr from then on.
//
// Prints of other packages' init functions come before New; import
// stdio/early for these.
package emit
