//go:build linux

package proc_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/streamjson/streamjson/wrap/internal/proc"
)

// Case 181: the last line of a command that dies by a signal is never lost,
// and nothing is left behind: no zombie, no descriptor.
func TestLastWordsOfTheDying(t *testing.T) {
	n := 1000
	if testing.Short() {
		n = 50
	}
	run(t, proc.Spec{Argv: []string{"true"}, Grace: long}) // opens what the runtime keeps
	before := descriptors()
	for i := range n {
		want := fmt.Sprintf("last words %d\n", i)
		script := "printf '" + strings.TrimSuffix(want, "\n") + "\\n'"
		if i%2 == 1 {
			script += " >&2"
		}
		f := run(t, proc.Spec{Argv: sh(script + "; kill -ABRT $$"), Grace: long})
		if f.out+f.errOut != want || f.Signal != "SIGABRT" || f.Code != 134 || f.Held || f.err != nil {
			t.Fatalf("run %d: %v", i, f)
		}
	}
	if after := descriptors(); after != before {
		t.Errorf("%d descriptors, %d before", after, before)
	}
	if ids := children(); len(ids) > 0 {
		t.Errorf("children are left: %v", ids)
	}
}

// No path leaves a descriptor open: not one that fails either.
func TestDescriptorsAreClosed(t *testing.T) {
	specs := map[string]proc.Spec{
		"not found":       {Argv: []string{"nosuch"}},
		"not executable":  {Argv: []string{"/etc/passwd"}},
		"started":         {Argv: sh("echo hi")},
		"held":            {Argv: sh("sleep 600 & echo hi"), Grace: 1},
		"pty":             {Argv: sh("echo hi"), PTY: true, Grace: long},
		"pty not started": {Argv: []string{"/etc/passwd"}, PTY: true},
	}
	for _, s := range specs {
		runUntil(t.Context(), s)
	}
	before := descriptors()
	for name, s := range specs {
		runUntil(t.Context(), s)
		if after := descriptors(); after != before {
			t.Errorf("%s: %d descriptors, %d before", name, after, before)
		}
	}
}

// The command has its three streams, each blocking as a program expects it, and
// what this process's own parent has left open for all (a jobserver, say), but
// nothing of ours.
func TestWhatTheCommandInherits(t *testing.T) {
	fds := append(inheritable(), "0", "1", "2")
	slices.Sort(fds) // as ls does
	want := strings.Join(fds, " ")
	for _, pty := range []bool{false, true} {
		f := run(t, proc.Spec{Argv: sh(`ls /proc/$$/fd; cat /proc/$$/fdinfo/1 /proc/$$/fdinfo/2 >&2`), PTY: pty, Grace: long})
		fds, info := f.out, f.errOut
		if i := strings.Index(f.out, "pos:"); pty && i >= 0 {
			fds, info = f.out[:i], f.out[i:]
		}
		if got := strings.Join(strings.Fields(fds), " "); got != want {
			t.Errorf("pty %v: descriptors %s, want %s", pty, got, want)
		}
		if n := strings.Count(info, "flags:"); n != 2 {
			t.Fatalf("pty %v: flags of %d streams: %v", pty, n, f)
		}
		for _, line := range strings.Split(info, "flags:")[1:] {
			const nonblock = 0o4000
			flags := 0
			if n, _ := fmt.Sscanf(strings.TrimSpace(line), "%o", &flags); n != 1 || flags&nonblock != 0 {
				t.Errorf("pty %v: a stream of the command does not block: %s", pty, line)
			}
		}
	}
}

// Output that the command has behind it is not lost, either, when there is
// more of it than a reader takes at once.
func TestLastMegabyte(t *testing.T) {
	for range 5 {
		f := run(t, proc.Spec{Argv: sh("head -c 1000000 /dev/zero; head -c 1000000 /dev/zero >&2; kill -KILL $$"), Grace: long})
		if len(f.out) != 1000000 || len(f.errOut) != 1000000 || f.Code != 137 {
			t.Fatalf("stdout %d, stderr %d bytes, %v", len(f.out), len(f.errOut), f.Exit)
		}
	}
}
