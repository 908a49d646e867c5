// Package streamjsoncobra makes a program that is built on spf13/cobra answer
// with one JSON envelope on every path, by one call on its root command:
//
//	os.Exit(streamjsoncobra.Main(ctx, root, streamjsoncobra.Options{}))
//
// Main adds --json to the root and runs what the arguments name under
// [envelope.Run]: errors of RunE and of the other hooks, unknown commands and
// flags, wrong arguments, flag groups, help, completion, panics and signals all
// end in the one document, with the exit status that belongs to it.
//
// A command gives data with [RunE]. One that hasn't been changed yet works, too:
// what it writes to cmd.OutOrStdout() becomes the member output of data. (What
// it prints to os.Stdout lands on stderr.) Main is a module of its own, so that
// the core does not depend on cobra.
//
// Code that calls os.Exit, such as cobra.CheckErr, ends the process without an
// answer; return errors instead.
package streamjsoncobra

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/streamjson/streamjson/envelope"
	"github.com/streamjson/streamjson/exitcode"
)

// Options is how [Main] runs a program. The zero value is fine.
type Options struct {
	// RunOptions are those of the envelope. JSON and JSONEnv are the default of
	// --json; Human is not used, since each command has its own, see RunE.
	envelope.RunOptions
	// Args are the arguments; nil: os.Args[1:].
	Args []string
	// Format, if not nil, is the value of a flag --output-format on the root: an
	// emit.Format, say. What it holds before is the flag's default.
	Format pflag.Value
	// Stream runs commands that write a stream; see Streams. run is the command
	// line: it parses, checks and runs, and returns the error that the last line
	// of the stream is to tell, with its exit status. By package emit:
	//
	//	func(ctx context.Context, run func(context.Context) error) int {
	//		return emit.Run(ctx, emit.Options{Format: format}, func(ctx context.Context, e *emit.Emitter) error {
	//			return run(emit.NewContext(ctx, e.Actor))
	//		})
	//	}
	Stream func(ctx context.Context, run func(context.Context) error) (exitCode int)
}

// Main runs the command that the arguments name and returns the exit status.
// Errors go to the envelope or, for people, to stderr; cobra itself prints none.
// The root is as before when Main returns, save for the flags that it adds.
//
// JSON mode is found by parsing with the flags that the commands know, never by
// searching: --json counts everywhere but as the value of another flag, behind
// "--", and on a command that parses no flags; it counts behind a wrong argument
// or flag, too. Without it, the environment variable JSONEnv decides, then JSON.
//
// The exit status is 2 for everything that cobra itself finds wrong, with the
// usage text on stderr, and what the error of a hook asks for (see
// envelope.Err), for people as for programs. Help is a
// success: its data is an object with the members command, summary, usage,
// commands and flags. The protocol of shell completion (__complete) is left
// alone.
func Main(ctx context.Context, root *cobra.Command, o Options) (exitCode int) {
	s := &session{root: root, o: o, args: o.Args}
	if s.args == nil {
		s.args = os.Args[1:]
	}
	if o.Name == "" {
		s.o.Name = root.Name()
	}
	confused := s.prepare()
	if confused == nil && s.streams {
		return o.Stream(ctx, s.runStream)
	}
	s.o.RunOptions.JSON = s.json
	s.o.Human = s.human
	return envelope.Run(ctx, s.o.RunOptions, func(ctx context.Context, call *envelope.Call) (any, error) {
		if confused != nil {
			return nil, confused
		}
		return s.run(ctx, call)
	})
}

// RunE makes a RunE of a body that returns data and an error, like that of
// envelope.Run: it prints nothing, so that it needn't know who asked. human
// writes data for people; it is called behind the PostRun hooks, also for data
// besides an error; nil: nothing is written. The context and the call are those
// of envelope.Run.
//
// Without Main above, by cobra's own Execute, it answers people alone.
func RunE(body func(ctx context.Context, call *envelope.Call, cmd *cobra.Command, args []string) (data any, err error), human func(w io.Writer, data any) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		ctx := cmd.Context()
		if ctx == nil {
			ctx = context.Background()
		}
		s, _ := ctx.Value(sessionKey{}).(*session)
		data, err := body(ctx, envelope.FromContext(ctx), cmd, args)
		switch {
		case s != nil:
			s.data, s.render, s.answered = data, human, true
		case err == nil && human != nil:
			return human(cmd.OutOrStdout(), data)
		}
		return err
	}
}

// Annotations that Pending and Streams leave on a command.
const (
	pendingMark = "streamjson/pending"
	streamsMark = "streamjson/streams"
)

// Pending says that a command has no data to give yet: with --json it is refused
// by an envelope, with exit status 2, instead of answering in prose. It returns
// cmd.
func Pending(cmd *cobra.Command) *cobra.Command { return annotate(cmd, pendingMark) }

// Streams says that a command writes a stream: Options.Stream runs it, whatever
// the format, and --json is refused. Other commands are refused in a stream,
// which they end up in when --output-format is given with another value than its
// default. It returns cmd.
func Streams(cmd *cobra.Command) *cobra.Command { return annotate(cmd, streamsMark) }

func annotate(cmd *cobra.Command, mark string) *cobra.Command {
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	cmd.Annotations[mark] = "true"
	return cmd
}

func has(cmd *cobra.Command, mark string) bool { return cmd.Annotations[mark] != "" }

// session is one Main.
type session struct {
	root    *cobra.Command
	o       Options
	args    []string
	json    bool
	streams bool

	given    bool   // --output-format has another value than its default
	reached  bool   // the command's own RunE
	notices  string // what cobra and the hooks printed before that
	answered bool   // it was made by RunE
	data     any
	render   func(io.Writer, any) error
	helped   *cobra.Command // whose help was asked for
	usage    bool           // the usage function ran
}

type sessionKey struct{}

// human writes the data of the command that ran.
func (s *session) human(w io.Writer, data any) error {
	if s.render == nil {
		return nil
	}
	return s.render(w, data)
}

// runStream is what Options.Stream is given.
func (s *session) runStream(ctx context.Context) error {
	_, err := s.run(ctx, nil)
	var usage *envelope.UsageError
	if errors.As(err, &usage) {
		fmt.Fprint(s.root.ErrOrStderr(), usage.Usage)
		return exitcode.Error{Code: exitcode.Usage, Err: err}
	}
	return err
}
