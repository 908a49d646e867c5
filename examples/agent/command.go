package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/streamjson/streamjson/wrap"
)

const (
	// defaultLimit is how long a command may run where the model says nothing,
	// maxLimit the longest that it can ask for.
	defaultLimit = 2 * time.Minute
	maxLimit     = time.Hour

	// commandGrace is how long a command has to end when it must, and how long
	// its output is waited for once it has ended: something that it has left
	// behind may hold the pipe for ever.
	commandGrace = time.Second
)

// runCommand runs a command without a shell; the model can ask for one.
//
// Package wrap does the work: the command never gets this process's stdout,
// its lines come as task lines while it runs, and it is ended with all that it
// has started when the run is over. A failure is in the text already, since it
// is for the model to read.
func runCommand(ctx context.Context, a *agent, c call) (output, error) {
	args := struct {
		Argv    []string
		Seconds float64
	}{Seconds: defaultLimit.Seconds()}
	if err := decode(c, &args); err != nil {
		return output{}, err
	}
	switch {
	case len(args.Argv) == 0 || args.Argv[0] == "":
		return output{}, errors.New(`argv is empty: give a program and its arguments, as in ["wc", "-l", "README.md"]`)
	case args.Seconds <= 0 || args.Seconds > maxLimit.Seconds():
		return output{}, fmt.Errorf("seconds must be above 0, and at most %v", maxLimit.Seconds())
	}
	var did wrap.Data
	res, err := wrap.Tool(ctx, a.actor, c.id, wrap.Command{
		Argv:      args.Argv,
		Timeout:   time.Duration(args.Seconds * float64(time.Second)),
		Grace:     commandGrace,
		MaxOutput: maxText,
		Report:    func(d wrap.Data) { did = d },
	})
	switch {
	case err != nil:
		return output{}, err
	case ctx.Err() != nil: // nobody is left to read it
		return output{}, context.Cause(ctx)
	}
	out := output{
		text:    res.Text,
		summary: args.Argv[0] + ": exit status 0",
		failed:  res.IsError,
		values:  map[string]string{"code": strconv.Itoa(did.ExitCode)},
	}
	if did.Err != nil {
		out.summary = did.Err.Error()
		return out, nil
	}
	if fields := strings.Fields(did.Stdout); len(fields) > 0 {
		out.values["word"] = fields[0]
	}
	if did.TruncatedBytes == 0 {
		out.values["lines"] = strconv.Itoa(rows(did.Stdout))
	}
	return out, nil
}

// rows returns how many lines a text has; the last one needs no newline.
func rows(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}
