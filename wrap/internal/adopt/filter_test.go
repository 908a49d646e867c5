package adopt_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/streamjson/streamjson/wrap/internal/adopt"
)

// Lines that open and close things.
const (
	call  = `"type":"assistant" | "message":{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"go","input":{}}]}`
	back  = `"type":"user" | "message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]}`
	begun = `"type":"system","subtype":"task_started" | "task_id":"k1","kind":"workflow"`
	over  = `"type":"system","subtype":"task_notification" | "task_id":"k1","kind":"workflow","status":"completed"`
)

// delta spells a piece of a top-level text block.
func delta(index int, text string) string {
	return fmt.Sprintf(`"type":"stream_event" | "event":{"type":"content_block_delta","index":%d,"delta":{"type":"text_delta","text":%q}}`, index, text)
}

// A child that does everything right is not touched: the very bytes pass.
func TestRightLinesPassByteForByte(t *testing.T) {
	files, err := filepath.Glob("../../../testdata/events/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	n := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		whole := strings.HasPrefix(lines[len(lines)-1], `{"type":"result"`)
		a := run(t, options(), adopt.Outcome{Late: whole}, string(text))
		if whole && a.stdout != string(text) || !strings.HasPrefix(a.stdout, string(text)) {
			t.Errorf("%s: the lines were changed:\n%s", filepath.Base(file), a.stdout)
		}
		if whole {
			n++
		}
	}
	if n < 10 {
		t.Errorf("only %d whole runs were looked at", n)
	}
}

// A whole line is out when Write returns, and lines that come together leave in
// one write.
func TestLinesLeaveAtOnce(t *testing.T) {
	rec := &recorder{t: t}
	f := adopt.New(rec, options())
	for i, step := range []struct{ in, out string }{
		{initLine, ""},
		{"\n", initLine + "\n"},
		{line(1, hello) + "\n" + line(2, running) + "\n" + `{"type":"resu`, line(1, hello) + "\n" + line(2, running) + "\n"},
		{strings.TrimPrefix(line(3, success), `{"type":"resu`) + "\n", line(3, success) + "\n"},
	} {
		rec.buf.Reset()
		if _, err := f.Write([]byte(step.in)); err != nil || rec.buf.String() != step.out {
			t.Errorf("step %d: %v, %q, want %q", i, err, rec.buf.String(), step.out)
		}
	}
	if rec.writes != 3 {
		t.Errorf("%d writes", rec.writes)
	}
}

