package adopt_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/streamjson/streamjson/clock"
	"github.com/streamjson/streamjson/emit/emittest"
	"github.com/streamjson/streamjson/wrap/internal/adopt"
)

// What is open is closed nested before parent, newest first, each on the actor
// that has begun it (contract section 3).
func TestClosingOrder(t *testing.T) {
	task := func(actor, id string) string {
		return fmt.Sprintf(`"type":"system","subtype":"task_started" | "parent_tool_use_id":%q,"task_id":%q,"kind":"tool_agent"`, actor, id)
	}
	a := run(t, options(), killed(), child(
		message("", toolBlock("a", "{}"), toolBlock("b", "{}")),
		task("a", "ka"), task("b", "kb"),
		message("a", toolBlock("a1", "{}")),
		message("a1", toolBlock("a11", "{}"), toolBlock("a12", "{}")),
		message("b", toolBlock("b1", "{}")),
		strings.Replace(strings.Replace(back, "t1", "a11", 1), `"message"`, `"parent_tool_use_id":"a1","message"`, 1),
	)).clean()
	var closed []string
	for _, m := range a.lines()[8:] {
		id, _ := m["task_id"].(string)
		if msg, ok := m["message"].(map[string]any); ok {
			id = msg["content"].([]any)[0].(map[string]any)["tool_use_id"].(string)
		}
		closed = append(closed, fmt.Sprintf("%s@%v", id, m["parent_tool_use_id"]))
	}
	want := "a12@a1 b1@b a1@a kb@b ka@a b@<nil> a@<nil> @<nil>"
	if got := strings.Join(closed, " "); got != want {
		t.Errorf("closed %s, want %s", got, want)
	}
}

// An inserted line is stamped between its neighbours, whatever the clocks say.
func TestStampsNeverRunBackwards(t *testing.T) {
	early, late := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	stdout := "print\n" + child(call, running) + "print\n" + line(3, success) + "\n"
	for _, now := range []time.Time{early, late} {
		o := options()
		o.Clock = clock.Fixed(now)
		a := run(t, o, adopt.Outcome{}, stdout).has("init foreign_output assistant state foreign_output user success").clean()
		for i, want := range []string{"0", "0", "1", "2", ""} {
			if ts := a.lines()[i]["ts"].(string); want != "" && ts != "2026-01-02T03:04:05.00"+want+"Z" {
				t.Errorf("line %d has %s", i, ts)
			}
		}
		run(t, o, adopt.Outcome{}, strings.TrimPrefix(stdout, "print\n"+initLine+"\n")).clean()
		run(t, o, killed(), child(call)).clean()
	}
}

// A heartbeat comes only between the first line and the result, and never
// stamped ahead of what the child has stamped already.
func TestHeartbeat(t *testing.T) {
	rec := &recorder{t: t}
	f := adopt.New(rec, options())
	beat := func() {
		if err := f.Heartbeat(); err != nil {
			t.Error(err)
		}
	}
	write := func(s string) {
		if _, err := f.Write([]byte(s)); err != nil {
			t.Error(err)
		}
	}
	beat()
	write("print\n" + initLine + "\n")
	beat()
	write("print\nprint\n")
	beat()
	write(line(1, success) + "\n")
	beat()
	code, err := f.End(adopt.Outcome{})
	a := &adopted{t: t, stdout: rec.buf.String(), code: code}
	a.has("init foreign_output heartbeat foreign_output heartbeat success").clean()
	if err != nil || code != 0 {
		t.Error(code, err)
	}
}

// What the supervisor itself has told in prose stands in the stream, too.
func TestWarn(t *testing.T) {
	for _, first := range []string{initLine, line(0, running)} {
		rec := &recorder{t: t}
		f := adopt.New(rec, options())
		for _, step := range []string{first, line(1, hello), line(2, success)} {
			if err := f.Warn("before \x1b[1m" + step[:20]); err != nil {
				t.Error(err)
			}
			if _, err := f.Write([]byte(step + "\n")); err != nil {
				t.Error(err)
			}
		}
		if err := f.Warn("behind"); err != nil {
			t.Error(err)
		}
		code, _ := f.End(adopt.Outcome{})
		a := &adopted{t: t, stdout: rec.buf.String(), code: code}
		a.clean()
		if n := strings.Count(a.stdout, "before "); n != 3 {
			t.Errorf("%d warnings:\n%s", n, a.stdout)
		}
	}
}

// A flood of text is told in a few lines, and none is left out of the count.
func TestForeignFloodIsSummarized(t *testing.T) {
	var b strings.Builder
	b.WriteString(initLine + "\n")
	const n = 10_000
	for i := range n {
		event := strings.Replace(line(1, running), `"seq":1`, fmt.Sprintf(`"seq":%d`, i+1), 1)
		fmt.Fprintf(&b, "print %d\n%s\n", i, event)
	}
	a := run(t, options(), killed(), b.String()).clean()
	warnings, count := 0, 0.0
	for _, m := range a.lines() {
		if m["subtype"] == "warning" {
			warnings++
			count += m["count"].(float64)
		}
	}
	if warnings > 20 || count != n {
		t.Errorf("%d warnings about %v lines", warnings, count)
	}
	if got := strings.Count(a.foreign, "\n"); got != n {
		t.Errorf("%d lines on stderr", got)
	}
}

