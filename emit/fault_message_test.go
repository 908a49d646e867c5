package emit_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/event"
)

// partial returns options for a stream with deltas.
func partial(w *tape) emit.Options {
	o := quiet(w)
	o.Partial = true
	return o
}

// Each call that writes a line has it in the kernel when it returns, also
// where the line is not its main point.
func TestEachCallIsDurable(t *testing.T) {
	var w tape
	em := begin(t, partial(&w))
	expect := func(what, kind string) {
		t.Helper()
		records, cut := lines(t, w.bytes())
		if len(cut) > 0 || len(records) == 0 || last(records).kind() != kind {
			t.Errorf("after %s the stream is %q and %q", what, kinds(records), cut)
		}
	}
	must(t, em.Text(0, "a"))
	expect("Text", "stream_event/content_block_delta")
	m := em.Message("m1") // ends the message of the low-level door
	expect("Message", "stream_event/deltas_discarded")
	must(t, m.Text("b"))
	must(t, m.Discard())
	expect("Discard", "stream_event/deltas_discarded")
	must(t, em.Emit(event.TaskStarted{TaskID: "k", Kind: "workflow"}), em.End())
	expect("End", "system/task_notification")
	em.Log().Warn().Msg("prose")
	expect("Log", "system/warning")
	must(t, em.Finish(event.Result{}))
	whole(t, w.bytes())
}

// Field case 4: the answer is not lost because a message without text came
// last (contract section 2: the last top-level assistant text).
func TestResultKeepsTheLastText(t *testing.T) {
	var w tape
	em := begin(t, quiet(&w))
	must(t, em.Emit(event.Assistant{Content: []event.Block{event.Text{Text: "the "}, event.Text{Text: "answer"}}}))
	must(t, em.Emit(event.Assistant{Content: []event.Block{event.Thinking{Thinking: "hm"}, event.ToolUse{ID: "t", Name: "save"}}}))
	must(t, em.Finish(event.Result{}))
	if got := last(whole(t, w.bytes())).str("result"); got != "the answer" {
		t.Errorf("result %q", got)
	}
}

// Text that was shown and then discarded is not glued to what follows.
func TestTextFormatSetsARetryApart(t *testing.T) {
	var w tape
	o := partial(&w)
	o.Format = emit.FormatText
	em := begin(t, o)
	m := em.Message("m")
	must(t, m.Text("Hel"), m.Discard())
	m = em.Message("m")
	must(t, m.Text("Hello "), m.Text("world"), m.End())
	must(t, em.Finish(event.Result{}))
	if got := w.String(); got != "Hel\n\nHello world\n" {
		t.Errorf("%q", got)
	}
}

// A mirrored warning finds its way into the stream whatever became of the
// actor whose logger says it (contract F11).
func TestWarningOfAnEndedActor(t *testing.T) {
	var w tape
	em := begin(t, quiet(&w))
	nested := em.Nested("p", "r")
	must(t, nested.Emit(event.State{SessionState: "running"}), nested.End())
	logTo(nested, "too late?")
	must(t, em.Finish(event.Result{}))
	if !strings.Contains(w.String(), "too late?") {
		t.Errorf("the warning is lost: %s", kinds(whole(t, w.bytes())))
	}
}

// Log fields with the same name twice (field case 118) stay readable.
func TestLogFieldTwice(t *testing.T) {
	var w, prose tape
	o := quiet(&w)
	o.Stderr = &prose
	em := begin(t, o)
	logger := em.Log().With().Str("kind", "1").Logger()
	logger.Warn().Str("kind", "2").Msg("hello")
	must(t, em.Finish(event.Result{}))
	for where, text := range map[string]string{"stderr": prose.String(), "the stream": w.String()} {
		if !strings.Contains(text, "hello kind=1 kind=2") {
			t.Errorf("%s has %.300s", where, text)
		}
	}
}

// A refused event is told in prose once, whatever kind of event it is.
func TestRefusalsAreTold(t *testing.T) {
	var w, prose tape
	o := quiet(&w)
	o.Stderr = &prose
	em := begin(t, o)
	for _, e := range []event.Event{nil, (*event.Warning)(nil), event.Warning{}, &event.Warning{}, event.Init{}, event.Result{}, event.Heartbeat{}, event.System{Subtype: "init"}} {
		before := prose.String()
		err := em.Emit(e)
		var refused *emit.EventError
		if !errors.As(err, &refused) {
			t.Errorf("%#v: %v", e, err)
			continue
		}
		if refused.Type == "" {
			continue // nil is no event: its error is all there is
		}
		if first := prose.String(); !strings.Contains(first, refused.Err.Error()) {
			t.Errorf("%#v is refused silently: %q", e, first[len(before):])
		}
		told := prose.String()
		_ = em.Emit(e)
		if prose.String() != told {
			t.Errorf("%#v is told twice", e)
		}
	}
	must(t, em.Finish(event.Result{}))
	if got := kinds(whole(t, w.bytes())); got != "init result/success" {
		t.Errorf("%s", got)
	}
}

// Ids that are one on the wire are one for the emitter.
func TestIDsThatBecomeAlike(t *testing.T) {
	var w tape
	em := begin(t, quiet(&w))
	call := func(id string) error {
		return em.Emit(event.Assistant{Content: []event.Block{event.ToolUse{ID: id, Name: "n"}}})
	}
	must(t, call("\xff"))
	if err := call("\xfe"); err == nil {
		t.Error("the same id on the wire was opened twice")
	}
	must(t, em.Finish(event.Result{}))
	whole(t, w.bytes())
}

