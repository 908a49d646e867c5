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

// WatchWith is WatchReader with another poll.
func (s *Stdout) WatchWith(gone func(error), poll func([]unix.PollFd, int) (int, error)) (stop func()) {
	return s.watch(gone, poll)
}

// Port lets tests write as a Stdout does, to a file of their own making.
type Port struct {
	OnWrite func(p []byte) (int, error)
	OnWait  func() error
}

func (p Port) write(b []byte) (int, error) { return p.OnWrite(b) }
func (p Port) wait() error                 { return p.OnWait() }

// WriteAll is the loop of Stdout.Write.
func WriteAll(p Port, b []byte) (int, error) {
	n, err := p.write(b)
	return writeRest(p, b, n, err)
}

// OnPort returns a Stdout that writes to p, and closes by closer.
func OnPort(p Port, closer func() error) *Stdout {
	return &Stdout{port: p, closer: closer, key: noKey, stderr: -1}
}

// ErrAgain is what a Port returns for EAGAIN.
var ErrAgain = errAgain

// OnDescriptor returns a Stdout on a raw descriptor, as Claim does, without
// claiming anything.
func OnDescriptor(fd int) *Stdout { return private(fd) }

// Waits counts how often a Stdout waited for room, and how often it waited in
// vain: the next write took nothing.
type Waits struct{ All, InVain atomic.Int64 }

// CountWaits counts the waits of s from now on.
func (s *Stdout) CountWaits() *Waits {
	counted := &countingPort{port: s.port}
	s.port = counted
	return &counted.waits
}

type countingPort struct {
	port
	waited bool
	waits  Waits
}

func (c *countingPort) write(p []byte) (int, error) {
	n, err := c.port.write(p)
	if c.waited && n == 0 {
		c.waits.InVain.Add(1)
	}
	c.waited = false
	return n, err
}

func (c *countingPort) wait() error {
	c.waited = true
	c.waits.All.Add(1)
	return c.port.wait()
}

// MaxHeld is the size of Prose's buffer.
const MaxHeld = maxHeld
