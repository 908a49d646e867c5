package streamjsoncobra

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const (
	jsonName   = "json"
	formatName = "output-format"
)

// jsonValue is the value of --json. The scan decides; that cobra sets it, too,
// is for commands that look at the flag.
type jsonValue struct{ on bool }

func (v *jsonValue) String() string   { return strconv.FormatBool(v != nil && v.on) }
func (v *jsonValue) Type() string     { return "bool" }
func (v *jsonValue) IsBoolFlag() bool { return true }

// Set turns JSON on also for a value that it can't read: who gives one asks for
// JSON, and gets the error in it.
func (v *jsonValue) Set(s string) error {
	on, err := strconv.ParseBool(s)
	v.on = on || err != nil
	if err != nil {
		return errors.New("it is neither true nor false")
	}
	return nil
}

// prepare adds the flags to the root and finds out how to answer. Its error is
// about the program or the environment, not about the arguments.
func (s *session) prepare() (err error) {
	if err := s.addFlags(); err != nil {
		s.json, _ = s.o.JSONDefault()
		return err
	}
	if s.isCompletion() {
		return nil
	}
	asked := s.scan()
	switch {
	case asked != nil:
		s.json = asked.on
	case !s.streams: // the default of --json is none for streams
		s.json, err = s.o.JSONDefault()
	}
	return err
}

// isCompletion tells whether a shell asks for completions, by a protocol of its
// own: that is no answer to anybody who could have asked for JSON.
func (s *session) isCompletion() bool {
	return len(s.args) > 0 && (s.args[0] == cobra.ShellCompRequestCmd || s.args[0] == cobra.ShellCompNoDescRequestCmd)
}

func (s *session) addFlags() error {
	flags := s.root.PersistentFlags()
	if known := flags.Lookup(jsonName); known == nil || !isOurs(known) {
		if c := definer(s.root, jsonName); c != nil {
			return fmt.Errorf("%q defines a flag --%s of its own: leave it to streamjsoncobra.Main", c.CommandPath(), jsonName)
		}
		flags.Var(new(jsonValue), jsonName, "answer with one JSON envelope on stdout")
		flags.Lookup(jsonName).NoOptDefVal = "true"
	} else {
		known.Value, known.Changed = new(jsonValue), false // of an earlier Main
	}
	if s.o.Format != nil && flags.Lookup(formatName) == nil {
		flags.Var(s.o.Format, formatName, "how to write the stream of the run")
	}
	return nil
}

func isOurs(f *pflag.Flag) bool {
	_, ours := f.Value.(*jsonValue)
	return ours
}

// definer returns the command in the tree that has a flag of that name.
func definer(c *cobra.Command, name string) *cobra.Command {
	if c.PersistentFlags().Lookup(name) != nil || c.Flags().Lookup(name) != nil {
		return c
	}
	for _, sub := range c.Commands() {
		if d := definer(sub, name); d != nil {
			return d
		}
	}
	return nil
}

// scan reads the arguments to their end, also where they are wrong, with the
// flags of the commands that they name, and without setting any. It returns what
// --json says, nil if there is none.
func (s *session) scan() (asked *jsonValue) {
	levels := s.levels()
	for _, l := range levels {
		if l.cmd.DisableFlagParsing {
			continue
		}
		// Errors are told when cobra meets them, too.
		_ = parseAll(l.cmd, l.args, func(f *pflag.Flag, value string) error {
			switch {
			case isOurs(f):
				asked = new(jsonValue)
				_ = asked.Set(value)
			case f.Name == formatName && s.o.Format != nil:
				s.given = value != f.DefValue
			}
			return nil
		})
	}
	marked := has(levels[len(levels)-1].cmd, streamsMark)
	s.streams = s.o.Stream != nil && (marked || s.given) && (asked == nil || !asked.on)
	return asked
}

// level is a command and the arguments that are parsed with its flags.
type level struct {
	cmd  *cobra.Command
	args []string
}

// levels finds the command that the arguments name in the way that cobra does.
// With TraverseChildren each command on the way has arguments of its own.
func (s *session) levels() []level {
	if !s.root.TraverseChildren {
		cmd, args, _ := s.root.Find(s.args) // with an error, the last one it found
		return []level{{cmd, args}}
	}
	var levels []level
	cmd, args := s.root, s.args
	for {
		next, at := subcommand(cmd, args)
		if next == nil {
			return append(levels, level{cmd, args})
		}
		levels = append(levels, level{cmd, args[:at]})
		cmd, args = next, args[at+1:]
	}
}

// subcommand finds the first word that is neither a flag nor the value of one,
// if it is the name of a subcommand.
func subcommand(cmd *cobra.Command, args []string) (next *cobra.Command, at int) {
	cmd.InheritedFlags() // merges them into Flags
	isValue := false
	for i, word := range args {
		switch {
		case isValue:
			isValue = false
		case strings.HasPrefix(word, "--"):
			f := cmd.Flags().Lookup(word[2:]) // none that holds a '='
			isValue = f == nil && !strings.Contains(word, "=") || f != nil && f.NoOptDefVal == ""
		case strings.HasPrefix(word, "-") && len(word) == 2:
			f := cmd.Flags().ShorthandLookup(word[1:])
			isValue = f == nil || f.NoOptDefVal == ""
		case strings.HasPrefix(word, "-") && len(word) > 2:
		default:
			if found, _, _ := cmd.Find([]string{word}); found != cmd {
				return found, i
			}
			return nil, 0
		}
	}
	return nil, 0
}

// parseAll has pflag read args and call f for each flag. Unknown flags are passed
// over, and nothing is printed.
func parseAll(cmd *cobra.Command, args []string, f func(*pflag.Flag, string) error) error {
	cmd.InitDefaultHelpFlag()
	cmd.InheritedFlags() // merges them into Flags
	flags := cmd.Flags()
	allowed, output, usage := flags.ParseErrorsAllowlist, flags.Output(), flags.Usage
	defer func() {
		flags.ParseErrorsAllowlist, flags.Usage = allowed, usage
		flags.SetOutput(output)
	}()
	flags.ParseErrorsAllowlist.UnknownFlags = true
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	return flags.ParseAll(readable(args), f)
}

// readable replaces what pflag can't read at all, and would stop at, by an
// unknown flag, which takes the same place: the value of the flag before it, or
// none.
func readable(args []string) []string {
	args = slices.Clone(args)
	for i, a := range args {
		if strings.HasPrefix(a, "---") || strings.HasPrefix(a, "--=") {
			args[i] = "--unreadable="
		}
	}
	return args
}
