package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// project makes a small project and works in it.
func project(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"README.md":        "# Größe\n\nTODO: more.\n",
		"main.go":          "package main\n\nfunc main() {}\n",
		"lib/lib.go":       "package lib\n\n// TODO: this.\n// TODO: that.\n" + strings.Repeat("// more\n", 60),
		"lib/lib_test.go":  "package lib",
		".git/HEAD":        "TODO: hidden\n",
		"vendor/v/v.go":    "package v // TODO: not ours\n",
		"docs/handbook.md": "# Handbook\n\n## Part\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
}

// An outcome is how a run is to end. The formats must agree on it.
type outcome struct {
	name    string
	args    []string
	code    int
	subtype string
	stop    string
	text    string // the final text; "-": it depends on the moment
	errors  string // a part of the errors; "": there are none
	used    string // the tools that were called; "-": that, too, or their order
}

func outcomes() []outcome {
	script := func(name string) string { return "--script=" + scriptPath(name) }
	const interrupted, failed, limit = "interrupted", "error_during_execution", "error_max_turns"
	return []outcome{
		{"refuse", []string{script("refuse.script")}, 0, "refused", "refusal", "I won’t help with that.", "", ""},
		{"cut off", []string{script("cut.script")}, 0, "success", "max_tokens", "This sentence has no", "", ""},
		{"error return", []string{script("fail.script")}, 1, failed, "error", "I was about to say", "500 internal server error", ""},
		{"warning", []string{script("warn.script")}, 0, "success", "end_turn", "Never mind.", "", ""},
		{"retry", []string{script("retry.script")}, 0, "success", "end_turn", "That was 5 of them.", "", "list_files"},
		{"retries run out", []string{script("exhausted.script")}, 1, failed, "error", "Three", "gave up after 3 attempts: overloaded", ""},
		{"panic in the body", []string{script("panic.script")}, 1, failed, "error", "About to", "panic: the model is confused", "list_files"},
		{"panic under Go", []string{script("panic-go.script")}, 1, failed, "error", "About to", "panic: a goroutine is confused", ""},
		{"panic, nested", []string{script("panic-nested.script")}, 1, failed, "error", "Two agents.", "panic: the sub-agent is confused", "start_agent start_agent"},
		{"panic of the only tool", []string{script("panic-alone.script")}, 1, failed, "error", "One agent.", "panic: the only one is confused", "start_agent"},
		{"panic under Go, nested", []string{script("panic-go-nested.script")}, 1, failed, "error", "", "panic: deep down, a goroutine is confused", "start_agent"},
		{"no turn allowed", []string{"--max-turns=0"}, 3, limit, "max_turns", "", "--max-turns 0", ""},
		{"one turn allowed", []string{"--max-turns", "1"}, 3, limit, "max_turns", "I’ll look around before I answer.", "--max-turns 1", "list_files search_text"},
		{"as many turns as are needed", []string{"--max-turns=2", script("retry.script")}, 0, "success", "end_turn", "That was 5 of them.", "", "list_files"},
		{"a loop", []string{"--max-turns=3", script("loop.script")}, 3, limit, "max_turns", "Once more.", "--max-turns 3", "list_files list_files list_files"},
		{"no time at all", []string{"--timeout=1ns"}, 124, failed, "error", "", "--timeout 1ns", ""},
		{"a time limit", []string{"--timeout=50ms", script("wait.script")}, 124, failed, "error", "-", "--timeout 50ms", "-"},
		{"a time limit for sub-agents", []string{"--timeout=300ms", script("interrupt.script")}, 124, failed, "error", "-", "--timeout 300ms", "-"},
		{"an unreadable script", []string{"--script=no/such.script"}, 1, failed, "error", "", "no/such.script:1: no such file or directory", ""},
		{"a directory for a script", []string{"--script=lib"}, 1, failed, "error", "", "lib:1: is a directory", ""},
		{"a malformed script", []string{"--script=README.md"}, 1, failed, "error", "", `README.md:3: "TODO:" is no verb`, ""},
		{"tools that fail", []string{script("wrong.script")}, 0, "success", "end_turn", wrongText, "", "-"},
		{"sub-agents that fail", []string{"--max-turns=2", script("agents.script")}, 0, "success", "end_turn", "weak: the model call failed: 529 overloaded\nshy: the model refused\nbusy: the turn limit is reached: --max-turns 2", "", "-"},
		{"agents within agents", []string{script("deep.script")}, 0, "success", "end_turn", "asked to dig, heard: asked to dig deeper, heard: asked to dig deeper deeper, heard: agents start agents no more than 3 deep", "", "start_agent start_agent start_agent start_agent"},
	}
}

