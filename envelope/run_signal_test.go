//go:build unix

package envelope_test

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/streamjson/streamjson/envelope"
)

// TestSignal: rows 13, 14, 16: a signal gives one whole document with ok false
// that names it, and 128+n, whatever the body returns then.
func TestSignal(t *testing.T) {
	for _, s := range []struct {
		sig  syscall.Signal
		name string
		code int
	}{
		{syscall.SIGINT, "SIGINT", 130},
		{syscall.SIGTERM, "SIGTERM", 143},
		{syscall.SIGHUP, "SIGHUP", 129},
	} {
		for returns, want := range map[string]struct {
			data   string
			errors int
		}{
			"":      {`"partial"`, 1},
			"nil":   {`"partial"`, 1},
			"error": {`"partial"`, 2},
			"panic": {"null", 2},
			"code":  {"null", 1},
		} {
			t.Run(s.name+" "+returns, func(t *testing.T) {
				p := begin(t, "until", "RETURN="+returns)
				p.signal(s.sig)
				r := p.end()
				e := mustParse(t, r.stdout)
				if r.code != s.code || e.OK || string(e.Data) != want.data {
					t.Errorf("exit status %d\n%s", r.code, r.stdout)
				}
				if len(e.Errors) != want.errors || !strings.Contains(e.Errors[0], s.name) {
					t.Errorf("errors %q", e.Errors)
				}
				human := begin(t, "until", "RETURN="+returns, "MODE=human")
				human.signal(s.sig)
				if r := human.end(); r.code != s.code || !bytes.Contains(r.stderr, []byte("prog: stopped by "+s.name)) {
					t.Errorf("for people: exit status %d, stderr %s", r.code, r.stderr)
				}
			})
		}
	}
}

// TestStuckBody: a body that doesn't return is left behind after the grace.
func TestStuckBody(t *testing.T) {
	for _, name := range []string{"stuck", "hang"} {
		p := begin(t, name, "GRACE=50ms")
		p.signal(syscall.SIGTERM)
		r := p.end()
		e := mustParse(t, r.stdout)
		if r.code != 143 || len(e.Errors) != 2 || !strings.Contains(e.Errors[1], "did not end within 50ms") {
			t.Errorf("%s: exit status %d\n%s", name, r.code, r.stdout)
		}
		r = run(t, name, "GRACE=50ms", "TIMEOUT=20ms")
		if e := mustParse(t, r.stdout); r.code != 124 || len(e.Errors) != 2 {
			t.Errorf("%s, time limit: exit status %d\n%s", name, r.code, r.stdout)
		}
	}
}

// insist sends a signal again and again until the process has ended: none of
// them is the one that counts as the second by accident of timing.
func insist(p *process, sig os.Signal) (stop func()) {
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(40 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-quit:
				return
			case <-tick.C:
				p.signal(sig)
			}
		}
	}()
	return func() { close(quit); <-ended }
}

// TestSecondSignal: it ends the process at once, long before the grace is over,
// also when the reader of stdout has stopped in the middle of the document.
func TestSecondSignal(t *testing.T) {
	t.Run("body stuck", func(t *testing.T) {
		p := begin(t, "stuck", "GRACE=1h")
		defer insist(p, syscall.SIGTERM)()
		r := p.end()
		if e := mustParse(t, r.stdout); r.code != 143 || len(e.Errors) != 2 {
			t.Errorf("exit status %d\n%s", r.code, r.stdout)
		}
	})
	t.Run("reader stopped", func(t *testing.T) {
		p := begin(t, "size", "SIZE=10000000", "GRACE=1h")
		first := make([]byte, 1000) // the document is on its way
		if _, err := io.ReadFull(p.stdout, first); err != nil {
			t.Fatal(err)
		}
		defer insist(p, syscall.SIGINT)()
		if r := p.wait(nil); r.code != 130 {
			t.Errorf("exit status %d", r.code)
		}
	})
	t.Run("reader stopped, one signal and the grace", func(t *testing.T) {
		p := begin(t, "size", "SIZE=10000000", "GRACE=50ms")
		first := make([]byte, 1000)
		if _, err := io.ReadFull(p.stdout, first); err != nil {
			t.Fatal(err)
		}
		p.signal(syscall.SIGINT)
		if r := p.wait(nil); r.code != 130 || !bytes.Contains(r.stderr, []byte("in time")) {
			t.Errorf("exit status %d, stderr %s", r.code, r.stderr)
		}
	})
}

