package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"

	"github.com/streamjson/streamjson/contract"
	"github.com/streamjson/streamjson/contract/schema"
	"github.com/streamjson/streamjson/exitcode"
)

// A checkCall is one call of check.
type checkCall struct {
	s        *streams
	options  contract.CheckOptions
	envelope bool
	noSchema bool
	strict   bool
	json     bool
	format   string
	explain  explainFlag
	exit     string

	inputs  []input
	command []string // what stood behind --
}

// An input is something that was checked, or that could not be.
type input struct {
	Name   string           `json:"name"`
	Report *contract.Report `json:"report,omitempty"`
	Error  string           `json:"error,omitempty"`
	file   bool             // Name is a file
}

// check holds files, stdin or the output of a command to the contract.
func check(s *streams, args []string) int {
	c := &checkCall{s: s}
	f := flag.NewFlagSet("check", flag.ContinueOnError)
	c.flags(f)
	behind := slices.Index(args, "--")
	if behind >= 0 {
		args, c.command = args[:behind], args[behind+1:]
	}
	rest, err := parse(s, f, args)
	switch {
	case err == flag.ErrHelp: //nolint:errorlint // parse returns it bare
		return exitcode.OK
	case err == nil && c.explain.set:
		return c.explainRules(rest)
	case err == nil:
		err = c.settle(rest, behind >= 0)
	}
	if err == nil {
		err = c.verdicts()
	}
	if err == nil {
		err = c.gather(rest)
	}
	if err != nil {
		return c.refuse(err)
	}
	return c.show()
}

// flags declares the flags.
func (c *checkCall) flags(f *flag.FlagSet) {
	f.BoolVar(&c.options.Reader, "reader", false, "the reader's reading: is it fit for a reader that keeps to the contract")
	f.BoolVar(&c.options.Runs, "runs", false, "several whole runs may stand back to back")
	f.BoolVar(&c.envelope, "envelope", false, "check an envelope (--json), not a stream")
	f.StringVar(&c.exit, "exit", "", "the exit `status` that the program ended with")
	f.BoolVar(&c.noSchema, "no-schema", false, "leave out the schema's verdict: several times faster")
	f.BoolVar(&c.strict, "strict", false, "fail on warnings, too")
	f.StringVar(&c.format, "format", "text", "`text` for people, or github for annotations")
	f.BoolVar(&c.json, "json", false, "answer with an envelope")
	f.IntVar(&c.options.MaxFindings, "max-findings", 0, "list at most this `number` of findings (default 100; all are counted)")
	f.IntVar(&c.options.MaxLine, "max-line", 0, "the `bytes` that a line may have (default 64 MiB; 1 GiB for an envelope)")
	f.Var(&c.explain, "explain", "tell about the rules whose ids are given, or list all rules")
}

// settle judges the flags and arguments against each other.
func (c *checkCall) settle(rest []string, command bool) error {
	if c.exit != "" {
		code, err := strconv.Atoi(c.exit)
		if err != nil || code < 0 || code > 255 {
			return fmt.Errorf("--exit %s: an exit status is a number from 0 to 255", c.exit)
		}
		c.options.Exit = &code
	}
	switch {
	case c.format != "text" && c.format != "github":
		return fmt.Errorf("--format %s: the formats are text and github", c.format)
	case c.options.MaxFindings < 0 || c.options.MaxLine < 0:
		return errors.New("--max-findings and --max-line are not negative")
	case c.envelope && c.options.Runs:
		return errors.New("--runs is for streams; an envelope has none")
	case command && len(rest) > 0:
		return fmt.Errorf("%q and a command: give either files or a command", rest[0])
	case command && len(c.command) == 0:
		return errors.New("no command behind --")
	case command && c.options.Exit != nil:
		return errors.New("--exit is for files; of a command it is known")
	case !command && len(rest) == 0:
		return errors.New("nothing to check: give files, - for stdin, or -- and a command")
	case len(rest) > 1 && c.options.Exit != nil:
		return errors.New("--exit is for one file")
	}
	return nil
}

// verdicts sets the schema's verdict, unless it is left out.
func (c *checkCall) verdicts() error {
	if c.noSchema {
		return nil
	}
	get := schema.Lines
	if c.envelope {
		get = schema.Envelopes
	}
	verdict, err := get(c.options.Reader)
	c.options.Schema = verdict
	return err
}

// gather checks everything that was named.
func (c *checkCall) gather(names []string) error {
	if c.command != nil {
		in, err := c.runCommand()
		c.inputs = append(c.inputs, in)
		return err
	}
	for _, name := range names {
		c.inputs = append(c.inputs, c.checkFile(name))
	}
	return nil
}

// checkFile checks one file, or stdin.
func (c *checkCall) checkFile(name string) input {
	if name == "-" {
		return c.judge(input{Name: "stdin"}, c.s.in)
	}
	in := input{Name: name, file: true}
	f, err := os.Open(name)
	if err != nil {
		in.Error = err.Error()
		return in
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		in.Error = name + " is a directory: give the files in it"
		return in
	}
	return c.judge(in, f)
}

// judge checks what r has.
func (c *checkCall) judge(in input, r io.Reader) input {
	judge := contract.Check
	if c.envelope {
		judge = contract.CheckEnvelope
	}
	report, err := judge(r, c.options)
	if err != nil {
		in.Error = "read " + in.Name + ": " + err.Error()
	}
	in.Report = report
	return in
}

// refuse tells why nothing was checked.
func (c *checkCall) refuse(err error) int {
	if c.json {
		return document(c.s, nil, []string{err.Error()}, nil, exitcode.Usage)
	}
	return refuse(c.s, "check", nil, err)
}

// status is the exit status that the inputs ask for.
func (c *checkCall) status() int {
	code := exitcode.OK
	for _, in := range c.inputs {
		switch {
		case in.Error != "":
			return exitcode.Usage
		case in.Report.Failed(c.strict):
			code = exitcode.Failure
		}
	}
	return code
}
