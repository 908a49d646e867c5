//go:build unix

package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/streamjson/streamjson/contract"
)

// asMain in the environment makes the test binary the program.
const asMain = "WRAPCMD_AS_MAIN=1"

func TestMain(m *testing.M) {
	if name, value, _ := strings.Cut(asMain, "="); os.Getenv(name) == value {
		main()
	}
	goleak.VerifyTestMain(m)
}

// start runs the program with the arguments.
func start(t *testing.T, args ...string) (cmd *exec.Cmd, stdout io.Reader) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	cmd = exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Env = append(os.Environ(), asMain, "GORACE=atexit_sleep_ms=0")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, stdout
}

// finish reads the stream to its end, and holds it and the exit status to the
// contract.
func finish(t *testing.T, cmd *exec.Cmd, stdout io.Reader, before []byte) (stream []byte, code int) {
	t.Helper()
	rest, err := io.ReadAll(stdout)
	if err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the status is looked at
	code = cmd.ProcessState.ExitCode()
	stream = append(before, rest...)
	report, err := contract.Check(bytes.NewReader(stream), contract.CheckOptions{Exit: &code})
	if err != nil || report.Failed(false) {
		t.Fatalf("exit status %d: %v, %v\n%s", code, report.Findings, err, stream)
	}
	return stream, code
}

func TestWrapped(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"sh", "-c", "echo a; echo b >&2"}, 0, `"result":"a\n"`},
		{[]string{"sh", "-c", "echo a; exit 7"}, 7, `"errors":["sh: exit status 7"]`},
		{[]string{"no-such-program-anywhere"}, 127, `"errors":["can't start`},
		{nil, 2, `there is no program to run`},
	} {
		cmd, stdout := start(t, c.args...)
		if stream, code := finish(t, cmd, stdout, nil); code != c.code || !strings.Contains(string(stream), c.want) {
			t.Errorf("%q: exit status %d, want %d and %s in\n%s", c.args, code, c.code, c.want, stream)
		}
	}
}

// A signal to the program is passed on to the command, and is the result.
func TestSignal(t *testing.T) {
	cmd, stdout := start(t, "sh", "-c", "trap 'echo heard; exit 0' TERM; echo ready; while :; do sleep 0.02; done")
	var seen []byte
	for buf := make([]byte, 4096); !bytes.Contains(seen, []byte(`"text":"ready"`)); {
		n, err := stdout.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		seen = append(seen, buf[:n]...)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	stream, code := finish(t, cmd, stdout, seen)
	if code != 143 || !strings.Contains(string(stream), `"result":"ready\nheard\n","errors":["interrupted by SIGTERM"`) {
		t.Errorf("exit status %d:\n%s", code, stream)
	}
}
