//go:build linux

package proc_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/streamjson/streamjson/wrap/internal/proc"
)

// Case 175 and 176: what the command leaves behind with a pipe in its hands
// doesn't hold us, the text is kept, and it is ended.
func TestHeldPipe(t *testing.T) {
	for _, c := range []struct {
		rule, script string
		held         bool
	}{
		{"both streams", "sleep 600 & echo $!; echo hi", true},
		{"stdout only", "sleep 600 2>/dev/null & echo $!; echo hi", true},
		{"stderr only", "sleep 600 >/dev/null & echo $!; echo hi", true},
		{"neither", "sleep 600 >/dev/null 2>&1 & echo $!; echo hi", false},
		{"a signal ignored", "(trap '' TERM HUP INT; exec sleep 600) & echo $!; echo hi", true},
		{"one that writes", "yes >&2 & echo $!; echo hi", true},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			f := run(t, proc.Spec{Argv: sh(c.script), Grace: 100 * time.Millisecond, Stderr: writerFunc(func([]byte) {})})
			pid, rest, _ := strings.Cut(f.out, "\n")
			if rest != "hi\n" || f.err != nil || f.Code != 0 || f.Held != c.held || f.Killed {
				t.Errorf("%v, want held %v", f, c.held)
			}
			wait(t, "the end of what was left", func() bool { return gone(atoi(pid)) })
		})
	}
}

// A holder that ends within the time is waited for, and its text counts.
func TestHolderThatEnds(t *testing.T) {
	f := run(t, proc.Spec{Argv: sh("(sleep 0.2; echo late) & echo early"), Grace: long})
	if f.out != "early\nlate\n" || f.Held {
		t.Errorf("%v", f)
	}
}

// A slow writer is not a holder: all that was written comes, however late.
func TestSlowWriterIsNoHolder(t *testing.T) {
	got := 0
	gate := make(chan struct{})
	f := run(t, proc.Spec{
		Argv: sh("head -c 700000 /dev/zero"), Grace: time.Millisecond,
		Started: func(pid int) {
			go func() {
				defer close(gate)
				wait(t, "the end of the command", func() bool { return gone(pid) })
				time.Sleep(50 * time.Millisecond) // long after Grace
			}()
		},
		Stdout: writerFunc(func(p []byte) { <-gate; got += len(p) }),
	})
	if got != 700000 || f.Held || f.err != nil {
		t.Errorf("%d bytes, %v", got, f)
	}
}

// The signal is that of the cause, for the whole group.
func TestSignalOfTheCause(t *testing.T) {
	for _, c := range []struct {
		cause error
		want  string
		code  int
	}{
		{nil, "SIGTERM", 143},
		{errors.New("any"), "SIGTERM", 143},
		{cause{syscall.SIGINT}, "SIGINT", 130},
		{cause{syscall.SIGHUP}, "SIGHUP", 129},
		{fmt.Errorf("outer: %w", cause{syscall.SIGINT}), "SIGINT", 130},
		{cause{strange{}}, "SIGTERM", 143},
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		// exec: a shell would end by its own rules after an interrupt.
		f := runUntil(ctx, proc.Spec{Argv: []string{"sleep", "600"}, Grace: hang, Started: func(int) { cancel(c.cause) }})
		cancel(nil)
		if f.Signal != c.want || f.Code != c.code || f.Killed || f.err != nil {
			t.Errorf("cause %v: %v, want %s", c.cause, f, c.want)
		}
	}
}

// strange is a signal of no system.
type strange struct{}

func (strange) Signal()        {}
func (strange) String() string { return "strange" }

// The command can clean up, and what it then writes is kept.
func TestGraceIsForCleaningUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out text
	f := runUntil(ctx, proc.Spec{
		Argv:  sh("trap 'echo bye; exit 3' TERM; echo ready; while :; do sleep 0.01; done"),
		Grace: hang,
		Stdout: writerFunc(func(p []byte) {
			out.Write(p)
			cancel()
		}),
	})
	if out.String() != "ready\nbye\n" || f.Code != 3 || f.Signal != "" || f.Killed {
		t.Errorf("%q, %v", out.String(), f)
	}
}

// A command that does not end is killed after Grace, with all of its group.
func TestKillAfterGrace(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out text
	f := runUntil(ctx, proc.Spec{
		Argv:  sh("trap '' TERM; sleep 600 & echo $!; while :; do sleep 600; done"),
		Grace: 100 * time.Millisecond,
		Stdout: writerFunc(func(p []byte) {
			out.Write(p)
			cancel()
		}),
	})
	if !f.Killed || f.Signal != "SIGKILL" || f.Code != 137 || f.err != nil {
		t.Errorf("%v", f)
	}
	wait(t, "the end of the background job", func() bool { return gone(atoi(out.String())) })
}

// A stopped command can't obey: it is woken.
func TestStoppedCommand(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	f := runUntil(ctx, proc.Spec{Argv: sh("kill -STOP $$; sleep 600"), Grace: hang, Started: func(pid int) {
		go func() {
			wait(t, "the stop", func() bool { return state(pid) == 'T' })
			cancel()
		}()
	}})
	if f.Signal != "SIGTERM" || f.Killed {
		t.Errorf("%v", f)
	}
}

// What was told to end, too, has Grace to do it, even if the command has not
// waited for it and it holds no pipe.
func TestGraceIsForTheGroup(t *testing.T) {
	file := t.TempDir() + "/saved"
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	script := `sh -c 'trap "sleep 0.2; echo saved >` + file + `; exit" TERM; echo ready; exec >/dev/null 2>&1; while :; do sleep 0.01; done' & wait`
	runUntil(ctx, proc.Spec{Argv: sh(script), Grace: hang, Stdout: writerFunc(func([]byte) { cancel() })})
	if text, err := os.ReadFile(file); err != nil || string(text) != "saved\n" {
		t.Errorf("%q, %v", text, err)
	}
}

// The command leads a group of its own, so that a signal to ours or to its
// does not meet the other (case 179).
func TestOwnGroup(t *testing.T) {
	for _, pty := range []bool{false, true} {
		group, err := 0, error(nil)
		run(t, proc.Spec{Argv: sh("echo ready; sleep 0.05"), PTY: pty, Grace: long, Started: func(pid int) {
			group, err = syscall.Getpgid(pid)
			if group != pid {
				t.Errorf("pty %v: group %d of process %d, %v", pty, group, pid, err)
			}
		}})
	}
}