// rows 85, 89 and 91: a line over the limit is dropped in bounded memory and
// told; a result is replaced, so that the run ends as the child said.
func TestLongLines(t *testing.T) {
	o := options()
	o.MaxLine = adopt.LeastMaxLine
	long := strings.Repeat("x", 3*adopt.LeastMaxLine)
	a := run(t, o, adopt.Outcome{}, child(strings.Replace(hello, "Hello.", long, 1), hello, success)).
		has("init long_line assistant success").clean()
	if !strings.Contains(strings.Join(a.notices, ""), "over the limit") {
		t.Errorf("%q", a.notices)
	}
	a = run(t, o, adopt.Outcome{}, child(hello, strings.Replace(success, "Hello.", long, 1))).
		has("init assistant long_line success").clean().exit(0)
	if r := a.result(); r["result"] != "Hello." || r["_meta"].(map[string]any)["truncated_bytes"].(float64) < float64(len(long)) {
		t.Errorf("%v", r)
	}
	run(t, o, adopt.Outcome{Code: 5, Status: 5}, child(hello, strings.Replace(failure, `"result":""`, `"result":"`+long+`"`, 1))).
		has("init assistant long_line error_during_execution").clean().exit(5)
	run(t, o, killed(), child(hello)+`{"type":"result","x":"`+long).has("init assistant long_line interrupted").clean()
	run(t, o, adopt.Outcome{}, child(success)+line(2, strings.Replace(hello, "Hello.", long, 1))+"\n").has("init success").clean()

	// As long as the limit is not too long, and text has none.
	fits := line(1, strings.Replace(hello, "Hello.", strings.Repeat("x", adopt.LeastMaxLine-len(line(1, hello))+len("Hello.")), 1))
	if len(fits) != o.MaxLine {
		t.Fatal(len(fits))
	}
	run(t, o, adopt.Outcome{}, initLine+"\n"+fits+"\n"+line(2, success)+"\n").has("init assistant success").clean()
	run(t, o, adopt.Outcome{}, initLine+"\n"+long+fits+"\n"+line(2, success)+"\n").has("init foreign_output assistant success").clean()
}

// Text without an end, zeros, and braces without an end are taken in bounded
// memory.
func TestMemoryIsBounded(t *testing.T) {
	total := 100 << 20
	if testing.Short() {
		total = 40 << 20
	}
	for _, c := range []struct{ name, first, piece string }{
		{"text", "", strings.Repeat("yes ", 16<<10)},
		{"lines", "", strings.Repeat("yes\n", 16<<10)},
		{"zeros", "", strings.Repeat("\x00", 64<<10)},
		{"braces", "", strings.Repeat("{", 64<<10)},
		{"a string", `{"type":"`, strings.Repeat("a", 64<<10)},
		{"objects", `{"type":[`, strings.Repeat(`{"a":"b"},`, 6<<10)},
		{"keys", `{"type":"system"`, strings.Repeat(`,"a":"b"`, 6<<10)},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := options()
			shown := 0
			o.Foreign = func(p []byte) { shown += len(p) }
			f := adopt.New(io.Discard, o)
			_, _ = f.Write([]byte(initLine + "\n" + c.first))
			piece, most := []byte(c.piece), uint64(0)
			for n := 0; n < total; n += len(piece) {
				if _, err := f.Write(piece); err != nil {
					t.Fatal(err)
				}
				if n%(10<<20) < len(piece) {
					var m runtime.MemStats
					runtime.GC()
					runtime.ReadMemStats(&m)
					most = max(most, m.HeapAlloc)
				}
			}
			code, err := f.End(killed())
			if code != 137 || err != nil {
				t.Error(code, err)
			}
			if most > 40<<20 {
				t.Errorf("%d MB were in use", most>>20)
			}
			if c.name != "lines" && shown > 1<<20 {
				t.Errorf("%d bytes on stderr", shown)
			}
		})
	}
}

