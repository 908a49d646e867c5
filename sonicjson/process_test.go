package sonicjson_test

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// start runs the test binary as one of the programs of child, and returns what
// it has printed.
func start(t *testing.T, kind string) (stdout, stderr string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out, errOut bytes.Buffer
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), asChild+"="+kind, "GORACE=atexit_sleep_ms=0")
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, errOut.String())
	}
	return out.String(), errOut.String()
}

// A process that may not make memory executable writes the same bytes, by
// encoding/json, and nothing on stderr.
func TestProcesses(t *testing.T) {
	for kind, active := range map[string]string{"plain": "true", "no executable memory": "false"} {
		stdout, stderr := start(t, kind)
		if reason, skip := strings.CutPrefix(stdout, "skip: "); skip {
			t.Logf("%s: SKIPPED, this system can't refuse it: %s", kind, reason)
			continue
		}
		if !nativeBuild {
			active = "false"
		}
		var want strings.Builder
		for _, x := range []string{"0", "1", "2"} {
			want.WriteString(`# {"X":` + x + `,"Y":2,"Name":"<é>"} <nil> ` + active + "\n")
		}
		if stdout != want.String() || stderr != "" {
			t.Errorf("%s: printed\n%swant\n%sand on stderr %q", kind, stdout, want.String(), stderr)
		}
	}
}

// Compilations at once have ended processes: many starts, and in each of them
// several goroutines that meet new types.
func TestFirstUseByManyAtOnce(t *testing.T) {
	starts := 40
	if testing.Short() || underRace {
		starts = 4
	}
	for range starts {
		if stdout, stderr := start(t, "many at once"); stdout != "done" || stderr != "" {
			t.Fatalf("printed %q, and on stderr %q", stdout, stderr)
		}
	}
}
