//go:build unix

package wrap_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/emittest"
	"github.com/streamjson/streamjson/emit/event"
	"github.com/streamjson/streamjson/wrap"
)

// call announces a tool call.
func call(t *testing.T, a *emit.Actor, id string) {
	t.Helper()
	if err := a.Emit(event.Assistant{Content: []event.Block{event.ToolUse{ID: id, Name: "shell"}}}); err != nil {
		t.Fatal(err)
	}
}

// The result is what the model needs: both texts, and why it failed.
func TestToolResult(t *testing.T) {
	for _, c := range []struct {
		rule    string
		c       wrap.Command
		text    string
		isError bool
		code    int
	}{
		{"stdout", shell("echo a"), "a\n", false, 0},
		{"nothing", shell(":"), "", false, 0},
		{"stderr", shell("echo b >&2"), "[stderr]\nb\n", false, 0},
		{"both", shell("echo b >&2; printf a"), "a\n[stderr]\nb\n", false, 0},
		{"a failure", shell("echo a; echo b >&2; exit 7"), "a\n[stderr]\nb\n[sh: exit status 7]", true, 7},
		{"a failure that says nothing", shell("exit 7"), "[sh: exit status 7]", true, 7},
		{"a signal", shell("printf a; kill -KILL $$"), "a\n[sh: ended by SIGKILL]", true, 137},
		{"not found", wrap.Command{Argv: []string{"no-such-program-anywhere"}}, `[can't start "no-such-program-anywhere": no program of that name is in PATH; check the name, or give its path]`, true, 127},
		{"no program", wrap.Command{}, "wrap: there is no program to run: Argv must begin with its name", true, -1},
		{"a time limit", wrap.Command{Argv: []string{"sleep", "600"}, Timeout: 50 * time.Millisecond}, "[the time limit is reached: sleep was ended after 50ms]", true, 143},
	} {
		t.Run(c.rule, func(t *testing.T) {
			r := emittest.Record(t, emit.Options{Capabilities: []string{wrap.Capability}})
			call(t, r.Actor, "toolu_1")
			data := wrap.Data{ExitCode: -1}
			c.c.Report = func(d wrap.Data) { data = d }
			res, err := wrap.Tool(t.Context(), r.Actor, "toolu_1", c.c)
			if err != nil || res.ToolUseID != "toolu_1" || res.Text != c.text || res.IsError != c.isError {
				t.Errorf("%+v, %v; want %q", res, err, c.text)
			}
			if data.ExitCode != c.code || c.code >= 0 && (data.Err != nil) != c.isError {
				t.Errorf("reported: %+v", data)
			}
			if err := errors.Join(r.Emit(event.User{Content: []event.ToolResult{res}}), r.Finish(event.Result{})); err != nil {
				t.Error(err)
			}
			check(t, r.Bytes(), 0)
		})
	}
}

// Ten tools at once, of nested agents too, write one stream.
func TestToolsSideBySide(t *testing.T) {
	r := emittest.Record(t, emit.Options{Capabilities: []string{wrap.Capability}})
	call(t, r.Actor, "toolu_agent")
	nested := r.Nested("toolu_agent", "helper")
	var all sync.WaitGroup
	for i := range 10 {
		a := r.Actor
		if i%2 == 1 {
			a = nested
		}
		id := fmt.Sprintf("toolu_%d", i)
		call(t, a, id)
		all.Go(func() {
			res, err := wrap.Tool(t.Context(), a, id, shell(fmt.Sprintf("for i in 1 2 3 4 5 6 7 8; do echo %d; done", i)))
			if want := strings.Repeat(fmt.Sprintln(i), 8); err != nil || res.Text != want {
				t.Errorf("%q, %v", res.Text, err)
			}
			if err := a.Emit(event.User{Content: []event.ToolResult{res}}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if err := errors.Join(nested.End(), r.Emit(event.User{Content: []event.ToolResult{{ToolUseID: "toolu_agent"}}}), r.Finish(event.Result{})); err != nil {
		t.Fatal(err)
	}
	check(t, r.Bytes(), 0)
}

// A cancelled call has its result, and the run goes on.
func TestCancelledTool(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	o := emit.Options{Also: []io.Writer{onText(`"ready"`, func() { cancel(errors.New("the model has changed its mind")) })}}
	r := emittest.Record(t, o)
	call(t, r.Actor, "toolu_1")
	res, err := wrap.Tool(ctx, r.Actor, "toolu_1", shell("echo ready; exec sleep 600"))
	if err != nil || res.Text != "ready\n[the model has changed its mind]" || !res.IsError {
		t.Errorf("%+v, %v", res, err)
	}
	call(t, r.Actor, "toolu_2")
	again, err := wrap.Tool(t.Context(), r.Actor, "toolu_2", shell("echo on"))
	if err != nil || again.Text != "on\n" {
		t.Errorf("%+v, %v", again, err)
	}
	if err := errors.Join(r.Emit(event.User{Content: []event.ToolResult{res, again}}), r.Finish(event.Result{})); err != nil {
		t.Fatal(err)
	}
	check(t, r.Bytes(), 0)
}

// A stream that is over takes the program with it.
func TestToolOfARunThatIsOver(t *testing.T) {
	w := &emittest.FaultyWriter{FailAt: 4, Err: syscall.EIO, Lasting: true}
	em, err := emit.New(t.Context(), emit.Options{Stdout: w, Stderr: observer(func([]byte) {}), Signals: []os.Signal{}})
	if err != nil {
		t.Fatal(err)
	}
	defer em.Close()
	call(t, em.Actor, "toolu_1")
	if res, err := wrap.Tool(em.Context(), em.Actor, "toolu_1", wrap.Command{Argv: []string{"yes"}}); !errors.Is(err, syscall.EIO) || res.Text != "" {
		t.Errorf("%+v, %v", res, err)
	}
	if _, err := wrap.Tool(em.Context(), em.Actor, "toolu_1", shell("echo a")); err == nil {
		t.Error("a stream that is broken takes a tool")
	}
	r := emittest.Record(t, emit.Options{})
	_ = r.Finish(event.Result{})
	if _, err := wrap.Tool(t.Context(), r.Actor, "toolu_1", shell("echo a")); !errors.Is(err, emit.ErrEnded) {
		t.Errorf("the error is %v", err)
	}
}

// A line costs no allocation of ours.
func TestLinesDoNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	em := discard(t, emit.Options{})
	call(t, em.Actor, "toolu_1")
	runs := func(lines int) float64 {
		c := shell(fmt.Sprintf("yes 'some line of words' | head -n %d", lines))
		return testing.AllocsPerRun(3, func() {
			if _, err := wrap.Tool(t.Context(), em.Actor, "toolu_1", c); err != nil {
				t.Fatal(err)
			}
		})
	}
	few, many := runs(1000), runs(101_000)
	if perLine := (many - few) / 100_000; perLine > 0.1 {
		t.Errorf("%.2f allocations a line", perLine)
	}
}
