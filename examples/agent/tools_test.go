package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/emittest"
	"github.com/streamjson/streamjson/emit/event"
)

// use calls a tool on files.
func use(t *testing.T, files fs.FS, name, input string) (output, error) {
	t.Helper()
	r := emittest.Record(t, emit.Options{})
	err := r.Emit(event.Assistant{Content: []event.Block{event.ToolUse{ID: "call_1", Name: name}}})
	if err != nil {
		t.Fatal(err)
	}
	a := &agent{session: &session{files: files, script: &script{}}, actor: r.Actor}
	return a.runTool(t.Context(), call{id: "call_1", tool: name, input: json.RawMessage(input)})
}

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

func TestListFiles(t *testing.T) {
	files := fstest.MapFS{
		"a.go": file("12345"), "b.md": file("1"), "c/d.go": file("123"), "c/.hidden": file("x"),
		".git/x": file("x"), "node_modules/y.js": file("x"), "vendor.go": file(""),
	}
	out, err := use(t, files, "list_files", `{}`)
	if err != nil {
		t.Fatal(err)
	}
	if want := "a.go\t5\nb.md\t1\nc/d.go\t3\nvendor.go\t0\n"; out.text != want {
		t.Errorf("the list is %q, want %q", out.text, want)
	}
	if want := "4 files, 9 bytes, 3 of them .go"; out.summary != want {
		t.Errorf("the summary is %q, want %q", out.summary, want)
	}
	if v := out.values; v["count"] != "4" || v["size"] != "9 bytes" || v["largest"] != "a.go" || v["extension"] != ".go" {
		t.Errorf("the values are %q", v)
	}
	out, err = use(t, files, "list_files", `{"path": "./c/", "pattern": "*.go"}`)
	if err != nil || out.text != "c/d.go\t3\n" || out.summary != "1 file, 3 bytes, 1 of them .go" {
		t.Errorf("below c: %q, %q, %v", out.text, out.summary, err)
	}
}

// A directory without end is looked at for a while, and the answer says so.
func TestListFilesIsBounded(t *testing.T) {
	files := fstest.MapFS{}
	for i := range maxEntries + 10 {
		files[fmt.Sprintf("f%06d.go", i)] = file("TODO\n")
	}
	out, err := use(t, files, "list_files", `{}`)
	if err != nil || out.values["count"] != "more than 9999" || !strings.HasPrefix(out.summary, "at least 9999 files") {
		t.Errorf("%q, %q, %v", out.values, out.summary, err)
	}
	if len(out.text) > maxText+100 || !strings.Contains(out.text, "files more were left out]\n[there is more than the 10000 entries") {
		t.Errorf("%d bytes that end in %q", len(out.text), out.text[max(0, len(out.text)-120):])
	}
	out, err = use(t, files, "search_text", `{"text": "TODO"}`)
	if err != nil || out.values["count"] != "more than 9999" || strings.Count(out.text, "TODO") != maxMatches {
		t.Errorf("%q, %v", out.values, err)
	}
}

func TestReadFile(t *testing.T) {
	long := strings.Repeat("äöü\n", maxText) // its characters lie across the limit
	files := fstest.MapFS{
		"a": file("\n  first \nsecond"), "empty": file(""), "binary": file("a\x00b"),
		"latin": file("gr\xfc\xdfe\n"), "long": file(long), "dir/x": file("x"),
	}
	for name, want := range map[string]string{
		"a":      "text \"\\n  first \\nsecond\", 3 lines, 16 bytes",
		"empty":  "text \"\", 0 lines, 0 bytes",
		"latin":  "text \"gr\ufffde\\n\", 1 line, 6 bytes",
		"binary": "error binary is not text (3 bytes)",
		"dir":    "error dir is not a regular file",
		"none":   "error none: file does not exist",
		"/a":     `error "/a" is not in the working directory: give a path relative to it`,
		"../a":   `error "../a" is not in the working directory: give a path relative to it`,
	} {
		out, err := use(t, files, "read_file", fmt.Sprintf(`{"path": %q}`, name))
		got := fmt.Sprintf("text %q, %s", out.text, out.summary)
		if err != nil {
			got = "error " + err.Error()
		}
		if got != want {
			t.Errorf("read_file %s: %s, want %s", name, got, want)
		}
	}
	out, err := use(t, files, "read_file", `{"path": "long"}`)
	if err != nil || !utf8.ValidString(out.text) || strings.Contains(out.text, "\ufffd") || len(out.text) > maxText+100 {
		t.Errorf("a long file: %d bytes, %v", len(out.text), err)
	}
	if want := fmt.Sprintf("%d", maxText); out.values["lines"] != want || !strings.HasSuffix(out.text, "more were left out]") {
		t.Errorf("a long file: %q lines, want %s; it ends in %q", out.values["lines"], want, out.text[len(out.text)-40:])
	}
}

