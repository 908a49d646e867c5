//go:build linux || darwin

package stdio_test

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// stream is a file for a child, of one of the kinds that a stdout can be.
type stream struct {
	kind  string
	child *os.File    // the child's end
	ours  *os.File    // the reader's end; nil for files
	text  chan string // what drain has read
	path  string      // of a file
}

var streamKinds = [...]string{"pipe", "file", "FIFO", "socket", "pty", "null"}

// open makes a stream that nobody reads yet.
func open(t *testing.T, kind string) *stream {
	t.Helper()
	s := &stream{kind: kind}
	var err error
	switch kind {
	case "pipe":
		s.ours, s.child, err = os.Pipe()
	case "file":
		s.path = filepath.Join(t.TempDir(), "file")
		s.child, err = os.Create(s.path)
	case "FIFO":
		path := filepath.Join(t.TempDir(), "fifo")
		check(t, unix.Mkfifo(path, 0o600))
		s.ours, err = os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
		check(t, err)
		s.child, err = os.OpenFile(path, os.O_WRONLY, 0)
	case "socket", "packets":
		var pair [2]int
		pair, err = unix.Socketpair(unix.AF_UNIX, map[string]int{"socket": unix.SOCK_STREAM, "packets": unix.SOCK_DGRAM}[kind], 0)
		check(t, err)
		unix.CloseOnExec(pair[0])
		unix.CloseOnExec(pair[1])
		s.ours, s.child = os.NewFile(uintptr(pair[0]), "ours"), os.NewFile(uintptr(pair[1]), "child")
	case "pty":
		s.ours, s.child, err = pty.Open()
		check(t, err)
		rawMode(t, s.child)
	case "full":
		s.child, err = os.OpenFile("/dev/full", os.O_WRONLY, 0)
	case "null":
		s.child, err = os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	}
	check(t, err)
	t.Cleanup(func() {
		s.child.Close()
		if s.ours != nil {
			s.ours.Close()
		}
	})
	return s
}

// drained makes a stream that is read all the time.
func drained(t *testing.T, kind string) *stream {
	s := open(t, kind)
	s.drain()
	return s
}

func (s *stream) drain() {
	if s.ours == nil {
		return
	}
	s.text = make(chan string, 1)
	go func() {
		all, _ := io.ReadAll(s.ours) // a terminal ends with EIO
		s.text <- string(all)
	}()
}

// all returns what came through, once all other writers are gone.
func (s *stream) all(t *testing.T) string {
	t.Helper()
	s.child.Close()
	switch {
	case s.path != "":
		all, err := os.ReadFile(s.path)
		check(t, err)
		return string(all)
	case s.text == nil:
		return ""
	}
	var text string
	within(t, "reading a "+s.kind, func() { text = <-s.text })
	return text
}

// rawMode makes a terminal pass bytes on as they are.
func rawMode(t *testing.T, tty *os.File) {
	t.Helper()
	conn, err := tty.SyscallConn()
	check(t, err)
	check(t, conn.Control(func(fd uintptr) {
		state, e := unix.IoctlGetTermios(int(fd), getTermios)
		if err = e; err != nil {
			return
		}
		state.Oflag &^= unix.OPOST
		state.Lflag &^= unix.ECHO | unix.ICANON
		err = unix.IoctlSetTermios(int(fd), setTermios, state)
	}))
	check(t, err)
}

func statusFlags(t *testing.T, f *os.File) int {
	t.Helper()
	flags, err := unix.FcntlInt(uintptr(number(t, f)), unix.F_GETFL, 0)
	check(t, err)
	return flags
}

// fill writes to f until it takes nothing more, and returns how much it took.
func fill(t *testing.T, f *os.File) int {
	t.Helper()
	conn, err := f.SyscallConn()
	check(t, err)
	total := 0
	check(t, conn.Control(func(fd uintptr) {
		was, e := unix.FcntlInt(fd, unix.F_GETFL, 0)
		check(t, e)
		check(t, syscall.SetNonblock(int(fd), true))
		for size := 4096; size > 0; {
			n, e := unix.Write(int(fd), make([]byte, size))
			if e != nil {
				size /= 2
				continue
			}
			total += n
		}
		_, e = unix.FcntlInt(fd, unix.F_SETFL, was)
		check(t, e)
	}))
	return total
}
