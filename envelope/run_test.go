package envelope_test

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

	"github.com/streamjson/streamjson/envelope"
	"github.com/streamjson/streamjson/exitcode"
)

// inMemory runs a body with writers of the test's own.
func inMemory(ctx context.Context, o envelope.RunOptions, b body) (stdout, stderr string, code int) {
	var out, prose bytes.Buffer
	if o.Stdout == nil {
		o.Stdout = &out
	}
	o.Stderr, o.Signals, o.Name = &prose, []os.Signal{}, "prog"
	code = envelope.Run(ctx, o, b)
	return out.String(), prose.String(), code
}

// TestRunContext: contract F13: who ended the run decides its status, and a
// deadline inside of the body is an ordinary error.
func TestRunContext(t *testing.T) {
	cancelled := func(cause error) context.Context {
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(cause)
		return ctx
	}
	expired, cancel := context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer cancel()
	waits := func(ctx context.Context, _ *envelope.Call) (any, error) { <-ctx.Done(); return "x", ctx.Err() }
	for _, c := range []struct {
		rule string
		ctx  context.Context
		o    envelope.RunOptions
		body body
		code int
		says []string
	}{
		{"cancelled by the caller", cancelled(nil), envelope.RunOptions{}, waits, 130, []string{"the command was cancelled"}},
		{"cancelled with a cause", cancelled(errors.New("shutting down")), envelope.RunOptions{}, waits, 130, []string{"shutting down"}},
		{"a cause from a network", cancelled(fmt.Errorf("upstream: %w", syscall.EPIPE)), envelope.RunOptions{}, waits, 130, []string{"upstream: broken pipe"}},
		{"a cause with a status", cancelled(exitcode.Error{Code: 3, Err: errors.New("enough turns")}), envelope.RunOptions{}, waits, 3, []string{"enough turns"}},
		{"the caller's deadline", expired, envelope.RunOptions{}, waits, 124, []string{"a time limit ended the command"}},
		{"the run's time limit", context.Background(), envelope.RunOptions{Timeout: time.Millisecond}, waits, 124, []string{"the time limit of 1ms ended the command"}},
		{"no context", nil, envelope.RunOptions{}, func(context.Context, *envelope.Call) (any, error) { return 1, nil }, 0, []string{}},
		{"a deadline inside of the body", context.Background(), envelope.RunOptions{}, func(context.Context, *envelope.Call) (any, error) {
			return nil, fmt.Errorf("GET: %w", context.DeadlineExceeded)
		}, 1, []string{"GET: context deadline exceeded"}},
		{"a body that isn't there", context.Background(), envelope.RunOptions{}, nil, 2, []string{"there is no command body to run"}},
		{"a body that says more than its context", context.Background(), envelope.RunOptions{Timeout: time.Millisecond}, func(ctx context.Context, _ *envelope.Call) (any, error) {
			<-ctx.Done()
			return nil, fmt.Errorf("while linking: %w", ctx.Err())
		}, 124, []string{"the time limit of 1ms ended the command", "while linking: context deadline exceeded"}},
		{"a status 141 of the body's own", context.Background(), envelope.RunOptions{}, func(context.Context, *envelope.Call) (any, error) {
			return nil, exitcode.Error{Code: 141, Err: errors.New("the server hung up")}
		}, 141, []string{"the server hung up"}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			c.o.JSON = true
			stdout, stderr, code := inMemory(c.ctx, c.o, c.body)
			e := mustParse(t, []byte(stdout))
			if code != c.code || e.OK != (code == 0) || fmt.Sprintf("%q", e.Errors) != fmt.Sprintf("%q", c.says) {
				t.Errorf("status %d, errors %q, stderr %q; want %d, %q", code, e.Errors, stderr, c.code, c.says)
			}
		})
	}
}

// TestCall: warnings from everywhere; a library below; too many; too late.
func TestCall(t *testing.T) {
	var left *envelope.Call
	stdout, stderr, code := inMemory(context.Background(), envelope.RunOptions{JSON: true}, func(ctx context.Context, call *envelope.Call) (any, error) {
		left = call
		if envelope.FromContext(ctx) != call || !call.JSON() || call.Args() != nil {
			t.Error("the call is not what it should be")
		}
		call.Warn("")
		call.Warn("\x1b[31mred\x1b[0m")
		var wg sync.WaitGroup
		for range 30 {
			wg.Go(func() {
				for range 50 {
					envelope.FromContext(ctx).Warn("many")
				}
			})
		}
		wg.Wait()
		return nil, nil
	})
	e := mustParse(t, []byte(stdout))
	if code != 0 || len(e.Warnings) != 1001 || e.Warnings[0] != "red" || e.Warnings[1000] != "501 more warnings are left out" {
		t.Errorf("status %d, %d warnings: %q … %q", code, len(e.Warnings), e.Warnings[0], e.Warnings[len(e.Warnings)-1])
	}
	if n := strings.Count(stderr, "prog: warning: "); n != 1000 || strings.Contains(stderr, "\x1b") {
		t.Errorf("%d warnings on stderr", n)
	}
	left.Warn("too late")
	if n := envelope.FromContext(context.Background()); n.JSON() || n.Args() != nil || n != nil {
		t.Error("no Run above, yet a call")
	}
	envelope.FromContext(context.Background()).Warn("nobody listens")
}

