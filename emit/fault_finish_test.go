package emit_test

import (
	"context"
	"strings"
	"syscall"
	"testing"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/event"
	"github.com/streamjson/streamjson/exitcode"
)

// A body that returns what Finish has returned is the common end of a program:
// that stdout can't be written is told once, and that nobody reads it not at all.
func TestFailedFinishIsToldOnce(t *testing.T) {
	for _, c := range []struct {
		err  error
		code int
		told int
	}{{syscall.EPIPE, exitcode.ReaderGone, 0}, {syscall.ENOSPC, exitcode.IO, 1}} {
		var prose tape
		o := quiet(failing{c.err})
		o.Stderr = &prose
		code := emit.Run(t.Context(), o, func(_ context.Context, em *emit.Emitter) error {
			return em.Finish(event.Result{Result: "done"})
		})
		if n := strings.Count(prose.String(), "\n"); code != c.code || n != c.told {
			t.Errorf("%v: exit code %d, and on stderr %q", c.err, code, prose.String())
		}
	}
}
