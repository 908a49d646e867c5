//go:build linux || darwin

package stdio_test

import (
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"testing"

	"github.com/streamjson/streamjson/stdio"
)

func roleMirrored() {
	if os.Getenv("PROSE") == "first" {
		_, err := stdio.ClaimProse() // it must fall silent
		must(err)
	}
	s := claimed()
	p, err := stdio.ClaimProse()
	must(err)
	if again, err := stdio.ClaimProse(); again != p || err != nil {
		panic("two proses")
	}
	line(s, fmt.Sprint("mirrored: ", s.Mirrored()))
	strayPrints("early")
	log.Print("log")
	line(p, "prose")
	line(stdio.NewProse(os.Stderr), "other prose")
	cmd := exec.Command("sh", "-c", "echo child error >&2")
	cmd.Stderr = os.Stderr
	must(cmd.Run())
	p.Drain(0)
	line(s, "end")
}

// Field case 64: under 2>&1 there is nothing but the stream.
func TestMirroredStderrIsSilent(t *testing.T) {
	for _, kind := range []string{"pipe", "file", "FIFO", "socket"} {
		for _, prose := range []string{"first", "last"} {
			t.Run(kind+", prose claimed "+prose, func(t *testing.T) {
				t.Parallel()
				both := drained(t, kind)
				cmd := command(t, "mirrored", "PROSE="+prose)
				cmd.Stdout, cmd.Stderr = both.child, both.child
				check(t, cmd.Start())
				code := exitCode(t, cmd)
				if got := both.all(t); code != 0 || got != "mirrored: true\nend\n" {
					t.Errorf("exit %d, stream is %q", code, got)
				}
			})
		}
	}
}

// A shell's "> file 2>> file" opens one file twice.
func TestMirroredFileOpenedTwice(t *testing.T) {
	out := drained(t, "file")
	again, err := os.OpenFile(out.path, os.O_WRONLY|os.O_APPEND, 0)
	check(t, err)
	defer again.Close()
	cmd := command(t, "mirrored")
	cmd.Stdout, cmd.Stderr = out.child, again
	check(t, cmd.Start())
	code := exitCode(t, cmd)
	if got := out.all(t); code != 0 || got != "mirrored: true\nend\n" {
		t.Errorf("exit %d, stream is %q", code, got)
	}
}

// Terminals and /dev/null are shared by everyone, and nobody parses them.
func TestMirroredExemptsDevices(t *testing.T) {
	tty := drained(t, "pty")
	cmd := command(t, "mirrored")
	cmd.Stdout, cmd.Stderr = tty.child, tty.child
	check(t, cmd.Start())
	code := exitCode(t, cmd)
	text := tty.all(t)
	if code != 0 {
		t.Errorf("exit %d", code)
	}
	wantStrays(t, "terminal", text, "early")
	for _, want := range []string{"mirrored: false\n", "prose\n", "other prose\n", "child error\n", "end\n"} {
		wantText(t, "terminal", text, want)
	}
}

func roleUnmirror() {
	before := identity(1) + "; " + identity(2)
	files := len(openFiles()) + 1 // the prose's stays
	if os.Getenv("PROSE") == "first" {
		_, err := stdio.ClaimProse()
		must(err)
	}
	s := claimed()
	p, err := stdio.ClaimProse()
	must(err)
	line(p, "hidden prose")
	must(s.Release())
	if after := identity(1) + "; " + identity(2); after != before {
		panic(before + " became " + after)
	}
	if now := len(openFiles()); now != files {
		panic(fmt.Sprintf("%d open files became %d", files, now))
	}
	line(p, "prose")
	fmt.Println("out")
	fmt.Fprintln(os.Stderr, "err")
	_, err = io.WriteString(s, "late")
	fmt.Println(err)
}

func TestReleaseUnderMirroredStderr(t *testing.T) {
	for _, prose := range []string{"first", "last"} {
		both := drained(t, "pipe")
		cmd := command(t, "unmirror", "PROSE="+prose)
		cmd.Stdout, cmd.Stderr = both.child, both.child
		check(t, cmd.Start())
		code := exitCode(t, cmd)
		want := "prose\nout\nerr\nwrite stdout: file already closed\n"
		if got := both.all(t); code != 0 || got != want {
			t.Errorf("prose claimed %s: exit %d, stream is %q", prose, code, got)
		}
	}
}
