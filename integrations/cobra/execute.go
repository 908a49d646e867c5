package streamjsoncobra

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/streamjson/streamjson/envelope"
)

// run has cobra execute the command line and takes in what it does.
func (s *session) run(ctx context.Context, call *envelope.Call) (any, error) {
	var out bytes.Buffer
	undo := s.install(context.WithValue(ctx, sessionKey{}, s), &out)
	defer undo()
	cmd, err := s.root.ExecuteContextC(context.WithValue(ctx, sessionKey{}, s))
	if hook, ok := err.(*hookError); ok { //nolint:errorlint // cobra hands it on as it is
		if !s.reached { // it failed before the command
			s.notices += out.String()
			out.Reset()
		}
		return s.answer(call, out.String()), hook.error
	}
	switch {
	case err != nil:
		return nil, usageError(cmd, err)
	case s.usage && s.helped == nil && !s.answered && cmd.Name() == "help":
		// Cobra's help command answers to a command that doesn't exist by the usage
		// text, and with success.
		return nil, usageError(s.root, fmt.Errorf("there is no help about %q", strings.Join(cmd.Flags().Args(), " ")))
	case s.json && s.helped != nil:
		_, _ = s.root.ErrOrStderr().Write(out.Bytes())
		return helpData(s.helped, out.String()), nil
	}
	return s.answer(call, out.String()), nil
}

// answer is the data of the command that ran. What was printed before it, and
// beside its data, are notices: of deprecated flags and commands, say. They
// become warnings. What a command without data printed is its data. (For people
// nothing is kept of all this: printed is empty.)
func (s *session) answer(call *envelope.Call, printed string) any {
	if s.answered {
		s.notices, printed = s.notices+printed, ""
	}
	for line := range strings.Lines(s.notices) {
		call.Warn(strings.TrimSpace(line))
	}
	switch {
	case s.answered:
		return s.data
	case printed != "":
		return map[string]string{"output": printed}
	}
	return nil
}

// install makes cobra leave printing, and its errors, to us; undo brings back
// what was there. In JSON mode cobra's output goes to out.
func (s *session) install(ctx context.Context, out *bytes.Buffer) (undo func()) {
	root := s.root
	silent := [2]bool{root.SilenceErrors, root.SilenceUsage}
	help, usage := root.HelpFunc(), root.UsageFunc()
	undoHooks := s.wrapAll(ctx, root, out)
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetArgs(s.args)
	root.SetHelpFunc(func(c *cobra.Command, args []string) {
		s.helped = c
		help(c, args)
	})
	root.SetUsageFunc(func(c *cobra.Command) error {
		s.usage = true
		return usage(c)
	})
	stdout := root.OutOrStdout()
	if s.json {
		root.SetOut(out)
	}
	return func() {
		undoHooks()
		root.SilenceErrors, root.SilenceUsage = silent[0], silent[1]
		root.SetArgs(nil)
		root.SetHelpFunc(help)
		root.SetUsageFunc(usage)
		if s.json {
			root.SetOut(stdout)
		}
	}
}

type hook = func(*cobra.Command, []string) error

// wrapAll puts a listener around the hooks of a command and of those below it:
// by it the error of a hook is told from cobra's own, without looking at texts.
func (s *session) wrapAll(ctx context.Context, c *cobra.Command, out *bytes.Buffer) (undo func()) {
	earlier := c.Context()
	before, pre, run, post, after := c.PersistentPreRunE, c.PreRunE, c.RunE, c.PostRunE, c.PersistentPostRunE
	undoBelow := []func(){}
	for _, sub := range c.Commands() {
		undoBelow = append(undoBelow, s.wrapAll(ctx, sub, out))
	}
	c.SetContext(ctx) // cobra would keep that of an earlier run
	c.PersistentPreRunE, c.PreRunE = s.listen(before), s.listen(pre)
	c.PostRunE, c.PersistentPostRunE = s.listen(post), s.listen(after)
	if run != nil || c.Run != nil {
		c.RunE = s.guard(run, c.Run, out)
	}
	return func() {
		c.SetContext(earlier)
		c.PersistentPreRunE, c.PreRunE, c.RunE, c.PostRunE, c.PersistentPostRunE = before, pre, run, post, after
		for _, undo := range undoBelow {
			undo()
		}
	}
}

// hookError is an error that a hook returned, not cobra.
type hookError struct{ error }

func (e *hookError) Unwrap() error { return e.error }

// listen marks the error of a hook.
func (s *session) listen(h hook) hook {
	if h == nil {
		return nil
	}
	return func(c *cobra.Command, args []string) error {
		if err := h(c, args); err != nil {
			return &hookError{err}
		}
		return nil
	}
}

// guard is what runs in place of a command: it refuses what the command can't
// answer, and puts aside what was printed before it.
func (s *session) guard(runE hook, run func(*cobra.Command, []string), out *bytes.Buffer) hook {
	if runE == nil {
		runE = func(c *cobra.Command, args []string) error {
			run(c, args)
			return nil
		}
	}
	listened := s.listen(runE)
	return func(c *cobra.Command, args []string) error {
		if err := s.refuse(c); err != nil {
			return err // a usage error, since no hook returned it
		}
		s.reached, s.notices = true, out.String()
		out.Reset()
		return listened(c, args)
	}
}

// refuse says why a command can't answer in the way that is asked for.
func (s *session) refuse(c *cobra.Command) error {
	switch {
	case s.json && has(c, pendingMark):
		return envelope.WithHint(fmt.Errorf("%q has no JSON answer yet", c.CommandPath()), "call it without --json")
	case s.json && s.given && s.o.Stream != nil:
		return fmt.Errorf("--%s and --%s exclude each other", jsonName, formatName)
	case s.json && has(c, streamsMark):
		return envelope.WithHint(fmt.Errorf("%q answers with a stream", c.CommandPath()), "call it with --output-format instead of --json")
	case s.streams && !has(c, streamsMark):
		return envelope.WithHint(fmt.Errorf("%q has no stream", c.CommandPath()), "call it with --json instead of --output-format")
	}
	return nil
}

// usageError is what cobra found wrong. cmd is the command that it found.
func usageError(cmd *cobra.Command, err error) error {
	return &envelope.UsageError{
		Err:   envelope.WithHint(err, "see '"+cmd.CommandPath()+" --help'"),
		Usage: cmd.UsageString(),
	}
}
