package stdio_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The kernel's rarer answers, injected into write(2) on stdout alone.
func TestInjectedWriteErrors(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err == nil {
		err = exec.Command(strace, "-o", os.DevNull, "-e", "inject=write:error=EINTR:when=1", "true").Run()
	}
	if err != nil {
		t.Skip("NOT TESTED: strace can't inject errors here: ", err)
	}
	all := func(n int) (s string) {
		for i := range n {
			s += fmt.Sprintf("event %d\n", i)
		}
		return s
	}
	tests := []struct{ rule, inject, out, report string }{
		{"EINTR is tried again", "error=EINTR:when=1+2", all(tracedLines), ""},
		{"EAGAIN is waited for", "error=EAGAIN:when=1+2", all(tracedLines), ""},
		{"EAGAIN several times in a row", "error=EAGAIN:when=3..9", all(tracedLines), ""},
		{"ENOSPC ends it", "error=ENOSPC:when=6+", all(5), "line 5: 0 bytes; write stdout: no space left on device; gone false"},
		{"EIO on a file is a broken disk", "error=EIO:when=1", "", "line 0: 0 bytes; write stdout: input/output error; gone false"},
		{"EPIPE is a gone reader", "error=EPIPE:when=3", all(2), "line 2: 0 bytes; write stdout: broken pipe; gone true"},
		{"writes that take nothing end", "retval=0:when=2+", all(1), "line 1: 0 bytes; write stdout: the file took nothing 100 times in a row; gone false"},
		{"an impossible count ends it", "retval=99999:when=2", all(1), "line 1: 0 bytes; write stdout: write returned a count outside the buffer; gone false"},
	}
	for _, test := range tests {
		t.Run(test.rule, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "out")
			out, err := os.Create(path)
			check(t, err)
			defer out.Close()
			stderr := drained(t, "pipe")
			cmd := command(t, "lines")
			cmd.Args = []string{strace, "-f", "-qq", "-o", os.DevNull, "-P", path, "-e", "trace=write", "-e", "inject=write:" + test.inject, cmd.Path}
			cmd.Path = strace
			cmd.Stdout, cmd.Stderr = out, stderr.child
			check(t, cmd.Start())
			code := exitCode(t, cmd)
			report := stderr.all(t)
			got, err := os.ReadFile(path)
			check(t, err)
			if code != 0 || string(got) != test.out || strings.TrimSpace(report) != test.report {
				t.Errorf("exit %d, stdout is %q, report %q", code, got, report)
			}
		})
	}
}
