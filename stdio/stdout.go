package stdio

import (
	"errors"
	"os"
	"sync"
	"sync/atomic"
)

// Stdout is a place for whole lines: the process's stdout ([Claim], [Raw]) or
// a file ([FromFile]). Its methods may be called from several goroutines. Two
// writes never mix, and while one waits for a slow reader, all methods but
// Write answer at once.
type Stdout struct {
	port     port
	file     *os.File // what port writes to, where that is a file
	own      *os.File // the same, where the port has it do the writing
	key      uintptr  // what Reserve knows it by: the number of the descriptor it stands for
	terminal bool
	mirrored bool
	stderr   int // private duplicate of the stderr that the claim muted, or -1

	turn     sync.Mutex // held by the Write whose turn it is, and to close the port
	released atomic.Bool

	mu     sync.Mutex   // guards closer; never held across a system call that can wait
	closer func() error // closes what Release must close once no Write uses it; nil for nothing

	undo func() error // what Claim did to the process, for Release; nil for the others
}

// port is the way to a file, one attempt at a time.
type port interface {
	// write makes one attempt; errAgain means that the file takes nothing now.
	write(p []byte) (int, error)
	// wait returns when the file takes bytes again, or has an error to tell.
	wait() error
}

// Write writes all of p, or returns how much of it was written and why not
// more. It waits for a slow reader, as long as it takes. After a Release it
// returns an error that is os.ErrClosed. It does not allocate.
func (s *Stdout) Write(p []byte) (int, error) {
	s.turn.Lock()
	defer s.endTurn() // also where os.File panics, over an impossible count
	switch {
	case s.port == nil, s.released.Load():
		return 0, &os.PathError{Op: "write", Path: stdoutName, Err: os.ErrClosed}
	case len(p) == 0: // which sockets and pipes may take for an end
		return 0, nil
	}
	// After a system call each return is a mispredicted one: hence no further
	// function for what is the rule.
	var n int
	var err error
	if s.own != nil {
		if n, err = s.own.Write(p); err != nil {
			err = attemptError(err)
		}
	} else {
		n, err = s.port.write(p)
	}
	if n != len(p) || err != nil {
		n, err = writeRest(s.port, p, n, err)
	}
	if err != nil {
		err = wrapWrite(err)
	}
	return n, err
}

func (s *Stdout) endTurn() {
	s.turn.Unlock()
	if s.released.Load() {
		_ = s.closeUnused()
	}
}

const stdoutName = "stdout"

func wrapWrite(err error) error {
	var named *os.PathError
	if errors.As(err, &named) {
		return err // a file of the caller's has told its own name
	}
	return &os.PathError{Op: "write", Path: stdoutName, Err: err}
}

// closeUnused closes what Release must close, unless a Write is in its turn or
// about to have it: that one sees that s was released, and calls it again. A lock
// that can't be taken here always is in such hands, for nothing else takes it.
func (s *Stdout) closeUnused() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closer == nil || !s.turn.TryLock() {
		return nil
	}
	defer s.turn.Unlock()
	closer := s.closer
	s.closer = nil
	return closer()
}

// Release ends the use of s. A claim gives descriptors 1 and 2 back exactly as
// they were; that is for tests, and for a program that turns from a machine
// format to text, since what is printed afterwards lands behind the last line.
// A file stays the caller's, and open. Release does not wait: a Write on its
// way goes on, and the private descriptor is closed when it returns. The
// second call does nothing.
func (s *Stdout) Release() error {
	process.Lock()
	defer process.Unlock()
	if s.released.Swap(true) {
		return nil
	}
	var err error
	if s.undo != nil {
		err = s.undo()
	}
	if process.claim == s {
		process.claim = nil
	}
	return errors.Join(err, s.closeUnused())
}

// Mirrored tells that stdout and stderr are one pipe, file or socket (2>&1),
// so that prose must be left out: it would land in the stream. It is true for
// claims alone, and never for terminals and other devices.
func (s *Stdout) Mirrored() bool { return s.mirrored }

// IsTerminal tells whether s leads to a terminal.
func (s *Stdout) IsTerminal() bool { return s.terminal }

// ReaderGone tells whether err, which a write to s returned, means that nobody
// reads s any more: what [IsReaderGone] says, and EIO where s is a terminal,
// which has been hung up then.
func (s *Stdout) ReaderGone(err error) bool {
	return IsReaderGone(err) || s.terminal && isHangUp(err)
}

// FromFile returns a Stdout on a file of the caller's, which stays the
// caller's to close; nothing is claimed. A gone reader is an error for every
// file, also for descriptors 1 and 2, where os.File ends the process.
func FromFile(f *os.File) *Stdout {
	s := &Stdout{key: noKey, stderr: -1, file: f}
	if n, ok := number(f); ok {
		s.key = n
	}
	s.terminal = isTerminalFile(f)
	s.port, s.own = filePort(f)
	return s
}

// IsStdout tells whether f is the stdout of the process: descriptor 1, by
// whatever name. It leaves f's mode alone, which f.Fd does not.
func IsStdout(f *os.File) bool {
	n, ok := number(f)
	return ok && n == stdoutNumber()
}

// number returns the number of f's descriptor, and false where it has none.
func number(f *os.File) (uintptr, bool) {
	n := noKey
	control(f, func(fd int) { n = uintptr(fd) })
	return n, n != noKey
}

const noKey = ^uintptr(0)

// control calls with on f's descriptor, which stays open meanwhile. It is not
// f.Fd, which takes the file out of non-blocking mode. Nothing happens for a
// file that is closed or nil.
func control(f *os.File, with func(fd int)) {
	if conn, err := f.SyscallConn(); err == nil {
		_ = conn.Control(func(fd uintptr) { with(int(fd)) })
	}
}
