package emit_test

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// noSignals keeps Run from taking the signals of the test process.
var noSignals = []os.Signal{}

// A finished is what came of a child process.
type finished struct {
	stdout, stderr []byte
	code           int // -1: ended by a signal
}

// child returns this test binary as the child program of that name, to be
// started by the caller. It is killed at the hang guard.
func child(t testing.TB, name string, env ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	must(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), hangGuard)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, exe)
	cmd.Env = childEnv(name, env...)
	return cmd
}

// childEnv is the environment of a child: race builds sleep a second at exit
// otherwise, and colours are for the tests of colours.
func childEnv(name string, env ...string) []string {
	var list []string
	for _, v := range os.Environ() {
		key, _, _ := strings.Cut(v, "=")
		switch key {
		case "NO_COLOR", "FORCE_COLOR", "GORACE", childVariable:
		default:
			list = append(list, v)
		}
	}
	return append(append(list, childVariable+"="+name, "GORACE=atexit_sleep_ms=0"), env...)
}

// finish runs a child to its end with stdout and stderr in pipes of their own.
func finish(t testing.TB, cmd *exec.Cmd) finished {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	code := exitCode(t, cmd.Run())
	return finished{stdout.Bytes(), stderr.Bytes(), code}
}

func exitCode(t testing.TB, err error) int {
	t.Helper()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	default:
		t.Fatal(err)
		return 0
	}
}

// children are the programs that this test binary can be. Each returns its
// exit status.
func children() map[string]func() int {
	programs := map[string]func() int{
		"typednil":     childTypedNil,
		"typednilcode": childTypedNilCode,
		"unnamed":      childUnnamed,
	}
	maps.Copy(programs, caseChildren())
	maps.Copy(programs, faultPrograms())
	return programs
}
