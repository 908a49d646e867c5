package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/envelope"
	"github.com/streamjson/streamjson/exitcode"
	"github.com/streamjson/streamjson/redact"
	"github.com/streamjson/streamjson/wrap"
)

// windDown is how long a run may take to end beyond the grace of its command.
const windDown = 3 * time.Second

// A wrapCall is one call of wrap.
type wrapCall struct {
	s    *streams
	mode wrapMode
	wrapFlags

	command  wrap.Command
	redactor *redact.Redactor
	warnings []redact.Warning
	also     []io.Writer
}

// A wrapMode is what wrap makes of a command.
type wrapMode string

const (
	streamMode wrapMode = "a stream"
	jsonMode   wrapMode = "--json"
	adoptMode  wrapMode = "--adopt"
	textMode   wrapMode = "--output-format text"
)

// wrapCommand runs a command and writes what it does as a stream or as an
// envelope.
func wrapCommand(s *streams, args []string) int {
	c := &wrapCall{s: s}
	done, err := c.parse(args)
	if done {
		return exitcode.OK
	}
	if err == nil {
		err = c.prepare()
	}
	if err != nil {
		return c.refuse(err)
	}
	switch c.mode {
	case jsonMode:
		return c.runEnvelope()
	case adoptMode:
		return c.runAdopted()
	case textMode:
		return c.runText()
	}
	return c.runStream()
}

// refuse tells what was wrong with the arguments. Who asked for JSON gets it
// (contract E7).
func (c *wrapCall) refuse(err error) int {
	if !c.json {
		return refuse(c.s, "wrap", nil, err)
	}
	return document(c.s, nil, []string{err.Error(), "hint: streamjson help wrap tells how to call it"}, nil, exitcode.Usage)
}

// runStream is a whole run of the command. With --output-format json it is the
// result alone.
func (c *wrapCall) runStream() int {
	o := emit.Options{
		Product: "streamjson", SessionID: c.sessionID, Format: c.format,
		Stdout: c.s.toMachines(), Stderr: c.s.toPeople(), Also: c.also,
		Redactor: c.redactor, Capabilities: []string{wrap.Capability},
		Heartbeat: c.heartbeat.Duration, Grace: c.command.Grace + windDown, Quiet: c.quiet,
	}
	last := c.last()
	defer last.wait()
	return emit.Run(context.Background(), o, func(ctx context.Context, em *emit.Emitter) error {
		defer last.begin()()
		for _, w := range c.warnings {
			em.Log().Warn().Msg(w.String())
		}
		return wrap.Run(ctx, em, c.command)
	})
}

// runAdopted supervises a command that writes a stream itself.
func (c *wrapCall) runAdopted() int {
	if !c.quiet {
		c.warn()
	}
	return wrap.Adopt(context.Background(), wrap.AdoptOptions{
		SessionID: c.sessionID, Stdout: c.s.toMachines(), Stderr: c.s.toPeople(), Also: c.also,
		Redactor: c.redactor, Heartbeat: c.heartbeat.Duration, Quiet: c.quiet,
	}, c.command)
}

// runEnvelope is the command as one answer.
func (c *wrapCall) runEnvelope() int {
	o := envelope.RunOptions{
		JSON: true, Name: "streamjson wrap", Quiet: c.quiet,
		Stdout: c.s.toMachines(), Stderr: c.s.toPeople(),
		Redactor: c.redactor, Heartbeat: c.heartbeat.Duration, Grace: c.command.Grace + windDown,
	}
	last := c.last()
	defer last.wait()
	return envelope.Run(context.Background(), o, func(ctx context.Context, call *envelope.Call) (any, error) {
		defer last.begin()()
		for _, w := range c.warnings {
			call.Warn(w.String())
		}
		if c.unwrap {
			e, err := wrap.Unwrap(ctx, c.command)
			return answer(call, e, err)
		}
		e, err := wrap.Envelope(ctx, c.command)
		return answer(call, e, err)
	})
}

// answer hands an envelope on to the one that is being written.
func answer[T any](call *envelope.Call, e envelope.Envelope[T], err error) (any, error) {
	if err != nil {
		return nil, err
	}
	for _, w := range e.Warnings {
		call.Warn(w)
	}
	return e.Data, e.Err()
}

// warn tells of the secrets that can't be looked for.
func (c *wrapCall) warn() {
	for _, w := range c.warnings {
		fmt.Fprintf(c.s.err, "streamjson wrap: warning: %v\n", w)
	}
}

// toMachines is stdout for those who claim it: the file, where there is one.
func (s *streams) toMachines() io.Writer {
	if s.file != nil {
		return s.file
	}
	return s.out
}

// toPeople is stderr for those who know the process's own.
func (s *streams) toPeople() io.Writer {
	if s.err == io.Writer(os.Stderr) {
		return nil
	}
	return s.err
}

// prepare makes the command of the flags.
func (c *wrapCall) prepare() error {
	c.command = wrap.Command{
		Argv: c.argv, Dir: c.dir, Name: c.name, PTY: c.pty, Stdin: c.stdin.Stdin,
		Timeout: c.timeout.Duration, IdleTimeout: c.idleTimeout.Duration, Grace: c.grace.Duration,
		MaxOutput: int(c.maxOutput), MaxLine: int(c.maxLine),
		SoleParent: true, // this program starts nothing else
	}
	environ := os.Environ()
	if len(c.env) > 0 {
		environ = withVariables(environ, c.env)
		c.command.Env = environ
	}
	if err := c.makeRedactor(environ); err != nil {
		return err
	}
	c.command.Redactor = c.redactor
	if c.logFile == "" {
		return nil
	}
	log, err := openLog(c.logFile)
	if err != nil {
		return fmt.Errorf("--log-file: %w", err)
	}
	c.also = []io.Writer{log}
	return nil
}

// makeRedactor makes the redactor that knows the secrets of the command's
// environment.
func (c *wrapCall) makeRedactor(environ []string) error {
	if c.noRedact {
		c.redactor = redact.None()
		return nil
	}
	var named []redact.Value
	for _, name := range c.secretEnv {
		value, ok := variable(environ, name)
		if !ok {
			return fmt.Errorf("--secret-env %s: there is no such variable in the command's environment", name)
		}
		named = append(named, redact.Value{Name: name, Value: value})
	}
	// What the names of variables only suggest may well be no secret: nothing is
	// said about those values.
	_, warnings, err := redact.New(redact.Options{Values: named})
	if err != nil {
		return err
	}
	c.warnings = warnings
	c.redactor, _, err = redact.New(redact.Options{Values: append(redact.FromEnviron(environ), named...)})
	return err
}

// openLog opens a file for lines to be appended. A line that was cut off there
// (a kill -9, a full disk) is ended first, so that no other is spliced to it.
func openLog(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
	if errors.Is(err, os.ErrPermission) { // to write is enough
		f, err = os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return f, nil
	}
	last := []byte{'\n'}
	if _, err := f.ReadAt(last, info.Size()-1); err == nil && last[0] != '\n' {
		_, err = f.Write([]byte{'\n'})
		return f, err
	}
	return f, nil
}
