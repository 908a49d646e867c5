//go:build unix

package wrap_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/emittest"
	"github.com/streamjson/streamjson/wrap"
)

// Every way in which a program can end is one result that tells the truth, and
// an exit status that agrees. The numbers are of the field cases.
func TestOutcomes(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	gone := wrap.Command{Argv: []string{"true"}, Dir: filepath.Join(dir, "gone")}
	for _, c := range []struct {
		rule     string
		c        wrap.Command
		code     int
		subtype  string
		result   string
		errors   string // joined by " | "; "..." at the end: begins like that
		status   string
		exitCode int // in the notification
	}{
		{"success", shell("echo a"), 0, "success", "a\n", "", "completed", 0},
		{"no output", shell(":"), 0, "success", "", "", "completed", 0},
		{"a failure", shell("echo a; echo b >&2; exit 7"), 7, "error_during_execution", "a\n", "sh: exit status 7 | b", "failed", 7},
		{"a silent failure", shell("exit 3"), 3, "error_during_execution", "", "sh: exit status 3", "failed", 3},
		{"131: TERM by itself", shell("kill -TERM $$"), 143, "interrupted", "", "sh: ended by SIGTERM", "failed", 143},
		{"131: KILL", shell("echo a; kill -KILL $$"), 137, "interrupted", "a\n", "sh: ended by SIGKILL", "failed", 137},
		{"49: no such program", wrap.Command{Argv: []string{"no-such-program-anywhere"}}, 127, "error_during_execution", "", `can't start "no-such-program-anywhere"...`, "failed", 127},
		{"49: no permission", wrap.Command{Argv: []string{plain}}, 126, "error_during_execution", "", "can't start...", "failed", 126},
		{"49: a directory", wrap.Command{Argv: []string{dir}}, 126, "error_during_execution", "", "can't start...", "failed", 126},
		{"no such directory", gone, 127, "error_during_execution", "", `can't start "true"...`, "failed", 127},
		{"a time limit", wrap.Command{Argv: []string{"sleep", "600"}, Timeout: 50 * time.Millisecond}, 124, "error_during_execution", "", "the time limit is reached: sleep was ended after 50ms", "failed", 143},
		{"1: silence", wrap.Command{Argv: []string{"sh", "-c", "echo a; sleep 600"}, IdleTimeout: 1500 * time.Millisecond}, 124, "error_during_execution", "a\n", "the time limit is reached: sh was ended, for it wrote nothing for 1.5s", "failed", 143},
		{"a limit that TERM does not hold", wrap.Command{Argv: []string{"sh", "-c", "trap '' TERM; while :; do sleep 0.05; done"}, Timeout: 1500 * time.Millisecond, Grace: 100 * time.Millisecond}, 124, "error_during_execution", "", "the time limit is reached: sh was ended after 1.5s...", "failed", 137},
		{"a limit that is met with success", wrap.Command{Argv: []string{"sh", "-c", "trap 'echo bye; exit 0' TERM; echo on; while :; do sleep 0.05; done"}, Timeout: 1500 * time.Millisecond}, 124, "error_during_execution", "on\nbye\n", "the time limit is reached: sh was ended after 1.5s...", "failed", 0},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			r := wrapped(t, c.c)
			last, end := r.result(), r.end()
			if r.code != c.code || last.Subtype != c.subtype || last.Result != c.result {
				t.Errorf("exit status %d, %s, %q; want %d, %s, %q", r.code, last.Subtype, last.Result, c.code, c.subtype, c.result)
			}
			got := strings.Join(last.Errors, " | ")
			if want, open := strings.CutSuffix(c.errors, "..."); got != want && !(open && strings.HasPrefix(got, want)) {
				t.Errorf("errors %q, want %q", got, c.errors)
			}
			if end.Status != c.status || *end.Task.ExitCode != c.exitCode || (end.Task.Error == "") != (c.code == 0) {
				t.Errorf("the task is %s, %+v", end.Status, end.Task)
			}
			if tool := r.of("user", "")[0].Message.Content[0]; tool.IsError != (c.code != 0) || tool.Content != c.result {
				t.Errorf("the tool result is %+v", tool)
			}
			if r.prose != "" {
				t.Errorf("prose: %q", r.prose)
			}
		})
	}
}

