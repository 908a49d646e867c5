package emittest

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"
	"testing"
	"time"

	"github.com/streamjson/streamjson/clock"
	"github.com/streamjson/streamjson/emit"
)

// The session id and the first ts of a recorded run, and what Normalize writes
// for those of any other.
const (
	sessionID = "sess_00000000000000000000000000"
	runID     = "00000000000000000000000000"
)

func start() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }

// A Recorder is an emitter whose output is kept in memory. Its own methods are
// safe for concurrent use, as those of the emitter are.
type Recorder struct {
	*emit.Emitter
	t           testing.TB
	out, errOut buffer
}

// Record begins a run with the options o, but for the places of output: a
// clock that steps by a millisecond, a fixed session id, and the product name
// test are set unless o has its own. The test ends the run with Finish; what
// is still open when it ends is closed.
func Record(t testing.TB, o emit.Options) *Recorder {
	t.Helper()
	r := &Recorder{t: t}
	o = fixed(o)
	o.Stdout, o.Stderr = &r.out, &r.errOut
	em, err := emit.New(context.Background(), o)
	if err != nil {
		t.Fatalf("emittest: %v", err)
	}
	r.Emitter = em
	t.Cleanup(func() { _ = em.Close() })
	return r
}

// fixed sets what would differ between two runs.
func fixed(o emit.Options) emit.Options {
	if o.Clock == nil {
		o.Clock = clock.Stepping(start(), time.Millisecond)
	}
	if o.SessionID == "" {
		o.SessionID = sessionID
	}
	if o.Product == "" {
		o.Product = "test"
	}
	if o.Version == "" {
		o.Version = "0"
	}
	return o
}

// Bytes returns what was written to stdout so far, normalized.
func (r *Recorder) Bytes() []byte { return Normalize(r.out.bytes()) }

// Lines returns the lines written so far, decoded. Numbers are json.Number.
// It ends the test where a line is no JSON object.
func (r *Recorder) Lines() []map[string]any {
	r.t.Helper()
	var lines []map[string]any
	for line := range bytes.Lines(r.out.bytes()) {
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()
		var v map[string]any
		if err := d.Decode(&v); err != nil {
			r.t.Fatalf("emittest: line %d is no JSON object: %v: %.200q", len(lines), err, line)
		}
		lines = append(lines, v)
	}
	return lines
}

// Prose returns what was written to stderr so far.
func (r *Recorder) Prose() string { return string(r.errOut.bytes()) }

// A buffer is a bytes.Buffer that is safe for concurrent use.
type buffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *buffer) bytes() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return bytes.Clone(b.buf.Bytes())
}
