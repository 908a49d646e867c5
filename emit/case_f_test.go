package emit_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/event"
	"github.com/streamjson/streamjson/exitcode"
)

const megabyte = 1 << 20

// childFlipped writes lines far longer than a pipe takes at once to a stdout
// that somebody has made non-blocking.
func childFlipped() int {
	if err := syscall.SetNonblock(syscall.Stdout, true); err != nil {
		panic(err)
	}
	return runChild(func(_ context.Context, em *emit.Emitter) error {
		for i := range 2 {
			if err := em.Emit(event.Notification{ID: fmt.Sprint(i), Severity: "info", Body: strings.Repeat("x", megabyte)}); err != nil {
				return err
			}
		}
		return nil
	})
}

// A stdout that was made non-blocking takes everything all the same.
func TestCase073NonBlockingStdout(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("handles there know no such mode")
	}
	got := finish(t, child(t, "flipped"))
	records := whole(t, got.stdout)
	if s := kinds(records); s != "init notification notification result/success" || got.code != 0 {
		t.Errorf("exit code %d: %s, stderr %s", got.code, s, got.stderr)
	}
	for _, n := range ofKind(records, "system/notification") {
		if len(n.str("body")) != megabyte {
			t.Errorf("%d of %d bytes", len(n.str("body")), megabyte)
		}
	}
}

// A fullPipe takes 8,192 bytes, and then nothing for a moment.
type fullPipe struct {
	tape
	room, refusals int
}

func (p *fullPipe) Write(b []byte) (int, error) {
	if p.room == 0 {
		p.room = 8192
		p.refusals++
		return 0, syscall.EAGAIN
	}
	n := min(len(b), p.room)
	p.room -= n
	if _, err := p.tape.Write(b[:n]); err != nil || n == len(b) {
		return n, err
	}
	return n, syscall.EAGAIN
}

// Not a byte is lost where the pipe is full for a moment, however often.
func TestCase074FullForAMoment(t *testing.T) {
	p := &fullPipe{room: 8192}
	em := begin(t, quiet(p))
	body := strings.Repeat("0123456789", 150*8192/10)
	must(t, em.Emit(event.Notification{ID: "n", Severity: "info", Body: body}), em.Finish(event.Result{}))
	records := whole(t, p.bytes())
	if records[1].str("body") != body || p.refusals < 150 {
		t.Errorf("%d of %d bytes arrived, with %d refusals", len(records[1].str("body")), len(body), p.refusals)
	}
}

// A counter counts the writes that it fails.
type counter struct {
	calls atomic.Int32
	err   error
}

func (c *counter) Write([]byte) (int, error) {
	c.calls.Add(1)
	return 0, c.err
}

// The reader is gone: one write fails, and none follows, neither for the
// result nor for what tells of the error.
func TestCase076NoSecondWriteAfterEPIPE(t *testing.T) {
	for _, format := range []emit.Format{emit.FormatStreamJSON, emit.FormatJSON, emit.FormatText} {
		w := &counter{err: &os.PathError{Op: "write", Path: "stdout", Err: syscall.EPIPE}}
		o := quiet(w)
		o.Format = format
		em := begin(t, o)
		_ = em.Warn("x", "y")
		err := em.Finish(event.Result{Result: "42"})
		_ = em.Close()
		if n := w.calls.Load(); !errors.Is(err, emit.ErrReaderGone) || n != 1 || em.ExitCode() != exitcode.ReaderGone {
			t.Errorf("%v: %v after %d writes, exit code %d", format, err, n, em.ExitCode())
		}
	}

	r, w, err := os.Pipe() // a real one, whose reader goes before the result
	must(t, err)
	defer w.Close()
	em := begin(t, quiet(w))
	must(t, em.Init(event.Init{}), r.Close())
	var broken *emit.WriteError
	if err := em.Finish(event.Result{}); !errors.As(err, &broken) || !errors.Is(err, emit.ErrReaderGone) || broken.Seq != 1 || em.ExitCode() != exitcode.ReaderGone {
		t.Errorf("%v, exit code %d", err, em.ExitCode())
	}
}

// childEndless writes for ever, and stops when its context does, whatever
// its calls return.
func childEndless() int {
	o := childOptions()
	o.Partial = true
	return emit.Run(context.Background(), o, func(ctx context.Context, em *emit.Emitter) error {
		for i := 0; ctx.Err() == nil; i++ {
			_ = em.Text(0, fmt.Sprintf("line %d\n", i))
		}
		fmt.Println("a stray print") // into the broken pipe, in the format text
		em.Log().Info().Msg("the work has stopped")
		return ctx.Err()
	})
}

// head reads n lines of a child's stdout, and closes it.
func head(t *testing.T, cmd *exec.Cmd, n int) *running {
	t.Helper()
	r, w, err := os.Pipe()
	must(t, err)
	cmd.Stdout = w
	running := start(t, cmd)
	must(t, w.Close())
	lines := bufio.NewReader(r)
	for range n {
		if _, err := lines.ReadString('\n'); err != nil {
			t.Errorf("the child's line: %v", err)
		}
	}
	must(t, r.Close())
	return running
}

// A producer without an end behind "head -3" stops its work and ends.
func TestCase077EndlessIntoHead(t *testing.T) {
	got := head(t, child(t, "endless"), 3).wait(t)
	if got.code != exitcode.ReaderGone || !strings.Contains(string(got.stderr), "info: the work has stopped\n") {
		t.Errorf("exit code %d, stderr %q", got.code, got.stderr)
	}
}

