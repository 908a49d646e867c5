package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/streamjson/streamjson/emit/event"
)

//go:embed default.script
var defaultScript string

// A script is what the models of a run say. Its format is in the package's
// documentation.
type script struct {
	file   string // where it stands, for errors
	top    part
	agents map[string]part // of sub-agents
}

// A part is the script of one agent.
type part struct {
	turns []turn
	loops bool
}

// A turn is one model call.
type turn []step

// A step is one line of a turn.
type step struct {
	line  int
	verb  verb
	text  string         // of most verbs; may hold placeholders
	name  string         // of call: by which the result is known
	tool  string         // of call
	args  map[string]any // of call; its strings may hold placeholders
	wait  time.Duration  // of wait
	usage event.Usage    // of usage
}

// A verb is what a step does.
type verb string

const (
	verbThink   verb = "think"
	verbSay     verb = "say"
	verbCall    verb = "call"
	verbWait    verb = "wait"
	verbUsage   verb = "usage"
	verbWarn    verb = "warn"
	verbRetry   verb = "retry"
	verbRefuse  verb = "refuse"
	verbCut     verb = "cut"
	verbFail    verb = "fail"
	verbPanic   verb = "panic"
	verbPanicGo verb = "panic-go"
	verbHang    verb = "hang"
)

// ends reports whether the verb ends its turn and its agent.
func (v verb) ends() bool {
	switch v {
	case verbRefuse, verbCut, verbFail, verbPanic, verbPanicGo, verbHang:
		return true
	default:
		return false
	}
}

// known reports whether there is such a verb.
func (v verb) known() bool {
	switch v {
	case verbThink, verbSay, verbCall, verbWait, verbUsage, verbWarn, verbRetry:
		return true
	default:
		return v.ends()
	}
}

// A scriptError says what is wrong with a script, and where.
type scriptError struct {
	file string
	line int
	err  error
}

func (e *scriptError) Error() string { return fmt.Sprintf("%s:%d: %v", e.file, e.line, e.err) }

func (e *scriptError) Unwrap() error { return e.err }

// loadScript reads a script; the empty name is the embedded one.
func loadScript(ctx context.Context, file string) (*script, error) {
	if file == "" {
		return parse("default.script", defaultScript)
	}
	text, err := readBounded(ctx, func() (io.ReadCloser, error) { return os.Open(file) })
	var path *os.PathError
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.As(err, &path):
		return nil, &scriptError{file, 1, path.Err} // which says the name once
	case err != nil:
		return nil, &scriptError{file, 1, err}
	}
	return parse(file, text)
}
