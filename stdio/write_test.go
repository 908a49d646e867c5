//go:build linux || darwin

package stdio_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/streamjson/streamjson/stdio"
)

// Whatever a file takes at a time, the bytes are the same; and what can't be
// written is counted.
func TestWriteLoop(t *testing.T) {
	text := strings.Repeat("0123456789", 20)
	broken := errors.New("broken")
	tests := []struct {
		rule    string
		attempt func(call int, p []byte) (int, error)
		n       int
		err     error
	}{
		{"all at once", func(_ int, p []byte) (int, error) { return len(p), nil }, 200, nil},
		{"short writes", func(call int, p []byte) (int, error) { return min(call%7+1, len(p)), nil }, 200, nil},
		{"EAGAIN each second time", func(call int, p []byte) (int, error) {
			if call%2 == 0 {
				return 0, stdio.ErrAgain
			}
			return min(3, len(p)), nil
		}, 200, nil},
		{"EAGAIN with a count", func(_ int, p []byte) (int, error) { return 1, stdio.ErrAgain }, 200, nil},
		{"99 idle writes are patience", func(call int, p []byte) (int, error) {
			if call%100 == 99 {
				return 1, nil
			}
			return 0, nil
		}, 200, nil},
		{"100 idle writes are none", func(call int, p []byte) (int, error) {
			if call == 0 {
				return 5, nil
			}
			return 0, nil
		}, 5, io.ErrNoProgress},
		{"an error ends it", func(call int, p []byte) (int, error) {
			if call == 3 {
				return 0, broken
			}
			return 10, nil
		}, 30, broken},
		{"an error with a count", func(call int, p []byte) (int, error) { return 7, broken }, 7, broken},
	}
	for _, test := range tests {
		t.Run(test.rule, func(t *testing.T) {
			var got []byte
			calls, waits, again := 0, 0, 0
			port := stdio.Port{
				OnWrite: func(p []byte) (int, error) {
					n, err := test.attempt(calls, p)
					calls++
					if err == stdio.ErrAgain && n < len(p) {
						again++
					}
					got = append(got, p[:n]...)
					return n, err
				},
				OnWait: func() error { waits++; return nil },
			}
			n, err := stdio.WriteAll(port, []byte(text))
			if n != test.n || !errors.Is(err, test.err) || string(got) != text[:n] {
				t.Errorf("%d, %v, %q", n, err, got)
			}
			if waits != again {
				t.Errorf("EAGAIN %d times, waited %d times", again, waits)
			}
		})
	}
}

func TestWriteLoopRefusesImpossibleCounts(t *testing.T) {
	for _, count := range []int{-1, 11, 1 << 30} {
		port := stdio.Port{OnWrite: func(p []byte) (int, error) { return count, nil }}
		if n, err := stdio.WriteAll(port, make([]byte, 10)); n != 0 || err == nil {
			t.Errorf("count %d: %d, %v", count, n, err)
		}
	}
}

func TestWriteLoopStopsWhereWaitFails(t *testing.T) {
	port := stdio.Port{
		OnWrite: func(p []byte) (int, error) { return 0, stdio.ErrAgain },
		OnWait:  func() error { return syscall.EBADF },
	}
	if n, err := stdio.WriteAll(port, []byte("x")); n != 0 || err != syscall.EBADF {
		t.Errorf("%d, %v", n, err)
	}
}

// Field cases 28, 73, 74: somebody else makes the open file non-blocking in the
// middle of a write, and back.
func TestNonBlockingSetByOthers(t *testing.T) {
	for _, kind := range watchedKinds {
		for name, newStdout := range map[string]func(*os.File) *stdio.Stdout{
			"descriptor": func(f *os.File) *stdio.Stdout { return stdio.OnDescriptor(int(f.Fd())) },
			"FromFile":   stdio.FromFile,
		} {
			t.Run(kind+" "+name, func(t *testing.T) {
				t.Parallel()
				s := open(t, kind)
				fd, err := syscall.Dup(int(s.child.Fd())) // a blocking one, not known to the poller
				check(t, err)
				f := os.NewFile(uintptr(fd), "blocking")
				defer f.Close()
				testNonBlocking(t, s, newStdout(f), fd)
			})
		}
	}
}

func testNonBlocking(t *testing.T, s *stream, out *stdio.Stdout, fd int) {
	want := pattern(1 << 20)
	waits := out.CountWaits()
	if s.kind == "socket" { // a write to a socket asks once, at its start
		check(t, syscall.SetNonblock(fd, true))
	}
	written := make(chan error, 1)
	go func() {
		n, err := out.Write(want)
		if err == nil && n != len(want) {
			err = io.ErrShortWrite
		}
		written <- err
	}()
	var got []byte
	buf := make([]byte, 1000)
	for i := 0; len(got) < len(want); i++ {
		n, err := s.ours.Read(buf)
		check(t, err)
		got = append(got, buf[:n]...)
		if i%50 == 0 && s.kind != "socket" {
			check(t, syscall.SetNonblock(fd, i%100 == 0))
		}
	}
	check(t, <-written)
	if !bytes.Equal(got, want) {
		t.Error("the bytes differ")
	}
	if waits.All.Load() == 0 {
		t.Error("no write met EAGAIN: this run tested nothing")
	}
	if n := waits.InVain.Load(); n > 0 && s.kind != "pty" { // a terminal's word on room is loose
		t.Errorf("%d waits in vain", n)
	}
}

