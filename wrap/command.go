package wrap

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/streamjson/streamjson/exitcode"
	"github.com/streamjson/streamjson/redact"
	"github.com/streamjson/streamjson/wrap/internal/proc"
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
	// Name is what the run is called: the agent's name in the init line, and
	// the role of the actor that tells of the program. The default is the name
	// of the program, and "exec" for a Tool.
	Name string

	// Stdin is what the program reads; StdinNone by default.
	Stdin Stdin
	// PTY gives the program a terminal of its own, for programs that do
	// without one nothing, or less. What it writes to stderr then comes as
	// stdout. Not on Windows.
	PTY bool

	// Timeout is how long the program may run, IdleTimeout how long it may
	// write nothing; 0 is for ever. Time in which nobody takes what it writes
	// is not idle.
	Timeout, IdleTimeout time.Duration
	// Grace is how long the program has to end after it was told to, before it
	// is killed, and how long output is waited for that something it has left
	// behind holds open; 0 is two seconds. A run should have more than that to
	// wind down (emit.Options.Grace), or the result line can't tell what came
	// of the program.
	Grace time.Duration

	// MaxOutput is how many bytes of the text of each of the two streams are
	// kept for results: the first half and the last. What comes between is
	// counted. 0 is 1 MiB, the least is 4 KiB.
	MaxOutput int
	// MaxLine is how many bytes of a line are one event; a longer line comes
	// in parts. 0 is 64 KiB, the least is 256.
	MaxLine int

	// Redactor keeps secrets out of what Envelope and Unwrap return; nil is
	// redact.Default(). Run and Tool use that of their emitter.
	Redactor *redact.Redactor
	// Report, if not nil, is given what came of the program before Run, Tool,
	// Envelope or Unwrap return. It is not called where these return an error.
	Report func(Data)

	// SoleParent says that this process starts no other child processes while
	// the program runs. Then orphans that have left the program's process
	// group are found and killed, too (on Linux). A library can't know it.
	SoleParent bool
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

// Capability is what a run announces that wraps a program (contract section
// 2): it goes into emit.Options.Capabilities, for Run and Tool emit task lines.
const Capability = "tasks_v1"

const (
	toolName = "exec"

	defaultGrace     = 2 * time.Second
	defaultMaxOutput = 1 << 20
	leastMaxOutput   = 4 << 10
	defaultMaxLine   = 64 << 10
	leastMaxLine     = 256
)

// normalize fills in the defaults, or says what is wrong with the command.
func (c Command) normalize() (Command, error) {
	switch {
	case len(c.Argv) == 0 || c.Argv[0] == "":
		return c, usage(errors.New("there is no program to run: Argv must begin with its name"))
	case c.Stdin > StdinInherit:
		return c, usage(fmt.Errorf("there is no Stdin %d: take StdinNone or StdinInherit", c.Stdin))
	case c.Timeout < 0 || c.IdleTimeout < 0 || c.Grace < 0:
		return c, usage(errors.New("negative Timeout, IdleTimeout or Grace: leave it 0 for none, or for the default"))
	case c.MaxOutput != 0 && c.MaxOutput < leastMaxOutput:
		return c, usage(fmt.Errorf("MaxOutput %d is below %d, the least", c.MaxOutput, leastMaxOutput))
	case c.MaxLine != 0 && c.MaxLine < leastMaxLine:
		return c, usage(fmt.Errorf("MaxLine %d is below %d, the least", c.MaxLine, leastMaxLine))
	}
	if c.Grace == 0 {
		c.Grace = defaultGrace
	}
	if c.MaxOutput == 0 {
		c.MaxOutput = defaultMaxOutput
	}
	if c.MaxLine == 0 {
		c.MaxLine = defaultMaxLine
	}
	if c.Redactor == nil {
		c.Redactor = redact.Default()
	}
	return c, nil
}

func usage(err error) error {
	return exitcode.Error{Code: exitcode.Usage, Err: fmt.Errorf("wrap: %w", err)}
}

// program is the name of the program as people say it.
func (c *Command) program() string { return filepath.Base(c.Argv[0]) }

// cwd is where the program runs. Getwd fails in a directory that was deleted.
func (c *Command) cwd() string {
	if c.Dir != "" {
		if dir, err := filepath.Abs(c.Dir); err == nil {
			return dir
		}
		return c.Dir
	}
	if dir, err := os.Getwd(); err == nil && dir != "" {
		return dir
	}
	if dir := os.Getenv("PWD"); dir != "" {
		return dir
	}
	return "."
}

// environ is the environment that the program gets.
func (c *Command) environ() []string {
	if c.Env != nil {
		return c.Env
	}
	return os.Environ()
}

// spec is the command as package proc runs it.
func (c *Command) spec() proc.Spec {
	s := proc.Spec{
		Argv: c.Argv, Dir: c.Dir, Env: c.Env,
		PTY: c.PTY, Grace: c.Grace, SoleParent: c.SoleParent,
	}
	if c.Stdin == StdinInherit {
		s.Stdin = proc.Inherit
	}
	return s
}
