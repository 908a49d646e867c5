package emit_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/streamjson/streamjson/clock"
	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/event"
	"github.com/streamjson/streamjson/exitcode"
)

// A fault is what a bad writer does with one call. It returns what a writer
// would, and how many bytes really went out.
type fault struct {
	name string
	do   func(p []byte) (taken, n int, err error)
	over bool  // the stream must end with it
	lies bool  // n says nothing about what was taken
	is   error // what the error must be
	code int
}

var errFault = errors.New("the fault of the test")

func faults() []fault {
	stop := func(name string, taken func(int) int, err error, code int) fault {
		return fault{name: name, over: true, is: err, code: code, do: func(p []byte) (int, int, error) {
			n := taken(len(p))
			return n, n, err
		}}
	}
	short := func(name string, taken func(int) int, err error) fault {
		return fault{name: name, do: func(p []byte) (int, int, error) {
			n := taken(len(p))
			return n, n, err
		}}
	}
	none := func(int) int { return 0 }
	one := func(int) int { return 1 }
	most := func(n int) int { return n - 1 }
	half := func(n int) int { return n / 2 }
	all := func(n int) int { return n }
	list := []fault{
		stop("error and nothing taken", none, errFault, exitcode.IO),
		stop("error after one byte", one, errFault, exitcode.IO),
		stop("error before the newline", most, errFault, exitcode.IO),
		stop("error after everything", all, errFault, exitcode.IO),
		short("half without an error", half, nil),
		short("nothing without an error", none, nil),
		short("all but one without an error", most, nil),
		short("EINTR", none, syscall.EINTR),
		short("EINTR after half", half, syscall.EINTR),
		short("EAGAIN", none, syscall.EAGAIN),
		short("EAGAIN after one byte", one, &os.PathError{Op: "write", Path: "x", Err: syscall.EAGAIN}),
		{name: "a count too large", over: true, lies: true, code: exitcode.IO, do: func(p []byte) (int, int, error) { return len(p), len(p) + 1, nil }},
		{name: "a negative count", over: true, lies: true, code: exitcode.IO, do: func([]byte) (int, int, error) { return 0, -1, nil }},
		{name: "a negative count and an error", over: true, lies: true, code: exitcode.IO, do: func([]byte) (int, int, error) { return 0, -7, errFault }},
		{name: "panic", over: true, code: exitcode.IO, do: func([]byte) (int, int, error) { panic("writer") }},
		{name: "panic with an error", over: true, is: errFault, code: exitcode.IO, do: func([]byte) (int, int, error) { panic(errFault) }},
	}
	for _, e := range []struct {
		err  error
		code int
	}{
		{syscall.EPIPE, exitcode.ReaderGone},
		{syscall.ECONNRESET, exitcode.ReaderGone},
		{io.ErrClosedPipe, exitcode.ReaderGone},
		{&os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EPIPE}, exitcode.ReaderGone},
		{syscall.EIO, exitcode.IO},
		{syscall.ENOSPC, exitcode.IO},
		{syscall.EDQUOT, exitcode.IO},
		{syscall.EFBIG, exitcode.IO},
		{syscall.EBADF, exitcode.IO},
		{os.ErrClosed, exitcode.IO},
		{io.ErrShortWrite, exitcode.IO},
	} {
		list = append(list,
			stop(e.err.Error()+" at once", none, e.err, e.code),
			stop(e.err.Error()+" after half", half, e.err, e.code))
	}
	return list
}

// A saboteur is a writer whose call number at, counted from 1, has a fault,
// and all that follow have, too, if lasting is set.
type saboteur struct {
	fault   fault
	at      int
	lasting bool

	mu    sync.Mutex
	call  int
	after int // calls after the fault
	data  []byte
}

func (w *saboteur) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.call++
	if w.call > w.at {
		w.after++
	}
	if w.call == w.at || w.lasting && w.call > w.at {
		taken, n, err := w.fault.do(p)
		w.data = append(w.data, p[:taken]...)
		return n, err
	}
	w.data = append(w.data, p...)
	return len(p), nil
}

// A step of the scripted run, and how many lines it writes.
type step struct {
	name  string
	lines int
	call  func(*emit.Emitter, *emit.Actor, *emit.Message) error
}

