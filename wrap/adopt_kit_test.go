package wrap_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/streamjson/streamjson/contract"
	"github.com/streamjson/streamjson/contract/schema"
	"github.com/streamjson/streamjson/wrap"
)

// adoptGuard is how long anything may take at most. It is no measure of speed.
const adoptGuard = 2 * time.Minute

// Lines of children that speak stream_v1.
const (
	adoptInit    = `{"type":"system","subtype":"init","session_id":"s1","seq":0,"ts":"2026-01-02T03:04:05.000Z","cwd":"/w","demo_version":"1","agent":{"name":"demo","provider":"local","role":"primary"},"capabilities":["stream_v1","partial_messages_v1"],"_meta":{"run_id":"01KDXXXXXXXXXXXXXXXXXXXXXX"}}`
	adoptHello   = `{"type":"assistant","session_id":"s1","seq":1,"ts":"2026-01-02T03:04:05.001Z","message":{"role":"assistant","content":[{"type":"text","text":"Hello."}]}}`
	adoptCall    = `{"type":"assistant","session_id":"s1","seq":1,"ts":"2026-01-02T03:04:05.001Z","message":{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"go","input":{}}]}}`
	adoptSuccess = `{"type":"result","subtype":"success","session_id":"s1","seq":2,"ts":"2026-01-02T03:04:05.002Z","is_error":false,"num_turns":1,"duration_ms":5,"result":"Hello.","stop_reason":"end_turn"}`
	adoptFailure = `{"type":"result","subtype":"error_during_execution","session_id":"s1","seq":2,"ts":"2026-01-02T03:04:05.002Z","is_error":true,"num_turns":1,"duration_ms":5,"result":"","errors":["no model"],"stop_reason":"error"}`
)

// says is a shell command that prints lines, for sh -c.
func says(lines ...string) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString("echo '" + l + "'\n")
	}
	return b.String()
}

func speaks(script ...string) wrap.Command {
	return wrap.Command{Argv: []string{"sh", "-c", strings.Join(script, "\n")}, Grace: 5 * time.Second}
}

// safeBuffer may be written and read at once.
type safeBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// An adoption is what came of an adopted command.
type adoption struct {
	t      testing.TB
	stdout string
	stderr string
	code   int
}

// adopted runs a command in this process.
func adopted(t testing.TB, o wrap.AdoptOptions, c wrap.Command) *adoption {
	t.Helper()
	var stdout, stderr safeBuffer
	if o.Stdout == nil {
		o.Stdout = &stdout
	}
	o.Stderr = &stderr
	o.Signals = []os.Signal{}
	ctx, cancel := context.WithTimeoutCause(context.Background(), adoptGuard, errors.New("the test hangs"))
	defer cancel()
	code := wrap.Adopt(ctx, o, c)
	return &adoption{t, stdout.String(), stderr.String(), code}
}

// whole checks that the stream breaks no rule but those that are named.
func (a *adoption) whole(but ...string) *adoption {
	a.t.Helper()
	verdict, err := schema.Lines(false)
	if err != nil {
		a.t.Fatal(err)
	}
	if !utf8.ValidString(a.stdout) {
		a.t.Error("stdout is not UTF-8")
	}
	c := contract.NewChecker(contract.CheckOptions{Exit: &a.code, Schema: verdict})
	_, _ = c.Write([]byte(a.stdout))
	_, _ = c.Stderr().Write([]byte(a.stderr))
	r := c.Report()
	bad := r.Runs != 1
	for _, f := range r.Findings {
		if !slices.Contains(but, f.Rule) {
			a.t.Error(f.String())
			bad = true
		}
	}
	if bad {
		a.t.Logf("exit status %d\nstdout:\n%s\nstderr:\n%s", a.code, a.stdout, a.stderr)
	}
	return a
}

// ends checks the exit status and the subtype of the result.
func (a *adoption) ends(code int, subtype string) *adoption {
	a.t.Helper()
	if got := a.result().Subtype; a.code != code || got != subtype {
		a.t.Errorf("exit status %d, %s; want %d, %s\nstdout:\n%s\nstderr:\n%s", a.code, got, code, subtype, a.stdout, a.stderr)
	}
	return a
}

// says checks that stderr has a text, or the errors of the result.
func (a *adoption) says(text string) *adoption {
	a.t.Helper()
	if !strings.Contains(a.stderr+strings.Join(a.result().Errors, "\n"), text) {
		a.t.Errorf("nothing says %q; errors %q, stderr:\n%s", text, a.result().Errors, a.stderr)
	}
	return a
}

type adoptLine struct {
	Type, Subtype, Category, Message string
	Session                          string `json:"session_id"`
	Seq                              int
	TS                               string
	Result                           string
	Errors                           []string
	Turns                            int `json:"num_turns"`
}

func (a *adoption) lines() (list []adoptLine) {
	a.t.Helper()
	for text := range strings.Lines(a.stdout) {
		var l adoptLine
		var plain struct{ Message json.RawMessage }
		if err := json.Unmarshal([]byte(text), &plain); err != nil {
			a.t.Fatalf("%v: %s", err, text)
		}
		if len(plain.Message) > 0 && plain.Message[0] != '"' {
			text = strings.Replace(text, `"message"`, `"other"`, 1)
		}
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			a.t.Fatalf("%v: %s", err, text)
		}
		list = append(list, l)
	}
	return list
}

func (a *adoption) result() (last adoptLine) {
	a.t.Helper()
	for _, last = range a.lines() {
	}
	return last
}

// build returns the path of a program of this module.
func build(t testing.TB, pkg string) string {
	t.Helper()
	exe := filepath.Join(t.TempDir(), filepath.Base(pkg))
	if runtime.GOOS == "windows" {
		exe += ".exe"
	}
	out, err := exec.Command("go", "build", "-o", exe, pkg).CombinedOutput()
	if err != nil {
		t.Fatalf("go build %s: %v\n%s", pkg, err, out)
	}
	return exe
}