// TestRunWriters: a stdout of the caller's own, whatever it does.
func TestRunWriters(t *testing.T) {
	ok := func(context.Context, *envelope.Call) (any, error) { return "data", nil }
	human := func(w io.Writer, data any) error { _, err := fmt.Fprintln(w, data); return err }
	for _, c := range []struct {
		rule   string
		w      io.Writer
		code   int
		stderr string
	}{
		{"takes nothing", writerFunc(func([]byte) (int, error) { return 0, syscall.ENOSPC }), 74, "prog: stdout could not be written: "},
		{"gone", writerFunc(func([]byte) (int, error) { return 0, io.ErrClosedPipe }), 141, ""},
		{"short writes", &shortWriter{n: 3}, 0, ""},
	} {
		for _, json := range []bool{true, false} {
			_, stderr, code := inMemory(context.Background(), envelope.RunOptions{JSON: json, Stdout: c.w, Human: human}, ok)
			if code != c.code || !strings.HasPrefix(stderr, c.stderr) || c.stderr == "" && stderr != "" {
				t.Errorf("%s, JSON %v: status %d, stderr %q; want %d", c.rule, json, code, stderr, c.code)
			}
		}
	}
	_, stderr, code := inMemory(context.Background(), envelope.RunOptions{JSON: true, Stdout: writerFunc(func([]byte) (int, error) { panic("writer") })}, ok)
	if code != 74 || !strings.Contains(stderr, "panicked") {
		t.Errorf("a writer that panics: status %d, stderr %q", code, stderr)
	}
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, _, code = inMemory(context.Background(), envelope.RunOptions{JSON: true, Stdout: f}, ok); code != 0 {
		t.Errorf("a file: status %d", code)
	}
	b, err := os.ReadFile(f.Name())
	if err != nil || !mustParse(t, b).OK {
		t.Errorf("a file: %s, %v", b, err)
	}
	_ = f.Close()
	if _, stderr, code = inMemory(context.Background(), envelope.RunOptions{JSON: true, Stdout: f}, ok); code != 74 || stderr == "" {
		t.Errorf("a closed file: status %d, stderr %q", code, stderr)
	}
}

// TestHuman: the renderer's own trouble is told from stdout's.
func TestHuman(t *testing.T) {
	ok := func(context.Context, *envelope.Call) (any, error) { return "data", nil }
	bad := func(context.Context, *envelope.Call) (any, error) { return nil, errors.New("bad") }
	for _, c := range []struct {
		rule   string
		body   body
		human  func(io.Writer, any) error
		code   int
		stdout string
		stderr string
	}{
		{"no renderer", ok, nil, 0, "", ""},
		{"an error of its own", ok, func(w io.Writer, _ any) error { _, _ = io.WriteString(w, "half"); return errors.New("no terminal") }, 1, "half", "prog: no terminal\n"},
		{"a panic", ok, func(io.Writer, any) error { panic("oh") }, 1, "", "prog: panic: oh\n"},
		{"not called on an error with the nil pointer of a type", func(context.Context, *envelope.Call) (any, error) { return (*int)(nil), errors.New("bad") }, func(io.Writer, any) error { panic("oh") }, 1, "", "prog: bad\n"},
		{"not called on an error without data", bad, func(io.Writer, any) error { panic("oh") }, 1, "", "prog: bad\n"},
	} {
		stdout, stderr, code := inMemory(context.Background(), envelope.RunOptions{Human: c.human}, c.body)
		if code != c.code || stdout != c.stdout || !strings.HasPrefix(stderr, c.stderr) {
			t.Errorf("%s: status %d, stdout %q, stderr %q", c.rule, code, stdout, stderr)
		}
	}
}

// TestQuiet: nothing on stderr in JSON mode; and prose never goes where the
// document goes.
func TestQuiet(t *testing.T) {
	warns := func(_ context.Context, call *envelope.Call) (any, error) {
		call.Warn("w")
		return nil, errors.New("bad")
	}
	if _, stderr, code := inMemory(context.Background(), envelope.RunOptions{JSON: true, Quiet: true}, warns); code != 1 || stderr != "" {
		t.Errorf("status %d, stderr %q", code, stderr)
	}
	var both bytes.Buffer
	code := envelope.Run(context.Background(), envelope.RunOptions{JSON: true, Stdout: &both, Stderr: &both, Signals: []os.Signal{}}, warns)
	if e := mustParse(t, both.Bytes()); code != 1 || e.OK {
		t.Errorf("status %d, %s", code, both.String())
	}
}

// TestConcurrentRuns: runs on writers of their own don't know each other.
func TestConcurrentRuns(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			stdout, _, code := inMemory(context.Background(), envelope.RunOptions{JSON: true, Compact: true}, func(_ context.Context, call *envelope.Call) (any, error) {
				call.Warn(fmt.Sprint("w", i))
				return i, nil
			})
			if want := fmt.Sprintf(`{"schema_version":1,"ok":true,"data":%d,"errors":[],"warnings":["w%d"]}`+"\n", i, i); code != 0 || stdout != want {
				t.Errorf("status %d, %s", code, stdout)
			}
		})
	}
	wg.Wait()
}
