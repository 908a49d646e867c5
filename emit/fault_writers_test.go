package emit_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/event"
	"github.com/streamjson/streamjson/stdio"
)

type goexiter struct{}

func (goexiter) Write([]byte) (int, error) {
	runtime.Goexit()
	return 0, nil
}

// A chewer takes a few bytes a call, by chance.
type chewer struct {
	tape
	r *rand.Rand
}

func (c *chewer) Write(p []byte) (int, error) {
	return c.tape.Write(p[:min(len(p), 1+c.r.IntN(7))])
}

// A2: the bytes do not depend on how the writer takes them.
func TestChunkInvariance(t *testing.T) {
	var sound tape
	_, errs := perform(t, &sound)
	must(t, errs...)
	for seed := range uint64(20) {
		c := &chewer{r: rand.New(rand.NewPCG(seed, 2))}
		_, errs := perform(t, c)
		must(t, errs...)
		if c.String() != sound.String() {
			t.Fatalf("seed %d: other bytes:\n%s", seed, c.String())
		}
	}
}

// Field case 38 and reliability 3.1: one call is one Write of whole lines.
func TestOneWriteACall(t *testing.T) {
	var w tape
	em := begin(t, quiet(&w))
	must(t, em.Init(event.Init{}))
	for i := range 10 {
		must(t, em.Emit(event.Warning{Category: "x", Message: strings.Repeat("y", i*1000)}))
	}
	must(t, em.Finish(event.Result{}))
	if n := len(w.calls()); n != 12 {
		t.Errorf("%d writes for 12 lines", n)
	}
}

// A12: a second emitter on the same descriptor is refused while the first one
// lives, and taken after its end.
func TestTwoEmittersOnOneFile(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	must(t, err)
	defer f.Close()
	first := begin(t, quiet(f))
	if _, err := emit.New(t.Context(), quiet(f)); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Fatalf("the second emitter: %v", err)
	}
	if _, err := emit.New(t.Context(), quiet(stdio.FromFile(f))); err == nil {
		t.Fatal("the second emitter on the same descriptor in disguise was taken")
	}
	must(t, first.Finish(event.Result{}))
	second := begin(t, quiet(f))
	must(t, second.Finish(event.Result{}))
	data, err := os.ReadFile(f.Name())
	must(t, err)
	if n := strings.Count(string(data), "\n"); n != 4 {
		t.Errorf("%d lines of two empty runs: %s", n, data)
	}
}

// What New refuses takes nothing away: the next one can have the file.
func TestRefusedNewGivesTheFileBack(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	must(t, err)
	defer f.Close()
	closed, err := os.Create(filepath.Join(t.TempDir(), "closed"))
	must(t, err)
	must(t, closed.Close())
	o := quiet(f)
	o.MaxLineBytes = 7
	if _, err := emit.New(t.Context(), o); err == nil {
		t.Error("MaxLineBytes 7 was taken")
	}
	o = quiet(closed)
	if em, err := emit.New(t.Context(), o); err == nil {
		if err := em.Finish(event.Result{}); err == nil {
			t.Error("a closed file took a stream")
		}
	}
	must(t, begin(t, quiet(f)).Finish(event.Result{}))
}

// Neither does a bad option panic.
func TestBadOptionsAreErrors(t *testing.T) {
	for name, change := range map[string]func(*emit.Options){
		"format":               func(o *emit.Options) { o.Format = 99 },
		"line too short":       func(o *emit.Options) { o.MaxLineBytes = 4095 },
		"negative line":        func(o *emit.Options) { o.MaxLineBytes = -1 },
		"negative heartbeat":   func(o *emit.Options) { o.Heartbeat = -1 },
		"negative grace":       func(o *emit.Options) { o.Grace = -1 },
		"empty capability":     func(o *emit.Options) { o.Capabilities = []string{""} },
		"nil in Also":          func(o *emit.Options) { o.Also = append(o.Also, nil) },
		"nil file":             func(o *emit.Options) { o.Stdout = (*os.File)(nil) },
		"nil stdio":            func(o *emit.Options) { o.Stdout = (*stdio.Stdout)(nil) },
		"escapes in session":   func(o *emit.Options) { o.MaxLineBytes, o.SessionID = 4096, strings.Repeat("\x01", 1024) },
		"endless product":      func(o *emit.Options) { o.MaxLineBytes, o.Product = 4096, strings.Repeat("p", 5000) },
		"endless capabilities": func(o *emit.Options) { o.MaxLineBytes, o.Capabilities = 4096, []string{strings.Repeat("c", 5000)} },
	} {
		t.Run(name, func(t *testing.T) {
			var w tape
			o := quiet(&w)
			change(&o)
			defer func() {
				if r := recover(); r != nil {
					t.Fatalf("New panics: %v", r)
				}
			}()
			em, err := emit.New(t.Context(), o)
			if err != nil {
				return
			}
			err = em.Finish(event.Result{})
			t.Errorf("taken; Finish: %v", err)
			for _, line := range strings.SplitAfter(w.String(), "\n") {
				if o.MaxLineBytes > 0 && len(line) > o.MaxLineBytes {
					t.Errorf("a line of %d bytes in %d", len(line), o.MaxLineBytes)
				}
			}
		})
	}
}

// A10: buffers are used again, and never hold anything of another event.
func TestBuffersLeakNothing(t *testing.T) {
	var w tape
	em := begin(t, quiet(&w))
	for i := range 300 {
		mark := fmt.Sprintf("<%d>", i)
		filler := strings.Repeat(mark, 1+(i*37)%900)
		if i%3 == 0 { // refused ones go back into the pool, too
			_ = em.Emit(event.Warning{Message: filler})
			_ = em.Emit(event.System{Subtype: "x", Fields: map[string]any{"a": filler, "z": func() {}}})
		}
		must(t, em.Emit(event.Notification{ID: "n", Severity: "info", Body: filler}))
	}
	must(t, em.Finish(event.Result{}))
	for i, r := range ofKind(whole(t, w.bytes()), "system/notification") {
		mark := fmt.Sprintf("<%d>", i)
		if strings.Trim(string(r.raw), mark) == "" || strings.ReplaceAll(r.str("body"), mark, "") != "" {
			t.Errorf("notification %d holds %.200q", i, r.str("body"))
		}
		if strings.Count(string(r.raw), "<") != strings.Count(string(r.raw), mark) {
			t.Errorf("notification %d holds a mark of another one", i)
		}
	}
}
