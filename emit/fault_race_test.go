package emit_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/event"
)

// A crew is goroutines that each emit numbered events, until there are enough
// of them or an error comes back.
type crew struct {
	size, each int
	took       []int // by goroutine: how many calls returned nil
	failed     []error
	wait       sync.WaitGroup
	total      atomic.Int64 // calls that returned nil, of all
}

func newCrew(size, each int) *crew {
	return &crew{size: size, each: each, took: make([]int, size), failed: make([]error, size)}
}

// start lets goroutine g emit on the actor number g modulo their count.
func (c *crew) start(actors []*emit.Actor) {
	for g := range c.size {
		actor := actors[g%len(actors)]
		c.wait.Go(func() {
			for i := range c.each {
				err := actor.Emit(event.System{Subtype: "crew", Fields: crewFields{strconv.Itoa(g) + " " + strconv.Itoa(i)}})
				if err != nil {
					c.failed[g] = err
					return
				}
				c.took[g]++
				c.total.Add(1)
			}
		})
	}
}

// crewFields make for short lines.
type crewFields struct {
	N string `json:"n"`
}

// check compares what the calls returned with what stands in the stream: an
// event for which nil was returned, and no other; each goroutine's in order.
func (c *crew) check(t *testing.T, records []record) {
	t.Helper()
	next := make([]int, c.size)
	for _, r := range records {
		if r.str("subtype") != "crew" {
			continue
		}
		var g, i int
		if _, err := fmt.Sscanf(r.str("n"), "%d %d", &g, &i); err != nil {
			t.Fatal(err)
		}
		if i != next[g] {
			t.Fatalf("goroutine %d: event %d comes where %d should", g, i, next[g])
		}
		next[g]++
	}
	for g, n := range next {
		if n != c.took[g] {
			t.Errorf("goroutine %d: %d events in the stream, nil was returned for %d (then %v)", g, n, c.took[g], c.failed[g])
		}
	}
}

// fiveActors are the top-level one and four nested ones, two deep.
func fiveActors(em *emit.Emitter) []*emit.Actor {
	a := em.Nested("a", "a")
	return []*emit.Actor{em.Actor, a, em.Nested("b", "b"), a.Nested("c", "c"), a.Nested("d", "d")}
}

// A3, field case 5: whoever ends the stream while 64 goroutines emit, each
// event for which nil was returned stands before the one result.
func TestEndAmongManyGoroutines(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	for _, procs := range []int{1, 2, 8} {
		runtime.GOMAXPROCS(procs)
		for name, end := range map[string]func(*emit.Emitter) error{
			"Finish":   func(em *emit.Emitter) error { return em.Finish(event.Result{}) },
			"Close":    (*emit.Emitter).Close,
			"both":     func(em *emit.Emitter) error { go em.Close(); _ = em.Finish(event.Result{}); return em.Close() },
			"under Go": func(em *emit.Emitter) error { return finishUnderGo(em) },
		} {
			t.Run(fmt.Sprint(name, " on ", procs), func(t *testing.T) {
				var w tape
				em := begin(t, quiet(&w))
				c := newCrew(64, 60)
				stopAt := rand.Int64N(64 * 45)
				c.start(fiveActors(em))
				eventually(t, "enough events", func() bool { return c.total.Load() >= stopAt })
				must(t, end(em))
				size := len(w.bytes())
				c.wait.Wait()
				if len(w.bytes()) != size {
					t.Error("something was written after the end")
				}
				records := whole(t, w.bytes())
				c.check(t, records)
				for g, err := range c.failed {
					if err != nil && !errors.Is(err, emit.ErrEnded) {
						t.Errorf("goroutine %d: %v", g, err)
					}
				}
			})
		}
	}
}

func finishUnderGo(em *emit.Emitter) error {
	done := make(chan error)
	em.Go(func(context.Context) error {
		err := em.Finish(event.Result{})
		done <- err
		return err
	})
	return <-done
}

// A cliff is a writer that takes so many bytes and no more.
type cliff struct {
	tape
	left int
}

func (w *cliff) Write(p []byte) (int, error) {
	for range 8 {
		runtime.Gosched() // as a system call would, so that lines gather
	}
	n := min(w.left, len(p))
	w.left -= n
	if _, err := w.tape.Write(p[:n]); err != nil || n == len(p) {
		return n, err
	}
	return n, syscall.ENOSPC
}

// Contract section 6: of the lines that go out in one write, those wholly
// written succeed, the cut one and the later ones fail, and the cut one's seq
// and bytes are named.
func TestWriterBreaksAmongManyGoroutines(t *testing.T) {
	gathered := false
	for range 20 {
		w := &cliff{left: rand.IntN(100 << 10)}
		em := begin(t, quiet(w))
		c := newCrew(32, 50)
		c.start(fiveActors(em))
		c.wait.Wait()
		_ = em.Close()
		records, cut := lines(t, w.bytes())
		checkPrefix(t, records)
		c.check(t, records)
		exact := 0
		for _, n := range w.calls() {
			gathered = gathered || n > 1000 // a line has a hundred bytes
		}
		for _, err := range c.failed {
			var broken *emit.WriteError
			if err == nil {
				continue
			}
			if !errors.As(err, &broken) || !errors.Is(err, syscall.ENOSPC) {
				t.Fatalf("a call that failed returned %v", err)
			}
			if broken.Seq < uint64(len(records)) || broken.Written > 0 && broken.Seq != uint64(len(records)) {
				t.Fatalf("%d whole lines and %d bytes are written; a call was told seq %d, written %d", len(records), len(cut), broken.Seq, broken.Written)
			}
			if broken.Seq == uint64(len(records)) && broken.Written == len(cut) {
				exact++
			}
		}
		if w.left == 0 && exact == 0 {
			t.Errorf("nobody was told of line %d, cut after %d bytes", len(records), len(cut))
		}
	}
	if !gathered {
		t.Error("no write ever had several lines: nothing of the above was tested")
	}
}

