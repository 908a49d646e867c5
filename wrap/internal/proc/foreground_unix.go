//go:build linux || darwin

package proc

import (
	"os"

	"golang.org/x/sys/unix"
)

// A foreground is our terminal, for a command to use as its own.
type foreground struct {
	tty   *os.File
	group int // the command's
}

// inForeground returns f if it is the terminal that this process stands in the
// foreground of, else nil.
func inForeground(f *os.File) *foreground {
	if foregroundOf(f) != unix.Getpgrp() {
		return nil
	}
	return &foreground{tty: f}
}

// bring puts a process group in the foreground.
func (f *foreground) bring(group int) {
	if f == nil {
		return
	}
	f.group = group
	setForeground(f.tty, group)
	// It may have read before, and so have been stopped.
	unix.Kill(-group, unix.SIGCONT)
}

// giveBack puts this process in the foreground again, unless somebody else has
// taken the terminal.
func (f *foreground) giveBack() {
	if f == nil {
		return
	}
	if foregroundOf(f.tty) == f.group {
		setForeground(f.tty, unix.Getpgrp())
	}
}

// foregroundOf returns the group in the foreground of a terminal, -1 if f is no
// terminal, or not the one of this session.
func foregroundOf(f *os.File) int {
	group := -1
	control(f, func(fd int) {
		if g, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP); err == nil {
			group = g
		}
	})
	return group
}

func setForeground(f *os.File, group int) {
	withoutTTOU(func() {
		control(f, func(fd int) { unix.IoctlSetPointerInt(fd, unix.TIOCSPGRP, group) })
	})
}
