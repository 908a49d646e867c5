// Package stdio owns the two standard streams of a program whose stdout is
// read by a machine: nothing but what the program means to write reaches
// stdout, and nothing that it says on stderr can stop it.
//
// # stdout
//
// [Claim] takes the process's stdout at descriptor level: the package keeps a
// private duplicate, and descriptor 1 is pointed at stderr. fmt.Println,
// loggers, syscall.Write(1, …), C code and children with an inherited stdout
// all land on stderr then. Where both are one pipe, file or socket (2>&1),
// there is no place beside the stream, and descriptors 1 and 2 are pointed at
// /dev/null. A claim lasts for the life of the process, so that a late print
// does not land behind the last line. Importing stdio/early claims before
// other packages are initialized.
//
// [Raw] is for output that people read: the same writing, with descriptor 1
// left (or put back) where it was. [FromFile] is for a file of the caller's
// own.
//
// A [Stdout] writes the whole buffer or returns an error, whatever the
// descriptor does: short writes, EINTR, and EAGAIN on a descriptor that
// another holder has made non-blocking. A reader that has gone is an error,
// never the death of the process (see [IsReaderGone]), and
// [Stdout.WatchReader] notices it without writing.
//
// # stderr
//
// A [Prose] writes to stderr what people should read and never waits for them:
// what a slow reader does not take is kept for a while, then dropped and
// counted.
//
// # Platforms
//
// All of this holds on Linux. macOS runs the same code, untested, and there a
// Prose waits if another process fills the pipe between its question for room
// and its write. On Windows the claim replaces the
// standard handle and the variable os.Stdout, which does not reach C code that
// runs already; readers are not watched, and a Prose can wait. On other systems
// the claim replaces os.Stdout alone.
package stdio