// TestSignalBehindTheDocument: once the document is out, or on its way, a signal
// changes nothing (E7).
func TestSignalBehindTheDocument(t *testing.T) {
	for env, code := range map[string]int{"FAIL=": 0, "FAIL=1": 1} {
		p := begin(t, "linger", env)
		for _, sig := range []os.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
			p.signal(sig)
		}
		_ = p.stdin.Close()
		r := p.end()
		if e := mustParse(t, r.stdout); r.code != code || e.OK != (code == 0) {
			t.Errorf("out: exit status %d, ok %v", r.code, e.OK)
		}
	}
	p := begin(t, "size", "SIZE=1000000")
	first := make([]byte, 1000)
	if _, err := io.ReadFull(p.stdout, first); err != nil {
		t.Fatal(err)
	}
	p.signal(syscall.SIGTERM)
	rest, err := io.ReadAll(p.stdout)
	if err != nil {
		t.Fatal(err)
	}
	r := p.wait(append(first, rest...))
	if e := mustParse(t, r.stdout); r.code != 0 || !e.OK {
		t.Errorf("on its way: exit status %d, ok %v", r.code, e.OK)
	}
}

// TestSignalAtAnyMoment: whenever it comes, there is one document, and the exit
// status says the same as ok.
func TestSignalAtAnyMoment(t *testing.T) {
	rounds := 150
	if testing.Short() || raceEnabled {
		rounds = 30
	}
	seen := map[int]int{}
	for i := range rounds {
		p := begin(t, "size", "SIZE=100000")
		pause := time.Duration(rand.IntN(3000)) * time.Microsecond
		timer := time.AfterFunc(pause, func() { p.signal(syscall.SIGTERM) })
		r := p.end()
		timer.Stop()
		e := mustParse(t, r.stdout)
		if e.OK != (r.code == 0) || !e.OK && r.code != 143 {
			t.Fatalf("round %d, signal after %v: exit status %d, ok %v, stderr %s", i, pause, r.code, e.OK, r.stderr)
		}
		seen[r.code]++
	}
	t.Logf("exit statuses: %v", seen)
}

// TestReaderGone: rows 76, 77, 79, 80: the body is told, nothing is written any
// more, the status is a number, and nobody complains.
func TestReaderGone(t *testing.T) {
	for _, mode := range []string{"MODE=json", "MODE=human"} {
		p := begin(t, "until", mode, "RETURN=nil")
		_ = p.stdout.Close()
		if r := p.wait(nil); r.code != 141 || len(r.stderr) != 0 {
			t.Errorf("%s, while the body works: exit status %d, stderr %s", mode, r.code, r.stderr)
		}
		p = begin(t, "stuck", mode, "GRACE=1h") // half a second must do
		_ = p.stdout.Close()
		if r := p.wait(nil); r.code != 141 {
			t.Errorf("%s, with a stuck body: exit status %d, stderr %s", mode, r.code, r.stderr)
		}
	}
	t.Run("a body that prints by itself can clean up", func(t *testing.T) {
		p := begin(t, "until", "MODE=human", "RETURN=print")
		_ = p.stdout.Close()
		if r := p.wait(nil); r.code != 141 || string(r.stderr) != "prog: warning: cleaned up\n" {
			t.Errorf("exit status %d, stderr %s", r.code, r.stderr)
		}
	})
	for _, program := range []string{"size", "emit"} {
		p := begin(t, program, "SIZE=10000000")
		first := make([]byte, 1000)
		if _, err := io.ReadFull(p.stdout, first); err != nil {
			t.Fatal(err)
		}
		_ = p.stdout.Close()
		if r := p.wait(nil); r.code != 141 {
			t.Errorf("%s, in the middle of the document: exit status %d, stderr %s", program, r.code, r.stderr)
		}
	}
	t.Run("a signal beats it", func(t *testing.T) {
		p := begin(t, "until", "RETURN=stdin")
		p.signal(syscall.SIGTERM)
		p.awaitProse("stopping")
		_ = p.stdout.Close()
		_ = p.stdin.Close()
		if r := p.wait(nil); r.code != 143 {
			t.Errorf("exit status %d", r.code)
		}
	})
}

