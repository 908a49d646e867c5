package emit_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/streamjson/streamjson/emit"
)

// caseChildren are the programs of the field cases' tests.
func caseChildren() map[string]func() int {
	return map[string]func() int{
		"nothing":     func() int { return 0 },
		"startup":     childStartup,
		"tool":        childTool,
		"outcome":     childOutcome,
		"leftover":    childLeftover,
		"prints":      childPrints,
		"late":        childLate,
		"titled":      childTitled,
		"spawns":      childSpawns,
		"two":         childTwo,
		"descriptors": childDescriptors,
		"twice":       childTwice,
		"flipped":     childFlipped,
		"endless":     childEndless,
		"idle":        childIdle,
		"logfile":     childLogFile,
	}
}

// What a test tells its child.
const (
	formatVariable  = "EMIT_TEST_FORMAT"
	outcomeVariable = "EMIT_TEST_OUTCOME"
	pathVariable    = "EMIT_TEST_PATH"
)

// childOptions are a child's options, with the format that the test asks for.
func childOptions() emit.Options {
	o := emit.Options{Product: "kit", Version: "1"}
	if name := os.Getenv(formatVariable); name != "" {
		if err := o.Format.Set(name); err != nil {
			panic(err)
		}
	}
	return o
}

// runChild is the main function of a child.
func runChild(body func(context.Context, *emit.Emitter) error) int {
	return emit.Run(context.Background(), childOptions(), body)
}

// A running is a child that was started.
type running struct {
	cmd            *exec.Cmd
	stdout, stderr tape
}

func start(t *testing.T, cmd *exec.Cmd) *running {
	t.Helper()
	r := &running{cmd: cmd}
	if cmd.Stdout == nil {
		cmd.Stdout = &r.stdout
	}
	cmd.Stderr = &r.stderr
	must(t, cmd.Start())
	return r
}

// says waits until the child has said text on stderr.
func (r *running) says(t *testing.T, text string) {
	t.Helper()
	eventually(t, "the child says "+text, func() bool { return strings.Contains(r.stderr.String(), text) })
}

// wait waits for the child's end.
func (r *running) wait(t *testing.T) finished {
	t.Helper()
	code := exitCode(t, r.cmd.Wait())
	return finished{r.stdout.bytes(), r.stderr.bytes(), code}
}

// document checks the whole of a stdout in the format json.
func document(t *testing.T, data []byte) record {
	t.Helper()
	if !bytes.HasSuffix(data, []byte("\n}\n")) {
		t.Fatalf("no document: %q", data)
	}
	r, err := parse(bytes.ReplaceAll(data, []byte{'\n'}, nil)) // no string holds one raw
	must(t, err)
	checkResult(t, r)
	return r
}

// lacks fails the test where text holds any of the words.
func lacks(t *testing.T, where string, text []byte, words ...string) {
	t.Helper()
	for _, word := range words {
		if strings.Contains(string(text), word) {
			t.Errorf("%s holds %q: %.500q", where, word, text)
		}
	}
}

// holds fails the test where text lacks any of the words.
func holds(t *testing.T, where string, text []byte, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(string(text), word) {
			t.Errorf("%s lacks %q: %.500q", where, word, text)
		}
	}
}
