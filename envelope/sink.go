package envelope

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/streamjson/streamjson/stdio"
)

// sink is where the answer of a run goes.
type sink struct {
	w     io.Writer
	file  *stdio.Stdout // the same as w, unless that is a writer of the caller's
	own   bool          // it is the stdout of the process
	close func()
}

// openSink opens stdout: claimed for a document, left as it is for people. A
// second run on the same stdout is refused while the first one lasts.
func openSink(o *RunOptions) (*sink, error) {
	s := &sink{w: o.Stdout, close: func() {}}
	switch w := o.Stdout.(type) {
	case nil:
		s.own = true
	case *stdio.Stdout:
		s.file = w
	case *os.File:
		if s.own = isStdout(w); !s.own {
			s.file = stdio.FromFile(w)
		}
	}
	if s.own {
		if err := s.openOwn(o.JSON); err != nil {
			return s, err
		}
	}
	if s.file == nil {
		return s, nil
	}
	s.w = s.file
	if !o.JSON {
		return s, nil
	}
	release, err := stdio.Reserve(s.file)
	if errors.Is(err, stdio.ErrInUse) {
		return s, WithHint(fmt.Errorf("stdout belongs to another run: %w", err),
			"call the body of the other command, not its Run: one process, one answer")
	}
	if err != nil {
		return s, err
	}
	s.close = release
	return s, nil
}

func (s *sink) openOwn(json bool) (err error) {
	if json {
		s.file, err = stdio.Claim()
	} else {
		// What a body prints by itself gets an error from a closed pipe, as the
		// renderer does, and the run ends in order, with status 141.
		signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
		if s.file, err = stdio.Raw(); err == nil {
			s.close = func() { _ = s.file.Release() }
		}
	}
	if err != nil {
		return fmt.Errorf("stdout can't be opened: %w", err)
	}
	return nil
}

// isStdout tells whether f is descriptor 1. (f.Fd would switch a file out of
// its non-blocking mode.)
func isStdout(f *os.File) bool {
	if f == nil {
		return false
	}
	is := false
	if conn, err := f.SyscallConn(); err == nil {
		_ = conn.Control(func(fd uintptr) { is = fd == uintptr(syscall.Stdout) })
	}
	return is
}

// watch calls gone when the reader has left, until stop.
func (s *sink) watch(gone func(error)) (stop func()) {
	if s.file == nil {
		return func() {}
	}
	return s.file.WatchReader(gone)
}
