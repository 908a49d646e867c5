package emit_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"weak"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/event"
)

// What comes while the result is on its way is refused, or closed before it: a
// task that is started then, by the result's own marshaller, is not left open.
func TestEventDuringTheResult(t *testing.T) {
	var w tape
	em := begin(t, quiet(&w))
	var errs []error
	meta := reentrant{func() error {
		errs = append(errs, em.Emit(event.TaskStarted{TaskID: fmt.Sprint("task_", len(errs)), Kind: "workflow"}))
		return nil
	}}
	must(t, em.Finish(event.Result{Extra: &event.Extra{Meta: map[string]any{"meta": meta}}}))
	whole(t, w.bytes())
	if len(errs) < 2 || errs[0] != nil || !errors.Is(errs[len(errs)-1], emit.ErrEnded) {
		t.Errorf("the tasks got %v", errs)
	}
}

// A body that returns in the moment in which Grace gives it up is one end, not
// two.
func TestBodyReturnsAsGraceEnds(t *testing.T) {
	for i := range 150 {
		var w tape
		o := quiet(&w)
		o.Grace = time.Millisecond
		ctx, cancel := context.WithCancel(t.Context())
		em, err := emit.New(ctx, o)
		must(t, err)
		within(t, "Do", func() {
			_ = em.Do(func(ctx context.Context) error {
				cancel()
				<-ctx.Done()
				time.Sleep(time.Millisecond + time.Duration(i%10)*10*time.Microsecond) // that both come at once can't be waited for
				return ctx.Err()
			})
		})
		cancel()
		<-em.Context().Done()
		must(t, em.Close())
		whole(t, w.bytes())
	}
}

// A stream is ended by one Do, however many there are, one after the other or
// at once, and whatever their bodies do.
func TestDoTwice(t *testing.T) {
	for _, atOnce := range []bool{false, true} {
		for range 50 {
			forever := make(chan struct{})
			var w tape
			o := quiet(&w)
			o.Grace = time.Millisecond
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			em, err := emit.New(ctx, o)
			must(t, err)
			var calls atomic.Int64
			do := func() {
				defer func() {
					if r := recover(); r != nil {
						t.Error("Do panics: ", r)
					}
				}()
				err := em.Do(func(context.Context) error {
					calls.Add(1)
					<-forever
					return nil
				})
				if err == nil {
					t.Error("Do returned nil")
				}
			}
			var wait sync.WaitGroup
			for range 2 {
				if atOnce {
					wait.Go(do)
				} else {
					do()
				}
			}
			within(t, "Do", wait.Wait)
			close(forever)
			whole(t, w.bytes())
			// A millisecond of Grace may be over before the body has begun.
			if n := calls.Load(); n > 1 {
				t.Fatalf("%d bodies were called, at once: %v", n, atOnce)
			}
		}
	}
}

// A spyglass is a stderr that does something when a refusal is told, as another
// goroutine could at that moment.
type spyglass struct{ seen func() }

func (s *spyglass) Write(p []byte) (int, error) {
	if s.seen != nil && strings.Contains(string(p), "refused") {
		seen := s.seen
		s.seen = nil
		seen()
	}
	return len(p), nil
}

// A message that fails to end takes nothing of the next one with it, which
// another goroutine may have begun before End returns.
func TestRefusedEndLeavesTheNextMessageAlone(t *testing.T) {
	var w tape
	o := partial(&w)
	stderr := &spyglass{}
	o.Stderr = stderr
	em := begin(t, o)
	var next *emit.Message
	stderr.seen = func() {
		next = em.Message("next")
		must(t, next.Text("kept"))
	}
	m := em.Message("first")
	must(t, m.Text("lost"), m.ToolUse("t", "Bash", nil))
	// Somebody else opens a tool call of the same id before m ends.
	must(t, em.Nested("p", "r").Emit(event.Assistant{Content: []event.Block{event.ToolUse{ID: "t", Name: "Bash"}}}))
	if err := m.End(); err == nil {
		t.Fatal("a tool_use of an id that is open was taken")
	}
	must(t, next.End(), em.Finish(event.Result{}))
	records := whole(t, w.bytes())
	checkDeltas(t, records)
	if got := last(records).str("result"); got != "kept" {
		t.Errorf("the result is %q: %s", got, kinds(records))
	}
}

// Contract section 6: the error names the line that was cut and how much of it
// was written, also where the reader went away in the middle of a write and the
// watch over the reader notices first.
func TestReaderGoesDuringAWrite(t *testing.T) {
	for range 15 {
		read, write, err := os.Pipe()
		must(t, err)
		em := begin(t, quiet(write))
		must(t, em.Emit(event.State{SessionState: "running"}))
		emitted := make(chan error, 1)
		go func() { emitted <- em.Emit(event.Warning{Category: "long", Message: strings.Repeat("x", 1<<20)}) }()
		// Once a byte of the long line is here, its write is on its way.
		got := make([]byte, 0, 1024)
		for !bytes.Contains(got, []byte(`"long"`)) {
			n, err := read.Read(got[len(got):cap(got)])
			must(t, err)
			got = got[:len(got)+n]
		}
		must(t, read.Close())
		var broken *emit.WriteError
		if err := <-emitted; !errors.As(err, &broken) || !errors.Is(err, emit.ErrReaderGone) {
			t.Fatal(err)
		}
		if broken.Seq != 2 || broken.Written < len(`{"type":"system"`) || broken.Written >= 1<<20 {
			t.Fatalf("line 2 was cut behind its first bytes; the error says seq %d, written %d", broken.Seq, broken.Written)
		}
		_ = em.Close()
		must(t, write.Close())
	}
}

