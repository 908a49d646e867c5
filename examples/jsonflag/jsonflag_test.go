package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"
	"go.uber.org/goleak"

	"github.com/streamjson/streamjson/envelope"
	"github.com/streamjson/streamjson/envelope/envelopetest"
)

// TestMain makes the test binary the program, too, so that the scripts run real
// processes.
func TestMain(m *testing.M) {
	testscript.Main(leakChecked{m}, map[string]func(){"jsonflag": main})
}

type leakChecked struct{ *testing.M }

func (m leakChecked) Run() int {
	code := m.M.Run()
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// offline is the environment of the go command in a test: what is there, and no
// network.
func offline(t testing.TB) []string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE").Output()
	if err != nil {
		t.Fatalf("go env: %v", err)
	}
	dirs := strings.Fields(string(out))
	return []string{
		"GOCACHE=" + dirs[0], "GOMODCACHE=" + dirs[1],
		"GOPROXY=off", "GOFLAGS=", "GOWORK=off", "GOTOOLCHAIN=local", "GORACE=atexit_sleep_ms=0",
	}
}

// extract writes the files of an archive below dir.
func extract(dir, archive string) error {
	a, err := txtar.ParseFile(archive)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return txtar.Write(a, dir)
}

// appDir is a directory with the module of testdata/app.txtar.
func appDir(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if err := extract(dir, "testdata/app.txtar"); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestScripts(t *testing.T) {
	env := offline(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Vars = append(e.Vars, env...)
			return extract(filepath.Join(e.WorkDir, "app"), "testdata/app.txtar")
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"answer": answer},
	})
}

// answer runs a command and checks that its stdout is exactly one strict
// envelope whose ok says what the exit status says: answer STATUS CMD ARGS...
// The document stays in stdout for the commands that follow.
func answer(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	if err != nil || neg {
		ts.Fatalf("usage: answer STATUS CMD ARGS...")
	}
	code := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	doc := []byte(ts.ReadFile("stdout"))
	ts.Check(envelope.ValidateStrict(doc))
	e, err := envelope.Decode[any](doc)
	ts.Check(err)
	if code != want || e.OK != (code == 0) {
		ts.Fatalf("exit status %d, ok %v; want %d", code, e.OK, want)
	}
}

// TestGuard keeps --json from rotting: in-process, where it is quick.
func TestGuard(t *testing.T) {
	t.Chdir(appDir(t))
	for _, v := range offline(t) {
		name, value, _ := strings.Cut(v, "=")
		t.Setenv(name, value)
	}
	var names []string
	for _, c := range front().Commands {
		names = append(names, c.Name)
	}
	envelopetest.Guard{
		Run:      run,
		Commands: names,
		Stable: []envelopetest.Command{
			{Name: "list", Fail: []string{"-match", "["}},
			{Name: "show", OK: []string{"example.com/a"}, Fail: []string{"no/such/module"}},
			{Name: "why", OK: []string{"example.com/b"}, Fail: []string{"no/such/module"}},
		},
		Pending: []envelopetest.Command{
			{Name: "graph", Why: "the shape of its data is not settled"},
		},
	}.Test(t)
}

// TestThisModule is the main job: on the real go.mod around it.
func TestThisModule(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := run([]string{"list", "--json"}, nil, &stdout, &stderr); code != 0 {
		t.Fatalf("exit status %d\n%s", code, stderr.Bytes())
	}
	e, err := envelope.Decode[struct {
		Module       string
		Dependencies []struct{ Path, Version string }
	}](stdout.Bytes())
	if err != nil || e.Data.Module != "github.com/streamjson/streamjson" || len(e.Data.Dependencies) == 0 {
		t.Errorf("%+v, %v", e, err)
	}
}

// TestNoGo: without the go command there is an answer, too.
func TestNoGo(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	var stdout bytes.Buffer
	code := run([]string{"why", "x", "--json"}, nil, &stdout, io.Discard)
	if e, err := envelope.Decode[any](stdout.Bytes()); err != nil || code != 1 || !strings.Contains(e.Errors[0], "the go command is needed") {
		t.Errorf("exit status %d, %v\n%s", code, err, stdout.Bytes())
	}
}
