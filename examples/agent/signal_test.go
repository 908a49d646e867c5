//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// cases 13, 14 and 155: a signal at any moment ends the run in one result, with
// what was open closed before it, and nothing begun after it.
func TestSignalAfterEachLine(t *testing.T) {
	args := streaming("--script", scriptPath("interrupt.script"))
	p := start(t, args...)
	// Both sub-agents wait; the command may be anywhere.
	n := p.until(`"text":" wait"`) + p.until(`"text":" wait"`)
	p.signal(syscall.SIGINT)
	p.wait()

	step := 1
	if testing.Short() {
		step = 9
	}
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		for k := 1; k <= n; k += step {
			t.Run(fmt.Sprintf("%s after line %d", unix.SignalName(sig), k), func(t *testing.T) {
				t.Parallel()
				p := start(t, append([]string{"--pace=1ms"}, args...)...)
				for range k {
					p.line()
				}
				p.signal(sig)
				f := p.wait()
				f.interrupted(t, sig)
			})
		}
	}
}

// interrupted checks a run that a signal has ended, and that it ended by
// itself: nothing had to be given up, and nothing that was cancelled counts as
// having failed.
func (f finished) interrupted(t *testing.T, sig syscall.Signal) *oracle {
	t.Helper()
	o := f.endedBy(t, sig)
	if want := []string{"interrupted by " + unix.SignalName(sig)}; !slices.Equal(o.result().Errors, want) {
		t.Errorf("the errors are %q, want %q", o.result().Errors, want)
	}
	for _, l := range o.lines {
		if l.Subtype == "task_notification" && l.Status != "cancelled" {
			t.Errorf("task %s has %s", l.TaskID, l.Status)
		}
	}
	return o
}

// endedBy checks a run that was ended by a signal.
func (f finished) endedBy(t *testing.T, sig syscall.Signal) *oracle {
	t.Helper()
	o := f.stream(t)
	r := o.result()
	if want := 128 + int(sig); f.code != want {
		t.Errorf("exit status %d, want %d", f.code, want)
	}
	if r.Subtype != "interrupted" || r.Stop != "cancelled" {
		t.Errorf("the result is %s, %s", r.Subtype, r.Stop)
	}
	if last := "This is never said"; strings.Contains(string(f.stdout), last) {
		t.Errorf("the stream holds %q", last)
	}
	return o
}

// case 13: no tool is started once the run is cancelled. The tool itself sends
// the signal, so that there is no moment to guess.
func TestNoToolStartsAfterSignal(t *testing.T) {
	for _, format := range []string{"stream-json", "json", "text"} {
		t.Run(format, func(t *testing.T) {
			p := start(t, "--output-format", format, "--script", writeScript(t, `
turn
call a = run_command {"argv": ["sh", "-c", "kill -INT $PPID; exec sleep 3600"]}
call b = start_agent {"agent": "helper", "task": "wait, then work"}

turn
call late = run_command {"argv": ["touch", "marker"]}

turn
say never

agent helper
turn
say I wait
call w = run_command {"argv": ["sleep", "3600"]}

turn
call late = run_command {"argv": ["touch", "marker"]}

turn
say never
`), "go")
			f := p.wait()
			if f.code != 130 {
				t.Errorf("exit status %d; stderr:\n%s", f.code, f.stderr)
			}
			if _, err := os.Stat(filepath.Join(p.cmd.Dir, "marker")); err == nil {
				t.Error("a tool was started after the signal")
			}
			if format == "stream-json" {
				o := f.interrupted(t, syscall.SIGINT)
				if strings.Contains(string(f.stdout), "marker") {
					t.Errorf("a tool call was announced after the signal: %s", o.used())
				}
			}
		})
	}
}

// case 178: what a tool has started dies with the run, its children too.
func TestSignalKillsCommands(t *testing.T) {
	p := start(t, streaming("--script", writeScript(t, `
turn
call run_command {"argv": ["sh", "-c", "sleep 3600 & echo $! > pid.tmp; mv pid.tmp pid; wait"]}
turn
say never
`))...)
	var pid int
	waitFor(t, func() bool {
		text, _ := os.ReadFile(filepath.Join(p.cmd.Dir, "pid"))
		pid, _ = strconv.Atoi(strings.TrimSpace(string(text)))
		return pid > 0
	})
	p.signal(syscall.SIGTERM)
	o := p.wait().interrupted(t, syscall.SIGTERM)
	waitFor(t, func() bool { return !alive(pid) })
	// The call has no result of its own: nobody knows what it would have been.
	if n := len(o.lines); !strings.Contains(o.lines[n-2].Message.Content[0].Content, "run ended") {
		t.Errorf("the call was closed with %+v", o.lines[n-2].Message)
	}
}

