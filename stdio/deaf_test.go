//go:build linux || darwin

package stdio_test

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
	"testing"

	"github.com/streamjson/streamjson/stdio"
)

func roleDeaf() {
	s := claimed()
	for range 100 {
		fmt.Println("stray")
		fmt.Fprintln(os.Stderr, "stray")
		_, err := syscall.Write(1, []byte("stray\n"))
		if err != syscall.EPIPE {
			panic("stderr has a reader")
		}
	}
	line(s, "event")
}

func roleDeafBare() {
	for range 100 {
		fmt.Fprintln(os.Stderr, "stray")
	}
}

// Nobody reads stderr: a stray print must not end the process. Without a claim
// it does, which shows that this test can fail.
func TestStderrWithoutReader(t *testing.T) {
	for role, want := range map[string]int{"deaf": 0, "deafBare": -int(syscall.SIGPIPE)} {
		for _, kind := range []string{"pipe", "FIFO", "socket"} {
			out, err := drained(t, "pipe"), open(t, kind)
			cmd := command(t, role)
			cmd.Stdout, cmd.Stderr = out.child, err.child
			err.ours.Close()
			check(t, cmd.Start())
			code := exitCode(t, cmd)
			if code != want {
				t.Errorf("%s on a %s: exit %d, want %d", role, kind, code, want)
			}
			if got := out.all(t); want == 0 && got != "event\n" {
				t.Errorf("%s on a %s: stdout is %q", role, kind, got)
			}
		}
	}
}

// roleWrite writes and tells on stderr what came of it.
func roleWrite() {
	if limit, err := strconv.ParseUint(os.Getenv("LIMIT"), 10, 64); err == nil {
		must(syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: limit}))
	}
	s := claimed()
	if os.Getenv("RAW") != "" {
		must(s.Release())
		raw, err := stdio.Raw()
		must(err)
		s = raw
	}
	n, err := s.Write(make([]byte, 4096))
	fmt.Fprintf(os.Stderr, "%d; %v; gone %v %v; terminal %v", n, err, stdio.IsReaderGone(err), s.ReaderGone(err), s.IsTerminal())
}

// Field cases 77, 79, 80, and notes on torn lines: errors, not deaths, with the
// bytes that were written.
func TestWriteErrors(t *testing.T) {
	tests := []struct {
		rule, kind, limit, want string // limit: bytes of a file
	}{
		{"a closed pipe is a gone reader", "pipe", "", "0; write stdout: broken pipe; gone true true; terminal false"},
		{"so is a closed FIFO", "FIFO", "", "0; write stdout: broken pipe; gone true true; terminal false"},
		{"so is a closed socket", "socket", "", "0; write stdout: broken pipe; gone true true; terminal false"},
		{"a hung-up terminal gives EIO", "pty", "", "0; write stdout: input/output error; gone false true; terminal true"},
		{"a full device is another error", "full", "", "0; write stdout: no space left on device; gone false false; terminal false"},
		{"a torn write tells its bytes", "file", "1000", "1000; write stdout: file too large; gone false false; terminal false"},
		{"no error, no report", "file", "", "4096; <nil>; gone false false; terminal false"},
	}
	for _, test := range tests {
		for _, mode := range []string{"", "1"} {
			t.Run(test.rule+mode, func(t *testing.T) {
				t.Parallel()
				out, err := open(t, test.kind), drained(t, "pipe")
				cmd := command(t, "write", "RAW="+mode, "LIMIT="+test.limit)
				cmd.Stdout, cmd.Stderr = out.child, err.child
				if out.ours != nil {
					out.ours.Close()
				}
				check(t, cmd.Start())
				code := exitCode(t, cmd)
				if got := err.all(t); code != 0 || got != test.want {
					t.Errorf("exit %d, report %q", code, got)
				}
			})
		}
	}
}

func roleStdFile() {
	s := stdio.FromFile(os.Stdout)
	_, err := s.Write([]byte("event\n"))
	must(err)
	_, err = stdio.FromFile(os.Stderr).Write([]byte("event\n"))
	line(s, fmt.Sprint(err, stdio.IsReaderGone(err)))
}

// os.File ends the process on a broken descriptor 2; FromFile does not.
func TestFromFileOnStandardDescriptors(t *testing.T) {
	out, err := drained(t, "pipe"), open(t, "pipe")
	err.ours.Close()
	cmd := command(t, "stdFile")
	cmd.Stdout, cmd.Stderr = out.child, err.child
	check(t, cmd.Start())
	code := exitCode(t, cmd)
	if got, want := out.all(t), "event\nwrite stdout: broken pipe true\n"; code != 0 || got != want {
		t.Errorf("exit %d, stdout is %q", code, got)
	}
}
