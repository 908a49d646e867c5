//go:build linux

package proc_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/streamjson/streamjson/wrap/internal/proc"
)

const (
	// hang is when a test gives up; nothing is expected to take that long.
	hang = time.Minute
	// long is a Grace that no test can sit out.
	long = time.Hour
)

// A text is a writer that can be looked at while it is written to.
type text struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (w *text) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.buf.Write(p)
}

func (w *text) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.buf.String()
}

// A finished is a command that has ended.
type finished struct {
	proc.Exit
	err         error
	out, errOut string
}

// String shows the exit, and the beginning of the texts.
func (f finished) String() string {
	return fmt.Sprintf("%+v error %v stdout %.200q stderr %.200q", f.Exit, f.err, f.out, f.errOut)
}

// run runs a command with no context to end it, and keeps what it writes.
func run(t *testing.T, s proc.Spec) finished {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hang)
	defer cancel()
	f := runUntil(ctx, s)
	if ctx.Err() != nil {
		t.Fatalf("%q did not end: %+v", s.Argv, f)
	}
	return f
}

func runUntil(ctx context.Context, s proc.Spec) finished {
	var out, errOut text
	if s.Stdout == nil {
		s.Stdout = &out
	}
	if s.Stderr == nil {
		s.Stderr = &errOut
	}
	e, err := proc.Run(ctx, s)
	return finished{e, err, out.String(), errOut.String()}
}

// sh is a shell script as a command.
func sh(script string) []string { return []string{"sh", "-c", script} }

// wait polls until done.
func wait(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(hang); !done(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it never came: %s", what)
		}
	}
}

// as is this test binary as one of programs.
func as(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), childVariable+"="+name, "GORACE=atexit_sleep_ms=0")
	return cmd
}

// A cause is an error that stands for a signal.
type cause struct{ sig os.Signal }

func (c cause) Error() string     { return "told by " + c.sig.String() }
func (c cause) Signal() os.Signal { return c.sig }
