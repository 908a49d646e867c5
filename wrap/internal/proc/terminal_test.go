//go:build linux

package proc_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/streamjson/streamjson/wrap/internal/proc"
)

func TestPTY(t *testing.T) {
	for _, c := range []struct{ rule, script, want string }{
		{"its output is a terminal, both streams", "test -t 1 && test -t 2 && echo yes >&2", "yes\r\n"},
		{"and its controlling one", "echo yes >/dev/tty", "yes\r\n"},
		{"stdin is not, unless it is handed over", "test -t 0 || cat", ""},
		{"the end of the file is no error", "printf end", "end"},
		{"the last words of the dying", "echo bye; kill -ABRT $$", "bye\r\n"},
		{"it has a size", "stty size </dev/tty", "24 80\r\n"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			f := run(t, proc.Spec{Argv: sh(c.script), PTY: true, Grace: long})
			if f.out != c.want || f.errOut != "" || f.err != nil || f.Held {
				t.Errorf("%v, want %q", f, c.want)
			}
		})
	}
}

// Much output through a terminal comes whole, also behind the command's end.
func TestPTYWhole(t *testing.T) {
	for range 10 {
		f := run(t, proc.Spec{Argv: sh("seq 1 20000"), PTY: true, Grace: long})
		if lines := strings.Count(f.out, "\r\n"); lines != 20000 || !strings.HasSuffix(f.out, "\n20000\r\n") {
			t.Fatalf("%d lines, %v", lines, f)
		}
	}
}

// What was told to end ends under a terminal, too, and what holds it is not
// waited for.
func TestPTYEnds(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	f := runUntil(ctx, proc.Spec{Argv: []string{"sleep", "600"}, PTY: true, Grace: hang, Started: func(int) { cancel(cause{syscall.SIGINT}) }})
	if f.Signal != "SIGINT" || f.err != nil {
		t.Errorf("%v", f)
	}
	f = run(t, proc.Spec{Argv: sh("(trap '' HUP; exec sleep 600) & sleep 0.05; echo hi"), PTY: true, Grace: 1})
	if f.out != "hi\r\n" || f.err != nil {
		t.Errorf("%v", f)
	}
}

// The size of our terminal is taken over, and follows it.
func TestPTYSize(t *testing.T) {
	shell := startShell(t, "bash", "--norc", "--noprofile", "-i")
	if err := pty.Setsize(shell.tty, &pty.Winsize{Rows: 33, Cols: 99}); err != nil {
		t.Fatal(err)
	}
	shell.run("size")
	shell.await("size 33 99")
	if err := pty.Setsize(shell.tty, &pty.Winsize{Rows: 44, Cols: 111}); err != nil {
		t.Fatal(err)
	}
	shell.await("size 44 111")
	shell.await("done 0")
}

// With stdin on a terminal the command is in the foreground, and afterwards we
// are again.
func TestForeground(t *testing.T) {
	shell := startShell(t, "bash", "--norc", "--noprofile", "-i")
	shell.run("front", "echo ready; read x; echo got=$x")
	shell.await("ready")
	shell.send("one\n")
	shell.await("got=one")
	shell.await("exit 0 <nil>")
	shell.send("two\n")
	shell.await("mine [two]")
}

// An interrupt from the terminal is the command's.
func TestForegroundInterrupt(t *testing.T) {
	shell := startShell(t, "bash", "--norc", "--noprofile", "-i")
	shell.run("front", "echo ready; exec sleep 600")
	shell.await("ready")
	shell.send("\x03")
	shell.await("exit 130 <nil>")
	shell.send("two\n")
	shell.await("mine [two]")
}

// A stop from the terminal stops the whole job, so that the shell comes back;
// when the job goes on, so does the command, in the foreground.
func TestForegroundSuspend(t *testing.T) {
	shell := startShell(t, "bash", "--norc", "--noprofile", "-i")
	shell.run("front", `trap "echo woken-$((40+1))" CONT; echo ready; until read x; do :; done; echo got=$x`)
	shell.await("ready")
	for range 3 {
		shell.send("\x1a")
		shell.await("Stopped")
		shell.send("echo prompt-$((40+2))\n")
		shell.await("prompt-42")
		shell.send("fg\n")
		shell.await("woken-41") // it is in the foreground again
	}
	shell.send("one\n")
	shell.await("got=one")
	shell.await("exit 0 <nil>")
	shell.send("two\n")
	shell.await("mine [two]")
}

// In the background nothing is taken from whoever is in front.
func TestBackgroundLeavesTheTerminal(t *testing.T) {
	shell := startShell(t, "bash", "--norc", "--noprofile", "-i")
	shell.send(shell.line("front", "echo ready; sleep 0.3; echo end") + " &\n")
	shell.await("ready")
	shell.send("read y; echo shell=$y\n")
	shell.send("three\n")
	shell.await("shell=three")
}

// A shell is an interactive one on a terminal of its own.
type shell struct {
	t    *testing.T
	tty  *os.File
	self string
	out  chan string
	rest string
}

func startShell(t *testing.T, argv ...string) *shell {
	if _, err := exec.LookPath(argv[0]); err != nil {
		t.Skip("no bash here, whose job control this needs")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), "PS1=$ ", "TERM=dumb", "HISTFILE=", "GORACE=atexit_sleep_ms=0")
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 200})
	if err != nil {
		t.Fatal(err)
	}
	s := &shell{t: t, tty: tty, self: self, out: make(chan string, 1000)}
	go func() {
		defer close(s.out)
		buf := make([]byte, 4096)
		for {
			n, err := tty.Read(buf)
			if n > 0 {
				s.out <- string(buf[:n])
			}
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		tty.Close()
		for range s.out { // until the reader has ended
		}
	})
	s.send("stty -echo\n")
	s.send("echo shell-$((1+1))\n")
	s.await("shell-2")
	return s
}

// line is the command line that runs this test binary as one of programs.
func (s *shell) line(program string, args ...string) string {
	for i := range args {
		args[i] = "'" + args[i] + "'"
	}
	return fmt.Sprintf("env %s=%s %s %s", childVariable, program, s.self, strings.Join(args, " "))
}

func (s *shell) run(program string, args ...string) { s.send(s.line(program, args...) + "\n") }

func (s *shell) send(text string) {
	if _, err := s.tty.WriteString(text); err != nil {
		s.t.Fatal(err)
	}
}

// await reads until a text has come.
func (s *shell) await(text string) {
	s.t.Helper()
	timeout := time.After(hang)
	for !strings.Contains(s.rest, text) {
		select {
		case more, ok := <-s.out:
			if !ok {
				s.t.Fatalf("the terminal closed before %q; it shows %q", text, s.rest)
			}
			s.rest += more
		case <-timeout:
			s.t.Fatalf("%q never came; the terminal shows %q", text, s.rest)
		}
	}
	_, s.rest, _ = strings.Cut(s.rest, text)
}
