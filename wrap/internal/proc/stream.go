package proc

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

const (
	// readSize is how much is read, and so written, at once.
	readSize = 64 << 10
	// pipeSize is what a pipe should hold: the most that Linux gives to
	// everyone. It saves switches between the command and us.
	pipeSize = 1 << 20
	// closing is how long a killed process may take to let go of its pipes.
	closing = 100 * time.Millisecond
)

// A stream is one of the two outputs of the command.
type stream struct {
	name string
	file *os.File // our end
	w    io.Writer
	done chan struct{} // closed when it is through
}

func newStream(name string, file *os.File, w io.Writer) *stream {
	if w == nil {
		w = io.Discard
	}
	return &stream{name: name, file: file, w: w, done: make(chan struct{})}
}

// read starts a reader for each stream.
func (r *run) read() {
	var all sync.WaitGroup
	for _, s := range r.streams {
		all.Add(1)
		go func() {
			defer all.Done()
			defer close(s.done)
			s.copy(r.broken)
		}()
	}
	go func() {
		all.Wait()
		close(r.through)
	}()
}

// close gives the descriptors back.
func (r *run) close() {
	r.terminal.stop()
	for _, s := range r.streams {
		s.file.Close()
	}
}

// copy hands on what comes until nothing more can come. Any error of the read
// is that: the end of a pipe, EIO where the other side of a terminal has gone,
// or that it was given up. It tells of the first error of the writer.
func (s *stream) copy(broken chan<- error) {
	buf := make([]byte, readSize)
	for {
		n, err := s.file.Read(buf)
		s.write(buf[:n], broken)
		if err == nil {
			continue
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			s.rest(buf, broken)
		}
		return
	}
}

// rest hands on what stands in the pipe, which holds no more than pipeSize.
func (s *stream) rest(buf []byte, broken chan<- error) {
	for left := pipeSize; left > 0; {
		n := readNow(s.file, buf)
		if n <= 0 {
			return
		}
		s.write(buf[:n], broken)
		left -= n
	}
}

func (s *stream) write(p []byte, broken chan<- error) {
	if len(p) == 0 {
		return
	}
	n, err := s.w.Write(p)
	if err == nil && n != len(p) {
		err = io.ErrShortWrite
	}
	if err != nil {
		s.w = io.Discard
		broken <- fmt.Errorf("the command's %s can't be handed on: %w", s.name, err)
	}
}

// held reports whether something has the other end open.
func (s *stream) held() bool {
	select {
	case <-s.done:
		return false
	default:
		return !hungUp(s.file)
	}
}

// giveUp lets the reader take what is there, and end.
func (s *stream) giveUp() {
	if s.file.SetReadDeadline(time.Now().Add(closing)) != nil {
		s.file.Close() // it knows no deadlines; what is there is lost
	}
}
