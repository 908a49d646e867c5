//go:build linux || darwin

package stdio

import (
	"os"
	"syscall"
	"time"
)

// filePort returns the port on a file of the caller's, and the file where it
// does the writing. It does so where it can, so that deadlines and Close still
// work on it; not on descriptors 1 and 2, where a broken pipe would end the
// process.
func filePort(f *os.File) (p port, own *os.File) {
	conn, err := f.SyscallConn()
	if err != nil {
		return failedPort{err}, nil
	}
	if n, ok := number(f); ok && (n == 1 || n == 2) {
		return newStdPort(conn), nil
	}
	return ownFile{f, conn}, f
}

// failedPort stands for a file that can't be written to.
type failedPort struct{ err error }

func (p failedPort) write([]byte) (int, error) { return 0, p.err }
func (p failedPort) wait() error               { return p.err }

func (p failedPort) writeNow([]byte) (int, error) { return 0, os.ErrClosed }
func (p failedPort) awaitRoom(time.Duration)      {}

// ownFile writes by way of os.File.
type ownFile struct {
	f    *os.File
	conn syscall.RawConn
}

func (o ownFile) write(p []byte) (int, error) {
	n, err := o.f.Write(p)
	return n, attemptError(err)
}

func (o ownFile) wait() error { return waitControlled(o.conn) }

func waitControlled(conn syscall.RawConn) error {
	var err error
	if e := conn.Control(func(fd uintptr) { err = awaitRoom(int(fd), -1) }); e != nil {
		return e
	}
	return err
}

// stdPort writes to the descriptor of an os.File, which stays open meanwhile.
// One write at a time uses it, so that its closure is made once.
type stdPort struct {
	conn    syscall.RawConn
	attempt func(uintptr)
	p       []byte
	n       int
	err     error
}

func newStdPort(conn syscall.RawConn) *stdPort {
	s := &stdPort{conn: conn}
	s.attempt = func(fd uintptr) { s.n, s.err = descriptor(fd).write(s.p) }
	return s
}

func (s *stdPort) write(p []byte) (int, error) {
	s.p = p
	err := s.conn.Control(s.attempt)
	s.p = nil
	if err != nil {
		return 0, err
	}
	return s.n, s.err
}

func (s *stdPort) wait() error { return waitControlled(s.conn) }
