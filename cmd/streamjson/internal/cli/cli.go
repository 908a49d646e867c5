// Package cli is the streamjson command, apart from the process around it, so
// that tests run the real thing.
//
// Each subcommand is a file: a function that takes its arguments and the
// streams and returns the exit status, and an entry in commands.
package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/streamjson/streamjson/exitcode"
	"github.com/streamjson/streamjson/stdio"
)

// A command is one subcommand.
type command struct {
	name, args, summary string
	run                 func(s *streams, args []string) int
}

// commands lists the subcommands in the order in which they are shown.
func commands() []command {
	return []command{
		{"wrap", "[flags] -- CMD [ARGS...]", "run a command and tell what it does as a stream, or as an envelope", wrapCommand},
		{"check", "[flags] FILE... | - | -- CMD [ARGS...]", "hold a stream, or an envelope, to the contract", check},
		{"compat", "[flags] OLD NEW", "tell which changes between two schemas break readers", compat},
		{"schema", "[flags] stream|envelope", "print a JSON Schema of the contract", printSchema},
		{"redact", "[flags] <IN >OUT", "copy a text or JSON lines without the secrets in it", redactFilter},
		{"version", "", "print the versions of the program and of the contract", version},
	}
}

// streams are the three standard streams of a command.
type streams struct {
	in       io.Reader
	out, err io.Writer
	stdout   *output // what out writes to
	file     *os.File
}

// Main runs the command with the arguments behind its name and returns the exit
// status: 0, 1 if what was looked at is not right, 2 for bad usage, 74 if stdout
// could not be written, 141 if its reader has gone.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	o := &output{w: stdout}
	s := &streams{in: stdin, out: o, err: stderr, stdout: o}
	if f, ok := stdout.(*os.File); ok {
		s.file = f
		o.w = stdio.FromFile(f) // a reader that has gone is an error, no signal
	}
	code := dispatch(s, args)
	switch {
	case o.err == nil:
		return code
	case stdio.IsReaderGone(o.err):
		return exitcode.ReaderGone
	}
	fmt.Fprintf(stderr, "streamjson: stdout can't be written: %v\n", o.err)
	return exitcode.IO
}

func dispatch(s *streams, args []string) int {
	if len(args) == 0 {
		usage(s.err)
		return exitcode.Usage
	}
	name, rest := args[0], args[1:]
	switch name {
	case "help", "-h", "-help", "--help":
		return help(s, rest)
	case "-version", "--version":
		name = "version"
	}
	for _, c := range commands() {
		if c.name == name {
			return c.run(s, rest)
		}
	}
	fmt.Fprintf(s.err, "streamjson: no command %q; streamjson help lists them\n", name)
	return exitcode.Usage
}

// help prints what there is, or the help of one command.
func help(s *streams, args []string) int {
	if len(args) == 0 {
		usage(s.out)
		return exitcode.OK
	}
	for _, c := range commands() {
		if c.name == args[0] {
			return c.run(s, []string{"-h"})
		}
	}
	return dispatch(s, args[:1]) // says that there is none
}

func usage(w io.Writer) {
	var b strings.Builder
	b.WriteString("streamjson holds programs with machine-readable output to their contract.\n\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "  streamjson %-8s %s\n", c.name, c.summary)
	}
	b.WriteString("\nstreamjson help COMMAND tells more.\n")
	io.WriteString(w, b.String())
}

// An output remembers the first error of its writer and is silent from then on.
type output struct {
	w   io.Writer
	err error
}

func (o *output) Write(p []byte) (int, error) {
	if o.err == nil {
		_, o.err = o.w.Write(p)
	}
	return len(p), nil
}

// parse reads flags, which may stand between the arguments, and returns the
// arguments. It returns flag.ErrHelp when help was asked for and printed.
// After the first flag that is wrong it goes on, so that the flags which say
// how to answer are known.
func parse(s *streams, f *flag.FlagSet, args []string) (rest []string, err error) {
	f.SetOutput(io.Discard)
	f.Usage = func() {}
	for len(args) > 0 {
		e := f.Parse(args)
		args = f.Args()
		switch {
		case errors.Is(e, flag.ErrHelp):
			flagHelp(s.out, f)
			return nil, flag.ErrHelp
		case e != nil && err == nil:
			err = e
		case e == nil && len(args) > 0:
			rest, args = append(rest, args[0]), args[1:]
		}
	}
	return rest, err
}

// flagHelp prints the help of one command.
func flagHelp(w io.Writer, f *flag.FlagSet) {
	var b strings.Builder
	for _, c := range commands() {
		if c.name == f.Name() {
			fmt.Fprintf(&b, "usage: streamjson %s %s\n\nTo %s.\n", c.name, c.args, c.summary)
		}
	}
	first := true
	f.VisitAll(func(fl *flag.Flag) {
		if first {
			b.WriteString("\n")
			first = false
		}
		value, words := flag.UnquoteUsage(fl)
		fmt.Fprintf(&b, "  --%-22s %s\n", strings.TrimSpace(fl.Name+" "+value), words)
	})
	io.WriteString(w, b.String())
}
