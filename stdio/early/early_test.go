//go:build linux || darwin

package early_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// build compiles testdata/greet, once a test.
func build(t *testing.T) string {
	t.Helper()
	// go test keeps a result until a directory that the test has read changes.
	for _, dir := range []string{".", "..", "../internal/stdfd", "testdata/greet", "testdata/greet/library"} {
		if _, err := os.ReadDir(dir); err != nil {
			t.Fatal(err)
		}
	}
	bin := filepath.Join(t.TempDir(), "greet")
	out, err := exec.Command("go", "build", "-o", bin, "./testdata/greet").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return bin
}

// Field case 55: a print at load time comes before every guard but this one.
func TestEarly(t *testing.T) {
	bin := build(t)
	const greetings = "greeting\nsecond greeting\n"
	tests := []struct {
		rule, action     string
		out, err, merged string
		code             int
	}{
		{"a claim adopts it", "claim", "event, mirrored false\n", greetings + "stray\nerror\n", "event, mirrored true\n", 0},
		{"Release gives it back", "release", "event\nprinted\n", greetings, "event\nprinted\n", 0},
		{"Raw gives it back", "raw", "printed\ntext\n", greetings + "error\n", "printed\ntext\nerror\n", 0},
		{"once", "turns", "event\ntext\nevent\ntext\n", greetings + "stray\nstray\n", "event\ntext\nevent\ntext\n", 0},
		{"stderr stays open until a claim", "usage", "", greetings + "usage: greet ACTION\n", "usage: greet ACTION\n", 2},
	}
	for _, test := range tests {
		t.Run(test.rule, func(t *testing.T) {
			var out, err, merged bytes.Buffer
			cmd := exec.Command(bin, test.action)
			cmd.Stdout, cmd.Stderr = &out, &err
			_ = cmd.Run()
			if code := cmd.ProcessState.ExitCode(); code != test.code || out.String() != test.out || err.String() != test.err {
				t.Errorf("exit %d, stdout is %q, stderr is %q", code, out.String(), err.String())
			}
			cmd = exec.Command(bin, test.action)
			cmd.Stdout, cmd.Stderr = &merged, &merged // os/exec makes it one pipe
			_ = cmd.Run()
			if code := cmd.ProcessState.ExitCode(); code != test.code || merged.String() != test.merged {
				t.Errorf("2>&1: exit %d, stream is %q", code, merged.String())
			}
		})
	}
}

// Started with descriptors closed, it claims what the Go runtime opened for
// them, and what is open stays pure.
func TestEarlyWithClosedDescriptors(t *testing.T) {
	bin := build(t)
	for closed, want := range map[string][2]string{
		"0<&-":           {"event, mirrored false\n", "greeting\nsecond greeting\nstray\nerror\n"},
		"1>&-":           {"", "greeting\nsecond greeting\nstray\nerror\n"},
		"2>&-":           {"event, mirrored false\n", ""},
		"0<&- 1>&- 2>&-": {"", ""},
	} {
		var out, err bytes.Buffer
		cmd := exec.Command("sh", "-c", `exec "$0" claim `+closed, bin)
		cmd.Stdout, cmd.Stderr = &out, &err
		if e := cmd.Run(); e != nil || out.String() != want[0] || err.String() != want[1] {
			t.Errorf("%s: %v, stdout is %q, stderr is %q", closed, e, out.String(), err.String())
		}
	}
}

// It comes before os, hence before whatever prints by way of os, whatever its
// import path. It would not if it imported more.
func TestEarlyComesBeforeOs(t *testing.T) {
	cmd := exec.Command(build(t), "claim")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var trace bytes.Buffer
	cmd.Stderr = &trace
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	const self = "github.com/streamjson/streamjson/stdio/early"
	var order []string
	for _, match := range regexp.MustCompile(`(?m)^init (\S+) @`).FindAllStringSubmatch(trace.String(), -1) {
		order = append(order, match[1])
	}
	text := strings.Join(order, " ") + " "
	if before, after, found := strings.Cut(text, self+" "); !found || strings.Contains(before, " os ") || !strings.Contains(after, "os ") {
		t.Errorf("the order is %s", text)
	}
}