const wrongText = `rocket: no tool is called "launch_rocket": use one of list_files, read_file, search_text, run_command, start_agent
member: the arguments of read_file: json: unknown field "file"
path: "../secret" is not in the working directory: give a path relative to it
agent: the script has no sub-agents
false: false: exit status 1
program: can't start "no-such-program-anywhere": no program of that name is in PATH; check the name, or give its path
pattern: the pattern "[": syntax error in pattern
search: text is empty: say what to search for`

// Every way to end is one result that tells the truth, and the three formats
// say the same: the final text, the exit status, the errors. Cases 7, 8, 10,
// 11, 125, 128 and 134.
func TestOutcomes(t *testing.T) {
	project(t)
	for _, want := range outcomes() {
		t.Run(want.name, func(t *testing.T) {
			for _, partial := range []string{"--include-partial-messages=true", "--include-partial-messages=false"} {
				// Nothing in here may need the time to wind down.
				args := append([]string{partial, "--grace=1h", "--output-format=stream-json"}, append(want.args, "go")...)
				want.checkStream(t, inProcess(t, args...))
			}
			doc := inProcess(t, append([]string{"--output-format=json"}, append(want.args, "go")...)...)
			l, err := checkDocument(doc.stdout)
			if err != nil {
				t.Fatal(err)
			}
			want.check(t, doc.code, l)
			want.checkText(t, inProcess(t, append(want.args, "go")...))
		})
	}
}

func (want outcome) checkStream(t *testing.T, f finished) {
	t.Helper()
	o := f.stream(t)
	want.check(t, f.code, o.result())
	if got := o.used(); got != want.used && want.used != "-" {
		t.Errorf("the tools called are %q, want %q", got, want.used)
	}
}

func (want outcome) check(t *testing.T, code int, r line) {
	t.Helper()
	errors := strings.Join(r.Errors, "\n")
	switch {
	case code != want.code:
		t.Errorf("exit status %d, want %d (%q)", code, want.code, errors)
	case r.Subtype != want.subtype || r.Stop != want.stop:
		t.Errorf("the result is %s, %s, want %s, %s", r.Subtype, r.Stop, want.subtype, want.stop)
	case *r.Result != want.text && want.text != "-":
		t.Errorf("the text is %q, want %q", *r.Result, want.text)
	case !strings.Contains(errors, want.errors) || (errors == "") != (want.errors == ""):
		t.Errorf("the errors are %q, want %q", errors, want.errors)
	}
}

// checkText checks the format text: the final text, and the errors on stderr.
func (want outcome) checkText(t *testing.T, f finished) {
	t.Helper()
	text := want.text
	if text != "" {
		text += "\n"
	}
	switch {
	case f.code != want.code:
		t.Errorf("text: exit status %d, want %d", f.code, want.code)
	case string(f.stdout) != text && want.text != "-":
		t.Errorf("text: stdout is %q, want %q", f.stdout, text)
	case !strings.Contains(string(f.stderr), want.errors):
		t.Errorf("text: stderr is %q, want %q in it", f.stderr, want.errors)
	}
}

// The run that everyone tries first. What it says is true of the project.
func TestDefaultScript(t *testing.T) {
	project(t)
	const want = "This project has 5 files, 606 bytes, 3 of them .go.\n" +
		"\n" +
		"• README.md begins: # Größe\n" +
		"• Largest file: lib/lib.go; lines in it, by wc: 64\n" +
		"• Source (.go): 3 files, 563 bytes, 3 of them .go; largest: lib/lib.go, lines in it: 64\n" +
		"• Prose (.md): 2 files, 43 bytes, 2 of them .md; “# ” stands on 3 lines in 2 files\n" +
		"• The word TODO: 3 lines in 2 files"
	f := inProcess(t, streaming()...)
	o := f.stream(t)
	r := o.result()
	if f.code != 0 || r.Subtype != "success" || *r.Result != want {
		t.Errorf("exit status %d, %s:\n%s\nwant:\n%s", f.code, r.Subtype, *r.Result, want)
	}
	if r.Usage == nil || r.Usage.Input != 412+590+730+1102+96+140+188+101+150 {
		t.Errorf("the usage is %+v: it must hold that of all agents", r.Usage)
	}
	if len(f.stderr) > 0 {
		t.Errorf("stderr: %s", f.stderr)
	}
	seen := map[string]int{}
	for _, l := range o.lines {
		seen[l.Type+" "+l.Subtype+l.Event.Type]++
		if l.Event.Delta.Thinking != "" {
			seen["thinking"]++
		}
		if l.Sum != nil && l.Sum.Summary == "" {
			t.Errorf("line %d: a tool result without a summary", *l.Seq)
		}
	}
	for _, kind := range []string{
		"stream_event content_block_delta", "stream_event tool_args_delta", "thinking", "assistant ", "user ",
		"system task_started", "system task_progress", "system task_notification",
	} {
		if seen[kind] == 0 {
			t.Errorf("the run shows no %s", kind)
		}
	}
	if n := seen["system task_started"]; n != 3 { // a command, and
		t.Errorf("%d tasks were started, want a command and 2 sub-agents", n)
	}
}