func TestSearchText(t *testing.T) {
	files := fstest.MapFS{
		"a": file("one\ntwo words\n\ttwo more"), "b/c": file("two\x00"), "b/d.go": file("// two\n"),
		"e": file(strings.Repeat("x", 2*maxMatch) + " two\n"),
	}
	out, err := use(t, files, "search_text", `{"text": "two"}`)
	want := "a:2: two words\na:3: two more\nb/d.go:1: // two\ne:1: " + strings.Repeat("x", maxMatch) + "\n"
	if err != nil || out.text != want || out.summary != "4 lines in 3 files" {
		t.Errorf("%q, %q, %v", out.text, out.summary, err)
	}
	out, err = use(t, files, "search_text", `{"text": "two", "pattern": "*.go", "path": "b"}`)
	if err != nil || out.text != "b/d.go:1: // two\n" || out.values["count"] != "1" || out.values["files"] != "1" {
		t.Errorf("%q, %q, %v", out.text, out.values, err)
	}
}

// A model can't reach beyond the directory, nor have the agent wait for ever
// by naming a FIFO.
func TestPathsOnDisk(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	makeFIFO(t, filepath.Join(dir, "fifo"))
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, name := range []string{"link", "fifo"} {
		if out, err := use(t, root.FS(), "read_file", fmt.Sprintf(`{"path": %q}`, name)); err == nil {
			t.Errorf("read_file %s: %q", name, out.text)
		}
	}
	out, err := use(t, root.FS(), "search_text", `{"text": "secret"}`)
	if err != nil || out.text != "" {
		t.Errorf("search_text: %q, %v", out.text, err)
	}
}

