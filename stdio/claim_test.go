//go:build linux || darwin

package stdio_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/streamjson/streamjson/stdio"
)

func roleStray() {
	s := claimed()
	if os.Stdout.Fd() != 1 {
		panic("os.Stdout was replaced")
	}
	strayPrints("before")
	line(s, "one")
	strayPrints("between")
	line(s, "two")
	strayPrints("after") // the last line is out: a late print must not follow it
}

// Field cases 46, 50, 52, 53, 56, 58, 59: whoever prints, stdout stays pure.
func TestClaimKeepsStdoutPure(t *testing.T) {
	for _, kind := range streamKinds {
		for _, errKind := range streamKinds {
			t.Run(kind+"+"+errKind, func(t *testing.T) {
				t.Parallel()
				out, err := drained(t, kind), drained(t, errKind)
				cmd := command(t, "stray")
				cmd.Stdout, cmd.Stderr = out.child, err.child
				check(t, cmd.Start())
				code := exitCode(t, cmd)
				text := err.all(t)
				if code != 0 {
					t.Errorf("exit %d: %s", code, text)
				}
				if got := out.all(t); kind != "null" && got != "one\ntwo\n" {
					t.Errorf("stdout is %q", got)
				}
				if errKind == "null" {
					return
				}
				for _, when := range []string{"before", "between", "after"} {
					wantStrays(t, "stderr", text, when)
				}
			})
		}
	}
}

// What the test above looks for is there without a claim.
func TestUnclaimedStdoutGetsStrayPrints(t *testing.T) {
	out, err := drained(t, "pipe"), drained(t, "pipe")
	cmd := command(t, "unclaimed")
	cmd.Stdout, cmd.Stderr = out.child, err.child
	check(t, cmd.Start())
	exitCode(t, cmd)
	onErr := err.all(t)
	wantStrays(t, "both", out.all(t)+onErr, "early")
	if onErr != "stray early println\n" {
		t.Errorf("stderr is %q", onErr)
	}
}

// roleClosed leaves its findings in a file, since streams may be closed. The
// file is the first that the process opens, as a program's log would be.
func roleClosed() {
	report, err := os.Create(os.Getenv("REPORT"))
	must(err)
	s, err := stdio.Claim()
	must(err)
	strayPrints("early")
	line(s, "event")
	_, err = fmt.Fprintf(report, "ok, report on %v", report.Fd() > 2)
	must(err)
}

// Field case 82: started with a standard descriptor closed, the next open file
// must not get what is meant for it.
func TestClaimWithClosedDescriptors(t *testing.T) {
	for closed := range 8 {
		t.Run(fmt.Sprintf("closed %03b", closed), func(t *testing.T) {
			t.Parallel()
			out, err := drained(t, "pipe"), drained(t, "pipe")
			in := open(t, "null")
			report := filepath.Join(t.TempDir(), "report")
			files := []uintptr{in.child.Fd(), out.child.Fd(), err.child.Fd()}
			for fd := range files {
				if closed&(1<<fd) != 0 {
					files[fd] = ^uintptr(0)
				}
			}
			code := fork(t, "closed", files, "REPORT="+report)()
			text := err.all(t)
			if code != 0 {
				t.Errorf("exit %d: %s", code, text)
			}
			found, e := os.ReadFile(report)
			check(t, e)
			if string(found) != "ok, report on true" {
				t.Errorf("the file holds %q", found)
			}
			if got := out.all(t); closed&2 == 0 && got != "event\n" || closed&2 != 0 && got != "" {
				t.Errorf("stdout is %q", got)
			}
			if closed&4 == 0 {
				wantStrays(t, "stderr", text, "early")
			} else if text != "" {
				t.Errorf("stderr is %q", text)
			}
		})
	}
}

