package main

import (
	"errors"
	"flag"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/stdio"
)

const usage = `usage: agent [flags] PROMPT...

Answers PROMPT about the current directory with a scripted model and real
tools. Without PROMPT it is read from stdin.

  --output-format FORMAT      text (default), json or stream-json
  --include-partial-messages  stream what the model says as it comes
  --max-turns N               model calls that each agent may make; 0 allows none
  --timeout DURATION          end the run after that time
  --pace DURATION             pause before each piece that the model streams
  --script FILE               what the model says; the format is in README.md
  --verbose                   tell on stderr what the tools do
  --help                      show this

Flags may stand before and after PROMPT; -- ends them.
Exit status: 0 success or refusal, 1 failure, 2 usage, 3 turn limit, 74 stdout
not writable, 124 time limit, 130 or 143 interrupted, 141 reader gone.
`

// noLimit is the turn limit of a run without --max-turns.
const noLimit = -1

// A config is what the command line says.
type config struct {
	emit     emit.Options
	script   string // a file; "": the embedded one
	prompt   string // "": it stands on stdin
	maxTurns int
	timeout  time.Duration // 0: none
	pace     time.Duration
	verbose  bool
}

// parseFlags reads the command line. Nothing is printed: an error is the
// caller's to tell, and flag.ErrHelp is the wish for the usage text.
func parseFlags(args []string, stdin *os.File) (config, error) {
	c := config{maxTurns: noLimit}
	c.emit.Product = "agent"
	c.emit.Format = emit.FormatText
	c.emit.Capabilities = []string{"tasks_v1"}

	fs := flag.NewFlagSet("agent", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Var(&c.emit.Format, "output-format", "")
	fs.BoolVar(&c.emit.Partial, "include-partial-messages", false, "")
	fs.Func("max-turns", "", func(s string) (err error) {
		c.maxTurns, err = parseCount(s)
		return err
	})
	fs.Func("timeout", "", duration(&c.timeout, 1))
	fs.Func("pace", "", duration(&c.pace, 0))
	fs.StringVar(&c.script, "script", "", "")
	fs.BoolVar(&c.verbose, "verbose", false, "")
	// Not in the usage text: it lets tests see the end of a run that hangs.
	fs.Func("grace", "", duration(&c.emit.Grace, 1))

	words, err := parseAround(fs, args)
	if err != nil {
		return c, err
	}
	c.prompt = strings.TrimSpace(strings.Join(words, " "))
	switch {
	case c.prompt != "":
		return c, nil
	case len(words) > 0:
		return c, errors.New("the prompt is empty")
	case stdio.FromFile(stdin).IsTerminal():
		return c, errors.New("no prompt: give it as an argument or on stdin")
	}
	return c, nil
}

// parseAround parses flags wherever they stand. Package flag stops at the
// first word, and "agent PROMPT --output-format json" would make a prompt of
// the flag.
func parseAround(fs *flag.FlagSet, args []string) (words []string, err error) {
	for {
		if err := fs.Parse(args); err != nil {
			return nil, err
		}
		used := len(args) - fs.NArg()
		if fs.NArg() == 0 || used > 0 && args[used-1] == "--" {
			return append(words, fs.Args()...), nil
		}
		words = append(words, fs.Arg(0))
		args = fs.Args()[1:]
	}
}

func parseCount(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return 0, errors.New("must be a whole number, 0 or more")
	}
	return n, nil
}

// duration returns the setter of a flag for a duration of at least least.
func duration(d *time.Duration, least time.Duration) func(string) error {
	return func(s string) error {
		v, err := time.ParseDuration(s)
		switch {
		case err != nil:
			return errors.New("must be a duration such as 50ms or 2m")
		case v < least && least > 0:
			return errors.New("must be more than zero")
		case v < least:
			return errors.New("must not be negative")
		}
		*d = v
		return nil
	}
}
