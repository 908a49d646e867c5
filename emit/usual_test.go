package emit_test

import (
	"context"
	"errors"
	"io"
	"runtime"
	"testing"

	"github.com/streamjson/streamjson/emit"
)

// A writer that has taken a line whole, and fails all the same, has not failed
// the call that wrote it, whatever came behind it meanwhile.
func TestLineThatWasWrittenIsNoErrorOfItsCall(t *testing.T) {
	broken := errors.New("broken")
	in, out := make(chan struct{}), make(chan struct{})
	writes := 0
	em, err := emit.New(context.Background(), emit.Options{Partial: true, Stderr: io.Discard, Stdout: writeFunc(func(p []byte) (int, error) {
		if writes++; writes == 3 {
			close(in)
			<-out
			return len(p), broken
		}
		return len(p), nil
	})})
	must(t, err)
	defer em.Close()
	must(t, em.Text(0, "a"), em.Text(0, "b"))
	first, second := make(chan error, 1), make(chan error, 1)
	go func() { first <- em.Text(0, "c") }()
	<-in
	go func() { second <- em.Nested("tu_1", "sub").Text(0, "d") }()
	for !emit.Pending(em) {
		runtime.Gosched()
	}
	close(out)
	if err := <-first; err != nil {
		t.Errorf("the call whose line was written: %v", err)
	}
	if err := <-second; !errors.Is(err, broken) {
		t.Errorf("the call behind it: %v, want %v", err, broken)
	}
}