// case 178: what a command leaves behind does not outlive its call.
func TestCommandLeavesNothingBehind(t *testing.T) {
	for _, end := range []string{"exit 0", "exit 1"} {
		out, _ := use(t, nil, "run_command", fmt.Sprintf(`{"argv": ["sh", "-c", "sleep 3600 & echo $!; %s"]}`, end))
		line, _, _ := strings.Cut(out.text, "\n")
		pid, err := strconv.Atoi(line)
		if err != nil {
			t.Fatal(err)
		}
		waitFor(t, func() bool { return !alive(pid) })
	}
}

// alive reports whether a process runs. One that has ended and that nobody has
// waited for still has its number.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

// waitFor asks until the answer is yes.
func waitFor(t *testing.T, what func() bool) {
	t.Helper()
	end := time.Now().Add(hangGuard)
	for !what() {
		if time.Now().After(end) {
			t.Fatal("it does not come to pass")
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// A second signal ends the process at once, whatever the run does. The time to
// wind down is so long that nothing else can end it.
func TestSecondSignal(t *testing.T) {
	for name, script := range map[string]string{
		"a body that hangs":      "hang.script",
		"a sub-agent that hangs": "hang-nested.script",
	} {
		for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
			t.Run(name+", "+unix.SignalName(sig), func(t *testing.T) {
				t.Parallel()
				p := start(t, streaming("--grace=1h", "--script", scriptPath(script))...)
				p.until(`"text":" hang."`)
				p.signalUntilEnd(sig)
				if f := p.end(); f.code != 128+int(sig) {
					t.Errorf("exit status %d; stderr:\n%s", f.code, f.stderr)
				}
			})
		}
	}
}

func TestSecondSignalWithStoppedReader(t *testing.T) {
	for range 20 {
		p := start(t, streaming("--grace=1h", "--script", scriptPath("loop.script"))...)
		p.line()
		p.fillPipe()
		p.signalUntilEnd(syscall.SIGINT)
		if f := p.end(); f.code != 130 {
			t.Fatalf("exit status %d; stderr:\n%s", f.code, f.stderr)
		}
		// A run that found room for its result has not shown anything.
		if p.wait(); !strings.Contains(string(p.read), `"type":"result"`) {
			return
		}
	}
	t.Error("every run found room for its result: the pipe was never full")
}

// A reader that goes on in time gets the whole stream.
func TestSignalWithSlowReader(t *testing.T) {
	p := start(t, streaming("--grace=1h", "--script", scriptPath("loop.script"))...)
	p.line()
	p.fillPipe()
	p.signal(syscall.SIGTERM)
	p.wait().interrupted(t, syscall.SIGTERM)
}

// A body that never returns is given up after the time to wind down, and a
// result tells so.
func TestHangs(t *testing.T) {
	for name, c := range map[string]struct {
		script, until string
		parts         []string
	}{
		"body":      {"hang.script", `"text":" hang."`, []string{"SIGINT", "did not return"}},
		"sub-agent": {"hang-nested.script", `"text":" hang."`, []string{"SIGINT"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := start(t, streaming("--grace=50ms", "--script", scriptPath(c.script))...)
			p.until(c.until)
			p.signal(syscall.SIGINT)
			o := p.wait().endedBy(t, syscall.SIGINT)
			for _, part := range c.parts {
				if !slices.ContainsFunc(o.result().Errors, func(s string) bool { return strings.Contains(s, part) }) {
					t.Errorf("the errors don't say %q: %q", part, o.result().Errors)
				}
			}
		})
	}
}

// case 22: a stdin that stays open holds nothing up, and one that says nothing
// can be interrupted.
func TestStdinThatSaysNothing(t *testing.T) {
	p := startWithStdin(t, "--output-format", "stream-json")
	p.line()
	p.signal(syscall.SIGINT)
	p.wait().interrupted(t, syscall.SIGINT)
}
