package emittest_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/emittest"
	"github.com/streamjson/streamjson/emit/event"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// agent is a run as a program's own test would do it.
func agent(em *emit.Emitter) {
	m := em.Message("msg_1")
	_ = m.Thinking("hm")
	_ = m.Text("Reading go.mod.")
	_ = m.ToolArgs("toolu_1", `{"path":"go.mod"}`)
	_ = m.ToolUse("toolu_1", "read_file", nil)
	_ = m.End()
	_ = em.Emit(event.User{Content: []event.ToolResult{{ToolUseID: "toolu_1", Text: "module x"}}})
	em.AddUsage("small", event.Usage{InputTokens: 3})
	last := em.Message("msg_2")
	_ = last.Text("It is module x.")
	_ = last.End()
}

func TestRunPassesWhatIsRight(t *testing.T) {
	emittest.Run(t, agent)
	emittest.Run(t, func(em *emit.Emitter) {
		agent(em)
		_ = em.Finish(event.Result{Subtype: event.ErrorMaxTurns})
	})
	emittest.Run(t, func(*emit.Emitter) {})
}

func TestRecorder(t *testing.T) {
	r := emittest.Record(t, emit.Options{})
	agent(r.Emitter)
	if err := r.Warn("loop", "once more"); err != nil {
		t.Fatal(err)
	}
	if err := r.Finish(event.Result{}); err != nil {
		t.Fatal(err)
	}
	lines := r.Lines()
	if len(lines) != 6 || lines[0]["subtype"] != "init" || lines[4]["category"] != "loop" || lines[5]["result"] != "It is module x." {
		t.Errorf("lines: %v", lines)
	}
	if got := r.Prose(); got != "warning: once more\n" {
		t.Errorf("prose: %q", got)
	}
	again := emittest.Record(t, emit.Options{})
	agent(again.Emitter)
	_ = again.Warn("loop", "once more")
	_ = again.Finish(event.Result{})
	if !bytes.Equal(r.Bytes(), again.Bytes()) {
		t.Errorf("two recordings of one run differ:\n%s\n%s", r.Bytes(), again.Bytes())
	}
}

// TestNormalizeChangesWhatDiffersAndNothingElse: what is normalized is
// normalized again to the same, and a recorded run keeps all else.
func TestNormalizeChangesWhatDiffersAndNothingElse(t *testing.T) {
	const line = `{"type":"system","subtype":"init","session_id":"sess_x","seq":0,"ts":"2026-11-30T12:00:00.123Z","cwd":"/home/me","x_version":"ts","agent":{"ts":"kept","cwd":"kept"},"_meta":{"a":{"run_id":"kept"},"run_id":"01ABC"}}` + "\n"
	const want = `{"type":"system","subtype":"init","session_id":"sess_00000000000000000000000000","seq":0,"ts":"2026-01-01T00:00:00.000Z","cwd":"/cwd","x_version":"ts","agent":{"ts":"kept","cwd":"kept"},"_meta":{"a":{"run_id":"kept"},"run_id":"00000000000000000000000000"}}` + "\n"
	if got := emittest.Normalize([]byte(line)); string(got) != want {
		t.Errorf("Normalize = %s, want %s", got, want)
	}
	for _, odd := range []string{"", "\n", "prose\n", `{"ts":"x"`, `{"ts":"a",}` + "\n", line[:40]} {
		if got := emittest.Normalize([]byte(odd)); string(got) != odd {
			t.Errorf("Normalize(%q) = %q", odd, got)
		}
	}
	files, err := filepath.Glob("../../testdata/events/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden runs:", err)
	}
	for _, path := range files {
		run, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		once := emittest.Normalize(run)
		if !bytes.Equal(once, emittest.Normalize(once)) || bytes.Count(once, []byte("\n")) != bytes.Count(run, []byte("\n")) {
			t.Errorf("%s is not normalized to the same twice", path)
		}
	}
}

func TestFaultyWriter(t *testing.T) {
	var got bytes.Buffer
	w := &emittest.FaultyWriter{W: &got, FailAt: 3, Take: 5, Err: syscall.ENOSPC, Lasting: true}
	r, err := emit.New(context.Background(), emit.Options{Stdout: w, Stderr: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Emit(event.Memory{Op: "get"}); err != nil { // init and this one are one write
		t.Fatal(err)
	}
	if err := r.Emit(event.Memory{Op: "get"}); err != nil {
		t.Fatal(err)
	}
	err = r.Emit(event.Memory{Op: "get"})
	var broken *emit.WriteError
	if !errors.As(err, &broken) || broken.Seq != 3 || broken.Written != 5 || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("the third write: %v", err)
	}
	if w.Calls() != 3 || !strings.HasSuffix(got.String(), "\n"+`{"typ`) {
		t.Errorf("%d calls, the end is %q", w.Calls(), got.String())
	}
	_ = r.Close()

	short := &emittest.FaultyWriter{W: &bytes.Buffer{}, Short: 7}
	full := emittest.Record(t, emit.Options{})
	_ = full.Finish(event.Result{})
	s, err := emit.New(context.Background(), emit.Options{Stdout: short, Stderr: io.Discard, Product: "test", Version: "0"})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Finish(event.Result{}); err != nil {
		t.Fatal(err)
	}
	if out := emittest.Normalize(short.W.(*bytes.Buffer).Bytes()); !bytes.Equal(out, full.Bytes()) {
		t.Errorf("through short writes: %s", out)
	}

	block := make(chan struct{})
	held := &emittest.FaultyWriter{Block: block}
	b, err := emit.New(context.Background(), emit.Options{Stdout: held, Stderr: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- b.Finish(event.Result{}) }()
	block <- struct{}{} // the write has begun, and goes on
	if err := <-done; err != nil {
		t.Error(err)
	}
}
