//go:build linux

package proc_test

import (
	"bufio"
	"context"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/streamjson/streamjson/wrap/internal/proc"
)

// A process that has no child but the command finds what that leaves behind
// wherever it has gone, ends it and reaps it (case 178).
func TestSoleParent(t *testing.T) {
	for _, c := range []struct{ rule, script, want string }{
		{"nothing left", "exit 3", "exit 3 held false"},
		{"in the group", "sleep 600 & echo $!", "exit 0 held true"},
		{"a session of its own", "setsid sh -c 'echo $$; exec sleep 600' & sleep 0.1", "exit 0 held true"},
		{"a daemon", "setsid sh -c 'sh -c \"echo \\$\\$; exec sleep 600 >/dev/null 2>&1\" &' & sleep 0.2", "exit 0 held false"},
		{"several", "for i in 1 2 3; do setsid sh -c 'echo $$; sleep 600' & done; sleep 0.1", "exit 0 held true"},
		{"orphans that have ended", "for i in 1 2 3 4 5 6 7 8; do setsid sh -c 'true &' & done; wait; exit 5", "exit 5 held false"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			out, err := as(t, "sole", c.script).CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if !strings.Contains(string(out), c.want+" <nil> children 0 descriptors 0\n") {
				t.Errorf("%s, want %s, no children and no descriptors", out, c.want)
			}
			for _, pid := range regexp.MustCompile(`(?m)^\d+$`).FindAllString(string(out), -1) {
				if !gone(atoi(pid)) {
					t.Errorf("process %s lives", pid)
				}
			}
		})
	}
}

// A child that this process had before is a job of the shell that has become
// this process: it lives on.
func TestSoleParentOfAnother(t *testing.T) {
	self := as(t, "sole", "exit 3")
	cmd := exec.Command("sh", "-c", `sleep 600 >/dev/null 2>&1 & echo $!; exec "$0" "$@"`, self.Path, self.Args[1])
	cmd.Env = self.Env
	out, err := cmd.CombinedOutput()
	pid, rest, _ := strings.Cut(string(out), "\n")
	if err != nil || rest != "exit 3 held false <nil> children 1 descriptors 0\n" {
		t.Errorf("%s, %v", out, err)
	}
	if gone(atoi(pid)) {
		t.Error("the other child was killed")
	}
	syscall.Kill(atoi(pid), syscall.SIGKILL)
}

// Orphans are reaped when they end, not when the command does: a long build
// must not fill the process table.
func TestOrphansAreReapedMeanwhile(t *testing.T) {
	cmd := as(t, "sole", "echo ready; for i in 1 2 3 4 5; do setsid sh -c 'true &' & done; wait; exec sleep 600")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	if _, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	wait(t, "one child alone, which sleeps", func() bool {
		ids := childrenOf(cmd.Process.Pid)
		return len(ids) == 1 && name(ids[0]) == "sleep"
	})
}

// The status of a child that other code has started is left for that code.
func TestOthersChildrenAreLeftAlone(t *testing.T) {
	out, err := as(t, "other").CombinedOutput()
	if string(out) != "status 42\n" {
		t.Errorf("%s, %v", out, err)
	}
}

// When the command is told to end, descendants that have left its group are
// told, too, and killed after Grace, even in a process with other children.
func TestDescendantsOutsideTheGroup(t *testing.T) {
	for _, c := range []struct{ rule, script string }{
		{"the command waits for it", "setsid sh -c 'echo $$; sleep 600' & wait"},
		{"it is deaf", "setsid sh -c 'trap \"\" TERM; echo $$; sleep 600; sleep 600' & wait"},
		{"the command is deaf", "trap '' TERM; setsid sh -c 'echo $$; sleep 600' & while :; do sleep 1; done"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var out text
			f := runUntil(ctx, proc.Spec{Argv: sh(c.script), Grace: 300 * time.Millisecond, Stdout: writerFunc(func(p []byte) {
				out.Write(p)
				cancel()
			})})
			wait(t, "its end", func() bool { return gone(atoi(out.String())) })
			if f.err != nil {
				t.Errorf("%v", f)
			}
		})
	}
}

// A command that has left its own group is ended nevertheless.
func TestCommandOutsideItsGroup(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cmd := as(t, "leave")
	var out text
	f := runUntil(ctx, proc.Spec{Argv: cmd.Args, Env: cmd.Env, Grace: 200 * time.Millisecond, Stdout: writerFunc(func(p []byte) {
		out.Write(p)
		cancel()
	})})
	if !f.Killed || f.Signal != "SIGKILL" || f.err != nil {
		t.Errorf("%v", f)
	}
	wait(t, "the end of its child", func() bool { return gone(atoi(out.String())) })
}

// When this process dies, the command dies, too; and it does not die
// while this process lives, though the threads of it come and go.
func TestDeathOfTheParent(t *testing.T) {
	cmd := as(t, "forever")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stdout)
	lines.Scan()
	pid := atoi(lines.Text())
	// Threads have ended all the while.
	for range 100 {
		time.Sleep(2 * time.Millisecond)
		if gone(pid) {
			t.Fatal("the command died with a thread")
		}
	}
	cmd.Process.Kill()
	wait(t, "the end of the command", func() bool { return gone(pid) })
	if lines.Scan() {
		t.Error(lines.Text())
	}
	cmd.Wait()
}
