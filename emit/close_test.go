package emit_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/event"
)

// deep calls f from below n frames.
func deep(n int, f func() error) error {
	if n == 0 {
		return f()
	}
	return errors.Join(deep(n-1, f))
}

// What the end of a stream calls may close it: it would wait for itself.
func TestCloseFromInsideTheEnd(t *testing.T) {
	for _, depth := range []int{0, 200} {
		var em *emit.Emitter
		closed := 0
		var lines bytes.Buffer
		em = begin(t, quiet(writeFunc(func(p []byte) (int, error) {
			if bytes.Contains(p, []byte(`"type":"result"`)) {
				closed++
				must(t, deep(depth, em.Close))
			}
			return lines.Write(p)
		})))
		done := make(chan error, 1)
		go func() { done <- em.Finish(event.Result{Result: "x"}) }()
		select {
		case err := <-done:
			must(t, err)
		case <-time.After(hangGuard):
			t.Fatal("Close waits for the one who has called it")
		}
		if n := bytes.Count(lines.Bytes(), []byte(`"type":"result"`)); closed == 0 || n != 1 {
			t.Errorf("closed %d times, %d results:\n%s", closed, n, lines.Bytes())
		}
	}
}
