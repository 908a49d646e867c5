//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/streamjson/streamjson/contract"
)

// hang is when a test gives up on a command; none should take that long.
const hang = time.Minute

// An outcome is what came of one call of the command.
type outcome struct {
	stdout, stderr string
	code           int
}

// streamjson runs the command as a process.
func streamjson(t *testing.T, args ...string) outcome {
	t.Helper()
	return finish(t, exec.Command("streamjson", args...))
}

// finish runs a command to its end.
func finish(t *testing.T, cmd *exec.Cmd) outcome {
	t.Helper()
	return start(t, cmd)()
}

// start starts a command; what it returns waits for its end.
func start(t *testing.T, cmd *exec.Cmd) (wait func() outcome) {
	t.Helper()
	var out, errOut bytes.Buffer
	if cmd.Stdout == nil {
		cmd.Stdout = &out
	}
	if cmd.Stderr == nil {
		cmd.Stderr = &errOut
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	guard := time.AfterFunc(hang, func() { cmd.Process.Kill() })
	return func() outcome {
		t.Helper()
		defer guard.Stop()
		err := cmd.Wait()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		if cmd.ProcessState.ExitCode() < 0 {
			t.Fatalf("%q: %v, stderr %.300q", cmd.Args, cmd.ProcessState, errOut.String())
		}
		return outcome{out.String(), errOut.String(), cmd.ProcessState.ExitCode()}
	}
}

// An event is a line of a stream, as far as tests look at it.
type event struct {
	Type    string
	Subtype string
	Task    struct {
		Stream, Text     string
		Partial, Rewrite bool
	}
	Message struct {
		Content []struct {
			Type    string
			Content string
		}
	}
	Result string
	Errors []string
	Meta   map[string]any `json:"_meta"`
}

// events reads the lines of a stream that must be clean under check, with the
// exit status that it ended with. A warning is allowed: the status of a wrapped
// command may be one that means something else to check.
func events(t *testing.T, o outcome) []event {
	t.Helper()
	report, err := contract.Check(strings.NewReader(o.stdout), contract.CheckOptions{Exit: &o.code})
	if err != nil || report.Failed(false) {
		t.Fatalf("exit status %d: %v, %+v\n%.2000s", o.code, err, report, o.stdout)
	}
	if !utf8.ValidString(o.stdout) {
		t.Fatalf("no UTF-8: %.2000q", o.stdout)
	}
	var list []event
	for line := range strings.Lines(o.stdout) {
		var e event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v: %.500q", err, line)
		}
		list = append(list, e)
	}
	return list
}

// texts joins what a stream of the command has written, by the rule of the
// package: "\n" behind each text that is not partial, and what stands behind
// the last "\n" is dropped where one rewrites it.
func texts(list []event, stream string) string {
	var all strings.Builder
	for _, e := range list {
		if e.Subtype != "task_progress" || e.Task.Stream != stream {
			continue
		}
		if e.Task.Rewrite {
			whole := all.String()
			all.Reset()
			all.WriteString(whole[:strings.LastIndexByte(whole, '\n')+1])
		}
		all.WriteString(e.Task.Text)
		if !e.Task.Partial {
			all.WriteByte('\n')
		}
	}
	return all.String()
}

// last is the result of a stream.
func last(list []event) event { return list[len(list)-1] }
