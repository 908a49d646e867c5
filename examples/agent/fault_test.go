package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/streamjson/streamjson/emit"
)

// A faulty is a stdout that takes so many writes, and then does something.
type faulty struct {
	bytes.Buffer
	left int
	then func() error
	did  bool
}

func (w *faulty) Write(p []byte) (int, error) {
	if w.left == 0 {
		w.did = true
		if err := w.then(); err != nil {
			return 0, err
		}
	}
	w.left--
	return w.Buffer.Write(p)
}

// lineCountOf returns how many lines a run has, and so how many writes at most.
func lineCountOf(t *testing.T, args []string) int {
	t.Helper()
	return bytes.Count(inProcess(t, args...).stdout, []byte("\n"))
}

// Whichever write fails, the run ends, says so in its status, and leaves whole
// lines. Cases 74, 76 and 77.
func TestEveryWriteFails(t *testing.T) {
	project(t)
	args := streaming()
	n := lineCountOf(t, args)
	step := max(1, n/60)
	for _, c := range []struct {
		err  error
		code int
	}{{syscall.ENOSPC, 74}, {syscall.EPIPE, 141}} {
		for k := 0; k < n; k += step {
			w := &faulty{left: k, then: func() error { return c.err }}
			var stderr bytes.Buffer
			code := run(args, nil, w, &stderr)
			if !w.did {
				break // two agents' lines went out in one write now and then
			}
			if code != c.code {
				t.Fatalf("write %d fails with %v: exit status %d, want %d; stderr:\n%s", k, c.err, code, c.code, &stderr)
			}
			if text := w.String(); text != "" && !strings.HasSuffix(text, "\n") || strings.Contains(text, `"type":"result"`) {
				t.Fatalf("write %d fails with %v: stdout ends in %q", k, c.err, text[max(0, len(text)-200):])
			}
		}
	}
}

// A run whose context is cancelled at any moment, without a signal, ends as
// interrupted. The emitter is used as a server would.
func TestCancelledAtEveryWrite(t *testing.T) {
	project(t)
	cfg, err := parseFlags(streaming("--script", scriptPath("interrupt.script")), os.Stdin)
	if err != nil {
		t.Fatal(err)
	}
	for k := range 30 {
		ctx, cancel := context.WithCancel(t.Context())
		w := &faulty{left: k, then: func() error { cancel(); return nil }}
		var stderr bytes.Buffer
		o := cfg.emit
		o.Stdout, o.Stderr = w, &stderr
		if k == 0 {
			cancel() // before anything is written
		}
		em, err := emit.New(ctx, o)
		if err != nil {
			t.Fatal(err)
		}
		err = em.Do(func(ctx context.Context) error { return cfg.body(ctx, em, strings.NewReader("")) })
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled at write %d: Do returned %v", k, err)
		}
		f := finished{em.ExitCode(), w.Bytes(), stderr.Bytes()}
		if r := f.stream(t).result(); r.Subtype != "interrupted" || f.code != 130 {
			t.Errorf("cancelled at write %d: %s, exit status %d", k, r.Subtype, f.code)
		}
		cancel()
	}
}
