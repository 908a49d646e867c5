package emittest

import (
	"errors"
	"io"
	"sync"
)

// A FaultyWriter takes what is written to it until it fails by its script. It
// is safe for concurrent use; its fields are set before the first Write.
type FaultyWriter struct {
	// W gets the bytes that are taken; nil drops them.
	W io.Writer
	// Short is how many bytes a call takes at most, without an error: 0 for
	// all.
	Short int
	// FailAt is the call, counted from 1, that fails with Err after it has
	// taken Take bytes; 0 for none. Err nil means a full disk's error.
	// Lasting lets every call after it fail, too, and take nothing.
	FailAt  int
	Take    int
	Err     error
	Lasting bool
	// Block, if set, holds each call until something comes from the channel
	// or it is closed.
	Block <-chan struct{}

	mu    sync.Mutex
	calls int
}

var errFull = errors.New("no space left on device (emittest)")

// Write takes p as the script says.
func (f *FaultyWriter) Write(p []byte) (int, error) {
	if f.Block != nil {
		<-f.Block
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
	n, err := len(p), error(nil)
	if f.Short > 0 {
		n = min(n, f.Short)
	}
	switch {
	case f.FailAt > 0 && f.calls == f.FailAt:
		n, err = min(len(p), f.Take), f.cause()
	case f.FailAt > 0 && f.calls > f.FailAt && f.Lasting:
		n, err = 0, f.cause()
	}
	if f.W != nil && n > 0 {
		if _, e := f.W.Write(p[:n]); e != nil {
			return 0, e
		}
	}
	return n, err
}

// Calls returns how often Write was called.
func (f *FaultyWriter) Calls() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls
}

func (f *FaultyWriter) cause() error {
	if f.Err != nil {
		return f.Err
	}
	return errFull
}
