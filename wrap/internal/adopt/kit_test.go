package adopt_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/streamjson/streamjson/clock"
	"github.com/streamjson/streamjson/contract"
	"github.com/streamjson/streamjson/contract/schema"
	"github.com/streamjson/streamjson/redact"
	"github.com/streamjson/streamjson/wrap/internal/adopt"
)

const (
	initLine = `{"type":"system","subtype":"init","session_id":"s1","seq":0,"ts":"2026-01-02T03:04:05.000Z","cwd":"/w","demo_version":"1","agent":{"name":"demo","provider":"local","role":"primary"},"capabilities":["stream_v1","partial_messages_v1","tasks_v1"],"_meta":{"run_id":"01KDXXXXXXXXXXXXXXXXXXXXXX"}}`
	success  = `"type":"result","subtype":"success" | "is_error":false,"num_turns":1,"duration_ms":5,"result":"Hello.","stop_reason":"end_turn"`
	failure  = `"type":"result","subtype":"error_during_execution" | "is_error":true,"num_turns":0,"duration_ms":5,"result":"","errors":["no model"],"stop_reason":"error"`
	hello    = `"type":"assistant" | "message":{"role":"assistant","content":[{"type":"text","text":"Hello."}]}`
	running  = `"type":"system","subtype":"state" | "session_state":"running"`
)

// line spells a line: what stands before and behind session_id, seq and ts.
func line(seq int, members string) string {
	head, rest, _ := strings.Cut(members, " | ")
	return fmt.Sprintf(`{%s,"session_id":"s1","seq":%d,"ts":"2026-01-02T03:04:05.%03dZ",%s}`, head, seq, seq, rest)
}

// child spells what a child writes: an init line, and what follows.
func child(members ...string) string {
	var b strings.Builder
	b.WriteString(initLine + "\n")
	for i, m := range members {
		b.WriteString(line(i+1, m) + "\n")
	}
	return b.String()
}

// now is later than all that the children of these tests have stamped.
var now = time.Date(2026, 1, 2, 3, 4, 9, 0, time.UTC)

// An adopted is what came of a child.
type adopted struct {
	t       testing.TB
	stdout  string
	foreign string
	notices []string
	code    int
	writes  int
}

// A recorder keeps what is written, and sees that each write is of whole lines.
type recorder struct {
	t      testing.TB
	buf    bytes.Buffer
	writes int
}

func (r *recorder) Write(p []byte) (int, error) {
	r.writes++
	if len(p) == 0 || p[len(p)-1] != '\n' {
		r.t.Errorf("a write of half a line: %q", p)
	}
	return r.buf.Write(p)
}

// options are those of the tests: everything is fixed.
func options() adopt.Options {
	return adopt.Options{
		Name: "Demo-Agent", CWD: "/w", SessionID: "own", RunID: "01KDYYYYYYYYYYYYYYYYYYYYYY",
		Clock: clock.Fixed(now), Redactor: redact.Default(),
	}
}

// run adopts a child that writes the pieces and ends so.
func run(t testing.TB, o adopt.Options, end adopt.Outcome, pieces ...string) *adopted {
	t.Helper()
	a := &adopted{t: t}
	var foreign strings.Builder
	o.Foreign = func(p []byte) { foreign.Write(p) }
	o.Notice = func(s string) { a.notices = append(a.notices, s) }
	rec := &recorder{t: t}
	f := adopt.New(rec, o)
	for _, p := range pieces {
		if n, err := f.Write([]byte(p)); n != len(p) || err != nil {
			t.Fatalf("Write: %d, %v", n, err)
		}
	}
	var err error
	if a.code, err = f.End(end); err != nil {
		t.Fatal(err)
	}
	code, ended := f.Ended()
	last := rec.buf.String()
	last = last[strings.LastIndexByte(strings.TrimSuffix(last, "\n"), '\n')+1:]
	if says := strings.Contains(last, `,"is_error":false,`); !ended || says && code != 0 {
		t.Errorf("the run has ended: %t, with status %d", ended, code)
	}
	if says := strings.Contains(last, `,"is_error":true,`); says && code == 0 {
		t.Error("the run has failed with status 0")
	}
	a.stdout, a.foreign, a.writes = rec.buf.String(), foreign.String(), rec.writes
	return a
}

// judge checks a stream, with the schema's verdict and the exit status.
func (a *adopted) judge() *contract.Report {
	a.t.Helper()
	if !utf8.ValidString(a.stdout) {
		a.t.Error("stdout is not UTF-8")
	}
	verdict, err := schema.Lines(false)
	if err != nil {
		a.t.Fatal(err)
	}
	c := contract.NewChecker(contract.CheckOptions{Exit: &a.code, Schema: verdict})
	_, _ = c.Write([]byte(a.stdout))
	_, _ = c.Stderr().Write([]byte(a.foreign + strings.Join(a.notices, "\n") + "\n"))
	return c.Report()
}

// clean checks that a stream breaks no rule but those that are named.
func (a *adopted) clean(but ...string) *adopted {
	a.t.Helper()
	r := a.judge()
	for _, f := range r.Findings {
		if !slices.Contains(but, f.Rule) {
			a.t.Errorf("%s", f)
		}
	}
	for _, rule := range but {
		if r.Counts[rule] == 0 {
			a.t.Errorf("no finding of %s, which was expected", rule)
		}
	}
	if a.t.Failed() {
		a.t.Logf("stdout:\n%s\nstderr:\n%s\nnotices: %q", a.stdout, a.foreign, a.notices)
	}
	return a
}

// lines returns the lines of the stream, decoded.
func (a *adopted) lines() (list []map[string]any) {
	a.t.Helper()
	for text := range strings.Lines(a.stdout) {
		var m map[string]any
		if err := json.Unmarshal([]byte(text), &m); err != nil {
			a.t.Fatalf("%v: %s", err, text)
		}
		list = append(list, m)
	}
	return list
}

// shape returns the kinds of the lines, in order.
func (a *adopted) shape() (list []string) {
	a.t.Helper()
	for _, m := range a.lines() {
		name, _ := m["type"].(string)
		if sub, ok := m["subtype"].(string); ok {
			name = sub
		}
		if name == "warning" {
			name = m["category"].(string)
		}
		list = append(list, name)
	}
	return list
}

// has checks the kinds of the lines.
func (a *adopted) has(want string) *adopted {
	a.t.Helper()
	if got := strings.Join(a.shape(), " "); got != want {
		a.t.Errorf("the lines are\n%s, want\n%s", got, want)
	}
	return a
}

func (a *adopted) result() map[string]any {
	a.t.Helper()
	list := a.lines()
	return list[len(list)-1]
}

// exit checks the exit status.
func (a *adopted) exit(want int) *adopted {
	a.t.Helper()
	if a.code != want {
		a.t.Errorf("exit status %d, want %d", a.code, want)
	}
	return a
}

// killed is the end of a child that SIGKILL has ended.
func killed() adopt.Outcome {
	return adopt.Outcome{Code: 137, Interrupted: true, Errors: []string{"the command was killed by SIGKILL"}}
}