func TestRunCommand(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are those of a shell")
	}
	for _, c := range []struct{ rule, script, text, failure string }{
		{"stdout, then stderr", "echo a; echo b >&2; echo c", "a\nc\n[stderr]\nb\n", ""},
		{"an exit status", "echo no; exit 3", "no\n", "sh: exit status 3"},
		{"a signal", "kill -KILL $$", "", "sh: ended by SIGKILL"},
		{"no stdin", "cat; echo done", "done\n", ""},
		{"what is left behind holds nothing up", "sleep 3600 & echo started", "started\n", ""},
		{"nor with a failure", "sleep 3600 & echo started; exit 1", "started\n", "sh: exit status 1"},
		{"bytes that are no text", `printf 'a\377b'`, "a\ufffdb", ""},
	} {
		out, err := use(t, nil, "run_command", fmt.Sprintf(`{"argv": ["sh", "-c", %q]}`, c.script))
		want, summary := c.text, "sh: exit status 0"
		if c.failure != "" {
			want, summary = c.text+"["+c.failure+"]", c.failure
		}
		if err != nil || out.text != want || out.summary != summary || out.failed != (c.failure != "") {
			t.Errorf("%s: %q, %q, %v, want %q, %q", c.rule, out.text, out.summary, err, want, summary)
		}
	}
	out, err := use(t, nil, "run_command", `{"argv": ["sh", "-c", "echo one; echo two three"]}`)
	if err != nil || out.values["lines"] != "2" || out.values["word"] != "one" || out.values["code"] != "0" {
		t.Errorf("the values are %q, %v", out.values, err)
	}
	// Of a long output the beginning and the end are kept. Nobody knows then how
	// many lines it had.
	out, err = use(t, nil, "run_command", `{"argv": ["sh", "-c", "head -c 1000000 /dev/zero | tr '\\0' x; echo; echo end"]}`)
	if _, known := out.values["lines"]; err != nil || len(out.text) > maxText+100 || known || !strings.Contains(out.text, " left out]\n") || !strings.HasSuffix(out.text, "x\nend\n") {
		t.Errorf("a long output: %d bytes, %q, %v", len(out.text), out.values, err)
	}
	out, err = use(t, nil, "run_command", `{"argv": ["sh", "-c", "echo waiting; exec sleep 3600"], "seconds": 0.2}`)
	const limit = "the time limit is reached: sh was ended after 200ms"
	if err != nil || !out.failed || out.summary != limit || strings.TrimPrefix(out.text, "waiting\n") != "["+limit+"]" {
		t.Errorf("a time limit: %q, %v", out.text, err)
	}
	for _, input := range []string{`{}`, `{"argv": []}`, `{"argv": [""]}`, `{"argv": ["true"], "seconds": 0}`, `{"argv": ["true"], "seconds": 1e99}`, `{"argv": "true"}`} {
		if _, err := use(t, nil, "run_command", input); err == nil {
			t.Errorf("run_command %s passed", input)
		}
	}
}

// A noFiles is a directory that nobody may look into.
type noFiles struct{ t *testing.T }

func (f noFiles) Open(name string) (fs.File, error) {
	f.t.Errorf("%s was opened", name)
	return nil, fs.ErrNotExist
}

// A cancelled run starts nothing, also no tool that does not look at the
// context itself.
func TestCancelledToolDoesNotStart(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("cause")
	cancel(cause)
	a := &agent{session: &session{files: noFiles{t}}}
	_, err := a.callTool(ctx, call{id: "c", tool: "read_file", input: json.RawMessage(`{"path": "x"}`)})
	if err != cause { //nolint:errorlint // the cause itself
		t.Errorf("the error is %v, want the cause", err)
	}
}

// A lateModel is a model that wants a tool, and the run is cancelled at the
// very moment.
type lateModel struct{ cancel func() }

func (m lateModel) reply(_ context.Context, msg *emit.Message, _ results) (reply, error) {
	err := errors.Join(msg.Text("I call "), msg.ToolUse("call_1", "read_file", map[string]any{"path": "x"}))
	m.cancel()
	return reply{calls: []call{{id: "call_1", tool: "read_file"}}}, err
}

// A call that is never going to run is not announced.
func TestCancelledCallIsNotAnnounced(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var stdout bytes.Buffer
	em, err := emit.New(ctx, emit.Options{Stdout: &stdout, Stderr: io.Discard, Partial: true})
	if err != nil {
		t.Fatal(err)
	}
	_ = em.Do(func(ctx context.Context) error { // it is cancelled, as told
		a := &agent{session: &session{em: em, files: noFiles{t}, config: config{maxTurns: noLimit}}, actor: em.Actor, model: lateModel{cancel}}
		_, err := a.work(ctx)
		return err
	})
	o, err := checkStream(stdout.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if r := o.result(); r.Subtype != "interrupted" || *r.Result != "I call " || o.used() != "" {
		t.Errorf("the result is %s, %q; the tools called are %q", r.Subtype, *r.Result, o.used())
	}
}

func TestSizes(t *testing.T) {
	for n, want := range map[int64]string{0: "0 bytes", 1: "1 byte", 999: "999 bytes", 1500: "1.5 kB", 2_000_000: "2.0 MB"} {
		if got := size(n); got != want {
			t.Errorf("size(%d) = %s, want %s", n, got, want)
		}
	}
}