// Lines that are made to be slow take linear time: each is many times the
// length of a line that a parser would have to look at again and again.
func TestHostileLinesTakeLinearTime(t *testing.T) {
	size := 2 << 20
	if testing.Short() {
		size = 256 << 10
	}
	for _, piece := range []string{`{"a":`, `{"a":[`, `{`, `{"a":1},`, `{"a":"`, `{"type":"x","session_id":"s","seq":1,"a":{`, `"`, `\`, "{\"\xff", "{   ", `{"":`} {
		for _, tail := range []string{"", line(1, success)} {
			guard := time.AfterFunc(time.Minute, func() { panic("a line of " + piece + " takes too long") })
			run(t, options(), killed(), initLine+"\n"+strings.Repeat(piece, size/len(piece))+tail+"\n").holds()
			guard.Stop()
		}
	}
}

// Text in front of an event is told alike whether it comes at once or in
// pieces, also where it is long, and where a brace stands in it early or late.
func TestLongTextInPieces(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("10%\r", 30_000), "{x}" + strings.Repeat("10%\r", 30_000), "log {x}" + strings.Repeat("10%\r", 30_000),
		strings.Repeat("10%\r", 20_000) + "{x}" + strings.Repeat("20%\r", 20_000), strings.Repeat("y", 9_000), strings.Repeat("y", 64<<10), strings.Repeat("y", 64<<10+1),
	} {
		for _, tail := range []string{line(1, success), line(1, success) + " bye", ""} {
			stdout := []byte(initLine + "\n" + text + tail + "\n")
			whole := run(t, options(), killed(), string(stdout))
			whole.holds()
			if (tail != "") != strings.Contains(whole.stdout, `"success"`) {
				t.Errorf("the event behind the text is lost:\n%s", whole.stdout)
			}
			for seed := range uint64(8) {
				whole.same(inPieces(t, options(), killed(), stdout, seed))
			}
		}
	}
}

// Short text in front of a long event is shown whole.
func TestShortTextBeforeALongEvent(t *testing.T) {
	long := strings.Replace(hello, "Hello.", strings.Repeat("x", 100<<10), 1)
	a := run(t, options(), adopt.Outcome{}, initLine+"\nlog: "+line(1, long)+"\n"+line(2, success)+"\n").
		has("init foreign_output assistant success").clean()
	if a.foreign != "log:\n" {
		t.Errorf("stderr has %q", a.foreign)
	}
}

// What can't be remembered is told, and what is remembered is closed.
func TestManyOpenThings(t *testing.T) {
	const n = 1<<16 + 10
	var b strings.Builder
	b.WriteString(initLine + "\n")
	for i := range n {
		b.WriteString(strings.Replace(line(1, fmt.Sprintf(`"type":"system","subtype":"task_started" | "task_id":"k%d","kind":"workflow"`, i)), `"seq":1,`, fmt.Sprintf(`"seq":%d,`, i+1), 1) + "\n")
	}
	a := run(t, options(), killed(), b.String())
	if got := strings.Count(a.stdout, `"task_notification"`); got != 1<<16 {
		t.Errorf("%d tasks were closed", got)
	}
	if strings.Count(a.stdout, `"untracked"`) != 1 {
		t.Error("nothing tells of those that were not")
	}
}

// rows 27, 74 and 76: after a write error nothing is written any more, and the
// error stays.
func TestWriteErrorsStay(t *testing.T) {
	for at := 1; at < 5; at++ {
		w := &emittest.FaultyWriter{W: new(bytes.Buffer), FailAt: at, Take: 10}
		f := adopt.New(w, options())
		var first error
		for i, l := range []string{initLine, line(1, call), line(2, running)} {
			_, err := f.Write([]byte(l + "\n"))
			if (err != nil) != (i+1 >= at) {
				t.Errorf("write %d with a failure at %d: %v", i, at, err)
			}
			if first = errors.Join(first); first == nil {
				first = err
			}
		}
		code, err := f.End(killed())
		if code != 137 || err == nil {
			t.Errorf("failure at %d: %d, %v", at, code, err)
		}
		if got := w.W.(*bytes.Buffer).String(); strings.Count(got, "\n") != at-1 {
			t.Errorf("failure at %d: written was\n%s", at, got)
		}
	}
}

// The answer is remembered up to a limit, and what was lost of it is told.
func TestLongAnswers(t *testing.T) {
	text := strings.Repeat("é", 600_000)
	for _, members := range []string{message("", textBlock(text)), textDelta("", 0, text)} {
		r := run(t, options(), killed(), child(members)).clean().result()
		if got := r["result"].(string); len(got) != 1<<20 || r["_meta"].(map[string]any)["truncated_bytes"] != float64(len(text)-1<<20) {
			t.Errorf("%d bytes, %v", len(got), r["_meta"])
		}
	}
}

// A terminal ends lines by CR LF, which is not the child's doing.
func TestTerminal(t *testing.T) {
	o := options()
	o.Terminal = true
	run(t, o, adopt.Outcome{}, strings.ReplaceAll(child(hello, success), "\n", "\r\n")).has("init assistant success").clean()
}

// BenchmarkFilter is the way of an agent's lines through the filter.
func BenchmarkFilter(b *testing.B) {
	text, err := os.ReadFile(filepath.Join("../../../testdata/events", "story_nested_agents.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	all := strings.SplitAfter(string(text), "\n")
	first, rest := all[0], all[1:len(all)-2]
	for _, secrets := range []bool{false, true} {
		b.Run(fmt.Sprintf("redact=%v", secrets), func(b *testing.B) {
			o := options()
			if !secrets {
				o.Redactor = nil
			}
			f := adopt.New(io.Discard, o)
			_, _ = f.Write([]byte(first))
			chunk := []byte(strings.Join(rest, ""))
			b.SetBytes(int64(len(chunk)))
			b.ReportAllocs()
			for b.Loop() {
				_, _ = f.Write(chunk)
			}
			b.ReportMetric(float64(b.N*len(rest))/b.Elapsed().Seconds(), "lines/s")
		})
	}
}
