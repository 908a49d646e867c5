//go:build linux || darwin

package stdio

import (
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/streamjson/streamjson/stdio/internal/stdfd"
)

type pollFunc func(fds []unix.PollFd, timeout int) (int, error)

// WatchReader notices, without writing, that nobody reads s any more: the other
// end of a pipe, FIFO or socket was closed, or the terminal hung up. It calls
// gone with syscall.EPIPE, once, within milliseconds, on a goroutine of its
// own, also if the reader has gone already. Nothing wakes up until then,
// whatever is written meanwhile.
//
// stop ends the watch: it waits for the goroutine, and gone is not called after
// it. So gone must not call stop. Calling stop again is fine, and needed if
// gone was called too: it frees descriptors. Regular files and devices without
// a reader are not watched, nor is anything on Windows; then gone is not
// called and stop does nothing.
func (s *Stdout) WatchReader(gone func(error)) (stop func()) {
	return s.watch(gone, unix.Poll)
}

func (s *Stdout) watch(gone func(error), poll pollFunc) (stop func()) {
	fd := s.duplicate()
	if fd < 0 {
		return func() {}
	}
	var wake [2]int
	if !watchable(fd) || wakePipe(&wake) != nil {
		unix.Close(fd)
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if readerLeaves(fd, wake[0], poll) {
			gone(syscall.EPIPE)
		}
	}()
	return sync.OnceFunc(func() {
		unix.Close(wake[1])
		<-done
		unix.Close(wake[0])
		unix.Close(fd)
	})
}

// duplicate returns a descriptor for the watch alone, so that Release and the
// owner of a file may close theirs at any time; -1 if there is none.
func (s *Stdout) duplicate() int {
	s.mu.Lock() // so that it stays open
	defer s.mu.Unlock()
	if s.port == nil || s.released.Load() {
		return -1
	}
	dup := -1
	duplicate := func(fd int) {
		if n, err := stdfd.Duplicate(fd); err == nil {
			dup = n
		}
	}
	if d, ok := s.port.(descriptor); ok {
		duplicate(int(d))
	} else {
		control(s.file, duplicate)
	}
	return dup
}

// watchable tells whether fd has a reader that can leave.
func watchable(fd int) bool {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return false
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFIFO, unix.S_IFSOCK:
		return true
	}
	return isTerminal(fd)
}

// readerLeaves waits until fd's reader has gone (true) or the other end of wake
// is closed (false). Errors and hang-ups are reported without being asked for.
// An answer that is neither means that the system can't watch this file: the
// watch ends rather than spin, and the next write will tell.
func readerLeaves(fd, wake int, poll pollFunc) bool {
	for {
		fds := [2]unix.PollFd{{Fd: int32(wake), Events: unix.POLLIN}, {Fd: int32(fd), Events: hangUpEvents}}
		_, err := poll(fds[:], -1)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil || fds[0].Revents != 0:
			return false
		}
		return fds[1].Revents&(unix.POLLERR|unix.POLLHUP) != 0
	}
}
