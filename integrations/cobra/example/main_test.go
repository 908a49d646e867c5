package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/streamjson/streamjson/envelope"
	"github.com/streamjson/streamjson/envelope/envelopetest"
)

// TestMain also is the program, so that the tests run real processes.
func TestMain(m *testing.M) {
	if os.Getenv("EXAMPLE_PROGRAM") != "" {
		main()
	}
	goleak.VerifyTestMain(m)
}

// module is a directory with a module that needs no network.
func module(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for path, text := range map[string]string{
		"go.mod": "module example.com/app\n\ngo 1.25\n\nrequire example.com/a v1.0.0\n\nrequire example.com/b v1.2.0 // indirect\n\n" +
			"replace example.com/a v1.0.0 => ./a\n\nreplace example.com/b v1.2.0 => ./b\n",
		"a/go.mod": "module example.com/a\n\ngo 1.25\n\nrequire example.com/b v1.2.0\n",
		"b/go.mod": "module example.com/b\n\ngo 1.25\n",
	} {
		path = filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func offline(t *testing.T) []string {
	t.Helper()
	return []string{"EXAMPLE_PROGRAM=1", "GOPROXY=off", "GOFLAGS=", "GOTOOLCHAIN=local", "GORACE=atexit_sleep_ms=0"}
}

func TestGuard(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range root().Commands() {
		names = append(names, c.Name())
	}
	envelopetest.Guard{
		Program:  []string{self},
		Dir:      module(t),
		Env:      offline(t),
		Commands: names,
		Stable: []envelopetest.Command{
			{Name: "list", Fail: []string{"--match", "["}},
			{Name: "show", OK: []string{"example.com/a"}, Fail: []string{"no/such/module"}},
			{Name: "why", OK: []string{"example.com/b"}, Fail: []string{"no/such/module"}},
		},
		Pending: []envelopetest.Command{
			{Name: "graph", Why: "the shape of its data is not settled"},
		},
	}.Test(t)
}

// TestEveryPath: rows 136 and 137 of the field cases on the real program.
func TestEveryPath(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := module(t)
	for args, want := range map[string]int{
		"list --json":                  0,
		"list --json --nosuch":         2,
		"list --nosuch --json":         2,
		"--json list --nosuch":         2,
		"nosuch --json":                2,
		"show --json":                  2,
		"show --json no/such/module":   1,
		"show no/such/module --json":   1,
		"graph --json":                 2,
		"--help --json":                0,
		"help why --json":              0,
		"completion zsh --json":        0,
		"-C nowhere list --json":       1,
		"list --json=perhaps":          2,
		"list --match=* --json -C .":   0,
		"list --direct --match --json": -1, // the value of --match
	} {
		cmd := exec.Command(self, strings.Fields(args)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), offline(t)...)
		var stdout bytes.Buffer
		cmd.Stdout = &stdout
		code := 0
		var exit *exec.ExitError
		if err := cmd.Run(); errors.As(err, &exit) {
			code = exit.ExitCode()
		} else if err != nil {
			t.Fatal(err)
		}
		if want < 0 {
			if envelope.IsEnvelope(stdout.Bytes()) || code != 0 {
				t.Errorf("%s: exit status %d, %s", args, code, stdout.Bytes())
			}
			continue
		}
		e, err := envelope.Decode[any](stdout.Bytes())
		if err := errors.Join(err, envelope.ValidateStrict(stdout.Bytes())); err != nil || code != want || e.OK != (code == 0) {
			t.Errorf("%s: exit status %d, want %d; %v\n%s", args, code, want, err, stdout.Bytes())
		}
	}
}
