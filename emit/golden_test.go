package emit_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/streamjson/streamjson/clock"
	"github.com/streamjson/streamjson/emit"
)

var update = flag.Bool("update", false, "rewrite the golden runs in testdata/events")

// goldenDir holds the recorded runs. They are the executable form of the
// contract's tables, and fixtures for readers in any language.
const goldenDir = "../testdata/events"

// A goldenRun is a recorded run: what a program does, and how it is written.
type goldenRun struct {
	name    string
	options emit.Options
	body    func(context.Context, *emit.Emitter) error
}

// record does the run into w and returns its exit code.
func (g goldenRun) record(t *testing.T, format emit.Format, w interface{ Write([]byte) (int, error) }) int {
	t.Helper()
	o := g.options
	o.Format = format
	o.Stdout, o.Stderr = w, &bytes.Buffer{}
	o.Product, o.Version = "milk", "0.9.0"
	o.SessionID = "sess_01HQ2GOLDEN0000000000000001"
	o.Clock = clock.Stepping(time.Date(2026, 10, 2, 12, 0, 0, 0, time.UTC), 50*time.Millisecond)
	em, err := emit.New(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	emit.Pin(em, "/repo", "01HQ2GOLDENRUN000000000001")
	_ = em.Do(func(ctx context.Context) error { return g.body(ctx, em) })
	return em.ExitCode()
}

func TestGoldenRuns(t *testing.T) {
	names := map[string]bool{}
	for _, g := range slices.Concat(catalogRuns(), resultRuns(), storyRuns()) {
		if names[g.name+".jsonl"] {
			t.Errorf("two golden runs are called %s", g.name)
		}
		names[g.name+".jsonl"] = true
		t.Run(g.name, func(t *testing.T) {
			var out bytes.Buffer
			code := g.record(t, emit.FormatStreamJSON, &out)
			checkStream(t, out.Bytes(), code)
			path := filepath.Join(goldenDir, g.name+".jsonl")
			if *update {
				if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), out.String()); diff != "" {
				t.Errorf("the run differs from its recording (-want +got), go test ./emit -update rewrites it:\n%s", diff)
			}
			for size := 1; size <= 7; size += 3 {
				var slow bytes.Buffer
				g.record(t, emit.FormatStreamJSON, &sipping{&slow, size})
				if !bytes.Equal(slow.Bytes(), out.Bytes()) {
					t.Errorf("a writer that takes %d bytes a call gets another stream", size)
				}
			}
			g.checkFormats(t, out.Bytes(), code)
		})
	}
	files, err := filepath.Glob(filepath.Join(goldenDir, "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		if !names[filepath.Base(path)] {
			t.Errorf("%s belongs to no run", path)
		}
	}
}

// checkFormats holds the other formats to the stream: the same result, the
// same text, the same exit code.
func (g goldenRun) checkFormats(t *testing.T, stream []byte, code int) {
	t.Helper()
	lines := decodeLines(t, stream)
	want := lines[len(lines)-1]

	var doc bytes.Buffer
	if got := g.record(t, emit.FormatJSON, &doc); got != code {
		t.Errorf("exit code %d in the format json, %d in stream-json", got, code)
	}
	var got map[string]any
	if err := json.Unmarshal(doc.Bytes(), &got); err != nil {
		t.Fatalf("the format json: %v", err)
	}
	if got["seq"] != 0.0 {
		t.Errorf("the document has seq %v, want 0", got["seq"])
	}
	for _, o := range []map[string]any{want, got} {
		// These count readings of the clock and lines.
		delete(o, "seq")
		delete(o, "ts")
		delete(o, "duration_ms")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the result differs between stream-json and json (-stream +json):\n%s", diff)
	}

	var text bytes.Buffer
	if got := g.record(t, emit.FormatText, &text); got != code {
		t.Errorf("exit code %d in the format text, %d in stream-json", got, code)
	}
	final := want["result"].(string)
	if !strings.HasSuffix(strings.TrimSuffix(text.String(), "\n"), strings.TrimSuffix(final, "\n")) {
		t.Errorf("the format text ends in %q, the result is %q", text.String(), final)
	}
}

// A sipping writer takes a few bytes a call, and says so without an error.
type sipping struct {
	w    *bytes.Buffer
	size int
}

func (s *sipping) Write(p []byte) (int, error) { return s.w.Write(p[:min(s.size, len(p))]) }

func decodeLines(t *testing.T, stream []byte) []map[string]any {
	t.Helper()
	var lines []map[string]any
	for _, line := range bytes.SplitAfter(stream, []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		var v map[string]any
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatalf("line %d: %v: %q", len(lines), err, line)
		}
		lines = append(lines, v)
	}
	return lines
}

// checkStream holds a whole stream to the rules of framing that a test of any
// run relies on.
func checkStream(t *testing.T, stream []byte, code int) {
	t.Helper()
	if !utf8.Valid(stream) || !bytes.HasSuffix(stream, []byte("\n")) || bytes.ContainsAny(stream, "\r\x1b") {
		t.Fatalf("no clean text: %q", stream)
	}
	lines := decodeLines(t, stream)
	if lines[0]["type"] != "system" || lines[0]["subtype"] != "init" {
		t.Errorf("first line: %v", lines[0])
	}
	last := ""
	for i, line := range lines {
		if line["seq"] != float64(i) {
			t.Errorf("line %d has seq %v", i, line["seq"])
		}
		ts, ok := line["ts"].(string)
		if !ok || len(ts) != clock.StampLen || ts < last {
			t.Errorf("line %d has ts %v after %s", i, line["ts"], last)
		}
		last = ts
		if line["session_id"] != lines[0]["session_id"] {
			t.Errorf("line %d has session_id %v", i, line["session_id"])
		}
		if isResult := line["type"] == "result"; isResult != (i == len(lines)-1) {
			t.Errorf("line %d of %d is of type %v", i, len(lines), line["type"])
		}
	}
	if failed := lines[len(lines)-1]["is_error"] == true; failed != (code != 0) {
		t.Errorf("is_error is %v and the exit code %d", failed, code)
	}
}
