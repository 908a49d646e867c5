//go:build linux || darwin

package stdio_test

import (
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/streamjson/streamjson/stdio"
)

var watchedKinds = [...]string{"pipe", "FIFO", "socket", "pty"}

// The reader leaves and nobody writes; the watch tells at once, once, and never
// woke up before.
func TestWatchReaderNoticesWithoutWriting(t *testing.T) {
	for _, kind := range watchedKinds {
		t.Run(kind, func(t *testing.T) {
			s := open(t, kind)
			out := stdio.FromFile(s.child)
			var polls atomic.Int64
			gone := make(chan error, 2)
			stop := out.WatchPolls(func(err error) { gone <- err }, &polls)
			buf := make([]byte, 100)
			for range 1000 { // traffic is no reason to wake up
				line(out, "event")
				_, err := s.ours.Read(buf)
				check(t, err)
			}
			if len(gone) != 0 || polls.Load() != 0 {
				t.Errorf("gone %d times, %d wake-ups while the reader was there", len(gone), polls.Load())
			}
			check(t, s.ours.Close())
			within(t, "the watch", func() {
				if err := <-gone; err != syscall.EPIPE || !out.ReaderGone(err) {
					t.Error(err)
				}
			})
			stop()
			stop()
			if len(gone) != 0 || polls.Load() != 1 {
				t.Errorf("told %d times more, %d wake-ups", len(gone), polls.Load())
			}
		})
	}
}

func TestWatchReaderThatHasLeft(t *testing.T) {
	for _, kind := range watchedKinds {
		s := open(t, kind)
		check(t, s.ours.Close())
		gone := make(chan error, 1)
		stop := stdio.FromFile(s.child).WatchReader(func(err error) { gone <- err })
		within(t, kind, func() { <-gone })
		stop()
	}
}

// stop beats a reader that leaves later, on every kind; and where nothing can be
// watched, stop is all there is.
func TestWatchReaderStopped(t *testing.T) {
	for _, kind := range streamKinds {
		s := open(t, kind)
		out := stdio.FromFile(s.child)
		var called atomic.Bool
		within(t, "stop on a "+kind, out.WatchReader(func(error) { called.Store(true) }))
		if s.ours != nil {
			check(t, s.ours.Close())
		}
		if called.Load() {
			t.Errorf("%s: told of a reader that was there", kind)
		}
	}
}

func TestWatchReaderNeedsAReader(t *testing.T) {
	released := stdio.FromFile(open(t, "pipe").child)
	check(t, released.Release())
	for name, out := range map[string]*stdio.Stdout{
		"file": stdio.FromFile(open(t, "file").child), "null": stdio.FromFile(open(t, "null").child), "released": released,
	} {
		before := runtime.NumGoroutine()
		stop := out.WatchReader(func(error) { t.Error("told") })
		if now := runtime.NumGoroutine(); now > before {
			t.Errorf("%s: %d goroutines became %d", name, before, now)
		}
		stop()
	}
}

// However stop and the leaving reader race: at most one call, none after stop.
func TestWatchReaderStopRace(t *testing.T) {
	for range 300 {
		s := open(t, "pipe")
		var stopped atomic.Bool
		var calls atomic.Int32
		stop := stdio.FromFile(s.child).WatchReader(func(error) {
			if stopped.Load() {
				t.Error("told after stop")
			}
			calls.Add(1)
		})
		go s.ours.Close()
		stop()
		stopped.Store(true)
		if calls.Load() > 1 {
			t.Error("told twice")
		}
	}
}

// What poll can answer, and what the watch makes of it.
func TestWatchReaderAnswersOfPoll(t *testing.T) {
	type answer struct {
		wake, file int16
		err        error
	}
	for rule, test := range map[string]struct {
		answers []answer
		gone    bool
	}{
		"an error is a gone reader":          {[]answer{{0, unix.POLLERR, nil}}, true},
		"so is a hang-up":                    {[]answer{{0, unix.POLLHUP, nil}}, true},
		"EINTR is asked again":               {[]answer{{0, 0, unix.EINTR}, {0, 0, unix.EINTR}, {0, unix.POLLERR, nil}}, true},
		"a stop wins":                        {[]answer{{unix.POLLHUP, unix.POLLERR, nil}}, false},
		"a file that can't be polled":        {[]answer{{0, unix.POLLNVAL, nil}}, false},
		"an answer without a question":       {[]answer{{0, unix.POLLOUT, nil}}, false},
		"a poll that fails tells of nothing": {[]answer{{0, unix.POLLERR, unix.ENOMEM}}, false},
	} {
		var calls atomic.Int32
		asked := 0
		all := make(chan struct{})
		stop := stdio.FromFile(open(t, "pipe").child).WatchWith(func(error) { calls.Add(1) },
			func(fds []unix.PollFd, timeout int) (int, error) {
				if timeout != -1 {
					t.Errorf("%s: the watch wakes up by itself", rule)
				}
				a := test.answers[asked]
				if asked++; asked == len(test.answers) {
					close(all)
				}
				fds[0].Revents, fds[1].Revents = a.wake, a.file
				return 1, a.err
			})
		<-all
		stop()
		if got := calls.Load(); got != 0 != test.gone {
			t.Errorf("%s: told %d times", rule, got)
		}
	}
}

// A peer that has only shut down its own sending still reads.
func TestWatchReaderHalfClosedSocket(t *testing.T) {
	s := open(t, "socket")
	out := stdio.FromFile(s.child)
	var polls atomic.Int64
	gone := make(chan error, 1)
	stop := out.WatchPolls(func(err error) { gone <- err }, &polls)
	defer stop()
	check(t, syscall.Shutdown(number(t, s.ours), syscall.SHUT_WR))
	line(out, "event")
	buf := make([]byte, 10)
	_, err := s.ours.Read(buf)
	check(t, err)
	if polls.Load() != 0 {
		t.Error("a half-closed socket woke the watch")
	}
	check(t, s.ours.Close())
	within(t, "the watch", func() { <-gone })
}

// The owner of a file may close it, and Release the claim, while it is watched.
func TestWatchReaderOutlivesTheFile(t *testing.T) {
	s := open(t, "pipe")
	out := stdio.FromFile(s.child)
	gone := make(chan error, 1)
	stop := out.WatchReader(func(err error) { gone <- err })
	within(t, "Close under a watch", func() { check(t, s.child.Close()) })
	check(t, out.Release())
	check(t, s.ours.Close())
	within(t, "the watch", func() { <-gone })
	stop()
}

func roleWatch() {
	s := claimed()
	gone := make(chan error, 1)
	stop := s.WatchReader(func(err error) { gone <- err })
	line(s, "event")
	select {
	case err := <-gone:
		stop()
		fmt.Fprint(os.Stderr, err)
	case <-time.After(hangGuard):
		os.Exit(3)
	}
}

// Field case 77: an agent that waits for its model ends with its reader.
func TestWatchReaderOfAProcess(t *testing.T) {
	for _, kind := range watchedKinds {
		out, err := open(t, kind), drained(t, "pipe")
		cmd := command(t, "watch")
		cmd.Stdout, cmd.Stderr = out.child, err.child
		check(t, cmd.Start())
		out.child.Close()
		_, e := out.ours.Read(make([]byte, 100))
		check(t, e)
		check(t, out.ours.Close())
		code := exitCode(t, cmd)
		if got := err.all(t); code != 0 || got != "broken pipe" {
			t.Errorf("%s: exit %d, stderr is %q", kind, code, got)
		}
	}
}
