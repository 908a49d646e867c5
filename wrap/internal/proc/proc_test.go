//go:build linux

package proc_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/streamjson/streamjson/wrap/internal/proc"
)

func TestExit(t *testing.T) {
	for _, c := range []struct {
		rule, script string
		code         int
		signal       string
	}{
		{"success", "exit 0", 0, ""},
		{"a status of its own", "exit 7", 7, ""},
		{"the highest status", "exit 255", 255, ""},
		{"a status that looks like a signal is none", "exit 137", 137, ""},
		{"case 131: TERM", "kill -TERM $$", 143, "SIGTERM"},
		{"case 131: KILL", "kill -KILL $$", 137, "SIGKILL"},
		{"abort", "kill -ABRT $$", 134, "SIGABRT"},
		{"a pipe without a reader", "kill -PIPE $$", 141, "SIGPIPE"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			f := run(t, proc.Spec{Argv: sh("echo out; echo err >&2; " + c.script), Grace: long})
			if f.err != nil || f.Code != c.code || f.Signal != c.signal || f.Held || f.Killed || f.Duration <= 0 {
				t.Errorf("%v, want status %d and signal %q", f, c.code, c.signal)
			}
			if f.out != "out\n" || f.errOut != "err\n" {
				t.Errorf("stdout %q, stderr %q", f.out, f.errOut)
			}
		})
	}
}

func TestStartError(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string, mode fs.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	plain := file("plain", "echo hi\n", 0o644)
	for _, c := range []struct {
		rule string
		spec proc.Spec
		code int
		is   error
		says string
	}{
		{"nothing", proc.Spec{}, 127, exec.ErrNotFound, `can't start "": no program is named`},
		{"an empty name", proc.Spec{Argv: []string{""}}, 127, exec.ErrNotFound, `can't start "": no program is named`},
		{"a name that is not in PATH", proc.Spec{Argv: []string{"nosuch"}}, 127, exec.ErrNotFound, `can't start "nosuch": no program of that name is in PATH; check the name, or give its path`},
		{"a path that is not there", proc.Spec{Argv: []string{"./nosuch"}, Dir: dir}, 127, fs.ErrNotExist, `can't start "./nosuch": there is no such file`},
		{"a directory", proc.Spec{Argv: []string{dir}}, 126, fs.ErrPermission, `it is a directory`},
		{"a file without execute permission", proc.Spec{Argv: []string{plain}}, 126, fs.ErrPermission, `chmod +x makes it so`},
		{"the same, by PATH", proc.Spec{Argv: []string{"plain"}, Env: []string{"PATH=" + dir}}, 126, fs.ErrPermission, `chmod +x makes it so`},
		{"no #! line", proc.Spec{Argv: []string{file("script", "echo hi\n", 0o755)}}, 126, syscall.ENOEXEC, "has no #! line"},
		{"an interpreter that is not there", proc.Spec{Argv: []string{file("lost", "#!/nosuch/sh\n", 0o755)}}, 126, fs.ErrNotExist, "the interpreter or loader that it asks for is not"},
		{"a missing directory", proc.Spec{Argv: []string{"sh"}, Dir: dir + "/gone"}, 127, fs.ErrNotExist, `/gone" to run it in does not exist`},
		{"a file as the directory", proc.Spec{Argv: []string{"sh"}, Dir: plain}, 127, syscall.ENOTDIR, `/plain" to run it in is not a directory`},
		{"a NUL byte", proc.Spec{Argv: []string{"sh", "a\x00b"}}, 126, syscall.EINVAL, "holds a NUL byte"},
		{"too many arguments", proc.Spec{Argv: []string{"sh", strings.Repeat("x", 8<<20)}}, 126, syscall.E2BIG, "argument list too long"},
	} {
		for _, pty := range []bool{false, true} {
			c.spec.PTY = pty
			f := runUntil(t.Context(), c.spec)
			var failed *proc.StartError
			if !errors.As(f.err, &failed) || failed.Code != c.code || f.Code != c.code || !errors.Is(f.err, c.is) || !strings.Contains(f.err.Error(), c.says) {
				t.Errorf("%s: %v, want status %d, %v, and %q", c.rule, f, c.code, c.is, c.says)
			}
		}
	}
}

// A program is looked for as env(1) looks: in the PATH that it is given itself.
func TestPath(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "mine"), []byte("#!/bin/sh\necho found $0\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	// A relative entry, which would run what lies in the current directory, is
	// passed over.
	f := run(t, proc.Spec{Argv: []string{"mine"}, Env: []string{"PATH=/nosuch", "PATH=.:" + dir}, Grace: long})
	if want := "found " + dir + "/mine\n"; f.out != want {
		t.Errorf("%v, want %q", f, want)
	}
	f = run(t, proc.Spec{Argv: []string{"./mine"}, Dir: dir, Grace: long})
	if f.out != "found ./mine\n" {
		t.Errorf("a path is relative to Dir: %v", f)
	}
	t.Chdir(dir)
	f = runUntil(t.Context(), proc.Spec{Argv: []string{"mine"}, Env: []string{"PATH=."}})
	if f.Code != 127 {
		t.Errorf("a relative PATH entry was used: %v", f)
	}
}

