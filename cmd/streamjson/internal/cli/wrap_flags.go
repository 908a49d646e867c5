package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/wrap"
)

// wrapFlags are the flags and arguments of wrap.
type wrapFlags struct {
	json, unwrap, adopt         bool
	format                      emit.Format
	timeout, idleTimeout, grace span
	heartbeat                   span
	maxOutput, maxLine          size
	stdin                       stdinFlag
	pty, quiet, noRedact        bool
	dir, sessionID, logFile     string
	name                        string
	env                         variables
	secretEnv                   names
	argv                        []string
}

func (w *wrapFlags) declare(f *flag.FlagSet) {
	w.grace.Duration = 2 * time.Second
	f.BoolVar(&w.json, "json", false, "answer with an envelope: what the command wrote and how it ended")
	f.BoolVar(&w.unwrap, "unwrap", false, "with --json: the data is the command's own JSON; an envelope of its own is passed on")
	f.BoolVar(&w.adopt, "adopt", false, "the command writes a stream itself: pass it on, and give it exactly one result")
	f.Var(&w.format, "output-format", "the `format`: stream-json (default), json (the result alone), or text (the command's own output)")
	f.Var(&w.timeout, "timeout", "end the command after this `time` (90s, 1.5h; a bare number is seconds)")
	f.Var(&w.idleTimeout, "idle-timeout", "end it when it has written nothing for this `time`")
	f.Var(&w.grace, "grace", "the `time` from the signal that ends it to KILL, and for what it leaves behind (default 2s)")
	f.Var(&w.heartbeat, "heartbeat", "show life after this `time` without a line (with --json: on stderr)")
	f.Var(&w.maxOutput, "max-output", "keep this many `bytes` of each stream for the result (default 1m), count the rest")
	f.Var(&w.maxLine, "max-line", "cut longer lines into parts of this many `bytes` (default 64k; --adopt: the longest event, 16m)")
	f.Var(&w.stdin, "stdin", "what the command reads: `none` (default), or inherit")
	f.BoolVar(&w.pty, "pty", false, "give the command a terminal for its output")
	f.StringVar(&w.dir, "cwd", "", "run it in this `directory`")
	f.Var(&w.env, "env", "set a variable of its environment, `KEY=VALUE`; may be repeated")
	f.Var(&w.secretEnv, "secret-env", "the `NAME` of a variable whose value is a secret (beside those whose names say so); may be repeated")
	f.BoolVar(&w.noRedact, "no-redact", false, "leave secrets where they stand")
	f.StringVar(&w.sessionID, "session-id", "", "the `id` of the session (default new; with --adopt the command's own)")
	f.StringVar(&w.logFile, "log-file", "", "append the stream to this `file`, too")
	f.StringVar(&w.name, "name", "", "the `name` of the agent in the init line (default: the program's)")
	f.BoolVar(&w.quiet, "quiet", false, "nothing of our own on stderr")
}

// unfit says which flags mean nothing in which mode.
func unfit() map[wrapMode][]string {
	return map[wrapMode][]string{
		streamMode: {"unwrap"},
		jsonMode:   {"output-format", "max-line", "session-id", "log-file", "name"},
		adoptMode:  {"unwrap", "max-output"},
		textMode:   {"unwrap", "heartbeat", "max-output", "max-line", "secret-env", "session-id", "log-file", "name"},
	}
}

