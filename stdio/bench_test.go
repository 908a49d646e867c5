//go:build linux || darwin

package stdio_test

import (
	"io"
	"os"
	"testing"

	"github.com/streamjson/streamjson/stdio"
)

// What a line costs beside the system call: os.File is the measure.
func BenchmarkWrite(b *testing.B) {
	f, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	event := pattern(256)
	for _, w := range []struct {
		name string
		io.Writer
	}{
		{"descriptor", stdio.OnDescriptor(int(f.Fd()))},
		{"FromFile", stdio.FromFile(f)},
		{"os.File", f},
		{"Prose", stdio.NewProse(f)},
	} {
		b.Run(w.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = w.Write(event)
			}
		})
	}
}
