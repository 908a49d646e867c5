package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

const (
	// defaultLimit is how long a command may run where the model says nothing,
	// maxLimit the longest that it can ask for.
	defaultLimit = 2 * time.Minute
	maxLimit     = time.Hour

	// pipeDelay is how long a command's output is waited for once it has ended:
	// something that it has left behind may hold the pipe for ever.
	pipeDelay = time.Second
)

// runCommand runs a command without a shell; the model can ask for one.
//
// The command never gets this process's stdout: what it prints belongs in its
// result. It runs in a process group of its own, which is killed when the run
// is over, and when the command is: nothing that a tool has started may
// outlive its call. On a terminal that also means that Ctrl-C reaches it by
// way of the run alone.
func runCommand(ctx context.Context, _ *agent, c call) (output, error) {
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
	limit := time.Duration(args.Seconds * float64(time.Second))
	ctx, stop := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it was killed after %v", limit))
	defer stop()
	return execute(ctx, args.Argv)
}

func execute(ctx context.Context, argv []string) (output, error) {
	var printed head
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Stdout, cmd.Stderr = &printed, &printed
	cmd.WaitDelay = pipeDelay
	ownGroup(cmd)
	err := cmd.Run()
	if cmd.ProcessState == nil {
		return output{}, err // it did not start
	}
	_ = killGroup(cmd) // most often nobody is left in it, and its number is not used again this soon
	switch {
	case errors.Is(err, exec.ErrWaitDelay):
		err = nil
	case err != nil && ctx.Err() != nil:
		err = context.Cause(ctx)
	}
	out := output{
		text:    clip(valid(string(printed.kept)), printed.left),
		summary: fmt.Sprintf("%s: %s", argv[0], cmd.ProcessState),
		values:  map[string]string{"code": strconv.Itoa(cmd.ProcessState.ExitCode())},
	}
	if err == nil {
		out.values["lines"] = strconv.Itoa(printed.rows())
		if fields := strings.Fields(out.text); len(fields) > 0 {
			out.values["word"] = fields[0]
		}
	}
	return out, err
}

// A head keeps the beginning of what is written to it, and counts the rest.
type head struct {
	kept     []byte
	left     int
	newlines int
	last     byte
}

func (h *head) Write(p []byte) (int, error) {
	room := min(len(p), maxText-len(h.kept))
	h.kept = append(h.kept, p[:room]...)
	h.left += len(p) - room
	h.newlines += bytes.Count(p, []byte("\n"))
	if len(p) > 0 {
		h.last = p[len(p)-1]
	}
	return len(p), nil
}

// rows returns how many lines were written; the last one needs no newline.
func (h *head) rows() int {
	if len(h.kept) > 0 && h.last != '\n' {
		return h.newlines + 1
	}
	return h.newlines
}
