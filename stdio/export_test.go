//go:build linux || darwin

package stdio

import (
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// WatchPolls is WatchReader that counts how often poll returns.
func (s *Stdout) WatchPolls(gone func(error), returns *atomic.Int64) (stop func()) {
	return s.watch(gone, func(fds []unix.PollFd, timeout int) (int, error) {
		n, err := unix.Poll(fds, timeout)
		if err != unix.EINTR {
			returns.Add(1)
		}
		return n, err
	})
}

// Port lets tests write through writeAll to a file of their own making.
type Port struct {
	OnWrite func(p []byte) (int, error)
	OnWait  func() error
}

func (p Port) write(b []byte) (int, error) { return p.OnWrite(b) }
func (p Port) wait() error                 { return p.OnWait() }

// WriteAll is the loop of Stdout.Write.
func WriteAll(p Port, b []byte) (int, error) { return writeAll(p, b) }

// ErrAgain is what a Port returns for EAGAIN.
var ErrAgain = errAgain

// OnDescriptor returns a Stdout on a raw descriptor, as Claim does, without
// claiming anything.
func OnDescriptor(fd int) *Stdout { return private(fd) }

// CountWaits counts how often s waits for room.
func (s *Stdout) CountWaits() *atomic.Int64 {
	counted := &countingPort{port: s.port}
	s.port = counted
	return &counted.waits
}

type countingPort struct {
	port
	waits atomic.Int64
}

func (c *countingPort) wait() error {
	c.waits.Add(1)
	return c.port.wait()
}

// MaxHeld is the size of Prose's buffer.
const MaxHeld = maxHeld