// Issue 2, must show: 64 goroutines on 5 actors emit 100,000 events into a pipe
// that another process reads one byte at a time.
func TestReaderTakesOneByteAtATime(t *testing.T) {
	t.Parallel()
	each := 100_000 / 64
	if testing.Short() {
		each /= 20
	}
	exe, err := os.Executable()
	must(t, err)
	cmd := exec.Command(exe) // without a guard: ten million reads take their time, and end with this process
	cmd.Env = childEnv("bytewise")
	read, write, err := os.Pipe()
	must(t, err)
	var out tape
	cmd.Stdin, cmd.Stdout, cmd.Stderr = read, &out, os.Stderr
	must(t, cmd.Start())
	must(t, read.Close())

	o := quiet(write)
	o.SessionID = "s"
	em := begin(t, o)
	c := newCrew(64, each)
	c.start(fiveActors(em))
	c.wait.Wait()
	must(t, em.Finish(event.Result{}), write.Close(), cmd.Wait())
	records := heads(t, out.bytes())
	if want := 64*each + 2; len(records) != want || last(records).str("type") != "result" {
		t.Errorf("%d lines, want %d: %.300s", len(records), want, last(records).raw)
	}
	c.check(t, records)
}

// heads parses lines with less care than lines does, and checks their seq: a
// hundred thousand of them are too many for the other one.
func heads(t *testing.T, data []byte) []record {
	t.Helper()
	records := make([]record, 0, bytes.Count(data, []byte{'\n'}))
	for line := range bytes.Lines(data) {
		r := record{raw: line}
		if err := json.Unmarshal(line, &r.object); err != nil || !utf8.Valid(line) || line[len(line)-1] != '\n' {
			t.Fatalf("line %d: %v: %.300q", len(records), err, line)
		}
		if seq, _ := r.object["seq"].(float64); int(seq) != len(records) {
			t.Fatalf("line %d has seq %v", len(records), seq)
		}
		records = append(records, r)
	}
	return records
}

// All doors at once, from many goroutines on shared actors: the stream holds
// what the contract says of any stream, completed messages say what their
// deltas said, and a copy holds the same bytes.
func TestStormOfAllDoors(t *testing.T) {
	rounds := 4
	if testing.Short() {
		rounds = 1
	}
	for round := range rounds {
		var w, also tape
		o := partial(&w)
		o.Also = []io.Writer{&also}
		o.Heartbeat = time.Millisecond
		em := begin(t, o)
		actors := fiveActors(em)
		var wait sync.WaitGroup
		for g := range 16 {
			r := rand.New(rand.NewPCG(uint64(round), uint64(g)))
			wait.Go(func() {
				for i := range 60 {
					storm(em, actors[r.IntN(len(actors))], r, fmt.Sprint(g, "_", i))
				}
			})
		}
		if round%2 == 0 {
			wait.Wait()
		}
		must(t, em.Finish(event.Result{}))
		wait.Wait()
		records := whole(t, w.bytes())
		checkDeltas(t, records)
		if also.String() != w.String() {
			t.Errorf("the copy has %d bytes, the stream %d", len(also.bytes()), len(w.bytes()))
		}
	}
}

// storm makes one call by chance. Refusals are part of it.
func storm(em *emit.Emitter, a *emit.Actor, r *rand.Rand, id string) {
	piece := []string{"a", "é", "\xe2\x80", "\x94", "\n", ""}[r.IntN(6)]
	switch r.IntN(14) {
	case 0:
		m := a.Message(id)
		_ = m.Text(piece)
		_ = m.ToolArgs(id, `{"a":`)
		_ = m.Thinking(piece)
		_ = m.ToolArgs(id, `1}`)
		_ = m.ToolUse(id, "Bash", nil)
		if r.IntN(3) == 0 {
			_ = m.Discard()
			return
		}
		_ = m.End()
	case 1:
		_ = a.Text(r.IntN(2), piece)
	case 2:
		_ = a.Thinking(r.IntN(2), piece)
	case 3:
		_ = a.ToolArgs(id, `{}`)
	case 4:
		_ = a.Emit(event.Assistant{Content: []event.Block{event.Text{Text: piece}, event.ToolUse{ID: id, Name: "n"}}})
		_ = a.Emit(event.User{Content: []event.ToolResult{{ToolUseID: id, Text: piece}}})
	case 5:
		_ = a.EmitAll(event.TaskStarted{TaskID: id, Kind: "workflow"}, event.TextDelta{Text: piece}, event.TaskProgress{TaskID: id, Kind: "workflow"})
	case 6:
		em.Log().Warn().Str("id", id).Msg(piece)
	case 7:
		slog.New(a.SlogHandler()).Error(piece, "id", id)
	case 8:
		n := a.Nested(id, "r")
		_ = n.Text(0, piece)
		_ = n.Emit(event.Assistant{Content: []event.Block{event.ToolUse{ID: id, Name: "n"}}})
		_ = n.End()
	case 9:
		em.AddUsage(piece, event.Usage{InputTokens: 1})
		em.AddCost(0.1)
		_ = em.ExitCode() + len(strconv.Quote(fmt.Sprint(em.Context().Err())))
	case 10:
		_ = em.Flush()
	case 11:
		a.Go(func(ctx context.Context) error { _ = emit.FromContext(ctx).Warn("go", id); return nil })
	case 12:
		_ = a.Emit(event.DeltasDiscarded{})
	default:
		_ = a.Emit(event.Warning{Category: piece, Message: id})
	}
}