// number is Fd without its side effect.
func number(t *testing.T, f *os.File) int {
	t.Helper()
	conn, err := f.SyscallConn()
	check(t, err)
	n := -1
	check(t, conn.Control(func(fd uintptr) { n = int(fd) }))
	return n
}

func pattern(size int) []byte {
	p := make([]byte, size)
	for i := range p {
		p[i] = byte('a' + i%23)
	}
	return p
}

func roleNoisy() {
	s := stdio.FromFile(os.Stdout)
	if os.Getenv("CLAIM") != "" {
		s = claimed()
		fmt.Println("stray")
	}
	_, err := s.Write(pattern(1 << 20))
	must(err)
}

// The same for a whole process: 1 MB into a stdout, claimed or not, that is
// non-blocking from the start, or made so while the child writes.
func TestNonBlockingStdoutOfAProcess(t *testing.T) {
	for i := range 4 {
		start, claim, stray := i&1 != 0, "", ""
		if i&2 != 0 {
			claim, stray = "CLAIM=1", "stray\n"
		}
		t.Run(fmt.Sprint(claim, " at start ", start), func(t *testing.T) {
			t.Parallel()
			in, out, err := open(t, "null"), open(t, "pipe"), drained(t, "pipe")
			files := []uintptr{in.child.Fd(), out.child.Fd(), err.child.Fd()}
			if start {
				check(t, syscall.SetNonblock(int(files[1]), true))
				check(t, syscall.SetNonblock(int(files[2]), true))
			}
			wait := fork(t, "noisy", files, claim)
			got := make([]byte, 1<<20)
			_, e := io.ReadFull(out.ours, got[:1])
			check(t, e)
			check(t, syscall.SetNonblock(int(files[1]), true))
			out.child.Close()
			_, e = io.ReadFull(out.ours, got[1:])
			check(t, e)
			code := wait()
			if text := err.all(t); code != 0 || text != stray {
				t.Errorf("exit %d: %s", code, text)
			}
			if !bytes.Equal(got, pattern(1<<20)) {
				t.Error("the bytes differ")
			}
		})
	}
}

const tracedLines = 40

// roleLines writes lines until one fails, and tells on stderr what came of it.
func roleLines() {
	runtime.LockOSThread() // strace counts by thread
	s := claimed()
	for i := range tracedLines {
		if n, err := fmt.Fprintf(s, "event %d\n", i); err != nil {
			fmt.Fprintf(os.Stderr, "line %d: %d bytes; %v; gone %v", i, n, err, s.ReaderGone(err))
			return
		}
	}
}

// A file that the caller closes ends a Write that waits for its reader, as
// os.File promises.
func TestFromFileLeavesTheFileToItsOwner(t *testing.T) {
	s := open(t, "pipe")
	out := stdio.FromFile(s.child)
	fill(t, s.child)
	failed := make(chan error, 1)
	go func() {
		_, err := out.Write(make([]byte, 1<<20))
		failed <- err
	}()
	check(t, s.child.SetWriteDeadline(time.Now().Add(time.Millisecond)))
	within(t, "Write after its deadline", func() {
		if err := <-failed; !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error(err)
		}
	})
	check(t, out.Release())
	if _, err := out.Write([]byte("x")); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
	if _, err := s.child.Stat(); err != nil {
		t.Error("Release closed the caller's file:", err)
	}
}

func TestFromFileOfNothing(t *testing.T) {
	closed := open(t, "pipe").child
	closed.Close()
	for name, f := range map[string]*os.File{"nil": nil, "closed": closed} {
		out := stdio.FromFile(f)
		if n, err := out.Write([]byte("x")); n != 0 || err == nil {
			t.Errorf("%s: %d, %v", name, n, err)
		}
		if out.IsTerminal() || out.Mirrored() {
			t.Errorf("%s: is something", name)
		}
		out.WatchReader(func(error) { t.Errorf("%s: a reader left", name) })()
		if _, err := stdio.Reserve(out); err == nil {
			t.Errorf("%s: reserved", name)
		}
		check(t, out.Release())
	}
}