func TestDirAndEnv(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f := run(t, proc.Spec{Argv: sh("pwd; echo $X; env | wc -l"), Dir: dir, Env: []string{"X=1", "PATH=" + os.Getenv("PATH")}, Grace: long})
	lines := strings.Fields(f.out)
	if len(lines) != 3 || lines[0] != dir || lines[1] != "1" {
		t.Errorf("%v", f)
	}
}

// Case 182: nothing of our stdin is taken. With None it is the end of file.
func TestStdinNone(t *testing.T) {
	if f := run(t, proc.Spec{Argv: sh("cat; echo end"), Grace: long}); f.out != "end\n" {
		t.Errorf("%v", f)
	}
}

func TestContextDoneBefore(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("why")
	cancel(why)
	started := false
	_, err := proc.Run(ctx, proc.Spec{Argv: sh("echo hi"), Started: func(int) { started = true }})
	if err != why || started { //nolint:errorlint // the cause itself
		t.Errorf("error %v, started %v; want the cause, and nothing started", err, started)
	}
}

// failing fails from the given write on.
type failing struct {
	after int
	err   error
	calls int
}

func (w *failing) Write(p []byte) (int, error) {
	w.calls++
	if w.calls < w.after {
		return len(p), nil
	}
	return len(p) - 1, w.err
}

// After a write error the command is told to end, its output is dropped, and
// the error comes back beside the exit.
func TestWriteError(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []struct {
		rule string
		w    *failing
		want error
	}{
		{"at once", &failing{1, broken, 0}, broken},
		{"later", &failing{2, broken, 0}, broken},
		{"a short write without an error", &failing{1, nil, 0}, io.ErrShortWrite},
	} {
		for _, stream := range []string{"stdout", "stderr"} {
			t.Run(c.rule+" on "+stream, func(t *testing.T) {
				w := *c.w
				// It goes on writing, far more than a pipe holds, after TERM.
				script := "trap 'head -c 3000000 /dev/zero; exit 9' TERM; while :; do echo x; done"
				spec := proc.Spec{Argv: sh(script), Grace: long, Stdout: &w}
				if stream == "stderr" {
					spec = proc.Spec{Argv: sh("exec >&2; " + script), Grace: long, Stderr: &w}
				}
				f := run(t, spec)
				if !errors.Is(f.err, c.want) || !strings.Contains(f.err.Error(), stream) {
					t.Errorf("error %v, want %v of %s", f.err, c.want, stream)
				}
				if f.Code != 9 || f.Killed {
					t.Errorf("it was not asked to end: %v", f)
				}
				if w.calls != w.after {
					t.Errorf("%d writes, want none after the %d. which failed", w.calls, w.after)
				}
			})
		}
	}
}

// A writer that takes its time slows the command down: between them is only
// what a pipe and one read hold.
func TestBackPressure(t *testing.T) {
	var released atomic.Bool
	var early atomic.Bool
	gate := make(chan struct{})
	got := 0
	f := run(t, proc.Spec{
		Argv:  sh("head -c 20000000 /dev/zero; echo done >&2"),
		Grace: 1, // and a slow writer is no pipe that something else holds
		Stdout: writerFunc(func(p []byte) {
			if got == 0 {
				<-gate
			}
			got += len(p)
		}),
		Stderr: writerFunc(func([]byte) { early.Store(!released.Load()) }),
		Started: func(pid int) {
			go func() {
				defer close(gate)
				defer released.Store(true)
				wait(t, "the pipe is full", func() bool { return blockedOnPipe(pid) })
			}()
		},
	})
	if f.err != nil || f.Code != 0 || f.Held || got != 20000000 {
		t.Errorf("%d bytes, %v", got, f)
	}
	if early.Load() {
		t.Error("the command was done before its output was taken")
	}
}

type writerFunc func(p []byte)

func (w writerFunc) Write(p []byte) (int, error) { w(p); return len(p), nil }

// Reliability B11: a megabyte on stderr before one on stdout blocks nobody.
func TestBothStreamsAreDrained(t *testing.T) {
	f := run(t, proc.Spec{Argv: sh("head -c 3000000 /dev/zero >&2; head -c 3000000 /dev/zero"), Grace: long})
	if len(f.out) != 3000000 || len(f.errOut) != 3000000 || f.err != nil {
		t.Errorf("stdout %d, stderr %d, %v", len(f.out), len(f.errOut), f.err)
	}
}

// Started comes before the first Write, and names the process.
func TestStarted(t *testing.T) {
	pid := 0
	f := run(t, proc.Spec{Argv: sh("echo $$"), Grace: long, Started: func(p int) { pid = p }})
	if want := strings.TrimSpace(f.out); want == "" || want != itoa(pid) {
		t.Errorf("pid %d, the command says %s", pid, want)
	}
}

// Nothing of what a read brings is kept: a writer sees at most 64 KiB a call.
func TestReadSize(t *testing.T) {
	most := 0
	run(t, proc.Spec{Argv: sh("head -c 5000000 /dev/zero"), Grace: long, Stdout: writerFunc(func(p []byte) { most = max(most, len(p)) })})
	if most == 0 || most > 64<<10 {
		t.Errorf("%d bytes in one write", most)
	}
}
