//go:build linux || darwin

package proc

import (
	"os"
	"os/signal"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// A terminal is the pseudo-terminal of a command.
type terminal struct {
	file    *os.File // our side
	resized chan os.Signal
	stopped chan struct{}
}

// openTerminal opens one, with the size of ours, which it follows from now on.
func openTerminal() (*terminal, *os.File, error) {
	ours, tty, err := pty.Open()
	if err != nil {
		return nil, nil, err
	}
	// The package has made our side a blocking one, which knows no deadline.
	// The descriptor is taken by a duplicate since os.File can't be asked to
	// look again.
	fd, err := unix.FcntlInt(ours.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	ours.Close()
	if err == nil {
		err = unix.SetNonblock(fd, true)
	}
	if err != nil {
		tty.Close()
		return nil, nil, os.NewSyscallError("fcntl", err)
	}
	t := &terminal{file: os.NewFile(uintptr(fd), "pty")}
	t.follow()
	return t, tty, nil
}

// follow takes the size over from our terminal, now and whenever it changes.
func (t *terminal) follow() {
	from := ownTerminal()
	if from == nil {
		t.resize(&unix.Winsize{Row: 24, Col: 80})
		return
	}
	t.resized, t.stopped = make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(t.resized, unix.SIGWINCH) // before the first look, so that no change is missed
	t.copySize(from)
	go func() {
		defer close(t.stopped)
		for range t.resized {
			t.copySize(from)
		}
	}()
}

// stop ends the following.
func (t *terminal) stop() {
	if t == nil || t.resized == nil {
		return
	}
	signal.Stop(t.resized)
	close(t.resized)
	<-t.stopped
	t.resized = nil
}

func (t *terminal) copySize(from *os.File) {
	control(from, func(fd int) {
		if size, err := unix.IoctlGetWinsize(fd, unix.TIOCGWINSZ); err == nil {
			t.resize(size)
		}
	})
}

func (t *terminal) resize(size *unix.Winsize) {
	control(t.file, func(fd int) { unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, size) })
}

// ownTerminal returns a standard stream of ours that is a terminal, or nil.
func ownTerminal() *os.File {
	for _, f := range []*os.File{os.Stdin, os.Stdout, os.Stderr} {
		is := false
		control(f, func(fd int) {
			_, err := unix.IoctlGetWinsize(fd, unix.TIOCGWINSZ)
			is = err == nil
		})
		if is {
			return f
		}
	}
	return nil
}
