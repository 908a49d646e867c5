package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"

	"github.com/streamjson/streamjson/cmd/streamjson/internal/cli"
)

// leakFree is the tests, and after them a look for goroutines left behind.
type leakFree struct{ *testing.M }

func (l leakFree) Run() int {
	code := l.M.Run()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return code
}

func TestMain(m *testing.M) {
	testscript.Main(leakFree{m}, map[string]func(){
		"streamjson": func() { os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
		"produce":    produce,
	})
}

// produce is a program to check. Its argument says what it does.
func produce() {
	stream, err := os.ReadFile(os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	switch os.Args[1] {
	case "cat":
		os.Stdout.Write(stream)
		fmt.Fprintln(os.Stderr, "INFO done")
	case "fail":
		os.Stdout.Write(stream)
		os.Exit(1)
	case "stray": // the last line goes to stderr, too
		os.Stdout.Write(stream)
		lines := bytes.SplitAfter(bytes.TrimSpace(stream), []byte("\n"))
		fmt.Fprintln(os.Stderr, "INFO done")
		os.Stderr.Write(append(lines[len(lines)-1], '\n'))
	case "die":
		os.Stdout.Write(stream)
		self, _ := os.FindProcess(os.Getpid())
		self.Kill()
		time.Sleep(time.Minute)
	case "linger": // leaves a child behind that holds the pipe
		os.Stdout.Write(stream)
		child := exec.Command("sleep", "600")
		child.Stdout = os.Stdout
		if err := child.Start(); err != nil {
			os.Exit(3)
		}
		os.WriteFile(os.Args[3], fmt.Append(nil, child.Process.Pid), 0o600)
	case "stdin":
		text, _ := os.ReadFile("/dev/stdin")
		os.Stdout.Write(text)
	}
}

// TestScripts runs the command as its users do.
func TestScripts(t *testing.T) {
	events, err := filepath.Abs("../../contract/testdata")
	if err != nil {
		t.Fatal(err)
	}
	golden, err := filepath.Abs("../../testdata/events")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("STREAMS", events)
			e.Setenv("GOLDEN", golden)
			e.Setenv("GORACE", "atexit_sleep_ms=0") // or each command takes a second under -race
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": status,
			"reap":   reap,
		},
	})
}

// status runs a command and asks for its exit status: status N CMD ARGS...
func status(ts *testscript.TestScript, _ bool, args []string) {
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	if err != nil {
		_, text, _ := strings.Cut(err.Error(), "exit status ")
		if _, scan := fmt.Sscan(text, &code); scan != nil {
			ts.Fatalf("%v", err)
		}
	}
	if fmt.Sprint(code) != args[0] {
		ts.Fatalf("exit status %d, want %s", code, args[0])
	}
}

// reap ends the process whose id stands in a file.
func reap(ts *testscript.TestScript, _ bool, args []string) {
	var pid int
	if _, err := fmt.Sscan(ts.ReadFile(args[0]), &pid); err != nil {
		ts.Fatalf("%v", err)
	}
	p, err := os.FindProcess(pid)
	if err == nil {
		err = p.Signal(syscall.SIGKILL)
	}
	if err != nil {
		ts.Fatalf("process %d: %v", pid, err)
	}
}
