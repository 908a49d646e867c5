//go:build linux || darwin

package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/streamjson/streamjson/envelope"
)

// TestNoQuestions: row 143 of the field cases: with --json nobody is asked
// anything, although a terminal is there: a missing value is an error at once.
func TestNoQuestions(t *testing.T) {
	bin, err := exec.LookPath("jsonflag") // testscript.Main has put it there
	if err != nil {
		t.Fatal(err)
	}
	t.Run("terminal on stdin", func(t *testing.T) {
		master, terminal, err := pty.Open()
		if err != nil {
			t.Fatal(err)
		}
		defer master.Close()
		defer terminal.Close()
		cmd := exec.Command(bin, "show", "--json")
		cmd.Stdin = terminal
		var stdout bytes.Buffer
		cmd.Stdout = &stdout
		finish(t, cmd, 2)
		if err := envelope.ValidateStrict(stdout.Bytes()); err != nil {
			t.Errorf("%v\n%s", err, stdout.Bytes())
		}
	})
	t.Run("terminal everywhere", func(t *testing.T) {
		master, terminal, err := pty.Open()
		if err != nil {
			t.Fatal(err)
		}
		defer master.Close()
		cmd := exec.Command(bin, "show", "--json")
		cmd.Stdin, cmd.Stdout, cmd.Stderr = terminal, terminal, terminal
		finish(t, cmd, 2)
		_ = terminal.Close()
		out, err := io.ReadAll(master) // ends in EIO on Linux
		if err != nil && !errors.Is(err, syscall.EIO) {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(string(out), "\r\n", "\n")
		end := strings.Index(text, "\n}\n")
		if end < 0 {
			t.Fatalf("no document: %q", text)
		}
		if err := envelope.ValidateStrict([]byte(text[:end+3])); err != nil || strings.Contains(text, "\x1b") {
			t.Errorf("%v\n%q", err, text)
		}
	})
}

// finish runs cmd, which must end by itself with a status.
func finish(t *testing.T, cmd *exec.Cmd, status int) {
	t.Helper()
	cmd.Env = append(os.Environ(), "FORCE_COLOR=1", "CLICOLOR_FORCE=1", "TERM=xterm-256color") // row 67
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	guard := time.AfterFunc(30*time.Second, func() { _ = cmd.Process.Kill() })
	defer guard.Stop()
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != status {
		t.Errorf("exit status %d, want %d", code, status)
	}
}
