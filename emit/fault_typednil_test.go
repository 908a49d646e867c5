package emit_test

import (
	"context"
	"testing"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/exitcode"
)

// faultyError is an error type whose nil pointer can't say what it is: a
// common slip of the pen.
type faultyError struct{ text string }

func (e *faultyError) Error() string { return e.text }

func childTypedNil() int {
	return emit.Run(context.Background(), emit.Options{}, func(context.Context, *emit.Emitter) error {
		var err *faultyError
		return err
	})
}

func childTypedNilCode() int {
	return emit.Run(context.Background(), emit.Options{}, func(_ context.Context, em *emit.Emitter) error {
		em.Go(func(context.Context) error {
			var err *exitcode.Error
			return err
		})
		return nil
	})
}

// An error whose Error method panics (a nil pointer in an interface) still
// ends the run with one result, and the exit code tells.
func TestErrorThatPanics(t *testing.T) {
	for _, name := range []string{"typednil", "typednilcode"} {
		t.Run(name, func(t *testing.T) {
			got := finish(t, child(t, name))
			if got.code != exitcode.Failure || len(got.stdout) == 0 {
				t.Fatalf("exit code %d, stdout %q, stderr %.300s", got.code, got.stdout, got.stderr)
			}
			if r := last(whole(t, got.stdout)); r.str("subtype") != "error_during_execution" {
				t.Errorf("%s", r.raw)
			}
		})
	}
}