func TestRules(t *testing.T) {
	late := adopt.Outcome{Code: 143, Status: 143, Late: true}
	nul := func(s string) string { return strings.ReplaceAll(s, "NUL", "\x00") }
	for _, c := range []struct {
		name    string
		stdout  string
		end     adopt.Outcome
		want    string
		code    int
		foreign string   // on stderr, exactly
		notice  string   // in prose
		has     string   // in stdout
		but     []string // findings that stay
	}{
		{name: "all is right", stdout: child(hello, success), want: "init assistant success"},
		{name: "rows 8 and 140: nothing at all", end: killed(), want: "init interrupted", code: 137, has: "killed by SIGKILL"},
		{name: "row 2: exit status 0 and no result", stdout: child(hello), want: "init assistant error_during_execution", code: 1, has: `"result":"Hello."`},
		{name: "row 4: the text of a message that was not completed", stdout: child(hello, delta(1, "wo"), delta(0, "Two "), delta(1, "rld")), end: killed(), want: "init assistant stream_event stream_event stream_event interrupted", code: 137, has: `"result":"Two world"`},
		{name: "row 161: the newest text is that of the last message", stdout: child(delta(0, "Hello."), hello, strings.Replace(hello, "Hello.", "Bye.", 1), call), end: killed(), want: "init stream_event assistant assistant assistant user interrupted", code: 137, has: `"result":"Bye."`},
		{name: "no init, and deltas", stdout: line(0, delta(0, "Hello.")) + "\n" + line(1, hello) + "\n" + line(2, success) + "\n", want: "init stream_event assistant success"},

		{name: "row 46: a print in front", stdout: "Loading...\n" + child(hello, success), want: "init foreign_output assistant success", foreign: "Loading...\n", has: `now on stderr: Loading...","count":1`},
		{name: "row 55: a print in front, and no init", stdout: "Loading...\nmore\n" + line(0, hello) + "\n" + line(1, success) + "\n", want: "init assistant success", foreign: "Loading...\nmore\n", has: `Loading... count=2"]`},
		{name: "row 53: a print behind the result", stdout: child(success) + "New version!\n", want: "init success", foreign: "New version!\n"},
		{name: "row 68: escape sequences", stdout: "\x1b]0;title\a\x1b[31mred\x1b[0m" + child(success), want: "init foreign_output success", foreign: "red\n"},
		{name: "row 70: a bracketed paste marker and another code page", stdout: "\x1b[?2004h\xa9\xfa\xb5|" + child(success), want: "init foreign_output success", foreign: "\ufffd\ufffd\ufffd|\n"},
		{name: "row 98: NUL", stdout: nul("WNULsNUL\n") + child(success), want: "init foreign_output success", foreign: `W\u0000s\u0000` + "\n"},
		{name: "JSON of another kind", stdout: `{"level":"info"}` + "\n[1]\nnull\n" + child(success), want: "init foreign_output success", foreign: `{"level":"info"}` + "\n[1]\nnull\n"},

		{name: "row 37: two events on a line", stdout: initLine + "\n" + line(1, hello) + line(2, success) + "\n", want: "init assistant success"},
		{name: "row 41: a cut event and a whole one", stdout: initLine + "\n" + line(1, hello)[:90] + line(2, success) + "\n", want: "init broken_line success", notice: "not whole"},
		{name: "text before, between and behind", stdout: initLine + "\n50%\r" + line(1, hello) + "{x}" + line(2, running) + " bye\n" + line(3, success) + "\n", want: "init foreign_output assistant broken_line state foreign_output success", foreign: "50%\nno event (it is not whole): {x}\nbye\n"},
		{name: "row 43: an event inside of a cut event is data", stdout: child(call) + `{"type":"user","session_id":"s1","seq":2,"ts":"2026-01-02T03:04:05.002Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[` + line(3, success), end: killed(), want: "init assistant broken_line user interrupted", code: 137},
		{name: "row 43: an event in a string", stdout: child(strings.Replace(hello, "Hello.", strings.ReplaceAll(line(3, success), `"`, `\"`), 1)), want: "init assistant error_during_execution", code: 1},
		{name: "row 40: a torn tail", stdout: child(hello) + `{"type":"assis`, end: killed(), want: "init assistant broken_line interrupted", code: 137},
		{name: "row 44: no final newline", stdout: strings.TrimSuffix(child(hello, success), "\n"), want: "init assistant framing success"},
		{name: "row 118: a key twice", stdout: initLine + "\n" + strings.Replace(line(1, hello), `"seq":1`, `"seq":1,"seq":1`, 1) + "\n" + line(2, success) + "\n", want: "init broken_line success", notice: "a key stands twice"},
		{name: "a key twice once decoded", stdout: initLine + "\n" + strings.Replace(line(1, hello), `"seq":1`, `"seq":1,"s\u0065q":1`, 1) + "\n" + line(2, success) + "\n", want: "init broken_line success"},
		{name: "no type", stdout: initLine + "\n" + `{"session_id":"s1","seq":1}` + "\n" + line(1, success) + "\n", want: "init foreign_output success"},
		{name: "no seq", stdout: initLine + "\n" + `{"type":"user","session_id":"s1","seq":"1"}` + "\n" + line(1, success) + "\n", want: "init broken_line success"},
		{name: "too deep", stdout: initLine + "\n" + line(1, `"type":"x" | "v":`+strings.Repeat("[", 1010)+strings.Repeat("]", 1010)) + "\n" + line(2, success) + "\n", want: "init broken_line success"},
		{name: "as deep as can be", stdout: initLine + "\n" + line(1, `"type":"system","subtype":"x" | "v":`+strings.Repeat("[", 1007)+strings.Repeat("]", 1007)) + "\n" + line(2, success) + "\n", want: "init x success"},
		{name: "row 17: a result that does not say how it ended", stdout: child(`"type":"result","subtype":"mine" | "num_turns":1`), want: "init broken_line error_during_execution", code: 1},
		{name: "a result whose subtype says it", stdout: child(`"type":"result","subtype":"interrupted" | "num_turns":1`), want: "init interrupted", code: 130, but: []string{"result-flag", "result-text", "schema", "stop-reason"}},
		{name: "row 125: success that is an error", stdout: child(strings.Replace(failure, "error_during_execution", "success", 1)), want: "init success", code: 1, but: []string{"result-flag", "stop-reason", "schema"}},

		{name: "row 107: CR LF", stdout: strings.ReplaceAll(child(hello, success), "\n", "\r\n"), want: "init framing assistant success"},
		{name: "row 104: a byte order mark", stdout: "\ufeff" + child(hello, success), want: "init framing assistant success"},
		{name: "blank lines", stdout: "\n\n" + strings.ReplaceAll(child(hello, success), "\n", "\n \n"), want: "init framing assistant success"},
		{name: "blanks around", stdout: initLine + "\n  " + line(1, success) + "\t\n", want: "init framing success"},
		{name: "row 100: raw control characters", stdout: child(strings.Replace(hello, "Hello.", "\a\x1b[1mHello\t\x7f", 1), success), want: "init respelled assistant success", has: `"text":"\u0007\u001b[1mHello\t\u007f"`},
		{name: "row 109: a raw newline's kin", stdout: child(strings.Replace(hello, "Hello.", "a\tb", 1), success), want: "init respelled assistant success", has: `"text":"a\tb"`},
		{name: "row 97: line separators", stdout: child(strings.Replace(hello, "Hello.", "a\u2028b\u0085", 1), success), want: "init respelled assistant success", has: `"text":"a\u2028b\u0085"`},
		{name: "rows 70 and 103: bytes that are no UTF-8", stdout: child(strings.Replace(hello, "Hello.", "\xa9\xfaé", 1), success), want: "init respelled assistant success", has: "\"text\":\"\ufffd\ufffdé\""},

		{name: "a gap", stdout: initLine + "\n" + line(2, hello) + "\n" + line(3, success) + "\n", want: "init numbering assistant success", has: "seq 2 where 1 was due"},
		{name: "a repeat", stdout: initLine + "\n" + line(0, hello) + "\n" + line(1, success) + "\n", want: "init numbering assistant success"},
		{name: "a start that is not 0", stdout: strings.Replace(initLine, `"seq":0`, `"seq":7`, 1) + "\n" + line(8, success) + "\n", want: "init numbering success"},
		{name: "a number beyond all", stdout: initLine + "\n" + strings.Replace(line(1, success), `"seq":1`, `"seq":99999999999999999999`, 1) + "\n", want: "init numbering success"},
		{name: "a gap where a line was lost", stdout: initLine + "\n" + line(1, hello)[5:] + "\n" + line(2, success) + "\n", want: "init foreign_output success"},
		{name: "a gap where an event was cut", stdout: initLine + "\n" + line(1, hello)[:80] + "\n" + line(2, success) + "\n", want: "init broken_line success"},

		{name: "row 148: another session id", stdout: initLine + "\n" + strings.Replace(line(1, hello), "s1", "s2", 1) + "\n" + line(2, success) + "\n", want: "init session_change assistant success"},
		{name: "row 149: events before init with a throw-away id", stdout: strings.Replace(line(0, running), "s1", "hook", 1) + "\n" + child(hello, success), want: "init state session_change second_init assistant success", has: "session_id s1"},
		{name: "a second init of the session", stdout: child(running) + child(hello, success), want: "init state second_init assistant success"},
		{name: "D12: a second run", stdout: child(success) + child(hello, failure), want: "init success", notice: "behind its result is dropped: 3 lines"},
		{name: "another run in the same pipe", stdout: child(hello) + strings.ReplaceAll(child(running, failure), `"s1"`, `"s2"`) + line(2, success) + "\n", want: "init assistant other_run success"},
		{name: "row 19: a second result", stdout: child(success, failure), want: "init success", notice: "behind its result is dropped: result seq 2"},

		{name: "row 155: an open call at the result", stdout: child(call, success), want: "init assistant user success"},
		{name: "a call that was answered", stdout: child(call, back, success), want: "init assistant user success"},
		{name: "rows 20 and 155: a task and a call at a kill", stdout: child(call, begun), end: killed(), want: "init assistant task_started task_notification user interrupted", code: 137},
		{name: "a task that is over", stdout: child(begun, over, success), want: "init task_started task_notification success"},

		{name: "row 133: a success that its exit status denies", stdout: child(success), end: adopt.Outcome{Code: 7, Status: 7}, want: "init success", code: 7, notice: "exit status 7", but: []string{"exit-code"}},
		{name: "a failure with a status of its own", stdout: child(failure), end: adopt.Outcome{Code: 9, Status: 9}, want: "init error_during_execution", code: 9},
		{name: "rows 127 and 128: a failure with exit status 0", stdout: child(failure), want: "init error_during_execution", code: 1},
		{name: "row 11: the turn limit, and exit status 0", stdout: child(strings.NewReplacer("error_during_execution", "error_max_turns", `"error"`, `"max_turns"`).Replace(failure)), want: "init error_max_turns", code: 3},
		{name: "row 22: ended behind its result", stdout: child(success), end: late, want: "init success"},
		{name: "ended behind its failure", stdout: child(failure), end: late, want: "init error_during_execution", code: 1},
		{name: "a limit, and a failure of the child's", stdout: child(failure), end: adopt.Outcome{Code: 124, Status: 143, Limit: true}, want: "init error_during_execution", code: 124},
		{name: "a limit, and a success in time", stdout: child(success), end: adopt.Outcome{Code: 124, Limit: true}, want: "init success"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := run(t, options(), c.end, c.stdout).has(c.want).exit(c.code).clean(c.but...)
			if c.foreign != "" && a.foreign != c.foreign {
				t.Errorf("stderr has %q, want %q", a.foreign, c.foreign)
			}
			if !strings.Contains(strings.Join(a.notices, "\n"), c.notice) {
				t.Errorf("the notices are %q, want %q", a.notices, c.notice)
			}
			if !strings.Contains(a.stdout, c.has) {
				t.Errorf("stdout has no %s:\n%s", c.has, a.stdout)
			}
		})
	}
}
