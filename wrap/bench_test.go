package wrap_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/wrap"
)

// BenchmarkRun has a child that is all I/O write lines of 100 bytes, so that
// what is measured is the wrapper.
func BenchmarkRun(b *testing.B) {
	const lines = 500_000
	path := filepath.Join(b.TempDir(), "lines")
	var text strings.Builder
	for i := range lines {
		fmt.Fprintf(&text, "%08d %s\n", i, strings.Repeat("some words ", 8)+"ab")
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	for name, pipe := range map[string]bool{"discard": false, "pipe": true} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(text.Len()))
			for b.Loop() {
				w, done := sink(b, pipe)
				o := emit.Options{Stdout: w, Stderr: io.Discard, Signals: []os.Signal{}, Capabilities: []string{wrap.Capability}}
				code := emit.Run(b.Context(), o, func(ctx context.Context, em *emit.Emitter) error {
					return wrap.Run(ctx, em, wrap.Command{Argv: []string{"cat", path}})
				})
				if code != 0 {
					b.Fatal(code)
				}
				done()
			}
			b.ReportMetric(float64(lines)*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
		})
	}
}

// sink is where lines go, and how to end it.
func sink(b *testing.B, pipe bool) (w io.Writer, done func()) {
	if !pipe {
		return io.Discard, func() {}
	}
	from, to, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(io.Discard, from)
	}()
	return to, func() {
		to.Close()
		<-read
		from.Close()
	}
}
