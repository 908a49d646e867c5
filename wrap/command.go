package wrap

import (
	"time"
)

// A Command is a program to run, and how. The zero value of each field but
// Argv is a good default.
type Command struct {
	// Argv is the program and its arguments. A program without a slash is
	// looked for in PATH; no shell is involved.
	Argv []string
	// Dir is the directory that the program runs in; "" is the current one.
	Dir string
	// Env is the program's whole environment as "KEY=value"; nil is that of
	// this process.
	Env []string
	// Name is what the run is called: the name of the tool where Run writes
	// the tool call, "exec" by default.
	Name string

	// Stdin is what the program reads; StdinNone by default.
	Stdin Stdin
	// PTY gives the program a terminal of its own, for programs that do
	// without one nothing, or less. What it writes to stderr then comes as
	// stdout. Not on Windows.
	PTY bool

	// Timeout is how long the program may run, IdleTimeout how long it may
	// write nothing; 0 is for ever.
	Timeout, IdleTimeout time.Duration
	// Grace is how long the program has to end after it was told to, before it
	// is killed, and how long output is waited for that something it has left
	// behind holds open; 0 is two seconds.
	Grace time.Duration

	// MaxOutput is how many bytes of each of the two streams are kept for
	// results; what comes after is counted. 0 is 1 MiB.
	MaxOutput int
	// MaxLine is how many bytes of a line are one event; a longer line comes
	// in parts. 0 is 64 KiB, the least is 256.
	MaxLine int
}

// Stdin says what a program reads.
type Stdin uint8

const (
	// StdinNone is the end of file at once.
	StdinNone Stdin = iota
	// StdinInherit is this process's own, which is handed over and never read
	// here. On a terminal the program is put in the foreground.
	StdinInherit
)
