package envelope_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	// programEnv names the program that this test binary is to be.
	programEnv = "ENVELOPE_TEST_PROGRAM"
	// patience is a hang guard, never a measure.
	patience = 5 * time.Minute
)

// result is what a process left behind.
type result struct {
	stdout, stderr []byte
	code           int // -1: it died by a signal
}

// command prepares the named program of programs_test.go as a process of its own.
func command(t testing.TB, name string, env ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, self)
	cmd.Env = append(os.Environ(), programEnv+"="+name, "GORACE=atexit_sleep_ms=0")
	cmd.Env = append(cmd.Env, env...)
	return cmd
}

// run runs a program to its end, with pipes.
func run(t testing.TB, name string, env ...string) result {
	t.Helper()
	cmd := command(t, name, env...)
	var r result
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	r.code = exitCode(t, cmd.Run())
	r.stdout, r.stderr = stdout.Bytes(), stderr.Bytes()
	return r
}

func exitCode(t testing.TB, err error) int {
	t.Helper()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	t.Fatalf("the program could not be run: %v", err)
	return 0
}

// process is a program under way.
type process struct {
	*exec.Cmd
	t      testing.TB
	stdin  io.WriteCloser
	stdout *os.File // the reading end
	ready  chan struct{}

	mu     sync.Mutex
	stderr bytes.Buffer
	done   chan struct{} // stderr is read to its end
}

// begin starts a program and waits for the line "ready" on its stderr.
func begin(t testing.TB, name string, env ...string) *process {
	t.Helper()
	return beginWith(t, func(*exec.Cmd) {}, name, env...)
}

// beginWith is begin with a change of the command.
func beginWith(t testing.TB, change func(*exec.Cmd), name string, env ...string) *process {
	t.Helper()
	p := &process{Cmd: command(t, name, env...), t: t, ready: make(chan struct{}), done: make(chan struct{})}
	change(p.Cmd)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.stdout, p.Cmd.Stdout = r, w
	if p.stdin, err = p.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	stderr, err := p.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	t.Cleanup(func() { _ = r.Close() })
	go p.readStderr(stderr)
	select {
	case <-p.ready:
	case <-p.done:
		t.Fatalf("%s ended before it was ready:\n%s", name, p.prose())
	}
	return p
}

func (p *process) readStderr(r io.Reader) {
	defer close(p.done)
	lines := bufio.NewReader(r)
	once := sync.OnceFunc(func() { close(p.ready) })
	for {
		line, err := lines.ReadString('\n')
		if line == "ready\n" {
			once()
		} else {
			p.mu.Lock()
			p.stderr.WriteString(line)
			p.mu.Unlock()
		}
		if err != nil {
			return
		}
	}
}

func (p *process) prose() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stderr.String()
}

// awaitProse waits until stderr holds text.
func (p *process) awaitProse(text string) {
	p.t.Helper()
	for !strings.Contains(p.prose(), text) {
		select {
		case <-p.done:
			p.t.Fatalf("the program ended without %q on stderr", text)
		case <-time.After(time.Millisecond):
		}
	}
}

func (p *process) signal(sig os.Signal) {
	p.t.Helper()
	if err := p.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		p.t.Fatal(err)
	}
}

// end reads what is left on stdout and waits for the process.
func (p *process) end() result {
	p.t.Helper()
	out, err := io.ReadAll(p.stdout)
	if err != nil {
		p.t.Fatal(err)
	}
	return p.wait(out)
}

// wait waits for a process whose stdout was read, or is not to be read.
func (p *process) wait(stdout []byte) result {
	p.t.Helper()
	<-p.done
	code := exitCode(p.t, p.Wait())
	return result{stdout: stdout, stderr: []byte(p.prose()), code: code}
}

// slowly reads to the end in small pieces, which keeps the writer waiting most
// of the time.
type slowly struct {
	r io.Reader
	n int
}

func (s slowly) Read(p []byte) (int, error) { return s.r.Read(p[:min(s.n, len(p))]) }

func lines(b []byte) []string {
	return strings.Split(strings.TrimRight(string(b), "\n"), "\n")
}
