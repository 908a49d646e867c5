//go:build linux || darwin

package wrap_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/exitcode"
	"github.com/streamjson/streamjson/wrap"
)

// broken is a writer that fails.
type broken struct{ err error }

func (b broken) Write([]byte) (int, error) { return 0, b.err }

// told is the cause of a context that a signal has ended.
type told struct{}

func (told) Error() string     { return "told" }
func (told) Signal() os.Signal { return syscall.SIGHUP }

// telling tells a program to end once that has written something.
type telling struct{ cancel context.CancelCauseFunc }

func (w telling) Write(p []byte) (int, error) {
	w.cancel(told{})
	return len(p), nil
}

func TestPassthrough(t *testing.T) {
	script := func(text string) wrap.Command {
		return wrap.Command{Argv: []string{"sh", "-c", text}, Grace: time.Minute}
	}
	limited := script("echo a; exec sleep 600")
	limited.Timeout = 100 * time.Millisecond
	silent := script("echo a; exec sleep 600")
	silent.IdleTimeout = 100 * time.Millisecond
	for _, c := range []struct {
		rule        string
		command     wrap.Command
		code        int
		out, errOut string
		is          error
		says        string
	}{
		{"byte for byte", script(`printf 'a\r\033[1mb\377'; printf 'c\000' >&2`), 0, "a\r\x1b[1mb\xff", "c\x00", nil, ""},
		{"a status of its own is no error of ours", script("echo a; exit 7"), 7, "a\n", "", nil, ""},
		{"nor is a signal", script("kill -TERM $$"), 143, "", "", nil, ""},
		{"not found", wrap.Command{Argv: []string{"nosuch"}}, 127, "", "", nil, "nosuch"},
		{"no program", wrap.Command{}, 2, "", "", nil, "no program to run"},
		{"a time limit", limited, 124, "a\n", "", emit.ErrTimeout, "ended after 100ms"},
		{"silence", silent, 124, "a\n", "", emit.ErrTimeout, "wrote nothing for 100ms"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			var out, errOut bytes.Buffer
			code, err := wrap.Passthrough(t.Context(), c.command, &out, &errOut)
			if code != c.code || out.String() != c.out || errOut.String() != c.errOut {
				t.Errorf("status %d, want %d; stdout %q, stderr %q", code, c.code, out.String(), errOut.String())
			}
			switch {
			case c.says == "" && err != nil, c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)):
				t.Errorf("error %v, want %q", err, c.says)
			case c.is != nil && !errors.Is(err, c.is):
				t.Errorf("error %v, want %v", err, c.is)
			}
		})
	}
}

// A writer that fails ends the program, and says by what status.
func TestPassthroughBrokenWriter(t *testing.T) {
	for _, c := range []struct {
		err  error
		code int
	}{
		{syscall.EPIPE, exitcode.ReaderGone},
		{syscall.ENOSPC, exitcode.IO},
	} {
		command := wrap.Command{Argv: []string{"sh", "-c", "echo a; exec sleep 600"}}
		code, err := wrap.Passthrough(t.Context(), command, broken{c.err}, &bytes.Buffer{})
		if code != c.code || !errors.Is(err, c.err) {
			t.Errorf("%v: status %d, want %d; error %v", c.err, code, c.code, err)
		}
	}
}

// The signal of the cause is the program's, and its number the status.
func TestPassthroughSignal(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	out := telling{cancel}
	command := wrap.Command{Argv: []string{"sh", "-c", "trap 'exit 3' HUP; echo ready; while :; do sleep 0.01; done"}, Grace: time.Minute}
	code, err := wrap.Passthrough(ctx, command, out, &bytes.Buffer{})
	if code != 129 || !errors.Is(err, told{}) {
		t.Errorf("status %d, want 129; error %v", code, err)
	}
}
