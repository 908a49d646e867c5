package envelope

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
)

// parsed is what the arguments of a program say.
type parsed struct {
	path []*Command // from the root to the command that is named
	args []string   // what is left for the command
	help bool
	err  error // the first thing that is wrong

	usageText string // once made
}

func (p *parsed) command() *Command { return p.path[len(p.path)-1] }

// name is the command as people type it.
func (p *parsed) name() string {
	names := make([]string, 0, len(p.path))
	for _, c := range p.path {
		names = append(names, c.Name)
	}
	return strings.Join(names, " ")
}

// askedForJSON tells whether the answer to args is to be JSON. It reads them to
// their end, also where they are wrong, and sets no flag but --json. The error
// says what the environment has to do with it.
func (c *Command) askedForJSON(args []string, o RunOptions) (bool, error) {
	asked := new(jsonFlag)
	s := scanner{parsed: &parsed{path: []*Command{c}}, asked: asked, dry: true}
	s.enter(c)
	s.scan(args)
	if asked.set {
		return asked.on, nil
	}
	return o.JSONDefault()
}

// parse reads args and sets the flags.
func (c *Command) parse(args []string) *parsed {
	s := scanner{parsed: &parsed{path: []*Command{c}}, asked: new(jsonFlag)}
	s.enter(c)
	s.scan(args)
	s.settle()
	return s.parsed
}

// scanner walks over the arguments.
type scanner struct {
	*parsed
	asked *jsonFlag
	flags *flag.FlagSet // of the command at hand
	lost  bool          // behind an unknown command
	dry   bool          // only asked is to be set
	over  bool          // what comes behind --help is not looked at
}

func (s *scanner) fail(err error) {
	if s.err == nil && !s.over {
		s.err = err
	}
}

// enter goes down to a command, and makes its flag set ready for use.
func (s *scanner) enter(c *Command) {
	if c.Flags == nil {
		c.Flags = flag.NewFlagSet(c.Name, flag.ContinueOnError)
	}
	s.flags = c.Flags
	// Init keeps the flags. Without it, a set made to exit or to panic would.
	s.flags.Init(s.flags.Name(), flag.ContinueOnError)
	known := s.flags.Lookup("json")
	if known == nil {
		s.flags.Var(s.asked, "json", "answer with one JSON envelope on stdout")
	} else if _, ours := known.Value.(*jsonFlag); ours { // of an earlier scan
		known.Value = s.asked
	} else {
		s.fail(fmt.Errorf("the command %q defines a flag -json of its own, which is up to envelope.Command", c.Name))
	}
}

// scan reads args to the end.
func (s *scanner) scan(args []string) {
	for len(args) > 0 {
		switch word := args[0]; {
		case word == "--":
			s.args = append(s.args, args[1:]...)
			return
		case len(word) > 1 && word[0] == '-':
			n := s.flagLen(args)
			s.fail(s.parseFlag(args[:n]))
			args = args[n:]
		default:
			if !s.word(word) {
				s.args = append(s.args, args...)
				return
			}
			args = args[1:]
		}
	}
}

// flagLen is the number of words that the flag in front of args takes: two
// where its value is a word of its own.
func (s *scanner) flagLen(args []string) int {
	name := strings.TrimPrefix(strings.TrimPrefix(args[0], "-"), "-")
	known := s.flags.Lookup(name) // none that holds a '='
	if known == nil || len(args) == 1 {
		return 1
	}
	if b, ok := known.Value.(interface{ IsBoolFlag() bool }); ok && b.IsBoolFlag() {
		return 1
	}
	return 2
}

// parseFlag has package flag parse one flag, without a word from it.
func (s *scanner) parseFlag(words []string) error {
	if name, _, _ := strings.Cut(strings.TrimLeft(words[0], "-"), "="); s.dry && name != "json" {
		return nil
	}
	usage, output := s.flags.Usage, s.flags.Output()
	s.flags.Usage = func() {}
	s.flags.SetOutput(io.Discard)
	defer func() {
		s.flags.Usage = usage
		s.flags.SetOutput(output)
	}()
	err := s.flags.Parse(words)
	if errors.Is(err, flag.ErrHelp) {
		s.help, s.over = true, true
		return nil
	}
	return err
}

// word takes a word that is no flag: the name of a subcommand or an argument.
// It returns false if all that follows are arguments, too.
func (s *scanner) word(word string) (more bool) {
	c := s.command()
	if s.lost || len(c.Commands) == 0 || len(s.args) > 0 {
		s.args = append(s.args, word)
		return !c.Passthrough || s.lost
	}
	for _, sub := range c.Commands {
		if sub.Name == word {
			s.path = append(s.path, sub)
			s.enter(sub)
			return true
		}
	}
	switch {
	case word == "help":
		s.help = true
	case c.Body != nil && c.Args != "":
		s.args = append(s.args, word)
		return !c.Passthrough
	default:
		s.lost = true
		s.fail(fmt.Errorf("unknown command %q for %q", word, s.name()))
	}
	return true
}

// settle checks the arguments and gives them to the flag set, where a body may
// look for them.
func (s *scanner) settle() {
	_ = s.flags.Parse(append([]string{"--"}, s.args...))
	if s.err != nil || s.help || s.command().Body == nil {
		return
	}
	must, most := argCount(s.command().Args)
	switch n := len(s.args); {
	case n < len(must):
		s.fail(fmt.Errorf("the argument %s of %q is missing", must[n], s.name()))
	case most >= 0 && n > most:
		s.fail(fmt.Errorf("%q takes %s, not %q", s.name(), countText(most), s.args[most]))
	}
}

func countText(most int) string {
	switch most {
	case 0:
		return "no arguments"
	case 1:
		return "one argument"
	}
	return fmt.Sprintf("%d arguments", most)
}