// TestFullDevice: a stdout that takes nothing is status 74 and one clear line.
func TestFullDevice(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skipf("NOT TESTED, /dev/full is not there: %v", err)
	}
	defer full.Close()
	for _, c := range []struct{ program, mode string }{{"pick", "MODE=json"}, {"pick", "MODE=human"}, {"emit", ""}} {
		cmd := command(t, c.program, "CASE=ok", "SIZE=10", c.mode)
		var stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = full, &stderr
		code := exitCode(t, cmd.Run())
		prose := strings.TrimPrefix(stderr.String(), "ready\n")
		if code != 74 || len(lines([]byte(prose))) != 1 || !strings.Contains(prose, "no space left") {
			t.Errorf("%s %s: exit status %d, stderr %q", c.program, c.mode, code, prose)
		}
	}
}

// TestNonBlockingStdout: row 28: somebody else has made stdout non-blocking.
func TestNonBlockingStdout(t *testing.T) {
	for _, program := range []string{"size", "emit"} {
		var fds [2]int
		if err := syscall.Pipe(fds[:]); err != nil {
			t.Fatal(err)
		}
		syscall.CloseOnExec(fds[0])
		syscall.CloseOnExec(fds[1])
		r, w := os.NewFile(uintptr(fds[0]), "r"), os.NewFile(uintptr(fds[1]), "w")
		defer r.Close()
		cmd := command(t, program, "SIZE=1000000")
		cmd.Stdout = w
		if err := syscall.SetNonblock(fds[1], true); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		_ = w.Close()
		out, err := io.ReadAll(slowly{r, 1 << 10})
		if err != nil {
			t.Fatal(err)
		}
		if code := exitCode(t, cmd.Wait()); code != 0 || !mustParse(t, out).OK || len(out) < 1000000 {
			t.Errorf("%s: exit status %d, %d bytes", program, code, len(out))
		}
	}
}

// TestShellChain: row 127: && goes on after a success only.
func TestShellChain(t *testing.T) {
	for _, c := range []struct{ name, want string }{{"ok", "next\n"}, {"error", ""}, {"panic", ""}} {
		self := command(t, "pick", "CASE="+c.name)
		sh := exec.Command("sh", "-c", `"$0" >/dev/null 2>&1 && echo next`, self.Path)
		sh.Env = self.Env
		out, _ := sh.Output()
		if string(out) != c.want {
			t.Errorf("%s && echo next: %q", c.name, out)
		}
	}
}

// TestHeartbeat: row 34: a long run shows life, on stderr, if it was asked to.
func TestHeartbeat(t *testing.T) {
	r := run(t, "pick", "CASE=beat", "HEARTBEAT=20ms", "TIMEOUT=500ms")
	e := mustParse(t, r.stdout)
	if r.code != 124 || e.OK || strings.Count(string(r.stderr), "prog: still at work after") < 2 {
		t.Errorf("exit status %d, stderr %s", r.code, r.stderr)
	}
}

// TestIgnoredSignal: what nohup and a shell's background jobs ignore stays ignored.
func TestIgnoredSignal(t *testing.T) {
	p := beginWith(t, func(cmd *exec.Cmd) {
		cmd.Args = []string{"sh", "-c", `trap "" HUP; exec "$0"`, cmd.Path}
		cmd.Path = "/bin/sh"
	}, "until")
	p.signal(syscall.SIGHUP)
	p.signal(syscall.SIGTERM) // comes behind it if both are caught
	if r := p.end(); r.code != 143 || mustParse(t, r.stdout).OK {
		t.Errorf("exit status %d, %s", r.code, r.stdout)
	}
}

// TestSignalBesideAGoneReader: Ctrl-C ends the reader, too; the signal counts.
func TestSignalBesideAGoneReader(t *testing.T) {
	signals := []os.Signal{syscall.SIGTERM}
	gone := writerFunc(func([]byte) (int, error) {
		if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		return 0, syscall.EPIPE
	})
	for range 5 {
		code := envelope.Run(context.Background(), envelope.RunOptions{JSON: true, Stdout: gone, Stderr: io.Discard, Signals: signals},
			func(context.Context, *envelope.Call) (any, error) { return "data", nil })
		if code != 143 {
			t.Fatalf("status %d", code)
		}
	}
}
