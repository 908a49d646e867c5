package signals_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"github.com/streamjson/streamjson/internal/signals"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestOrDefault(t *testing.T) {
	if got := signals.OrDefault([]os.Signal{}); got == nil || len(got) != 0 {
		t.Errorf("an empty list became %v", got)
	}
	own := []os.Signal{syscall.SIGQUIT}
	if got := signals.OrDefault(own); !slices.Equal(got, own) {
		t.Errorf("%v became %v", own, got)
	}
	if got := signals.OrDefault(nil); !slices.Contains(got, os.Signal(syscall.SIGTERM)) || slices.Contains(got, os.Signal(syscall.SIGQUIT)) {
		t.Errorf("the default is %v", got)
	}
}

// A cause names its signal, and hands it on through others' errors.
func TestError(t *testing.T) {
	for sig, want := range map[os.Signal]string{
		os.Interrupt: "interrupted by SIGINT", syscall.SIGTERM: "interrupted by SIGTERM",
		syscall.SIGHUP: "interrupted by SIGHUP", syscall.SIGQUIT: "interrupted by SIGQUIT",
	} {
		err := fmt.Errorf("wrapped: %w", &signals.Error{Sig: sig})
		var by interface{ Signal() os.Signal }
		if !errors.As(err, &by) || by.Signal() != sig || errors.Unwrap(err).Error() != want {
			t.Errorf("%v: %v", sig, err)
		}
	}
}
