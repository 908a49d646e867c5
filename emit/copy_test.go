package emit_test

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/streamjson/streamjson/clock"
	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/event"
)

// Further places get the lines of the stream whatever the format, seq and
// result included.
func TestCopiesAreTheStream(t *testing.T) {
	var want string
	for _, format := range []emit.Format{emit.FormatStreamJSON, emit.FormatJSON, emit.FormatText} {
		var w, first, second tape
		o := partial(&w)
		o.Format, o.Clock = format, clock.Fixed(time.Unix(1, 0))
		o.Also = []io.Writer{&first, &second}
		em := begin(t, o)
		emit.Pin(em, "/repo", "01")
		em.Log().Warn().Msg("early")
		must(t, em.Emit(assistant("one")), say(em.Actor, "two ", "pieces"), em.Nested("p", "r").Emit(event.TaskStarted{TaskID: "k", Kind: "workflow"}),
			em.Text(0, "half"), em.Finish(event.Result{}))
		if want == "" {
			want = w.String()
			whole(t, w.bytes())
		}
		if first.String() != want || second.String() != want {
			t.Errorf("%v: the copies are\n%s\nand\n%s\nwant\n%s", format, first.String(), second.String(), want)
		}
	}
}

// A copy that fails is cut off and told once, in prose and in the stream; the
// primary and the other copies have every line.
func TestFailingCopy(t *testing.T) {
	for name, bad := range map[string]io.Writer{
		"at once":        failing{errFault},
		"later":          &saboteur{fault: fault{do: func(p []byte) (int, int, error) { return len(p) / 2, len(p) / 2, errFault }}, at: 3},
		"by a lie":       liar{},
		"by a panic":     panicker{},
		"taking nothing": sleeper{},
	} {
		t.Run(name, func(t *testing.T) {
			var good tape
			em, stream, prose := prosed(t, func(o *emit.Options) { o.Also = []io.Writer{&good, bad} })
			eventually(t, "the copy is cut off", func() bool {
				must(t, em.Emit(event.Memory{Op: "get"}))
				return prose.String() != ""
			})
			for range 100 {
				must(t, em.Emit(event.State{SessionState: "running"}))
			}
			must(t, em.Finish(event.Result{}))
			records := whole(t, stream.bytes())
			if good.String() != stream.String() {
				t.Errorf("the good copy has %d of %d bytes", len(good.bytes()), len(stream.bytes()))
			}
			if n := strings.Count(prose.String(), "\n"); n != 1 || !strings.Contains(prose.String(), "output 2 of Options.Also was cut off") {
				t.Errorf("told %d times: %q", n, prose.String())
			}
			if n := len(ofKind(records, "system/warning")); n != 1 || em.ExitCode() != 0 {
				t.Errorf("%d warnings, exit code %d", n, em.ExitCode())
			}
		})
	}
}

// So is one whose writer ends its goroutine (t.FailNow does that), at once or
// behind a few lines: it neither gathers lines for ever nor holds anybody up.
func TestCopyWriterThatExits(t *testing.T) {
	for name, bad := range map[string]io.Writer{"at once": goexiter{}, "later": &lateExit{}} {
		t.Run(name, func(t *testing.T) {
			em, stream, prose := prosed(t, func(o *emit.Options) { o.Also = []io.Writer{bad} })
			ended := make(chan error, 1)
			go func() {
				var errs []error
				for range 6 { // more than waits for a copy
					errs = append(errs, em.Emit(event.Notification{ID: "n", Severity: "info", Body: strings.Repeat("x", 1<<20)}))
				}
				ended <- errors.Join(append(errs, em.Finish(event.Result{}))...)
			}()
			select {
			case err := <-ended:
				must(t, err)
			case <-time.After(hangGuard):
				t.Fatal("the run hangs")
			}
			whole(t, stream.bytes())
			if n := strings.Count(prose.String(), "\n"); n != 1 || !strings.Contains(prose.String(), "cut off") {
				t.Errorf("told %d times: %q", n, prose.String())
			}
		})
	}
}