// script is a run with each way to write a line in it.
func script() []step {
	type (
		E = *emit.Emitter
		A = *emit.Actor
		M = *emit.Message
	)
	return []step{
		{"the first event", 2, func(e E, _ A, _ M) error { return e.Emit(event.State{SessionState: "running"}) }},
		{"message text", 1, func(_ E, _ A, m M) error { return m.Text("Hello, ") }},
		{"message text, the second", 1, func(_ E, _ A, m M) error { return m.Text("wörld") }},
		{"tool arguments", 1, func(_ E, _ A, m M) error { return m.ToolArgs("t1", `{"a":1}`) }},
		{"tool use", 0, func(_ E, _ A, m M) error { return m.ToolUse("t1", "Bash", nil) }},
		{"message end", 1, func(_ E, _ A, m M) error { return m.End() }},
		{"a task on a nested actor", 1, func(_ E, a A, _ M) error { return a.Emit(event.TaskStarted{TaskID: "k", Kind: "tool_agent"}) }},
		{"nested text", 1, func(_ E, a A, _ M) error { return a.Text(0, "deep") }},
		{"a held back character", 0, func(_ E, a A, _ M) error { return a.Text(0, "\xe2\x80") }},
		{"three at once", 3, func(e E, _ A, _ M) error {
			return e.EmitAll(
				event.Warning{Category: "a", Message: "1"}, event.Warning{Category: "b", Message: "2"}, event.Warning{Category: "c", Message: "3"})
		}},
		{"a warning", 1, func(e E, _ A, _ M) error { return e.Warn("loop", "again") }},
		{"end of the nested actor", 2, func(_ E, a A, _ M) error { return a.End() }},
		{"finish", 2, func(e E, _ A, _ M) error { return e.Finish(event.Result{}) }},
	}
}

// perform runs the script on w. errs are what its steps returned.
func perform(t *testing.T, w io.Writer) (em *emit.Emitter, errs []error) {
	t.Helper()
	o := quiet(w)
	o.Partial = true
	o.Clock = clock.Fixed(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC))
	em, err := emit.New(t.Context(), o)
	must(t, err)
	emit.Pin(em, "/", "01ARZ3NDEKTSV4RRFFQ69G5FAV")
	m := em.Message("m1")
	nested := em.Nested("t1", "helper")
	for _, s := range script() {
		errs = append(errs, s.call(em, nested, m))
	}
	return em, errs
}

// A1: whatever goes wrong with the k-th write, for each k: what is written is
// a prefix of the right stream, what the calls return matches it to the byte,
// and nothing follows.
func TestWriteFaults(t *testing.T) {
	var sound tape
	_, errs := perform(t, &sound)
	must(t, errs...)
	want := sound.bytes()
	whole(t, want)
	writes := len(sound.calls())
	if wants := 11; writes != wants {
		t.Fatalf("%d writes for %d calls that write", writes, wants)
	}
	for _, f := range faults() {
		t.Run(f.name, func(t *testing.T) {
			for at := 1; at <= writes; at++ {
				for _, lasting := range []bool{false, true} {
					if lasting && !f.over {
						continue
					}
					w := &saboteur{fault: f, at: at, lasting: lasting}
					within(t, fmt.Sprint("write ", at), func() {
						em, errs := perform(t, w)
						checkSabotage(t, w, want, em, errs)
					})
					if t.Failed() {
						t.Fatalf("write %d, lasting %v", at, lasting)
					}
				}
			}
		})
	}
}

func checkSabotage(t *testing.T, w *saboteur, want []byte, em *emit.Emitter, errs []error) {
	t.Helper()
	if !bytes.HasPrefix(want, w.data) {
		t.Fatalf("no prefix of the right stream:\n%s", w.data)
	}
	if !w.fault.over {
		must(t, errs...)
		if len(w.data) != len(want) || em.ExitCode() != exitcode.OK {
			t.Errorf("%d of %d bytes, exit code %d", len(w.data), len(want), em.ExitCode())
		}
		return
	}
	if w.after > 0 {
		t.Errorf("%d writes after the one that failed", w.after)
	}
	complete := bytes.Count(w.data, []byte{'\n'})
	cut := len(w.data) - (bytes.LastIndexByte(w.data, '\n') + 1)
	checkReturns(t, w, errs, complete, cut)
	if complete == bytes.Count(want, []byte{'\n'}) {
		return // the fault came behind the last byte: nothing is lost
	}
	var broken *emit.WriteError
	if err := context.Cause(em.Context()); !errors.As(err, &broken) {
		t.Errorf("the run's context has the cause %v", err)
	}
	if got := em.ExitCode(); got != w.fault.code {
		t.Errorf("exit code %d, want %d", got, w.fault.code)
	}
	if err := em.Emit(event.Warning{Category: "late"}); err == nil {
		t.Error("an event after the end is taken")
	}
	if err := em.Flush(); !errors.As(err, &broken) {
		t.Errorf("Flush: %v", err)
	}
	must(t, em.Close())
}

// checkReturns compares what the calls returned with what was written:
// complete lines, and cut bytes of the next one.
func checkReturns(t *testing.T, w *saboteur, errs []error, complete, cut int) {
	t.Helper()
	seq, failed := 0, false
	for i, s := range script() {
		from := seq
		seq += s.lines
		err := errs[i]
		switch {
		case err == nil && (seq > complete && s.lines > 0):
			t.Errorf("%s returned nil, but its line %d is not written", s.name, seq-1)
		case err != nil && s.lines > 0 && seq <= complete && !w.fault.lies:
			t.Errorf("%s returned %v, but its lines are written", s.name, err)
		}
		if err == nil {
			if failed {
				t.Errorf("%s returned nil after a failure", s.name)
			}
			continue
		}
		var broken *emit.WriteError
		if !errors.As(err, &broken) {
			if !errors.Is(err, emit.ErrEnded) || !failed {
				t.Errorf("%s returned no WriteError: %v", s.name, err)
			}
			continue
		}
		if w.fault.is != nil && !errors.Is(err, w.fault.is) {
			t.Errorf("%s returned %v, which does not wrap %v", s.name, err, w.fault.is)
		}
		if gone := errors.Is(err, emit.ErrReaderGone); gone != (w.fault.code == exitcode.ReaderGone) {
			t.Errorf("%s returned %v, reader gone: %v", s.name, err, gone)
		}
		if !w.fault.lies && !(i == 0 && broken.Seq == 1 && broken.Written == 0) && (broken.Seq != uint64(complete) || broken.Written != cut) {
			t.Errorf("%s (lines %d to %d) returned seq %d, written %d; on the wire are %d whole lines and %d bytes", s.name, from, seq-1, broken.Seq, broken.Written, complete, cut)
		}
		failed = true
	}
}