// A run may have any number of nested actors: one that has ended, or that has
// nothing open, and that the program has let go of is forgotten.
func TestEndedActorsAreForgotten(t *testing.T) {
	for name, use := range map[string]func(a *emit.Actor, id string) error{
		"with a complete message": func(a *emit.Actor, _ string) error {
			m := a.Message("m")
			return errors.Join(m.Text("hello"), m.End())
		},
		"with open deltas, ended": func(a *emit.Actor, _ string) error {
			return errors.Join(a.Text(0, "hello"), a.End())
		},
		"with an open message, ended": func(a *emit.Actor, _ string) error {
			return errors.Join(a.Message("m").ToolArgs("x", "{"), a.End())
		},
		"with an open tool call, ended": func(a *emit.Actor, id string) error {
			return errors.Join(a.Emit(event.Assistant{Content: []event.Block{event.ToolUse{ID: id, Name: "n"}}}), a.End())
		},
		"with a logger": func(a *emit.Actor, id string) error {
			logTo(a, id)
			return a.End()
		},
	} {
		t.Run(name, func(t *testing.T) {
			var w tape
			em := begin(t, partial(&w))
			must(t, em.Emit(event.State{SessionState: "running"}))
			var actors []weak.Pointer[emit.Actor]
			for i := range 10 {
				a := em.Nested(fmt.Sprint("p", i), "r")
				must(t, use(a, fmt.Sprint("id", i)))
				actors = append(actors, weak.Make(a))
			}
			left := len(actors)
			for range 20 {
				runtime.GC()
				left = 0
				for _, a := range actors {
					if a.Value() != nil {
						left++
					}
				}
				if left == 0 {
					break
				}
			}
			if left > 0 {
				t.Errorf("%d of %d actors are still remembered", left, len(actors))
			}
			must(t, em.Finish(event.Result{}))
			whole(t, w.bytes())
		})
	}
}

// Design section 3: of an open message's text the first MiB is remembered for
// the result, however many blocks it has, and _meta tells of the rest.
func TestOpenTextOfManyBlocksIsBounded(t *testing.T) {
	var w tape
	em := begin(t, quiet(&w))
	const blocks, size = 12, 200_000
	for i := range blocks {
		must(t, em.Text(i, strings.Repeat(string(rune('a'+i)), size)))
	}
	must(t, em.Finish(event.Result{}))
	r := last(whole(t, w.bytes()))
	kept := len(r.str("result"))
	if lost := fmt.Sprint(r.at("_meta", "truncated_bytes")); kept > 1<<20 || lost != fmt.Sprint(blocks*size-kept) {
		t.Errorf("%d bytes of %d are kept, truncated_bytes %s", kept, blocks*size, lost)
	}
}

// Fragments too long to be remembered are no proof that the input is the same:
// where it is another one, they must be discarded.
func TestLongFragmentsThatDiffer(t *testing.T) {
	var w tape
	em := begin(t, partial(&w))
	must(t, em.ToolArgs("t", `{"a":"`+strings.Repeat("x", 1<<20)), em.ToolArgs("t", `y"}`))
	must(t, em.Emit(event.Assistant{Content: []event.Block{event.ToolUse{ID: "t", Name: "n", Input: map[string]any{"a": "another"}}}}))
	must(t, em.Finish(event.Result{}))
	checkDeltas(t, whole(t, w.bytes()))
}

// The same for texts: what is not remembered of them may differ, too, be it the
// end of a long block or a block behind one.
func TestLongTextThatDiffers(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	for name, c := range map[string]struct{ said, completed []string }{
		"the end of a block": {[]string{long + "yes"}, []string{long + "no!"}},
		"a block behind it":  {[]string{long, "yes"}, []string{long, "no!"}},
		"none":               {[]string{long + "yes", "yes"}, []string{long + "yes", "yes"}},
	} {
		t.Run(name, func(t *testing.T) {
			var w tape
			em := begin(t, partial(&w))
			var content []event.Block
			for i, text := range c.said {
				must(t, em.Text(i, text))
				content = append(content, event.Text{Text: c.completed[i]})
			}
			must(t, em.Emit(event.Assistant{Content: content}), em.Finish(event.Result{}))
			records := whole(t, w.bytes())
			checkDeltas(t, records)
			if discarded := len(ofKind(records, "stream_event/deltas_discarded")); name == "none" && discarded > 0 {
				t.Error("a message that says what was streamed is not taken for it")
			}
		})
	}
}
