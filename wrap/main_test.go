package wrap_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"go.uber.org/goleak"

	"github.com/streamjson/streamjson/contract"
	"github.com/streamjson/streamjson/contract/schema"
	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/wrap"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A line is one line of a stream, as far as these tests look at it.
type line struct {
	Type    string
	Subtype string
	Parent  string `json:"parent_tool_use_id"`
	CWD     string
	Agent   any
	Tools   []string
	TaskID  string `json:"task_id"`
	Status  string
	Task    task
	Message struct {
		Content []struct {
			Type    string
			ID      string
			Name    string
			Content string
			IsError bool            `json:"is_error"`
			Input   json.RawMessage `json:"input"`
		}
	}
	Sum struct {
		Summary string
	} `json:"tool_use_result"`
	Result string
	Errors []string
	Stop   string         `json:"stop_reason"`
	Meta   map[string]any `json:"_meta"`
}

type task struct {
	Argv        []string
	CWD         string
	PID         int
	Stream      string
	Text        string
	Partial     bool
	Rewrite     bool
	ExitCode    *int `json:"exit_code"`
	Signal      string
	StdoutBytes int64 `json:"stdout_bytes"`
	StderrBytes int64 `json:"stderr_bytes"`
	Truncated   int64 `json:"truncated_bytes"`
	Held        bool
	Killed      bool
	Error       string
}

// A run is what came of a run.
type run struct {
	code   int
	stream []byte
	prose  string
	lines  []line
}

// wrapped makes a run of the command, and holds it to the contract.
func wrapped(t *testing.T, c wrap.Command) run {
	t.Helper()
	return wrappedIn(t.Context(), t, emit.Options{}, c)
}

func wrappedIn(ctx context.Context, t *testing.T, o emit.Options, c wrap.Command) run {
	t.Helper()
	var stdout, stderr bytes.Buffer
	o.Stdout, o.Stderr = &stdout, &stderr
	o.Capabilities = append(o.Capabilities, wrap.Capability)
	o.Product, o.Version, o.Signals = "test", "0", []os.Signal{}
	code := emit.Run(ctx, o, func(ctx context.Context, em *emit.Emitter) error {
		return wrap.Run(ctx, em, c)
	})
	r := run{code: code, stream: stdout.Bytes(), prose: stderr.String()}
	check(t, r.stream, code)
	for text := range bytes.Lines(r.stream) {
		var l line
		if err := json.Unmarshal(text, &l); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		r.lines = append(r.lines, l)
	}
	return r
}

// check holds a stream to the contract.
func check(t *testing.T, stream []byte, code int) {
	t.Helper()
	o := contract.CheckOptions{Exit: &code}
	if len(stream) < 1<<20 { // the schema takes its time
		lines, err := schema.Lines(false)
		if err != nil {
			t.Fatal(err)
		}
		o.Schema = lines
	}
	report, err := contract.Check(bytes.NewReader(stream), o)
	if err != nil {
		t.Fatal(err)
	}
	broken := report.Failed(false)
	for _, f := range report.Findings {
		// A program's own exit status is passed on whatever it means here.
		if f.Rule != "exit-meaning" || code > 128 {
			t.Errorf("%v", f)
			broken = true
		}
	}
	if broken || len(report.NotChecked) > 0 || !utf8.Valid(stream) {
		t.Fatalf("the stream breaks the contract, exit status %d: %v\n%.4000s", code, report.NotChecked, stream)
	}
}

// of returns the lines of one type and subtype.
func (r run) of(typ, subtype string) (list []line) {
	for _, l := range r.lines {
		if l.Type == typ && l.Subtype == subtype {
			list = append(list, l)
		}
	}
	return list
}

// text is what the lines of one stream tell.
func (r run) text(stream string) string {
	var done, line strings.Builder
	for _, l := range r.of("system", "task_progress") {
		if l.Task.Stream != stream {
			continue
		}
		if l.Task.Rewrite {
			line.Reset()
		}
		line.WriteString(l.Task.Text)
		if !l.Task.Partial {
			done.WriteString(line.String() + "\n")
			line.Reset()
		}
	}
	return done.String() + line.String()
}

func (r run) result() line { return r.lines[len(r.lines)-1] }

// toolResult is the content of the one tool result.
func (r run) toolResult() string { return r.of("user", "")[0].Message.Content[0].Content }

// end is the task_notification.
func (r run) end() line { return r.of("system", "task_notification")[0] }

// shell is a script as a command.
func shell(script string) wrap.Command { return wrap.Command{Argv: []string{"sh", "-c", script}} }

// discard is an emitter whose lines nobody reads.
func discard(t testing.TB, o emit.Options) *emit.Emitter {
	t.Helper()
	o.Stdout, o.Stderr = io.Discard, io.Discard
	em, err := emit.New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = em.Close() })
	return em
}