type liar struct{}

func (liar) Write(p []byte) (int, error) { return len(p) + 1, nil }

type panicker struct{}

func (panicker) Write([]byte) (int, error) { panic("the copy's writer") }

type sleeper struct{}

func (sleeper) Write([]byte) (int, error) { return 0, nil }

// A lateExit takes a few calls, and then ends its goroutine.
type lateExit struct{ calls int }

func (l *lateExit) Write(p []byte) (int, error) {
	if l.calls++; l.calls > 2 {
		runtime.Goexit()
	}
	return len(p), nil
}

// A copy whose reader has stopped is cut off when its buffer is full, so that
// it holds neither the primary up nor the end of the run; what was said of it
// is said once.
func TestStalledCopy(t *testing.T) {
	g := newGate()
	defer close(g.opened)
	em, stream, prose := prosed(t, func(o *emit.Options) { o.Also = []io.Writer{g} })
	body := strings.Repeat("x", 1<<20)
	var errs []error
	within(t, "a run with a stalled copy", func() {
		for i := range 6 { // more than waits for a copy
			errs = append(errs, em.Emit(event.Notification{ID: fmt.Sprint(i), Severity: "info", Body: body}))
		}
		errs = append(errs, em.Finish(event.Result{}))
	})
	must(t, errs...)
	records := whole(t, stream.bytes())
	if n := len(ofKind(records, "system/notification")); n != 6 || em.ExitCode() != 0 {
		t.Errorf("%d of 6 lines, exit code %d", n, em.ExitCode())
	}
	if n := strings.Count(prose.String(), "\n"); n != 1 || !strings.Contains(prose.String(), "output 1 of Options.Also was cut off") {
		t.Errorf("told %d times: %q", n, prose.String())
	}
}

// A copy that has stopped while there is little to write is found out at the
// end, which does not wait for it for ever.
func TestStalledCopyAtTheEnd(t *testing.T) {
	g := newGate()
	defer close(g.opened)
	em, stream, prose := prosed(t, func(o *emit.Options) { o.Also = []io.Writer{g} })
	var err error
	within(t, "Finish", func() { err = em.Finish(event.Result{}) })
	must(t, err)
	whole(t, stream.bytes())
	if n := strings.Count(prose.String(), "\n"); n != 1 || !strings.Contains(prose.String(), "cut off") {
		t.Errorf("told %d times: %q", n, prose.String())
	}
}

// A primary that breaks does not take the copies with it: they have the whole
// stream, the result included.
func TestCopyOutlivesThePrimary(t *testing.T) {
	var also tape
	o := quiet(failing{errFault})
	o.Also = []io.Writer{&also}
	em := begin(t, o)
	for range 3 {
		_ = em.Emit(event.State{SessionState: "running"})
	}
	if err := em.Finish(event.Result{}); !errors.Is(err, errFault) {
		t.Errorf("Finish: %v", err)
	}
	records, cut := lines(t, also.bytes())
	if len(cut) > 0 || len(records) == 0 || last(records).str("type") != "result" {
		t.Errorf("the copy has %s", kinds(records))
	}
}

// Copies have the lines in the stream's order, from many goroutines.
func TestCopiesKeepTheOrder(t *testing.T) {
	var also tape
	em, stream, _ := prosed(t, func(o *emit.Options) { o.Also, o.Partial = []io.Writer{&also}, true })
	var wait sync.WaitGroup
	for i := range 8 {
		a := em.Nested(fmt.Sprint("p", i), "r")
		wait.Go(func() {
			for range 200 {
				_ = a.Text(0, "some text\n")
			}
		})
	}
	wait.Wait()
	must(t, em.Finish(event.Result{}))
	whole(t, stream.bytes())
	if also.String() != stream.String() {
		t.Error("the copy is another stream")
	}
}
