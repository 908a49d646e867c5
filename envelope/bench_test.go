package envelope_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/streamjson/streamjson/envelope"
)

// oneshots are three programs that write the same envelope.
var oneshots = [...]string{"stdjson", "ours", "run"}

// buildOneshots builds them as people ship them, and returns their paths.
func buildOneshots(tb testing.TB) map[string]string {
	tb.Helper()
	dir := tb.TempDir()
	paths := map[string]string{}
	for _, name := range oneshots {
		paths[name] = filepath.Join(dir, name)
		out, err := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", paths[name], "./testdata/oneshot/"+name).CombinedOutput()
		if err != nil {
			tb.Fatalf("go build %s: %v\n%s", name, err, out)
		}
	}
	return paths
}

// TestOneshotSize: a one-envelope program is at most 1 MB larger than the same
// by encoding/json alone, and writes the same bytes.
func TestOneshotSize(t *testing.T) {
	if testing.Short() {
		t.Skip("builds three programs: left out with -short")
	}
	paths := buildOneshots(t)
	size := map[string]int64{}
	var want []byte
	for _, name := range oneshots {
		info, err := os.Stat(paths[name])
		if err != nil {
			t.Fatal(err)
		}
		size[name] = info.Size()
		out, err := exec.Command(paths[name]).Output()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if want == nil {
			want = out
		}
		if !bytes.Equal(out, want) {
			t.Errorf("%s writes\n%s\nand %s\n%s", name, out, oneshots[0], want)
		}
	}
	for _, name := range oneshots[1:] {
		more := size[name] - size[oneshots[0]]
		t.Logf("%s: %d bytes, %d more than by encoding/json alone (%d)", name, size[name], more, size[oneshots[0]])
		if more > 1_000_000 {
			t.Errorf("%s is %d bytes larger, which is more than 1 MB", name, more)
		}
	}
}

// BenchmarkStart starts the three programs in turn and reports the medians, and
// their ratios to the program by encoding/json alone (the goal is 1.1).
func BenchmarkStart(b *testing.B) {
	paths := buildOneshots(b)
	took := map[string][]time.Duration{}
	for b.Loop() {
		for _, name := range oneshots {
			cmd := exec.Command(paths[name])
			begin := time.Now()
			if err := cmd.Run(); err != nil {
				b.Fatalf("%s: %v", name, err)
			}
			took[name] = append(took[name], time.Since(begin))
		}
	}
	median := func(name string) float64 {
		slices.Sort(took[name])
		return float64(took[name][len(took[name])/2])
	}
	for _, name := range oneshots {
		b.ReportMetric(median(name)/1e6, name+"-ms")
		if name != oneshots[0] {
			b.ReportMetric(median(name)/median(oneshots[0]), name+"-ratio")
		}
	}
}

// BenchmarkEmit is one envelope in memory, against encoding/json with the same
// layout.
func BenchmarkEmit(b *testing.B) {
	type record struct {
		Path, Version, Text string
		Tags                []string
		Size                int
	}
	for _, size := range []int{1 << 10, 1 << 20} {
		var data []record
		for i := range size / 256 {
			data = append(data, record{fmt.Sprint("example.com/m", i), "v1.2.3", strings.Repeat("some text & more ", 9), []string{"a", "b"}, i})
		}
		b.Run(fmt.Sprintf("ours/%dKiB", size>>10), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(size))
			for b.Loop() {
				if _, err := envelope.EmitJSON(io.Discard, data); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("encoding-json/%dKiB", size>>10), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(size))
			enc := json.NewEncoder(io.Discard)
			enc.SetEscapeHTML(false)
			enc.SetIndent("", "  ")
			for b.Loop() {
				if err := enc.Encode(envelope.Envelope[[]record]{OK: true, Data: data}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
