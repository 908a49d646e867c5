package envelope_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/streamjson/streamjson/envelope"
)

// TestSlowReader: rows 25 and 26 of the field cases: what is larger than a pipe
// arrives whole whatever the exit status, although the process ends at once.
func TestSlowReader(t *testing.T) {
	for _, c := range []struct {
		name, program, env string
		size, piece        int
		code               int
	}{
		{"150 KB, exit 0", "size", "FAIL=", 150 << 10, 512, 0},
		{"150 KB, exit 1", "size", "FAIL=1", 150 << 10, 512, 1},
		{"300 KB by EmitJSON and os.Exit, exit 0", "emit", "FAIL=", 300 << 10, 1 << 10, 0},
		{"300 KB by EmitJSON and os.Exit, exit 1", "emit", "FAIL=1", 300 << 10, 1 << 10, 1},
		{"100 MB, exit 0", "size", "FAIL=", 100 << 20, 4 << 10, 0},
		{"100 MB, exit 1", "size", "FAIL=1", 100 << 20, 4 << 10, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.size > 1<<20 && (testing.Short() || raceEnabled) {
				t.Skip("100 MB take some seconds: left out with -short and -race")
			}
			size := fmt.Sprint("SIZE=", c.size)
			file, fileCode := toFile(t, c.program, c.env, size)
			p := begin(t, c.program, c.env, size)
			got, err := io.ReadAll(slowly{p.stdout, c.piece})
			if err != nil {
				t.Fatal(err)
			}
			r := p.wait(got)
			if r.code != c.code || fileCode != c.code {
				t.Errorf("exit status %d to a pipe, %d to a file; want %d", r.code, fileCode, c.code)
			}
			if !bytes.Equal(r.stdout, file) {
				t.Errorf("%d bytes through the pipe, %d into the file, and they differ", len(r.stdout), len(file))
			}
			if err := envelope.ValidateStrict(r.stdout); err != nil || len(r.stdout) < c.size {
				t.Errorf("%d bytes of data in %d, %v", c.size, len(r.stdout), err)
			}
			if want := fmt.Sprintf("\n  \"ok\": %v,\n", c.code == 0); !bytes.Contains(r.stdout[:100], []byte(want)) {
				t.Errorf("exit status %d, document %s", r.code, r.stdout[:100])
			}
		})
	}
}

// toFile runs a program with stdout to a file.
func toFile(t *testing.T, name string, env ...string) (content []byte, code int) {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cmd := command(t, name, env...)
	cmd.Stdout = f
	code = exitCode(t, cmd.Run())
	content, err = os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	return content, code
}

// TestStrayPrints: rows 46, 50, 52, 53, 56, 58, 59: nothing but the document on
// stdout, whoever prints, and whenever.
func TestStrayPrints(t *testing.T) {
	for _, env := range []string{"FAIL=", "FAIL=1"} {
		r := run(t, "prints", env)
		e := mustParse(t, r.stdout)
		if e.OK != (r.code == 0) || string(e.Data) != `"quiet"` {
			t.Errorf("exit status %d, %+v", r.code, e)
		}
		for _, who := range []string{"library", "raw descriptor", "child", "grandchild", "child with descriptor 1", "marshaller", "behind Run", "deferred function"} {
			if !strings.Contains(string(r.stderr), "stray: "+who) {
				t.Errorf("the print of %s is lost; stderr:\n%s", who, r.stderr)
			}
		}
	}
	if r := run(t, "late"); r.code != 0 || !mustParse(t, r.stdout).OK ||
		!strings.Contains(string(r.stderr), "too late for the document") || !strings.Contains(string(r.stderr), "update check") {
		t.Errorf("late prints: exit status %d\n%s\n%s", r.code, r.stdout, r.stderr)
	}
}

// TestMergedStreams: row 64: under 2>&1 there is still one document and nothing
// else, on success and on failure.
func TestMergedStreams(t *testing.T) {
	for _, c := range []struct{ name, env string }{
		{"prints", "FAIL="},
		{"prints", "FAIL=1"},
		{"pick", "CASE=warn"},
		{"pick", "CASE=panic"},
		{"pick", "CASE=usage"},
		{"late", ""},
	} {
		for _, kind := range []string{"pipe", "file"} {
			t.Run(c.name+" "+c.env+" "+kind, func(t *testing.T) {
				both, read := merged(t, kind)
				cmd := command(t, c.name, c.env)
				cmd.Stdout, cmd.Stderr = both, both
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				out := read()
				code := exitCode(t, cmd.Wait())
				if kind == "file" {
					out = read()
				}
				if e := mustParse(t, out); e.OK != (code == 0) {
					t.Errorf("exit status %d, ok %v", code, e.OK)
				}
			})
		}
	}
}