// A reader that stands still does not make heartbeats pile up, nor goroutines
// that wait for them.
func TestHeartbeatsDoNotPileUp(t *testing.T) {
	g := newGate()
	o := quiet(g)
	o.Heartbeat = time.Millisecond
	em := begin(t, o)
	emitted := make(chan error, 1)
	go func() { emitted <- em.Emit(event.Warning{Category: "x"}) }()
	<-g.entered
	before := runtime.NumGoroutine()
	time.Sleep(100 * time.Millisecond) // time for many heartbeats; that none comes can't be waited for
	if after := runtime.NumGoroutine(); after > before+3 {
		t.Errorf("%d goroutines became %d while nobody read", before, after)
	}
	close(g.opened)
	must(t, <-emitted, em.Finish(event.Result{}))
	if n := len(ofKind(whole(t, g.bytes()), "system/heartbeat")); n > 20 {
		t.Errorf("%d heartbeats were gathered", n)
	}
}

// A slow reader of a copy is not one that stands still.
func TestSlowCopyIsNotCutOff(t *testing.T) {
	r, pipe, err := os.Pipe()
	must(t, err)
	defer r.Close()
	var w, prose, slow tape
	o := quiet(&w)
	o.Also = append(o.Also, pipe)
	o.Stderr = &prose
	em := begin(t, o)
	read := make(chan struct{})
	go func() {
		defer close(read)
		buf := make([]byte, 16<<10)
		for {
			n, err := r.Read(buf)
			_, _ = slow.Write(buf[:n])
			if err != nil {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
	}()
	for range 80 {
		must(t, em.Emit(event.Warning{Category: "x", Message: strings.Repeat("y", 8000)}))
	}
	must(t, em.Finish(event.Result{}))
	must(t, pipe.Close())
	<-read
	if prose.String() != "" || !bytes.Equal(slow.bytes(), w.bytes()) {
		t.Errorf("%d of %d bytes arrived; stderr: %s", len(slow.bytes()), len(w.bytes()), prose.String())
	}
}

// A reentrant marshals by calling the emitter.
type reentrant struct{ call func() error }

func (r reentrant) MarshalJSON() ([]byte, error) {
	if err := r.call(); err != nil {
		return nil, err
	}
	return []byte(`"done"`), nil
}

// User code that calls back never deadlocks, nor keeps a call from returning.
func TestReentrantMarshallers(t *testing.T) {
	for name, call := range map[string]func(*emit.Emitter) error{
		"emits": func(em *emit.Emitter) error { return em.Emit(event.Warning{Category: "inner"}) },
		"logs": func(em *emit.Emitter) error {
			em.Log().Warn().Msg("inner")
			return nil
		},
		"streams":      func(em *emit.Emitter) error { return em.Text(0, "inner") },
		"flushes":      func(em *emit.Emitter) error { return em.Flush() },
		"nests":        func(em *emit.Emitter) error { return em.Nested("p", "r").Emit(event.Warning{Category: "inner"}) },
		"is refused":   func(em *emit.Emitter) error { _ = em.Emit(event.Warning{}); return nil },
		"fails":        func(*emit.Emitter) error { return errPlain },
		"panics":       func(*emit.Emitter) error { panic(errPlain) },
		"closes":       func(em *emit.Emitter) error { return em.Close() },
		"asks the end": func(em *emit.Emitter) error { em.ExitCode(); em.Context(); return nil },
	} {
		for door, pass := range map[string]func(*emit.Emitter, any) error{
			"Emit": func(em *emit.Emitter, v any) error {
				return em.Emit(event.System{Subtype: "x", Fields: map[string]any{"v": v}})
			},
			"EmitAll": func(em *emit.Emitter, v any) error {
				return em.EmitAll(event.TaskStarted{TaskID: "k", Kind: "workflow", Task: v}, event.Warning{Category: "second"})
			},
			"Init": func(em *emit.Emitter, v any) error {
				return em.Init(event.Init{Extra: &event.Extra{Meta: map[string]any{"v": v}}})
			},
			"ToolUse": func(em *emit.Emitter, v any) error {
				m := em.Message("m")
				return errors.Join(m.ToolUse("t", "n", v), m.End())
			},
			"Finish": func(em *emit.Emitter, v any) error {
				return em.Finish(event.Result{Extra: &event.Extra{Meta: map[string]any{"v": v}}})
			},
		} {
			t.Run(name+" in "+door, func(t *testing.T) {
				var w tape
				em := begin(t, partial(&w))
				within(t, door, func() {
					_ = pass(em, reentrant{func() error { return call(em) }})
					_ = em.Finish(event.Result{})
				})
				whole(t, w.bytes())
			})
		}
	}
}

// What the caller does with its data after the call changes nothing.
func TestCallerChangesItsData(t *testing.T) {
	var w tape
	em := begin(t, quiet(&w))
	raw := json.RawMessage(`{"a":1}`)
	m := em.Message("m")
	must(t, m.ToolUse("t", "n", raw))
	copy(raw, `{broken`)
	must(t, m.End())
	ids := []string{"x"}
	must(t, em.Emit(event.BackgroundTasksChanged{RunningIDs: ids}))
	ids[0] = "y"
	must(t, em.Finish(event.Result{}))
	if text := w.String(); !strings.Contains(text, `"input":{"a":1}`) || !strings.Contains(text, `["x"]`) {
		t.Errorf("%s", text)
	}
}