func TestIsStdout(t *testing.T) {
	fd, err := syscall.Dup(1)
	check(t, err)
	dup := os.NewFile(uintptr(fd), "duplicate")
	closed := open(t, "pipe").child
	closed.Close()
	for name, test := range map[string]struct {
		f    *os.File
		want bool
	}{
		"os.Stdout": {os.Stdout, true}, "os.Stderr": {os.Stderr, false}, "duplicate": {dup, false},
		"closed": {closed, false}, "nil": {nil, false},
	} {
		if got := stdio.IsStdout(test.f); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	check(t, dup.Close())
}

func TestZeroValues(t *testing.T) {
	var s stdio.Stdout
	if n, err := s.Write([]byte("x")); n != 0 || !errors.Is(err, os.ErrClosed) {
		t.Error(n, err)
	}
	s.WatchReader(func(error) { t.Error("told") })()
	if _, err := stdio.Reserve(&s); err == nil {
		t.Error("reserved")
	}
	check(t, s.Release())
	var p stdio.Prose
	line(&p, "prose")
	p.Drain(time.Hour)
	p.Mute()
}

func TestIsReaderGone(t *testing.T) {
	for _, err := range []error{
		syscall.EPIPE, syscall.ECONNRESET, io.ErrClosedPipe,
		&os.PathError{Op: "write", Path: "x", Err: syscall.EPIPE},
		errors.Join(errors.New("other"), syscall.ECONNRESET),
	} {
		if !stdio.IsReaderGone(err) {
			t.Errorf("%v is not", err)
		}
	}
	for _, err := range []error{nil, io.EOF, os.ErrClosed, syscall.EIO, syscall.EAGAIN, syscall.EBADF, syscall.ENOSPC, errors.New("broken pipe")} {
		if stdio.IsReaderGone(err) {
			t.Errorf("%v is", err)
		}
	}
	for _, kind := range []string{"pipe", "pty"} {
		out := stdio.FromFile(open(t, kind).child)
		if got := out.ReaderGone(&os.PathError{Op: "write", Path: "x", Err: syscall.EIO}); got != (kind == "pty") {
			t.Errorf("EIO on a %s: %v", kind, got)
		}
		if out.ReaderGone(nil) || !out.ReaderGone(syscall.EPIPE) {
			t.Error(kind)
		}
	}
}

// Two writers' lines never mix, however small the pieces that are taken.
func TestWritesTakeTurns(t *testing.T) {
	s := open(t, "pipe")
	check(t, syscall.SetNonblock(int(s.child.Fd()), true))
	out := stdio.OnDescriptor(number(t, s.child))
	const size = 100_000
	done := make(chan error)
	for i := range 4 {
		go func() {
			_, err := out.Write(append(bytes.Repeat([]byte{byte('a' + i)}, size), '\n'))
			done <- err
		}()
	}
	got := make([]byte, 4*(size+1))
	_, err := io.ReadFull(s.ours, got)
	check(t, err)
	for range 4 {
		check(t, <-done)
	}
	for l := range bytes.Lines(got) {
		if len(l) != size+1 || bytes.Count(l, l[:1]) != size {
			t.Errorf("a line of %d bytes, %d of them %q", len(l), bytes.Count(l, l[:1]), l[0])
		}
	}
}

func TestWriteAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	null := open(t, "null")
	event := pattern(300)
	for name, out := range map[string]*stdio.Stdout{
		"descriptor": stdio.OnDescriptor(number(t, null.child)),
		"file":       stdio.FromFile(null.child),
	} {
		if n := testing.AllocsPerRun(100, func() { _, _ = out.Write(event) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// A Write that panics, as os.File does over an impossible count, gives back its
// turn; the port is closed once.
func TestWriteThatPanicsGivesBackItsTurn(t *testing.T) {
	closed, panics := 0, true
	s := stdio.OnPort(stdio.Port{OnWrite: func(p []byte) (int, error) {
		if panics {
			panic("invalid return from write")
		}
		return len(p), nil
	}}, func() error { closed++; return nil })
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic is gone")
			}
		}()
		_, _ = s.Write([]byte("x"))
	}()
	panics = false
	if n, err := s.Write([]byte("line\n")); n != 5 || err != nil {
		t.Errorf("the next Write: %d, %v", n, err)
	}
	if err := s.Release(); err != nil || closed != 1 {
		t.Errorf("Release: %v, closed %d times", err, closed)
	}
}

// A Write that waits for its turn while the Stdout is released is refused, and
// the last of them to go closes the port.
func TestReleaseWhileWritesWait(t *testing.T) {
	for range 200 {
		in, out := make(chan struct{}), make(chan struct{})
		var closed atomic.Int32
		var once sync.Once
		s := stdio.OnPort(stdio.Port{OnWrite: func(p []byte) (int, error) {
			once.Do(func() { close(in); <-out })
			return len(p), nil
		}}, func() error { closed.Add(1); return nil })
		var wait sync.WaitGroup
		for range 3 {
			wait.Go(func() {
				if n, err := s.Write([]byte("x")); err != nil && (n != 0 || !errors.Is(err, os.ErrClosed)) {
					t.Errorf("Write: %d, %v", n, err)
				}
			})
		}
		<-in
		check(t, s.Release())
		if closed.Load() != 0 {
			t.Fatal("closed under a Write")
		}
		close(out)
		wait.Wait()
		if n := closed.Load(); n != 1 {
			t.Fatalf("closed %d times", n)
		}
	}
}

// No bytes are no write: a socket may take it for the end.
func TestWriteOfNothing(t *testing.T) {
	s := stdio.OnPort(stdio.Port{OnWrite: func([]byte) (int, error) { panic("written to") }}, nil)
	if n, err := s.Write(nil); n != 0 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	check(t, s.Release())
	if _, err := s.Write(nil); !errors.Is(err, os.ErrClosed) {
		t.Errorf("released: %v", err)
	}
}
