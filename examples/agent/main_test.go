package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"
)

// TestMain makes a command of the test binary, so that scripts and tests can
// start the program as a real process, with its exit status and its signals.
func TestMain(m *testing.M) {
	// Tests change the directory.
	scripts, err := filepath.Abs(filepath.Join("testdata", "scripts"))
	if err != nil {
		panic(err)
	}
	os.Setenv("SCRIPTS", scripts)
	// A binary that was built for finding races sleeps for a second at its end.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	testscript.Main(leakChecked{m}, map[string]func(){"agent": main})
}

// leakChecked is goleak.VerifyTestMain for testscript.Main.
type leakChecked struct{ m *testing.M }

func (l leakChecked) Run() int {
	code := l.m.Run()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return code
}

// TestCommand runs the scripts in testdata/cli. Beyond testscript's own they
// have two commands:
//
//	exits CODE agent ARGS...   runs it and checks the exit status
//	stream SUBTYPE             stdout is a whole stream with that result
func TestCommand(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/cli",
		Setup: func(env *testscript.Env) error {
			env.Setenv("SCRIPTS", os.Getenv("SCRIPTS"))
			env.Setenv("GORACE", os.Getenv("GORACE"))
			return nil
		},
		Condition: func(cond string) (bool, error) {
			if cond == "devfull" {
				_, err := os.Stat("/dev/full")
				return err == nil, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":  exits,
			"stream": stream,
		},
	})
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARGS...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code := 0
	err = ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if code != want {
		ts.Fatalf("exit status %d, want %d; stderr:\n%s", code, want, ts.ReadFile("stderr"))
	}
}

func stream(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: stream SUBTYPE")
	}
	o, err := checkStream([]byte(ts.ReadFile("stdout")))
	ts.Check(err)
	if got := o.result().Subtype; got != args[0] {
		ts.Fatalf("the result is %s (%q), want %s", got, o.result().Errors, args[0])
	}
	ts.Check(proseOnly(ts.ReadFile("stderr")))
}

// proseOnly says whether anything that belongs on stdout stands on stderr.
func proseOnly(stderr string) error {
	for line := range strings.Lines(stderr) {
		if strings.HasPrefix(line, "{") {
			return fmt.Errorf("stderr holds JSON: %s", line)
		}
	}
	return nil
}

// A finished run: what the program left.
type finished struct {
	code           int
	stdout, stderr []byte
}

// inProcess runs the program within the test.
func inProcess(t *testing.T, args ...string) finished {
	t.Helper()
	var stdout, stderr bytes.Buffer
	stdin, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	code := run(args, stdin, &stdout, &stderr)
	if err := proseOnly(stderr.String()); err != nil {
		t.Error(err)
	}
	return finished{code, stdout.Bytes(), stderr.Bytes()}
}

// stream checks the run's stdout.
func (f finished) stream(t *testing.T) *oracle {
	t.Helper()
	o, err := checkStream(f.stdout)
	if err != nil {
		t.Fatalf("%v\nstderr:\n%s", err, f.stderr)
	}
	if (f.code == 0) == o.result().IsError {
		t.Errorf("exit status %d with is_error %v", f.code, o.result().IsError)
	}
	return o
}

// scriptPath returns the absolute path of a script in testdata.
func scriptPath(name string) string { return filepath.Join(os.Getenv("SCRIPTS"), name) }

// writeScript writes a script of a test's own.
func writeScript(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.script")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// streaming returns arguments for a stream with deltas.
func streaming(args ...string) []string {
	return append([]string{"--output-format=stream-json", "--include-partial-messages"}, append(args, "go")...)
}