// parse reads the arguments. It reports whether that was all, since help was
// asked for.
func (c *wrapCall) parse(args []string) (done bool, err error) {
	f := flag.NewFlagSet("wrap", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.Usage = func() {}
	c.declare(f)
	for {
		e := f.Parse(args)
		rest := f.Args()
		switch {
		case errors.Is(e, flag.ErrHelp):
			flagHelp(c.s.out, f)
			io.WriteString(c.s.out, wrapExamples)
			return true, nil
		case e != nil && err == nil:
			err = e
		case e == nil && err != nil && !endsFlags(args, rest) && slices.Contains(rest, "--"):
			rest = rest[1:] // the value of a flag that is not known: the command stands behind "--"
		case e == nil:
			c.argv = rest
			if err == nil {
				err = c.settle(f)
			}
			return false, err
		}
		args = rest
	}
}

// endsFlags reports whether it was "--" that ended the flags of args before rest.
func endsFlags(args, rest []string) bool {
	n := len(args) - len(rest)
	return n > 0 && args[n-1] == "--"
}

// settle chooses the mode, and holds the flags to it.
func (c *wrapCall) settle(f *flag.FlagSet) error {
	given := map[string]bool{}
	f.Visit(func(f *flag.Flag) { given[f.Name] = true })
	switch {
	case c.json && c.adopt:
		return errors.New("--json and --adopt: a stream is no envelope; give one of them")
	case c.unwrap && !c.json:
		return errors.New("--unwrap is for --json")
	case c.adopt && c.format != emit.FormatStreamJSON:
		return errors.New("--adopt writes stream-json; give it without --output-format")
	case c.json:
		c.mode = jsonMode
	case c.adopt:
		c.mode = adoptMode
	case c.format == emit.FormatText:
		c.mode = textMode
	default:
		c.mode = streamMode
	}
	for _, name := range unfit()[c.mode] {
		if given[name] {
			return fmt.Errorf("--%s means nothing with %s; leave it out", name, c.mode)
		}
	}
	switch {
	case len(c.argv) == 0:
		return errors.New("no command: give it behind --")
	case given["grace"] && c.grace.Duration == 0:
		return errors.New("--grace 0: give it some time, 1ms at least")
	case c.noRedact && len(c.secretEnv) > 0:
		return errors.New("--no-redact and --secret-env: give one of them")
	}
	return nil
}

// A span is a flag for a length of time.
type span struct{ time.Duration }

func (s *span) Set(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil {
		var seconds float64
		const most = float64(math.MaxInt64 / int64(time.Second))
		if seconds, err = strconv.ParseFloat(text, 64); err != nil || !(math.Abs(seconds) < most) {
			return errors.New("it is no time such as 500ms, 90s, 1h30m")
		}
		d = time.Duration(seconds * float64(time.Second))
	}
	if d < 0 {
		return errors.New("it is negative")
	}
	s.Duration = d
	return nil
}

// A size is a flag for a number of bytes.
type size int

func (s *size) String() string { return strconv.Itoa(int(*s)) }

func (s *size) Set(text string) error {
	digits := strings.TrimRight(strings.ToLower(text), "ib")
	unit := 1
	for i, suffix := range []string{"k", "m", "g"} {
		if d, ok := strings.CutSuffix(digits, suffix); ok {
			digits, unit = d, 1<<(10*(i+1))
		}
	}
	n, err := strconv.ParseInt(digits, 10, 32)
	if err != nil || n <= 0 || n > maxSize/int64(unit) {
		return errors.New("it is no number of bytes such as 65536, 64k, 16m, up to 1g")
	}
	*s = size(n * int64(unit))
	return nil
}

const maxSize = 1 << 30

// A stdinFlag is a flag for what a command reads.
type stdinFlag struct{ wrap.Stdin }

func (s *stdinFlag) String() string {
	if s.Stdin == wrap.StdinInherit {
		return "inherit"
	}
	return "none"
}

func (s *stdinFlag) Set(text string) error {
	switch text {
	case "none":
		s.Stdin = wrap.StdinNone
	case "inherit":
		s.Stdin = wrap.StdinInherit
	default:
		return errors.New("there are none and inherit")
	}
	return nil
}

// variables is a flag for variables of an environment.
type variables []string

func (v *variables) String() string { return strings.Join(*v, " ") }

func (v *variables) Set(text string) error {
	if name, _, ok := strings.Cut(text, "="); !ok || name == "" {
		return errors.New("it is not of the form KEY=VALUE")
	}
	*v = append(*v, text)
	return nil
}

// withVariables returns an environment with some variables set anew.
func withVariables(environ, set []string) []string {
	var all []string
	for _, kv := range environ {
		if name, _, _ := strings.Cut(kv, "="); name == "" || !has(set, name) {
			all = append(all, kv)
		}
	}
	for i, kv := range set {
		if name, _, _ := strings.Cut(kv, "="); !has(set[i+1:], name) {
			all = append(all, kv)
		}
	}
	return all
}

func has(environ []string, name string) bool {
	_, ok := variable(environ, name)
	return ok
}

// variable returns the value of a variable.
func variable(environ []string, name string) (value string, ok bool) {
	for _, kv := range environ {
		if value, ok := strings.CutPrefix(kv, name+"="); ok {
			return value, true
		}
	}
	return "", false
}