// In a directory that is no project nothing is known, and nothing is made up.
func TestDefaultScriptInAnEmptyDirectory(t *testing.T) {
	t.Chdir(t.TempDir())
	f := inProcess(t, "--output-format=json", "how big is this project?")
	l, err := checkDocument(f.stdout)
	if err != nil || f.code != 0 {
		t.Fatalf("exit status %d: %v", f.code, err)
	}
	for _, part := range []string{"0 files", "nothing that could be read", "by wc: unknown"} {
		if !strings.Contains(*l.Result, part) {
			t.Errorf("the text does not say %q: %s", part, *l.Result)
		}
	}
}

// A link does not lead out of the directory.
func TestLinksStayInside(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("the secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.Symlink(outside, "link"); err != nil {
		t.Skip(err)
	}
	path := writeScript(t, "turn\ncall read_file {\"path\": \"link\"}\nturn\nsay It says: ${read_file}\n")
	f := inProcess(t, "--script", path, "go")
	if text := string(f.stdout); f.code != 0 || !strings.Contains(text, "path escapes") {
		t.Errorf("exit status %d: %s", f.code, text)
	}
}

// A warning stands on stderr and in the stream.
func TestWarningIsMirrored(t *testing.T) {
	f := inProcess(t, streaming("--script", scriptPath("warn.script"))...)
	const text = "the context window is nearly full"
	found := false
	for _, l := range f.stream(t).lines {
		found = found || l.Subtype == "warning" && l.Message.text == text
	}
	if !found || string(f.stderr) != "warning: "+text+"\n" {
		t.Errorf("in the stream: %v; stderr: %q", found, f.stderr)
	}
}

// That of a sub-agent is marked as its own.
func TestWarningOfASubAgent(t *testing.T) {
	path := writeScript(t, "turn\ncall start_agent {\"agent\": \"a\"}\nturn\nsay ok\nagent a\nturn\nwarn careful\nsay done\n")
	f := inProcess(t, streaming("--script", path)...)
	for _, l := range f.stream(t).lines {
		if l.Subtype == "warning" {
			if l.actor() != "call_1" || l.Message.text != "careful" {
				t.Errorf("%q is written as %q", l.Message.text, l.actor())
			}
			return
		}
	}
	t.Error("there is no warning in the stream")
}

// A retry voids what was streamed, and says that the run goes on.
func TestRetry(t *testing.T) {
	project(t)
	o := inProcess(t, streaming("--script", scriptPath("retry.script"))...).stream(t)
	var order []string
	for _, l := range o.lines {
		switch {
		case l.Event.Type == "deltas_discarded" || l.Subtype == "error" || l.Type == "assistant":
			order = append(order, l.Type+" "+l.Subtype+l.Event.Type)
		}
	}
	want := "stream_event deltas_discarded, system error, stream_event deltas_discarded, system error, assistant , assistant "
	if got := strings.Join(order, ", "); got != want {
		t.Errorf("the stream holds %s, want %s", got, want)
	}
}

// --verbose tells what the tools do, on stderr alone.
func TestVerbose(t *testing.T) {
	project(t)
	f := inProcess(t, "--verbose", "--output-format=stream-json", "--script", scriptPath("loop.script"), "--max-turns=1", "go")
	f.stream(t)
	if text := string(f.stderr); !strings.Contains(text, "info: list_files: 5 files, 606 bytes, 3 of them .go id=call_1") {
		t.Errorf("stderr: %s", text)
	}
}
