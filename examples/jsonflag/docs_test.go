package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// snippet is a fenced block of a guide, and the output that the guide shows
// behind it.
type snippet struct {
	lang, code, output string
	shows              bool // there is such an output
}

// snippets reads the blocks that can be tried.
func snippets(t *testing.T, path string) []snippet {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var list []snippet
	parts := strings.Split(string(b), "\n```")
	for i := 1; i < len(parts); i += 2 {
		lang, code, _ := strings.Cut(parts[i], "\n")
		code += "\n"
		if lang == "output" {
			list[len(list)-1].output, list[len(list)-1].shows = code, true
			continue
		}
		list = append(list, snippet{lang: lang, code: code})
	}
	return list
}

// TestGuide tries every snippet of docs/envelope.md with the real program.
func TestGuide(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	app := appDir(t)
	tried := map[string]int{}
	for _, s := range snippets(t, filepath.Join(root, "docs", "envelope.md")) {
		name := s.lang
		t.Run(name, func(t *testing.T) {
			cmd := trial(t, s, root)
			if cmd == nil {
				return
			}
			cmd.Dir = app
			cmd.Env = append(os.Environ(), offline(t)...)
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			_ = cmd.Run() // some show a failure; their output tells
			if s.shows && stdout.String() != s.output {
				t.Errorf("%s\nprints\n%s\nand not\n%s\nstderr:\n%s", s.code, stdout.String(), s.output, stderr.String())
			}
			if !s.shows && !cmd.ProcessState.Success() {
				t.Errorf("%s\nfails:\n%s%s", s.code, stdout.String(), stderr.String())
			}
			tried[s.lang]++
		})
	}
	for _, lang := range []string{"go", "go-test"} {
		if tried[lang] == 0 {
			t.Errorf("no snippet in %s was tried", lang)
		}
	}
	t.Logf("tried: %v", tried)
}

// trial is the command that tries a snippet; nil if that can't be.
func trial(t *testing.T, s snippet, root string) *exec.Cmd {
	t.Helper()
	need := func(tool string) {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("NOT TRIED, %s is not there: %v", tool, err)
		}
	}
	dir := t.TempDir()
	switch s.lang {
	case "sh":
		need("sh")
		need("jq")
		return exec.Command("sh", "-u", "-c", s.code)
	case "python":
		need("python3")
		return exec.Command("python3", "-c", s.code)
	case "go":
		bin := filepath.Join(dir, "snippet")
		goTool(t, root, write(t, dir, "main.go", s.code), "build", "-o", bin)
		return exec.Command(bin)
	case "go-test":
		bin := filepath.Join(dir, "snippet.test")
		goTool(t, root, write(t, dir, "json_test.go", s.code), "test", "-c", "-o", bin)
		return exec.Command(bin)
	case "json":
		need("jq")
		return exec.Command("jq", "-n", "-e", "--argjson", "doc", s.code, "$doc.ok")
	}
	t.Fatalf("a block in a language that nobody tries: %q", s.lang)
	return nil
}

func write(t *testing.T, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// goTool builds a file that lies outside of the module with its packages.
func goTool(t *testing.T, root, file string, args ...string) {
	t.Helper()
	cmd := exec.Command("go", append(args, file)...)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}