func roleNoStdout() {
	before := identity(2)
	must(syscall.Close(1))
	s, err := stdio.Claim()
	if s != nil || !errors.Is(err, syscall.EBADF) || !strings.Contains(err.Error(), "descriptor 1 (stdout)") {
		panic(fmt.Sprint("claimed a closed stdout: ", err))
	}
	if _, err := stdio.Raw(); !errors.Is(err, syscall.EBADF) {
		panic(fmt.Sprint("got a closed stdout: ", err))
	}
	if identity(2) != before {
		panic("stderr changed")
	}
}

func roleNoStderr() {
	must(syscall.Close(2))
	s := claimed()
	if _, err := stdio.ClaimProse(); !errors.Is(err, syscall.EBADF) {
		line(s, fmt.Sprint("claimed a closed stderr: ", err))
	}
	fmt.Println("stray")
	line(s, "event")
	must(s.Release())
	fmt.Println("after")
	if err := syscall.Close(2); err != syscall.EBADF {
		fmt.Println("descriptor 2 is open after Release")
	}
}

// Descriptors that were closed after the start are really closed.
func TestClaimWithDescriptorsClosedLater(t *testing.T) {
	for role, want := range map[string]string{"noStdout": "", "noStderr": "event\nafter\n"} {
		out, err := drained(t, "pipe"), drained(t, "pipe")
		cmd := command(t, role)
		cmd.Stdout, cmd.Stderr = out.child, err.child
		check(t, cmd.Start())
		if code := exitCode(t, cmd); code != 0 {
			t.Errorf("%s: exit %d: %s", role, code, err.all(t))
		}
		if got := out.all(t); got != want {
			t.Errorf("%s: stdout is %q", role, got)
		}
	}
}

func roleSIGPIPE() {
	s := claimed()
	cmd := exec.Command("sh", "-c", "kill -PIPE $$; echo ignored")
	out, err := cmd.Output()
	if status := cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signal() != syscall.SIGPIPE {
		panic(fmt.Sprintf("%v, %s: a child does not die of SIGPIPE", err, out))
	}
	line(s, "event")
}

// Children get SIGPIPE as if nothing were claimed: "yes | head" must end.
func TestClaimDoesNotIgnoreSIGPIPEForChildren(t *testing.T) {
	out, err := drained(t, "pipe"), drained(t, "pipe")
	cmd := command(t, "sigpipe")
	cmd.Stdout, cmd.Stderr = out.child, err.child
	check(t, cmd.Start())
	code := exitCode(t, cmd)
	if got := out.all(t); code != 0 || got != "event\n" {
		t.Errorf("exit %d, stdout is %q: %s", code, got, err.all(t))
	}
}

// roleChroot runs where /dev/null does not exist.
func roleChroot() {
	must(syscall.Chroot(os.Getenv("ROOT")))
	before, mirrored := identity(1)+identity(2), identity(1) == identity(2)
	s, err := stdio.Claim()
	if mirrored {
		if s != nil || !errors.Is(err, syscall.ENOENT) || identity(1)+identity(2) != before {
			panic(fmt.Sprint("claimed by halves: ", err))
		}
		fmt.Println("refused")
		return
	}
	must(err)
	fmt.Println("stray")
	line(s, "event")
}

// A claim that needs /dev/null and does not find it changes nothing.
func TestClaimWithoutDevNull(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("NOT TESTED: chroot needs root")
	}
	for _, mirrored := range []bool{true, false} {
		out, err := drained(t, "pipe"), drained(t, "pipe")
		cmd := command(t, "chroot", "ROOT="+t.TempDir())
		cmd.Stdout, cmd.Stderr = out.child, err.child
		want := "event\n"
		if mirrored {
			cmd.Stderr, want = out.child, "refused\n"
		}
		check(t, cmd.Start())
		code := exitCode(t, cmd)
		if got := out.all(t); code != 0 || got != want {
			t.Errorf("exit %d, stdout is %q: %s", code, got, err.all(t))
		}
	}
}
