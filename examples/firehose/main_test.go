package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/streamjson/streamjson/contract"
)

func TestMain(m *testing.M) {
	if os.Getenv("FIREHOSE_TEST_MAIN") != "" {
		main()
		return
	}
	goleak.VerifyTestMain(m)
}

// pour runs the program, holds its stream to the contract, and returns the
// numbers of the lines that became events, and the last line.
func pour(t *testing.T, stdin string, args ...string) (numbers []int, result map[string]any, code int) {
	t.Helper()
	var out, errOut bytes.Buffer
	code = run(args, strings.NewReader(stdin), &out, &errOut)
	report, err := contract.Check(bytes.NewReader(out.Bytes()), contract.CheckOptions{})
	if err != nil || report.Errors > 0 {
		t.Fatalf("%v: the stream breaks rules: %v %v\n%s", args, err, report.Findings, errOut.String())
	}
	for line := range bytes.Lines(out.Bytes()) {
		result = nil
		if err := json.Unmarshal(line, &result); err != nil {
			t.Fatal(err)
		}
		if n, ok := result["line"].(float64); ok {
			numbers = append(numbers, int(n))
		}
	}
	slices.Sort(numbers)
	return numbers, result, code
}

func upTo(n int) (list []int) {
	for i := range n {
		list = append(list, i+1)
	}
	return list
}

func TestEachRequestIsAnEvent(t *testing.T) {
	for _, args := range [][]string{{"--demo", "3000"}, {"--demo", "3000", "--workers", "7"}, {"--demo", "300", "--durable"}, {"--demo", "1"}} {
		numbers, result, code := pour(t, "", args...)
		var n int
		_, _ = fmt.Sscan(args[1], &n)
		if !slices.Equal(numbers, upTo(n)) || code != 0 || result["result"] != args[1]+" requests" {
			t.Errorf("%v: %d events, exit code %d, %v", args, len(numbers), code, result)
		}
	}
}

func TestFilesAndOddLines(t *testing.T) {
	const good = `192.0.2.1 - ann [30/Nov/2026:12:00:00 +0100] "GET /a?b=<c> HTTP/1.1" 200 12 "-" "agent"` + "\n"
	dir := t.TempDir()
	one, two := filepath.Join(dir, "1.log"), filepath.Join(dir, "2.log")
	for name, text := range map[string]string{one: good + "odd\n" + good, two: "\n" + strings.TrimSuffix(good, "\n")} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for stdin, args := range map[string][]string{good + "\xff\x00\n" + good + "[]\"\" HTTP/\n" + good: nil, "": {one, two}} {
		numbers, _, code := pour(t, stdin, args...)
		if len(numbers) != 3 || code != 0 {
			t.Errorf("%v: events of the lines %v, exit code %d", args, numbers, code)
		}
	}
	if _, result, code := pour(t, "", one, filepath.Join(dir, "none")); code != 1 || result["is_error"] != true {
		t.Errorf("a file that is not there: exit code %d, %v", code, result)
	}
	if code := run([]string{"--workers", "0"}, nil, io.Discard, io.Discard); code != 2 {
		t.Errorf("no workers: exit code %d", code)
	}
}

func TestParse(t *testing.T) {
	r, ok := parse(`h - - [30/Nov/2026:12:00:00 +0100] "POST /x y HTTP/2" 304 - "ref" "agent"`)
	want := request{Host: "h", Method: "POST", Path: "/x y", Status: 304, Time: time.Date(2026, 11, 30, 11, 0, 0, 0, time.UTC)}
	if !ok || !r.Time.Equal(want.Time) {
		t.Errorf("%+v, %v", r, ok)
	}
	if r.Time = want.Time; r != want {
		t.Errorf("%+v", r)
	}
	for _, odd := range []string{"", "h", `h - - [x] "G / HTTP/1" 200 1`, `h - - [30/Nov/2026:12:00:00 +0100] "G / HTTP/1" ok 1`} {
		if r, ok := parse(odd); ok {
			t.Errorf("%q is taken for %+v", odd, r)
		}
	}
}

// A reader that has seen enough ends the program, though it has a million lines
// more to say.
func TestReaderGone(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "--demo", "100000000")
	cmd.Env = append(os.Environ(), "FIREHOSE_TEST_MAIN=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, 1<<20)); err != nil {
		t.Error(err)
	}
	_ = out.Close()
	if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != 141 {
		t.Errorf("it ended with %v", cmd.ProcessState)
	}
}
