package exitcode_test

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"github.com/streamjson/streamjson/exitcode"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestFromSignal(t *testing.T) {
	for _, c := range []struct {
		sig  os.Signal
		want int
	}{
		{os.Interrupt, 130},
		{syscall.SIGINT, 130},
		{syscall.SIGTERM, 143},
		{syscall.SIGHUP, 129},
		{syscall.SIGKILL, 137},
		{syscall.SIGPIPE, 141},
		{syscall.Signal(0), 1},
		{nil, 1},
	} {
		if got := exitcode.FromSignal(c.sig); got != c.want {
			t.Errorf("FromSignal(%v) = %d, want %d", c.sig, got, c.want)
		}
	}
}

func TestOf(t *testing.T) {
	cause := errors.New("cause")
	for _, c := range []struct {
		rule string
		err  error
		code int
		ok   bool
	}{
		{"no error", nil, 0, false},
		{"an error without a status", cause, 0, false},
		{"a value", exitcode.Error{Code: 7, Err: cause}, 7, true},
		{"a pointer", &exitcode.Error{Code: 7}, 7, true},
		{"wrapped", fmt.Errorf("run: %w", exitcode.Error{Code: 9, Err: cause}), 9, true},
		{"joined", errors.Join(cause, &exitcode.Error{Code: 9}), 9, true},
		{"the first in the chain", exitcode.Error{Code: 4, Err: &exitcode.Error{Code: 5}}, 4, true},
		{"an error never exits with 0", exitcode.Error{Err: cause}, 1, true},
		{"a status has eight bits", exitcode.Error{Code: 256}, 1, true},
		{"negative", exitcode.Error{Code: -1}, 1, true},
		{"a nil pointer", fmt.Errorf("run: %w", error((*exitcode.Error)(nil))), 0, false},
	} {
		t.Run(c.rule, func(t *testing.T) {
			if code, ok := exitcode.Of(c.err); code != c.code || ok != c.ok {
				t.Errorf("Of = %d, %v; want %d, %v", code, ok, c.code, c.ok)
			}
		})
	}
}

func TestErrorText(t *testing.T) {
	cause := errors.New("no such session")
	e := exitcode.Error{Code: 4, Err: cause}
	if e.Error() != "no such session" || !errors.Is(e, cause) {
		t.Errorf("text %q, Is %v", e.Error(), errors.Is(e, cause))
	}
	if got := (exitcode.Error{Code: 4}).Error(); got != "exit status 4" {
		t.Errorf("without a cause: %q", got)
	}
}