// The documents of the other formats fail as exactly: all of it is line 0.
func TestWriteFaultsOfDocuments(t *testing.T) {
	for _, format := range []emit.Format{emit.FormatJSON, emit.FormatText} {
		t.Run(format.String(), func(t *testing.T) {
			w := &saboteur{at: 1, lasting: true, fault: fault{do: func([]byte) (int, int, error) { return 7, 7, syscall.ENOSPC }}}
			o := quiet(w)
			o.Format = format
			em := begin(t, o)
			must(t, em.Emit(event.Assistant{Content: []event.Block{event.Text{Text: "a longer answer"}}}))
			err := em.Finish(event.Result{})
			var broken *emit.WriteError
			if !errors.As(err, &broken) || !errors.Is(err, syscall.ENOSPC) {
				t.Fatalf("Finish: %v", err)
			}
			if broken.Written != 7 {
				t.Errorf("Finish says that %d bytes were written; 7 were", broken.Written)
			}
			if format == emit.FormatJSON && broken.Seq != 0 {
				t.Errorf("the document has seq 0, the error says %d", broken.Seq)
			}
			if em.ExitCode() != exitcode.IO || w.after > 0 {
				t.Errorf("exit code %d, %d more writes", em.ExitCode(), w.after)
			}
		})
	}
}

// A writer that never takes anything ends the stream instead of holding it
// for ever.
func TestWriterThatTakesNothing(t *testing.T) {
	for name, c := range map[string]struct{ err, is error }{
		"no error": {nil, io.ErrNoProgress},
		"EAGAIN":   {syscall.EAGAIN, syscall.EAGAIN},
		"EINTR":    {syscall.EINTR, syscall.EINTR},
	} {
		t.Run(name, func(t *testing.T) {
			w := &saboteur{at: 1, lasting: true, fault: fault{do: func([]byte) (int, int, error) { return 0, 0, c.err }}}
			em := begin(t, quiet(w))
			within(t, "Emit", func() {
				if err := em.Emit(event.Warning{Category: "x"}); !errors.Is(err, c.is) {
					t.Errorf("%v, want %v", err, c.is)
				}
			})
			if em.ExitCode() != exitcode.IO {
				t.Errorf("exit code %d", em.ExitCode())
			}
		})
	}
}

// A gate is a writer whose writes wait until it is opened.
type gate struct {
	tape
	entered chan struct{} // one token for each write that has begun
	opened  chan struct{}
}

func newGate() *gate { return &gate{entered: make(chan struct{}, 1<<16), opened: make(chan struct{})} }

func (g *gate) Write(p []byte) (int, error) {
	g.entered <- struct{}{}
	<-g.opened
	return g.tape.Write(p)
}

// A write that blocks holds its callers and nothing else: state can be asked,
// signals and contexts get through, and once it goes on nothing is lost.
func TestBlockedWriteHoldsNothingElse(t *testing.T) {
	g := newGate()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	em, err := emit.New(ctx, quiet(g))
	must(t, err)
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			if err := em.Nested(fmt.Sprint("p", i), "r").Emit(event.Warning{Category: "x"}); err != nil {
				t.Error(err)
			}
		})
	}
	<-g.entered
	within(t, "asking for state", func() {
		em.AddUsage("m", event.Usage{InputTokens: 1})
		em.Log().Info().Msg("prose")
		_ = em.Message("m").ToolUse("t", "n", 1)
		if code := em.ExitCode(); code != exitcode.Failure {
			t.Errorf("exit code %d", code)
		}
		cancel()
		<-em.Context().Done()
	})
	close(g.opened)
	wait.Wait()
	must(t, em.Finish(event.Result{}))
	if records := whole(t, g.bytes()); len(records) != 10 {
		t.Errorf("%s", kinds(records))
	}
}

// A writer whose goroutine ends in the middle of a write (t.FailNow does that)
// ends the stream, and nobody waits for it for ever.
func TestWriterThatExits(t *testing.T) {
	em := begin(t, quiet(goexiter{}))
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = em.Emit(event.Warning{Category: "x"})
	}()
	<-done
	within(t, "Finish", func() {
		if err := em.Finish(event.Result{}); err == nil {
			t.Error("Finish returned nil")
		}
	})
}
