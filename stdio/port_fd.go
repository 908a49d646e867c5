//go:build linux || darwin

package stdio

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// descriptor is a port on a private descriptor. It is no os.File, for that
// would make the open file non-blocking for everyone who shares it, and would
// wait for its deadlines.
type descriptor int

// maxAttempt bounds one write: macOS refuses more than 2 GiB.
const maxAttempt = 1 << 30

func (d descriptor) write(p []byte) (int, error) {
	for {
		n, err := unix.Write(int(d), p[:min(len(p), maxAttempt)])
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

func (d descriptor) wait() error { return awaitRoom(int(d), -1) }

func (d descriptor) close() error { return unix.Close(int(d)) }

// awaitRoom returns when fd takes bytes, has an error to tell, or after limit
// (negative: none). It says nothing about which of them it was.
func awaitRoom(fd int, limit time.Duration) error {
	deadline := time.Now().Add(limit)
	for {
		ms := -1
		if limit >= 0 {
			left := min(max(time.Until(deadline), 0), time.Hour) // poll takes 32 bits
			ms = int((left + time.Millisecond - 1) / time.Millisecond)
		}
		fds := [1]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}
		_, err := unix.Poll(fds[:], ms)
		if err == syscall.EINTR {
			continue
		}
		if err == nil && fds[0].Revents&unix.POLLNVAL != 0 {
			time.Sleep(minPause) // a device that can't be polled
		}
		return err
	}
}
