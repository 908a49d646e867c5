package emit_test

import (
	"context"
	"io"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/event"
)

// TestAllocations pins what a call costs in memory. The events are built in
// the call, as programs build them: that they stay on the caller's stack
// depends on the compiler turning Emit into a direct call (see event.Send).
func TestAllocations(t *testing.T) {
	if underRace {
		t.Skip("the race detector allocates")
	}
	em, err := emit.New(context.Background(), emit.Options{Stdout: io.Discard, Stderr: io.Discard, Partial: true})
	if err != nil {
		t.Fatal(err)
	}
	defer em.Close()
	nested := em.Nested("toolu_nested", "helper")
	n := 0
	fresh := func() string { // a string that no compiler can know
		n++
		return words[n%len(words)]
	}
	input := map[string]any{"path": "go.mod", "limit": 40, "deep": []any{"a", 1.5, true, nil}}
	for _, c := range []struct {
		what string
		max  float64
		call func() error
	}{
		{"Text", 0, func() error { return em.Text(0, fresh()) }},
		{"Text of a split character", 0, func() error { return firstError(em.Text(0, "\xe2\x82"), em.Text(0, "\xac")) }},
		{"Text, nested", 0, func() error { return nested.Text(3, fresh()) }},
		{"Thinking", 0, func() error { return em.Thinking(1, fresh()) }},
		{"ToolArgs", 0, func() error { return em.ToolArgs("toolu_1", fresh()) }},
		{"Emit of a TextDelta", 0, func() error { return em.Emit(event.TextDelta{Index: 0, Text: fresh()}) }},
		{"Emit of an assistant with two blocks", 0, func() error {
			return em.Emit(event.Assistant{ID: fresh(), Content: []event.Block{
				event.Thinking{Thinking: fresh()}, event.Text{Text: fresh()},
			}})
		}},
		{"Emit of a tool call and its result", 0, func() error {
			id := fresh()
			return firstError(
				em.Emit(event.Assistant{Agent: "primary", Content: []event.Block{
					event.Text{Text: fresh()}, event.ToolUse{ID: id, Name: "read_file", Input: input},
				}}),
				em.Emit(event.User{
					Content:       []event.ToolResult{{ToolUseID: id, Text: fresh()}},
					ToolUseResult: &event.ToolUseResult{Path: fresh(), Summary: "38 lines"},
				}))
		}},
		{"Emit of a task's lines", 0, func() error {
			id := fresh()
			return firstError(
				nested.Emit(event.TaskStarted{TaskID: id, Kind: event.KindToolAgent}),
				nested.Emit(event.TaskProgress{TaskID: id, Kind: event.KindToolAgent, Task: input}),
				nested.Emit(event.TaskNotification{TaskID: id, Kind: event.KindToolAgent, Status: event.StatusCompleted}))
		}},
		{"Emit of a warning", 0, func() error { return em.Emit(event.Warning{Category: "loop", Message: fresh(), Count: 3}) }},
		{"Emit of a state", 0, func() error { return em.Emit(event.State{SessionState: event.StateRunning}) }},
		{"Emit of a map of one's own", 0, func() error { return em.Emit(event.System{Subtype: "mine", Fields: input}) }},
	} {
		t.Run(c.what, func(t *testing.T) {
			if err := c.call(); err != nil {
				t.Fatal(err)
			}
			if got := testing.AllocsPerRun(500, func() { _ = c.call() }); got > c.max {
				t.Errorf("%v allocations a call, want %v", got, c.max)
			}
		})
	}
}

// A result is checked and encoded without an allocation, too. A run that has ended
// does that before it refuses a second one.
func TestAllocationsOfAResult(t *testing.T) {
	if underRace {
		t.Skip("the race detector allocates")
	}
	em, _, _ := prosed(t, nil)
	must(t, em.Close())
	usage, cost := event.Usage{InputTokens: 12, OutputTokens: 34}, 0.25
	res := event.Result{
		Result: "done", TotalCostUSD: &cost, Usage: &usage,
		ModelUsage: map[string]event.Usage{"a": usage, "b": usage, "c": usage},
	}
	if got := testing.AllocsPerRun(500, func() { _ = em.Finish(res) }); got != 0 {
		t.Errorf("%v allocations, want none", got)
	}
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

var words = func() []string {
	list := make([]string, 64)
	for i := range list {
		list[i] = strings.Repeat("word "+strconv.Itoa(i)+" ", 5)
	}
	return list
}()

// Where every message is long, the memory of the last one's text serves for the
// next; a short one gives it back.
func TestLongMessagesReuseTheirMemory(t *testing.T) {
	if underRace {
		t.Skip("the race detector allocates")
	}
	em, err := emit.New(context.Background(), emit.Options{Stdout: io.Discard, Stderr: io.Discard, Partial: true})
	must(t, err)
	defer em.Close()
	piece := strings.Repeat("piece of a text ", 512)
	index := 0
	message := func(size int) (allocated uint64) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for i := range index {
			must(t, em.Text(i, "x"))
		}
		for n := 0; n < size; n += len(piece) {
			must(t, em.Text(index, piece))
		}
		must(t, em.Emit(event.DeltasDiscarded{}))
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	const long = 400 << 10
	message(long)
	if got := message(long); got > 64<<10 {
		t.Errorf("the second long message has allocated %d bytes", got)
	}
	message(len(piece))
	if got := message(long); got < long {
		t.Errorf("a long message behind a short one has allocated %d bytes: the memory was kept", got)
	}
	// Nor does a block pin its memory that no further message has.
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	index = 5
	message(long)
	index = 0
	message(len(piece))
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 0 {
		t.Errorf("the heap is %d bytes larger than with the long text of the first block", grown)
	}
}
