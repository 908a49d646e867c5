package emit_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/streamjson/streamjson/clock"
	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/event"
)

func bursting(o *emit.Options) { o.Burst, o.Partial = true, true }

// In a burst, too, the order of the file is that of seq, and of each goroutine's
// calls, and nothing is lost or written twice.
func TestBurstKeepsOrder(t *testing.T) {
	each := 2000
	if testing.Short() || underRace {
		each = 300
	}
	for _, size := range []int{1, 2, 8, 64} {
		em, stream, _ := prosed(t, bursting)
		c := newCrew(size, each)
		c.start([]*emit.Actor{em.Actor, em.Nested("a", "x"), em.Nested("b", "y")})
		c.wait.Wait()
		must(t, em.Finish(event.Result{}))
		must(t, c.failed...)
		records := whole(t, stream.bytes())
		c.check(t, records)
		if got := len(records); got != size*each+2 {
			t.Errorf("%d goroutines: %d lines", size, got)
		}
	}
}

// What must be in the kernel when a call returns is there: a line that comes
// alone, an error, all that a Flush, an End of the run or a Close follows.
func TestBurstIsInTheKernel(t *testing.T) {
	rush := func(em *emit.Emitter) {
		for range 200 {
			must(t, em.Text(0, "in a rush "))
		}
	}
	for _, c := range []struct {
		name string
		call func(*emit.Emitter) error
	}{
		{"flush", func(em *emit.Emitter) error { return em.Flush() }},
		{"error", func(em *emit.Emitter) error { return em.Emit(event.Error{Message: "x"}) }},
		{"finish", func(em *emit.Emitter) error { return em.Finish(event.Result{}) }},
		{"close", func(em *emit.Emitter) error { return em.Close() }},
	} {
		em, stream, _ := prosed(t, bursting)
		rush(em)
		must(t, c.call(em))
		if n := bytes.Count(stream.bytes(), []byte(`"text_delta","text":"in a rush`)); n != 200 {
			t.Errorf("%s: %d of 200 lines are written", c.name, n)
		}
	}
	em, stream, _ := prosed(t, bursting)
	for i := range 20 {
		rush(em)
		must(t, em.Flush())
		for idle := time.Now(); time.Since(idle) < time.Millisecond; {
			runtime.Gosched()
		}
		text := fmt.Sprintf("alone %d", i)
		must(t, em.Text(0, text))
		if !strings.Contains(stream.String(), text) {
			t.Errorf("line %d comes alone and is not written", i)
		}
	}
}

// While a write hangs, calls go on until the buffer is full, then they wait; when
// it comes back, what has gathered goes out in one.
func TestBurstGathersUpToABound(t *testing.T) {
	w := newGate()
	em := begin(t, emit.Options{Product: "kit", Version: "1", Stdout: w, Stderr: &tape{}, Partial: true, Burst: true})
	var wait sync.WaitGroup
	wait.Go(func() { must(t, em.Init(event.Init{})) })
	<-w.entered
	const piece, all = 1000, 600
	taken := make(chan int, all)
	wait.Go(func() {
		for i := range all {
			must(t, em.Text(0, strings.Repeat("x", piece)))
			taken <- i
		}
		close(taken)
	})
	// No fewer than a buffer's worth come back while the writer hangs.
	for range 150 {
		<-taken
	}
	// And no more than that, but for the line that finds it full.
	runtime.Gosched()
	if n := 150 + len(taken); n > 256<<10/piece+1 {
		t.Errorf("%d lines of %d bytes were taken by a buffer of 256 KiB", n, piece)
	}
	close(w.opened)
	wait.Wait()
	must(t, em.Finish(event.Result{}))
	if sizes := w.calls(); sizes[1] < 150*piece {
		t.Errorf("the writes are of %d bytes", sizes)
	}
	if n := bytes.Count(w.bytes(), []byte("xx\"}}}\n")); n != all {
		t.Errorf("%d lines, want %d", n, all)
	}
}

// Whatever goes wrong with the k-th write of a burst, for each k: what is
// written is a prefix of the right stream, nothing follows, and Flush, the
// context and the exit code tell.
func TestBurstFaults(t *testing.T) {
	start := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	perform := func(o emit.Options) *emit.Emitter {
		o.Partial, o.Burst, o.Clock = true, true, clock.Fixed(start)
		em, err := emit.New(t.Context(), o)
		must(t, err)
		emit.Pin(em, "/", "01ARZ3NDEKTSV4RRFFQ69G5FAV")
		for i := range 300 {
			if em.Text(0, fmt.Sprintf("piece %d ", i)) != nil {
				break
			}
		}
		_ = em.Flush()
		return em
	}
	var sound tape
	must(t, perform(quiet(&sound)).Close())
	want := sound.bytes()
	for _, f := range faults() {
		for at := 1; at <= 4; at++ {
			w := &saboteur{fault: f, at: at}
			within(t, f.name, func() {
				em := perform(quiet(w))
				checkBurstFault(t, w, want, em)
			})
			if t.Failed() {
				t.Fatalf("%s at write %d", f.name, at)
			}
		}
	}
}

func checkBurstFault(t *testing.T, w *saboteur, want []byte, em *emit.Emitter) {
	t.Helper()
	defer func() { _ = em.Close() }() // it tells the fault again
	w.mu.Lock()
	calls, after, data := w.call, w.after, bytes.Clone(w.data)
	w.mu.Unlock()
	if !bytes.HasPrefix(want, data) {
		t.Fatalf("no prefix of the right stream:\n%s", data)
	}
	if calls < w.at || !w.fault.over {
		must(t, em.Flush())
		return
	}
	var broken *emit.WriteError
	switch err := em.Flush(); {
	case after > 0:
		t.Errorf("%d writes after the one that failed", after)
	case !errors.As(err, &broken):
		t.Errorf("Flush: %v", err)
	case !w.fault.lies && broken.Seq != uint64(bytes.Count(data, []byte("\n"))):
		t.Errorf("the error names line %d: %q", broken.Seq, data)
	case !errors.As(context.Cause(em.Context()), &broken):
		t.Errorf("the run's context has the cause %v", context.Cause(em.Context()))
	case em.ExitCode() != w.fault.code:
		t.Errorf("exit code %d, want %d", em.ExitCode(), w.fault.code)
	case em.Text(0, "late") == nil:
		t.Error("an event after the end is taken")
	}
}

// A writer that ends the flusher's goroutine breaks the stream, and hangs
// nobody.
func TestBurstSurvivesGoexitInTheWriter(t *testing.T) {
	within(t, "the run", func() {
		n := 0
		em := begin(t, emit.Options{Product: "kit", Version: "1", Stderr: &tape{}, Partial: true, Burst: true, Stdout: writeFunc(func(p []byte) (int, error) {
			if n++; n == 1 {
				return len(p), nil // init
			}
			runtime.Goexit()
			return 0, nil
		})})
		must(t, em.Init(event.Init{}))
		done := make(chan error)
		go func() {
			defer func() { done <- em.Flush() }() // the goroutine may end in Text
			for range 1000 {
				_ = em.Text(0, "x")
			}
		}()
		var broken *emit.WriteError
		if err := <-done; !errors.As(err, &broken) {
			t.Errorf("Flush: %v", err)
		}
	})
}
