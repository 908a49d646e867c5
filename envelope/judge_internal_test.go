package envelope

import (
	"context"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
)

// TestSignalBehindTheBody: a signal that has come when the body returned, and was
// not seen yet, still counts: by then the document is not made. (From outside
// this moment can't be hit.)
func TestSignalBehindTheBody(t *testing.T) {
	for _, out := range []outcome{
		{data: []byte(`"data"`)},
		{err: errors.New("own")},
		{cause: errReaderGone},
		{cause: context.DeadlineExceeded, stuck: true},
	} {
		r := &run{ctx: context.Background(), signals: &signals{ch: make(chan os.Signal, 1)}}
		r.signals.ch <- syscall.SIGTERM
		status, messages := r.judge(&out)
		if status != 143 || len(messages) == 0 || !strings.Contains(messages[0], "SIGTERM") {
			t.Errorf("status %d, %q", status, messages)
		}
	}
}