// The lines stand in the order that the package shows, and say what they must.
func TestLinesOfARun(t *testing.T) {
	r := wrapped(t, wrap.Command{Argv: []string{"sh", "-c", "echo a"}, Dir: t.TempDir(), Name: "build"})
	var order []string
	for _, l := range r.lines {
		order = append(order, strings.Trim(l.Type+"/"+l.Subtype+" "+l.Parent, "/ "))
	}
	want := "system/init|assistant|system/task_started exec_1|system/task_progress exec_1|user|system/task_notification exec_1|result/success"
	if got := strings.Join(order, "|"); got != want {
		t.Errorf("the lines are %s, want %s", got, want)
	}
	use := r.lines[1].Message.Content[0]
	start := r.of("system", "task_started")[0].Task
	if use.Name != "exec" || !strings.Contains(string(use.Input), `"argv":["sh","-c","echo a"]`) || start.PID == 0 || start.CWD == "" || len(start.Argv) != 3 {
		t.Errorf("the call is %s %s, the task %+v", use.Name, use.Input, start)
	}
	if r.lines[0].CWD != start.CWD || r.lines[0].Tools[0] != "exec" || !bytes.Contains(r.stream, []byte(`"agent":{"name":"build"`)) {
		t.Errorf("the first line is %+v", r.lines[0])
	}
	if sum := r.of("user", "")[0].Sum.Summary; sum != "sh: exit status 0, 2 bytes on stdout" {
		t.Errorf("the summary is %q", sum)
	}
	if pid := wrapped(t, wrap.Command{Argv: []string{"no-such-program-anywhere"}}).of("system", "task_started")[0].Task.PID; pid != 0 {
		t.Errorf("a program that could not be started has the number %d", pid)
	}
}

// An observer looks at lines on their way.
type observer func(p []byte)

func (f observer) Write(p []byte) (int, error) {
	f(p)
	return len(p), nil
}

// onText calls f once the stream holds text.
func onText(text string, f func()) observer {
	var once sync.Once
	var seen []byte
	return func(p []byte) {
		if seen = append(seen, p...); bytes.Contains(seen, []byte(text)) {
			once.Do(f)
		}
	}
}

func touch(path string) { _ = os.WriteFile(path, nil, 0o600) }

// 175, 176: what a program leaves behind with its pipes in its hands does not
// hold the run up, and its text is kept.
func TestGrandchildHoldsNothingUp(t *testing.T) {
	for _, script := range []string{"sleep 600 & echo started", "sleep 600 2>/dev/null & echo started", "sleep 600 >/dev/null & echo started"} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			c := shell(script)
			c.Grace = 200 * time.Millisecond
			r := wrapped(t, c)
			if r.code != 0 || r.text("stdout") != "started\n" || r.result().Result != "started\n" {
				t.Errorf("exit status %d, %q", r.code, r.text("stdout"))
			}
			if !r.end().Task.Held {
				t.Error("nobody is told that something held the output")
			}
		})
	}
}

// A signalError is a cause as emit.Run has it.
type signalError struct{ sig os.Signal }

func (e signalError) Error() string { return "interrupted by a signal" }

func (e signalError) Signal() os.Signal { return e.sig }

// When the context is done the program gets the cause's signal, and the result
// says why. 13, 14.
func TestCancelledRun(t *testing.T) {
	stop := errors.New("the plan has changed")
	for _, c := range []struct {
		rule    string
		cause   error
		code    int
		subtype string
		status  string
		heard   string
		errors  string
	}{
		{"INT", signalError{syscall.SIGINT}, 130, "interrupted", "cancelled", "INT", "interrupted by a signal"},
		{"TERM", signalError{syscall.SIGTERM}, 143, "interrupted", "cancelled", "TERM", "interrupted by a signal"},
		{"HUP", signalError{syscall.SIGHUP}, 129, "interrupted", "cancelled", "HUP", "interrupted by a signal"},
		{"no cause", nil, 130, "interrupted", "cancelled", "TERM", "context canceled"},
		{"a limit", emit.ErrTimeout, 124, "error_during_execution", "failed", "TERM", "the time limit is reached"},
		{"a deadline", context.DeadlineExceeded, 124, "error_during_execution", "failed", "TERM", "context deadline exceeded"},
		{"something else", stop, 1, "error_during_execution", "failed", "TERM", "the plan has changed"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			script := `for s in INT TERM HUP; do trap "echo $s; exit 5" $s; done; echo ready; while :; do sleep 0.02; done`
			o := emit.Options{Also: []io.Writer{onText(`"ready"`, func() { cancel(c.cause) })}}
			r := wrappedIn(ctx, t, o, shell(script))
			last := r.result()
			if r.code != c.code || last.Subtype != c.subtype || r.end().Status != c.status || last.Result != "ready\n"+c.heard+"\n" {
				t.Errorf("exit status %d, %s, %s, %q", r.code, last.Subtype, r.end().Status, last.Result)
			}
			if len(last.Errors) == 0 || last.Errors[0] != c.errors {
				t.Errorf("errors %q", last.Errors)
			}
		})
	}
}

// A run that is over before it began starts nothing.
func TestNothingStartsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(signalError{syscall.SIGINT})
	mark := filepath.Join(t.TempDir(), "mark")
	r := wrappedIn(ctx, t, emit.Options{}, wrap.Command{Argv: []string{"touch", mark}})
	if _, err := os.Stat(mark); err == nil || r.code != 130 || *r.end().Task.ExitCode != 130 {
		t.Errorf("exit status %d, %v", r.code, err)
	}
}

