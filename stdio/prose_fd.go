//go:build linux || darwin

package stdio

import (
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/streamjson/streamjson/stdio/internal/stdfd"
)

// proseDescriptor is a descriptor that is written to only where that can't
// wait.
type proseDescriptor struct {
	fd  int
	way way
}

// way is how not to wait on a descriptor.
type way uint8

const (
	// askFirst polls, then writes what the file has room for if poll says so.
	// Should another process fill a pipe in between, it waits all the same.
	askFirst way = iota
	// askTerminal is that with the little that a terminal has room for.
	askTerminal
	// nonBlocking is for an open file of our own with O_NONBLOCK.
	nonBlocking
	// dontWait sends to a socket with MSG_DONTWAIT.
	dontWait
)

// terminalRoom is what a terminal takes at least when poll calls it ready: 256
// bytes on Linux, where a newline may count twice.
const terminalRoom = 128

func wayOf(fd int) way {
	var st unix.Stat_t
	if unix.Fstat(fd, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFSOCK {
		return dontWait
	}
	if isTerminal(fd) {
		return askTerminal
	}
	return askFirst
}

func (d proseDescriptor) writeNow(p []byte) (int, error) {
	switch d.way {
	case nonBlocking:
		return descriptor(d.fd).write(p)
	case dontWait:
		return sendNow(d.fd, p)
	case askTerminal:
		p = p[:min(len(p), terminalRoom)]
	case askFirst:
		p = p[:min(len(p), pipeRoom)]
	}
	if !hasRoom(d.fd) {
		return 0, errAgain
	}
	return descriptor(d.fd).write(p)
}

func (d proseDescriptor) awaitRoom(limit time.Duration) { _ = awaitRoom(d.fd, limit) }

// hasRoom asks without waiting. An error counts as room, for the write to tell.
func hasRoom(fd int) bool {
	fds := [1]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}
	for {
		n, err := unix.Poll(fds[:], 0)
		if err != unix.EINTR {
			return err != nil || n > 0
		}
	}
}

func sendNow(fd int, p []byte) (int, error) {
	for {
		n, err := unix.SendmsgN(fd, p, nil, nil, unix.MSG_DONTWAIT)
		switch err {
		case nil:
			return n, nil
		case unix.EINTR:
		case unix.EAGAIN:
			return 0, errAgain
		default:
			return 0, err
		}
	}
}

// proseOwnFile is the way to a file of the caller's, open while it is used.
type proseOwnFile struct {
	conn syscall.RawConn
	way  way
}

func proseFile(f *os.File) proseport {
	conn, err := f.SyscallConn()
	if err != nil {
		return failedPort{err}
	}
	w := askFirst
	control(f, func(fd int) { w = wayOf(fd) })
	return proseOwnFile{conn, w}
}

func (o proseOwnFile) writeNow(p []byte) (n int, err error) {
	e := o.conn.Control(func(fd uintptr) { n, err = proseDescriptor{int(fd), o.way}.writeNow(p) })
	if e != nil {
		return 0, os.ErrClosed
	}
	return n, err
}

func (o proseOwnFile) awaitRoom(limit time.Duration) {
	_ = o.conn.Control(func(fd uintptr) { _ = awaitRoom(int(fd), limit) })
}

// claimProse is called with the process's lock held.
func claimProse() (*Prose, error) {
	from := 2
	if process.claim != nil && process.claim.stderr >= 0 {
		from = process.claim.stderr
	}
	fd, err := stdfd.Duplicate(from)
	if err != nil {
		return nil, fmt.Errorf("stdio: cannot duplicate descriptor 2 (stderr): %w", err)
	}
	d := proseDescriptor{fd, wayOf(fd)}
	if d.way == askFirst || d.way == askTerminal {
		if own := reopen(fd); own >= 0 {
			unix.Close(fd)
			d = proseDescriptor{own, nonBlocking}
		}
	}
	return &Prose{terminal: isTerminal(d.fd), out: d}, nil
}
