package envelope

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/streamjson/streamjson/exitcode"
)

// Command is the front of a program that uses package flag: a command, or a
// tree of them, whose every path ends in one envelope when --json is among the
// arguments, also when these are wrong. [Command.Main] runs it:
//
//	root := &envelope.Command{Name: "deps", Commands: []*envelope.Command{
//		{Name: "show", Args: "MODULE", Summary: "tell about one module", Body: show},
//	}}
//	os.Exit(root.Main(ctx, os.Args[1:], envelope.RunOptions{}))
//
// A Command is used by one Main at a time.
type Command struct {
	// Name is what people type; that of the root is the program's.
	Name string
	// Args shows the arguments in the usage line and says how many there may be:
	// "FILE" one, "[FILE]" none or one, "FILE..." one or more, "[FILE...]" any
	// number, "" none; several words add up.
	Args string
	// Summary is one line on what the command does.
	Summary string
	// Flags are its own flags; nil: none. Main adds --json to it, and overrides
	// what it would do on an error: nothing is printed and nothing exits. A Usage
	// function of its own is kept and must print to its Output.
	Flags *flag.FlagSet
	// Body does the work; nil: a subcommand is needed.
	Body func(context.Context, *Call) (data any, err error)
	// Human writes data for people; see RunOptions.
	Human func(w io.Writer, data any) error
	// Commands are its subcommands. Names must differ.
	Commands []*Command
	// Passthrough ends the flags at the first argument, for commands that hand
	// the rest on to another program. Otherwise flags may stand behind arguments,
	// too, up to a "--".
	Passthrough bool
	// Pending says that the body has no data to give yet: with --json the command
	// is refused with an envelope (exit status 2) instead of answering in prose.
	Pending bool
}

// Main parses args, which don't hold the program's name, runs the command that
// they name as [Run] does, and returns the exit status.
//
// JSON mode is found by parsing, never by searching: --json is a boolean flag of
// every command of the tree (--json=false, the last one counts); as the value of
// another flag or behind "--" it is none; and it also counts behind an argument
// or a flag that is wrong. Without it, the environment variable o.JSONEnv
// decides, then o.JSON. A value of --json that is no boolean is an error, told in
// JSON.
//
// Wrong flags, unknown commands and a wrong number of arguments are a
// [UsageError]: an envelope in JSON mode, the usage text on stderr, exit status
// 2. -h, --help and the command help are a success: in JSON mode data is an
// object with the members command, summary, usage, commands and flags, and the
// text goes to stderr, too; for people it goes to stdout.
func (c *Command) Main(ctx context.Context, args []string, o RunOptions) (exitCode int) {
	if o.Name == "" {
		o.Name = c.Name
	}
	// Twice: values of flags are code of the program, which can print and panic,
	// so they are set under Run, and Run must know the mode.
	var confused error
	if o.JSON, confused = c.askedForJSON(args, o); confused != nil {
		return start(ctx, o, func(context.Context, *Call) (any, error) { return nil, confused })
	}
	var p *parsed
	o.Human = func(w io.Writer, data any) error { return p.human(w, data) }
	return start(ctx, o, func(ctx context.Context, call *Call) (any, error) {
		p = c.parse(args)
		call.args = p.args
		return p.run(ctx, call)
	})
}

// run is what the arguments ask for.
func (p *parsed) run(ctx context.Context, call *Call) (any, error) {
	c := p.command()
	switch {
	case p.err != nil:
		return nil, p.usageError(p.err)
	case p.help:
		if call.JSON() {
			call.prose.text(p.usage())
		}
		return p.helpData(), nil
	case c.Body == nil:
		return nil, p.usageError(fmt.Errorf("%q needs a command", p.name()))
	case c.Pending && call.JSON():
		return nil, &UsageError{Err: WithHint(fmt.Errorf("%q has no JSON answer yet", p.name()), "call it without --json")}
	}
	data, err := c.Body(ctx, call)
	if usage := usageOf(err); usage != nil && usage.Usage == "" {
		err = p.usageError(err)
	}
	return data, err
}

// human writes the answer for people.
func (p *parsed) human(w io.Writer, data any) error {
	switch human := p.command().Human; {
	case p.err != nil:
		return nil
	case p.help:
		_, err := io.WriteString(w, p.usage())
		return err
	case human != nil:
		return human(w, data)
	}
	return nil
}

func (p *parsed) usageError(err error) error {
	return &UsageError{
		Err:   WithHint(err, "see '"+p.name()+" --help'"),
		Usage: p.usage(),
	}
}

// jsonFlag is the value of --json on every flag set of a tree.
type jsonFlag struct {
	on, set bool
}

func (f *jsonFlag) IsBoolFlag() bool { return true }
func (f *jsonFlag) String() string   { return strconv.FormatBool(f != nil && f.on) }

// Set turns JSON on also for a value that it can't read: who gives one asks for
// JSON, and gets the error in it.
func (f *jsonFlag) Set(s string) error {
	v, err := strconv.ParseBool(s)
	f.on, f.set = v || err != nil, true
	if err != nil {
		return errors.New("it is neither true nor false")
	}
	return nil
}

// JSONDefault tells whether the answer is to be JSON where no --json says so: by
// the environment variable o.JSONEnv, else by o.JSON. It is for fronts like
// [Command]. A variable that is neither true nor false is an error with exit
// status 2, and the answer true, so that it is told in JSON.
func (o RunOptions) JSONDefault() (on bool, err error) {
	text := ""
	if o.JSONEnv != "" {
		text = os.Getenv(o.JSONEnv)
	}
	if text == "" {
		return o.JSON, nil
	}
	on, err = strconv.ParseBool(text)
	if err != nil {
		return true, exitcode.Error{Code: exitcode.Usage, Err: fmt.Errorf("the environment variable %s is %q: set it to true or false", o.JSONEnv, text)}
	}
	return on, nil
}

// argCount reads Command.Args: how many arguments there must and may be (-1:
// any number), and the names of those that must.
func argCount(pattern string) (names []string, most int) {
	for _, word := range strings.Fields(pattern) {
		if strings.Contains(word, "...") {
			most = -1
		} else if most >= 0 {
			most++
		}
		if !strings.HasPrefix(word, "[") {
			names = append(names, strings.TrimSuffix(word, "..."))
		}
	}
	return names, most
}