// 77: when nobody reads the stream any more, the program is ended.
func TestReaderGone(t *testing.T) {
	for name, script := range map[string]string{"a chatty program": "yes", "a silent one": "echo ready; exec sleep 600"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from, to, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				buf := make([]byte, 1<<10)
				for seen := []byte(nil); !bytes.Contains(seen, []byte("task_progress")); {
					n, err := from.Read(buf)
					if err != nil {
						break
					}
					seen = append(seen, buf[:n]...)
				}
				from.Close()
			}()
			pid := 0
			o := emit.Options{Stdout: to, Stderr: &bytes.Buffer{}, Signals: []os.Signal{}, Also: []io.Writer{observer(func(p []byte) {
				if _, rest, ok := bytes.Cut(p, []byte(`"pid":`)); ok && pid == 0 {
					_, _ = fmt.Sscan(string(rest), &pid)
				}
			})}}
			c := shell(script)
			c.Grace = 100 * time.Millisecond
			code := emit.Run(t.Context(), o, func(ctx context.Context, em *emit.Emitter) error { return wrap.Run(ctx, em, c) })
			to.Close()
			if code != 141 {
				t.Errorf("exit status %d", code)
			}
			waitFor(t, func() bool { return syscall.Kill(pid, 0) != nil })
		})
	}
}

// A disk that is full ends the program, too.
func TestWriteFails(t *testing.T) {
	w := &emittest.FaultyWriter{W: &bytes.Buffer{}, FailAt: 6, Err: syscall.ENOSPC, Lasting: true}
	o := emit.Options{Stdout: w, Stderr: &bytes.Buffer{}, Signals: []os.Signal{}}
	called := false
	code := emit.Run(t.Context(), o, func(ctx context.Context, em *emit.Emitter) error {
		err := wrap.Run(ctx, em, wrap.Command{Argv: []string{"yes"}, Report: func(wrap.Data) { called = true }})
		if !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("the error is %v", err)
		}
		return err
	})
	if code != 74 || called {
		t.Errorf("exit status %d, reported: %v", code, called)
	}
}

// A slow reader is not silence of the program's.
func TestSlowReaderIsNoSilence(t *testing.T) {
	hold := make(chan struct{})
	var once sync.Once
	slow := observer(func(p []byte) {
		if bytes.Contains(p, []byte(`"text":"first"`)) {
			once.Do(func() { <-hold })
		}
	})
	time.AfterFunc(2*time.Second, func() { close(hold) }) // longer than the limit
	c := shell("echo first; echo second")
	c.IdleTimeout = 1500 * time.Millisecond
	o := emit.Options{Stdout: slow, Stderr: &bytes.Buffer{}, Signals: []os.Signal{}}
	code := emit.Run(t.Context(), o, func(ctx context.Context, em *emit.Emitter) error { return wrap.Run(ctx, em, c) })
	if code != 0 {
		t.Errorf("exit status %d", code)
	}
}

// 34, 35: a silent program does not make a silent stream.
func TestHeartbeat(t *testing.T) {
	flag := filepath.Join(t.TempDir(), "beaten")
	o := emit.Options{Heartbeat: 20 * time.Millisecond, Also: []io.Writer{onText("heartbeat", func() { touch(flag) })}}
	r := wrappedIn(t.Context(), t, o, shell(fmt.Sprintf("until [ -e '%s' ]; do sleep 0.01; done; echo done", flag)))
	if len(r.of("system", "heartbeat")) == 0 || r.text("stdout") != "done\n" {
		t.Errorf("%d heartbeats, %q", len(r.of("system", "heartbeat")), r.text("stdout"))
	}
}

// A command that makes no sense is refused before anything is emitted.
func TestRefusedCommands(t *testing.T) {
	for _, c := range []wrap.Command{
		{},
		{Argv: []string{""}},
		{Argv: []string{"true"}, Timeout: -1},
		{Argv: []string{"true"}, MaxLine: 10},
		{Argv: []string{"true"}, MaxOutput: 10},
		{Argv: []string{"true"}, Stdin: 7},
		{Argv: []string{"true"}, Grace: -1},
	} {
		r := wrapped(t, c)
		if r.code != 2 || len(r.lines) != 2 || !strings.HasPrefix(r.result().Errors[0], "wrap: ") {
			t.Errorf("%+v: exit status %d, %s", c, r.code, r.stream)
		}
	}
}

// 59, 46, 56: a program never has our stdout, and 182: stdin is not read.
func TestProgramHasNoneOfOurStreams(t *testing.T) {
	r := wrapped(t, shell("cat; echo ok >&1; echo done"))
	if r.code != 0 || r.text("stdout") != "ok\ndone\n" {
		t.Errorf("exit status %d, %q", r.code, r.text("stdout"))
	}
}

// With a terminal a program says what it keeps from a pipe.
func TestPTY(t *testing.T) {
	c := shell("if [ -t 1 ]; then echo terminal; fi; echo err >&2")
	c.PTY = true
	r := wrapped(t, c)
	if r.code != 0 || r.text("stdout") != "terminal\nerr\n" || r.text("stderr") != "" {
		t.Errorf("exit status %d, %q: %s", r.code, r.text("stdout"), r.stream)
	}
}

func waitFor(t *testing.T, what func() bool) {
	t.Helper()
	end := time.Now().Add(60 * time.Second)
	for !what() {
		if time.Now().After(end) {
			t.Fatal("it does not come to pass")
		}
		time.Sleep(5 * time.Millisecond)
	}
}
