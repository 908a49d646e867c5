//go:build linux

package main

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// hangGuard is how long anything may take at most. It is no measure of speed.
const hangGuard = time.Minute

// A process is the program on its way.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	pipe   *os.File      // its stdout
	out    *bufio.Reader // the same
	read   []byte        // what was read of it
	stderr bytes.Buffer
	ended  chan struct{}
}

// start starts the program in a directory of its own.
func start(t *testing.T, args ...string) *process {
	t.Helper()
	return startWith(t, nil, args...)
}

// startWithStdin starts the program with a stdin that stays open and empty.
func startWithStdin(t *testing.T, args ...string) *process {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r.Close()
		w.Close()
	})
	return startWith(t, r, args...)
}

func startWith(t *testing.T, stdin *os.File, args ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command("agent", args...), ended: make(chan struct{})}
	p.cmd.Dir = t.TempDir()
	p.cmd.Stderr = &p.stderr
	if stdin != nil {
		p.cmd.Stdin = stdin
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.cmd.Stdout = w
	p.pipe, p.out = r, bufio.NewReader(r)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	guard := time.AfterFunc(hangGuard, func() {
		t.Error("the program hangs")
		p.cmd.Process.Kill()
	})
	waited := make(chan struct{})
	go func() {
		defer close(waited)
		_ = p.cmd.Wait() // the status is looked at later
		guard.Stop()
		close(p.ended)
	}()
	t.Cleanup(func() {
		p.cmd.Process.Kill()
		<-waited
		r.Close()
	})
	return p
}

// line reads one line; false at the end of the output.
func (p *process) line() (string, bool) {
	text, err := p.out.ReadBytes('\n')
	p.read = append(p.read, text...)
	return string(text), err == nil
}

// until reads lines until one holds text, and returns how many there were.
func (p *process) until(text string) int {
	p.t.Helper()
	for n := 1; ; n++ {
		line, ok := p.line()
		switch {
		case !ok:
			p.t.Fatalf("the output ended before %q; stderr:\n%s", text, &p.stderr)
		case bytes.Contains([]byte(line), []byte(text)):
			return n
		}
	}
}

func (p *process) signal(sig syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		p.t.Fatal(err)
	}
}

// signalUntilEnd sends a signal again and again until the program has ended.
func (p *process) signalUntilEnd(sig syscall.Signal) {
	p.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		p.signal(sig)
		select {
		case <-p.ended:
			return
		case <-tick.C:
		}
	}
}

// wait reads the rest and waits for the end.
func (p *process) wait() finished {
	p.t.Helper()
	for ok := true; ok; {
		_, ok = p.line()
	}
	return p.end()
}

// end waits for the end without reading.
func (p *process) end() finished {
	p.t.Helper()
	<-p.ended
	if err := proseOnly(p.stderr.String()); err != nil {
		p.t.Error(err)
	}
	return finished{p.cmd.ProcessState.ExitCode(), p.read, p.stderr.Bytes()}
}

// fillPipe waits until the program can write no more, as far as that can be
// seen from outside: much is there, and it does not become more.
func (p *process) fillPipe() {
	p.t.Helper()
	before := -1
	waitFor(p.t, func() bool {
		now := p.unread()
		full := now == before && now > 48<<10
		before = now
		return full
	})
}

// unread returns how many bytes wait in the pipe.
func (p *process) unread() int {
	p.t.Helper()
	n := 0
	err := control(p.pipe, func(fd int) (err error) {
		n, err = unix.IoctlGetInt(fd, unix.TIOCINQ)
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return n
}

func control(f *os.File, with func(fd int) error) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var inner error
	err = conn.Control(func(fd uintptr) { inner = with(int(fd)) })
	return errors.Join(err, inner)
}