// merged returns a file for both streams of a child, and what reads the other end.
func merged(t *testing.T, kind string) (*os.File, func() []byte) {
	t.Helper()
	if kind == "file" {
		f, err := os.OpenFile(filepath.Join(t.TempDir(), "both"), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return f, func() []byte {
			b, err := os.ReadFile(f.Name())
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return w, func() []byte {
		_ = w.Close()
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
}

// TestOutcomes: rows 61, 122, 125, 127, 128, 130, 140, 142: each way to end, with
// the same exit status for programs and for people, and each stream with what
// belongs to it.
func TestOutcomes(t *testing.T) {
	for _, c := range []struct {
		name   string
		code   int
		data   string
		errors []string
		stderr []string // in both modes, in this order
		human  string
	}{
		{"ok", 0, `"data"`, nil, nil, "human: data\n"},
		{"warn", 0, `"data"`, nil, []string{"prog: warning: beware"}, "human: data\n"},
		{"error", 1, "null", []string{"no such module"}, []string{"prog: no such module"}, ""},
		{"partial", 1, `"some"`, []string{"the rest is missing", "hint: try again"}, []string{"prog: the rest is missing", "prog: hint: try again"}, "human: some\n"},
		{"joined", 1, "null", []string{"first", "second"}, []string{"prog: first", "prog: second"}, ""},
		{"status", 42, "null", []string{"special"}, []string{"prog: special"}, ""},
		{"usage", 2, "null", []string{"MODULE is missing"}, []string{"prog: MODULE is missing", "Usage: prog MODULE"}, ""},
		{"panic", 1, "null", nil, []string{"prog: panic: broken invariant", "programs_test.go"}, ""},
		{"goexit", 1, "null", []string{"the command ended its goroutine without returning (runtime.Goexit)"}, []string{"prog: the command ended", "programs_test.go"}, ""},
		{"timeout", 124, "null", []string{"the time limit of 20ms ended the command"}, []string{"prog: the time limit of 20ms ended the command"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := run(t, "pick", "CASE="+c.name, "TIMEOUT="+map[bool]string{true: "20ms"}[c.name == "timeout"])
			e := mustParse(t, r.stdout)
			if r.code != c.code || e.OK != (c.code == 0) || string(e.Data) != c.data {
				t.Errorf("JSON: exit status %d\n%s", r.code, r.stdout)
			}
			if c.errors != nil && fmt.Sprintf("%q", e.Errors) != fmt.Sprintf("%q", c.errors) {
				t.Errorf("errors %q, want %q", e.Errors, c.errors)
			}
			inOrder(t, r.stderr, c.stderr)
			h := run(t, "pick", "CASE="+c.name, "MODE=human", "TIMEOUT="+map[bool]string{true: "20ms"}[c.name == "timeout"])
			if h.code != c.code || string(h.stdout) != c.human {
				t.Errorf("for people: exit status %d, stdout %q; want %d, %q", h.code, h.stdout, c.code, c.human)
			}
			inOrder(t, h.stderr, c.stderr)
		})
	}
	t.Run("row 112: NaN", func(t *testing.T) {
		r := run(t, "pick", "CASE=nan")
		if e := mustParse(t, r.stdout); r.code != 1 || e.OK || string(e.Data) != "null" {
			t.Errorf("exit status %d\n%s", r.code, r.stdout)
		}
	})
}

// inOrder checks that stderr has all parts in order, and is empty if there are none.
func inOrder(t *testing.T, stderr []byte, parts []string) {
	t.Helper()
	if len(parts) == 0 && len(stderr) > 0 {
		t.Errorf("stderr should be empty:\n%s", stderr)
	}
	rest := string(stderr)
	for _, p := range parts {
		_, after, ok := strings.Cut(rest, p)
		if !ok {
			t.Errorf("stderr lacks %q at its place:\n%s", p, stderr)
			return
		}
		rest = after
	}
}

// TestNestedRun: one process, one answer.
func TestNestedRun(t *testing.T) {
	r := run(t, "nested")
	e := mustParse(t, r.stdout)
	if r.code != 0 || !strings.Contains(string(e.Data), `"inner": 74`) || !strings.Contains(string(r.stderr), "stdout belongs to another run") {
		t.Errorf("exit status %d\n%s\n%s", r.code, r.stdout, r.stderr)
	}
}