// childIdle has a temporary directory, writes one line, and waits for a model
// that never answers.
func childIdle() int {
	return runChild(func(ctx context.Context, em *emit.Emitter) error {
		dir, err := os.MkdirTemp(os.Getenv(pathVariable), "work")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		if err := em.Init(event.Init{}); err != nil {
			return err
		}
		<-ctx.Done()
		return ctx.Err()
	})
}

// A reader that goes while nothing is written is noticed, and what has to be
// cleaned up is: the process ends by itself, not by SIGPIPE.
func TestCase079CleanUpWhenTheReaderGoes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("readers are not watched there")
	}
	dir := t.TempDir()
	got := head(t, child(t, "idle", pathVariable+"="+dir), 1).wait(t)
	left, err := os.ReadDir(dir)
	must(t, err)
	if got.code != exitcode.ReaderGone || len(left) > 0 || len(got.stderr) > 0 {
		t.Errorf("exit code %d, left behind %v, stderr %q", got.code, left, got.stderr)
	}
}

// The exit status is a number that says what happened, in each format; a
// death by SIGPIPE would pass for a stop that was asked for.
func TestCase080ExitIsANumber(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("readers are not watched there")
	}
	for format, n := range map[string]int{"stream-json": 2, "text": 2, "json": 0} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			if got := head(t, child(t, "endless", formatVariable+"="+format), n).wait(t); got.code != exitcode.ReaderGone {
				t.Errorf("exit code %d, stderr %q", got.code, got.stderr)
			}
		})
	}
}

// childLogFile opens a file, which gets the lowest free descriptor, and prints
// everywhere.
func childLogFile() int {
	f, err := os.Create(os.Getenv(pathVariable))
	if err != nil {
		return 99
	}
	defer f.Close()
	o := childOptions()
	o.Also = append(o.Also, f)
	return emit.Run(context.Background(), o, func(_ context.Context, em *emit.Emitter) error {
		fmt.Println("a stray print")
		println("a stray println")
		em.Log().Warn().Msg("careful")
		return em.Init(event.Init{})
	})
}

// Started with a standard descriptor closed, the log file holds the stream,
// once, and nothing else.
func TestCase082ClosedDescriptors(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		closed string
		stdout bool // still there
		stderr bool
	}{
		{">&-", false, true},
		{"2>&-", true, false},
		{">&- 2>&-", false, false},
		{"<&- >&- 2>&-", false, false},
		{"<&-", true, true},
	} {
		t.Run(c.closed, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "log")
			cmd := child(t, "logfile", pathVariable+"="+path)
			sh := exec.Command("sh", "-c", `exec "$0" `+c.closed, cmd.Path)
			sh.Env = cmd.Env
			got := finish(t, sh)
			logged, err := os.ReadFile(path)
			must(t, err)
			records := whole(t, logged)
			if s := kinds(records); s != "init result/success" || got.code != 0 {
				t.Errorf("exit code %d, the log has %s", got.code, s)
			}
			if c.stdout && string(got.stdout) != string(logged) || !c.stdout && len(got.stdout) > 0 {
				t.Errorf("stdout %q", got.stdout)
			}
			if said := string(got.stderr); c.stderr != strings.Contains(said, "warning: careful") {
				t.Errorf("stderr %q", said)
			}
		})
	}
}

// A stopped writer takes nothing until it is told to go on, and then counts.
type stopped struct {
	entered, goOn chan struct{}
	first         sync.Once
	newlines      int
}

func (s *stopped) Write(p []byte) (int, error) {
	s.first.Do(func() { close(s.entered) })
	<-s.goOn
	s.newlines += bytes.Count(p, []byte{'\n'})
	return len(p), nil
}

// A reader that stops holds the producers up: nothing is gathered beyond the
// lines of the calls that wait, and nothing is dropped.
func TestCase083StoppedReader(t *testing.T) {
	const producers, each = 8, 40
	w := &stopped{entered: make(chan struct{}), goOn: make(chan struct{})}
	em := begin(t, quiet(w))
	var began, returned atomic.Int32
	var wait sync.WaitGroup
	body := strings.Repeat("x", 64<<10) // 20 MB are on offer
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range producers {
		wait.Go(func() {
			for range each {
				began.Add(1)
				if err := em.Emit(event.Notification{ID: "n", Severity: "info", Body: body}); err != nil {
					t.Error(err)
					return
				}
				returned.Add(1)
			}
		})
	}
	<-w.entered
	eventually(t, "all producers are in their calls", func() bool { return began.Load() >= producers })
	for range 1000 { // whoever could go on goes on
		runtime.Gosched()
	}
	runtime.ReadMemStats(&after)
	if began.Load() != producers || returned.Load() != 0 {
		t.Errorf("%d calls began and %d returned while nobody read", began.Load(), returned.Load())
	}
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 16*producers*int64(len(body)) {
		t.Errorf("%d bytes were gathered while nobody read", grown)
	}
	close(w.goOn)
	wait.Wait()
	must(t, em.Finish(event.Result{}))
	if w.newlines != producers*each+2 {
		t.Errorf("%d lines of %d", w.newlines, producers*each+2)
	}
}
