package emit_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/event"
	"github.com/streamjson/streamjson/exitcode"
)

// Several runs at once stop right after a tool's result, for ever: a time
// limit ends each with one error result, and with the limit's exit code.
func TestCase001BodyThatStopsForEver(t *testing.T) {
	forever := make(chan struct{})
	t.Cleanup(func() { close(forever) })
	t.Run("six at once", func(t *testing.T) {
		for i := range 6 {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				got := run(t, ctx, emit.Options{Grace: time.Millisecond}, func(_ context.Context, em *emit.Emitter) error {
					must(t, em.Emit(event.Assistant{Content: []event.Block{event.ToolUse{ID: "t", Name: "ls"}}}))
					must(t, em.Emit(event.User{Content: []event.ToolResult{{ToolUseID: "t", Text: "go.mod"}}}))
					cancel(emit.ErrTimeout)
					<-forever
					return nil
				})
				got.want(t, "error_during_execution", "error", exitcode.Timeout)
				if s := kinds(got.records); s != "init assistant user result/error_during_execution" {
					t.Error(s)
				}
			})
		}
	})
}

// A main function that returns without Finish: the deferred Close writes one
// error result that says so.
func TestCase002CloseWithoutFinish(t *testing.T) {
	var w tape
	var em *emit.Emitter
	func() {
		em = begin(t, quiet(&w))
		defer em.Close()
		must(t, em.Init(event.Init{}), em.Emit(event.State{SessionState: "running"}), em.Warn("loop", "again"))
	}()
	must(t, em.Close()) // again, as it may come twice
	records := whole(t, w.bytes())
	if s := kinds(records); s != "init state warning result/error_during_execution" {
		t.Error(s)
	}
	if said := errorsOf(last(records)); !strings.Contains(said, "without a result") || em.ExitCode() != exitcode.Failure {
		t.Errorf("errors %q, exit code %d", said, em.ExitCode())
	}
}

// A success that gives no text has the text that was streamed, by whichever
// door and in whichever format, also where no deltas are written.
func TestCase004ResultOfStreamedText(t *testing.T) {
	pieces := []string{"The answer ", "is ", "42."}
	for name, stream := range map[string]func(*emit.Emitter) error{
		"Text": func(em *emit.Emitter) error {
			return errors.Join(em.Text(0, pieces[0]), em.Text(0, pieces[1]), em.Text(0, pieces[2]))
		},
		"an open Message": func(em *emit.Emitter) error {
			m := em.Message("m")
			return errors.Join(m.Text(pieces[0]), m.Text(pieces[1]), m.Text(pieces[2]))
		},
		"a Message": func(em *emit.Emitter) error {
			m := em.Message("m")
			return errors.Join(m.Text(pieces[0]), m.Text(pieces[1]), m.Text(pieces[2]), m.End())
		},
	} {
		for _, partial := range []bool{true, false} {
			t.Run(fmt.Sprint(name, " partial ", partial), func(t *testing.T) {
				got := run(t, t.Context(), emit.Options{Partial: partial}, func(_ context.Context, em *emit.Emitter) error {
					must(t, stream(em))
					return em.Finish(event.Result{})
				})
				if text := got.result.str("result"); text != "The answer is 42." {
					t.Errorf("result %q", text)
				}
				var doc, text tape
				for format, w := range map[emit.Format]*tape{emit.FormatJSON: &doc, emit.FormatText: &text} {
					em := begin(t, emit.Options{Format: format, Partial: partial, Stdout: w, Stderr: io.Discard})
					must(t, stream(em), em.Finish(event.Result{}))
				}
				holds(t, "the document", doc.bytes(), `"result": "The answer is 42."`)
				if text.String() != "The answer is 42.\n" {
					t.Errorf("text %q", text.String())
				}
			})
		}
	}
}

// Whatever was accepted stands before the result, though Finish comes while
// others emit.
func TestCase005ResultOvertakesNothing(t *testing.T) {
	var w tape
	em := begin(t, quiet(&w))
	some := make(chan struct{})
	accepted := make(chan int)
	go func() {
		n := 0
		for i := range 1000 {
			if i == 100 {
				close(some)
			}
			switch err := em.Emit(event.System{Subtype: "usage", Fields: map[string]any{"i": i}}); {
			case err == nil:
				n++
			case !errors.Is(err, emit.ErrEnded):
				t.Error(err)
			}
		}
		accepted <- n
	}()
	<-some
	must(t, em.Finish(event.Result{}))
	n := <-accepted
	got := ofKind(whole(t, w.bytes()), "system/usage")
	if len(got) != n || n < 100 {
		t.Errorf("%d events were accepted, %d stand there", n, len(got))
	}
	for i, r := range got {
		if fmt.Sprint(r.at("i")) != fmt.Sprint(i) {
			t.Fatalf("event %v at place %d", r.at("i"), i)
		}
	}
}

// The goroutine that feeds the emitter panics: one error result, then the
// trace, which goes to stderr alone.
func TestCase007PanicOfTheFeeder(t *testing.T) {
	got := finish(t, child(t, "outcome", outcomeVariable+"=panic"))
	records := whole(t, got.stdout)
	if s := kinds(ofKind(records, "result/error_during_execution")); s == "" || got.code != exitcode.Failure {
		t.Errorf("exit code %d: %s", got.code, kinds(records))
	}
	holds(t, "errors", []byte(errorsOf(last(records))), "the database is locked")
	holds(t, "stderr", got.stderr, "the database is locked", "goroutine ", "case_d_test.go")
	lacks(t, "stdout", got.stdout, "goroutine ", "case_d_test.go")

	var both tape // the order of the two
	code := emit.Run(t.Context(), emit.Options{Stdout: &both, Stderr: &both, Signals: noSignals}, func(_ context.Context, em *emit.Emitter) error {
		em.Go(func(context.Context) error { panic("the database is locked") })
		return nil
	})
	result, trace := strings.Index(both.String(), `"type":"result"`), strings.Index(both.String(), "goroutine ")
	if code != exitcode.Failure || result < 0 || trace < result {
		t.Errorf("exit code %d, the result at %d, the trace at %d", code, result, trace)
	}
}

// A failure before the first event is a whole stream: init and an error
// result. In the other formats it is one document, or nothing.
func TestCase008FailureBeforeTheStream(t *testing.T) {
	failure := &exitcode.Error{Code: 52, Err: errors.New("no credentials")}
	fail := func(context.Context, *emit.Emitter) error { return failure }
	got := run(t, t.Context(), emit.Options{}, fail)
	if s := kinds(got.records); s != "init result/error_during_execution" || got.code != 52 || errorsOf(got.result) != "no credentials" {
		t.Errorf("exit code %d, %s: %s", got.code, s, got.result.raw)
	}
	for _, c := range []struct {
		format         emit.Format
		stdout, stderr string
	}{
		{emit.FormatJSON, `"errors": [` + "\n    " + `"no credentials"`, ""},
		{emit.FormatText, "", "error: no credentials\n"},
	} {
		var out, prose tape
		code := emit.Run(t.Context(), emit.Options{Format: c.format, Stdout: &out, Stderr: &prose, Signals: noSignals}, fail)
		if code != 52 || prose.String() != c.stderr || (out.String() == "") != (c.stdout == "") || !strings.Contains(out.String(), c.stdout) {
			t.Errorf("%v: exit code %d, stdout %q, stderr %q", c.format, code, out.String(), prose.String())
		}
	}
}

// Retries run out before anything came: the run fails by its result and by its
// exit code.
func TestCase010ErrorWithoutContent(t *testing.T) {
	var w tape
	em := begin(t, quiet(&w))
	must(t, em.Finish(event.Result{Subtype: event.ErrorDuringExecution, Errors: []string{"the model's stream broke off 5 times"}}))
	records := whole(t, w.bytes())
	if s := kinds(records); s != "init result/error_during_execution" {
		t.Error(s)
	}
	if got := errorsOf(last(records)); got != "the model's stream broke off 5 times" || em.ExitCode() != exitcode.Failure {
		t.Errorf("errors %q, exit code %d", got, em.ExitCode())
	}
}

// The turn limit, as the cause that cancels the run, is told apart from a
// crash, and what was done until then counts.
func TestCase011TurnLimit(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	got := run(t, ctx, emit.Options{}, func(ctx context.Context, em *emit.Emitter) error {
		em.AddUsage("m1", event.Usage{InputTokens: 10, OutputTokens: 3})
		must(t, em.Text(0, "So far "), em.Text(0, "so good"))
		cancel(fmt.Errorf("after 12 turns: %w", emit.ErrMaxTurns))
		<-ctx.Done()
		return ctx.Err()
	})
	got.want(t, "error_max_turns", "max_turns", exitcode.MaxTurns)
	if got.result.str("result") != "So far so good" || fmt.Sprint(got.result.at("usage", "input_tokens")) != "10" || !strings.Contains(errorsOf(got.result), "after 12 turns") {
		t.Errorf("%s", got.result.raw)
	}
}

// childTool calls one tool after the other until it is cancelled; each waits.
func childTool() int {
	return runChild(func(ctx context.Context, em *emit.Emitter) error {
		for i := 0; ctx.Err() == nil; i++ {
			m := em.Message(fmt.Sprint("m", i))
			err := errors.Join(m.Text("one moment"), m.ToolUse(fmt.Sprint("t", i), "wait", nil), m.End(),
				em.Emit(event.State{SessionState: "running"}))
			if err != nil {
				return err
			}
			em.Log().Info().Msg("the tool runs")
			<-ctx.Done()
		}
		return nil
	})
}

// interrupt sends sig once the first tool runs.
func interruptTool(t *testing.T, sig os.Signal, env ...string) finished {
	t.Helper()
	r := start(t, child(t, "tool", env...))
	r.says(t, "the tool runs")
	must(t, r.cmd.Process.Signal(sig))
	return r.wait(t)
}

// SIGINT after the third event: no tool starts any more, and the result says
// what happened.
func TestCase013Interrupt(t *testing.T) {
	got := interruptTool(t, os.Interrupt)
	records := whole(t, got.stdout)
	if s := kinds(records); s != "init assistant state user result/interrupted" || got.code != 130 {
		t.Errorf("exit code %d: %s", got.code, s)
	}
	if last(records).str("stop_reason") != "cancelled" || !strings.Contains(errorsOf(last(records)), "SIGINT") {
		t.Errorf("%s", last(records).raw)
	}
}

// SIGTERM of a supervisor whose time is up: the result names it.
func TestCase014Terminate(t *testing.T) {
	got := interruptTool(t, syscall.SIGTERM)
	records := whole(t, got.stdout)
	if s := kinds(records); s != "init assistant state user result/interrupted" || got.code != 143 || !strings.Contains(errorsOf(last(records)), "SIGTERM") {
		t.Errorf("exit code %d, %s: %s", got.code, s, last(records).raw)
	}
}

// SIGINT of a run that writes one document: it is whole.
func TestCase016InterruptedDocument(t *testing.T) {
	got := interruptTool(t, os.Interrupt, formatVariable+"=json")
	if doc := document(t, got.stdout); got.code != 130 || doc.str("subtype") != "interrupted" || !strings.Contains(errorsOf(doc), "SIGINT") {
		t.Errorf("exit code %d: %s", got.code, got.stdout)
	}
}

// Results have the same members whatever ends the run; only a failed one has
// errors, too.
func TestCase017MembersOfResults(t *testing.T) {
	for _, bodyEnds := range []struct {
		name string
		body func(context.Context, context.CancelCauseFunc) error
	}{
		{"success", func(context.Context, context.CancelCauseFunc) error { return nil }},
		{"refused", func(context.Context, context.CancelCauseFunc) error { return emit.ErrRefused }},
		{"error", func(context.Context, context.CancelCauseFunc) error { return errPlain }},
		{"limit", func(context.Context, context.CancelCauseFunc) error { return emit.ErrMaxTurns }},
		{"timeout", func(context.Context, context.CancelCauseFunc) error { return emit.ErrTimeout }},
		{"cancel", func(ctx context.Context, cancel context.CancelCauseFunc) error { cancel(nil); return ctx.Err() }},
		{"panic", func(context.Context, context.CancelCauseFunc) error { panic("boom") }},
	} {
		t.Run(bodyEnds.name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			got := run(t, ctx, emit.Options{}, func(ctx context.Context, em *emit.Emitter) error {
				em.AddUsage("m", event.Usage{InputTokens: 1})
				must(t, em.Text(0, "hi"))
				return bodyEnds.body(ctx, cancel)
			})
			keys := slices.DeleteFunc(slices.Clone(got.result.keys), func(k string) bool { return k == "errors" })
			const want = "type subtype session_id seq ts is_error num_turns duration_ms result stop_reason route_history usage model_usage"
			if s := strings.Join(keys, " "); s != want {
				t.Errorf("the members %s", s)
			}
		})
	}
}

// An error after a successful Finish adds no second result, and leaves the exit
// code to the first.
func TestCase019ErrorAfterSuccess(t *testing.T) {
	got := run(t, t.Context(), emit.Options{}, func(_ context.Context, em *emit.Emitter) error {
		must(t, em.Finish(event.Result{Result: "42"}))
		return errPlain
	})
	got.want(t, "success", "end_turn", exitcode.OK)
	if s := kinds(got.records); s != "init result/success" || got.result.str("result") != "42" {
		t.Errorf("%s: %s", s, got.result.raw)
	}
	holds(t, "stderr", []byte(got.stderr), errPlain.Error())
}

// Finish closes what a nested actor has open, and nothing comes after it.
func TestCase020FinishWhileNestedWorks(t *testing.T) {
	var w tape
	em := begin(t, partial(&w))
	must(t, em.Emit(event.Assistant{Content: []event.Block{event.ToolUse{ID: "agent", Name: "task"}}}))
	nested := em.Nested("agent", "helper")
	must(t, nested.Emit(event.TaskStarted{TaskID: "k", Kind: event.KindToolAgent}),
		nested.Emit(event.Assistant{Content: []event.Block{event.ToolUse{ID: "inner", Name: "ls"}}}), nested.Text(0, "lo"))
	proceed := make(chan struct{})
	nested.Go(func(context.Context) error { // Finish waits for it
		<-proceed
		return nested.Text(0, "oking")
	})
	finished := make(chan error)
	go func() { finished <- em.Finish(event.Result{}) }()
	close(proceed)
	must(t, <-finished)
	want := "init assistant task_started assistant " +
		"stream_event/content_block_delta stream_event/content_block_delta user task_notification user result/success"
	records := whole(t, w.bytes())
	if s := kinds(records); s != want {
		t.Errorf("%s; want %s", s, want)
	}
	for _, r := range []record{records[6], records[7]} {
		if r.str("parent_tool_use_id") != "agent" {
			t.Errorf("closed on another actor: %s", r.raw)
		}
	}
	before := w.String()
	for what, err := range map[string]error{
		"Emit": nested.Emit(event.State{SessionState: "running"}), "Text": nested.Text(0, "more"), "Warn": nested.Warn("x", "y"),
	} {
		if !errors.Is(err, emit.ErrEnded) {
			t.Errorf("%s after the result: %v", what, err)
		}
	}
	if w.String() != before {
		t.Errorf("written after the result: %s", w.String()[len(before):])
	}
}

// childLeftover returns from its body with a ticker's goroutine and a reader
// of a stdin that never ends behind it.
func childLeftover() int {
	return runChild(func(_ context.Context, em *emit.Emitter) error {
		go func() {
			for range time.Tick(time.Millisecond) {
				_ = em.Context().Err()
			}
		}()
		go func() { _, _ = io.Copy(io.Discard, os.Stdin) }()
		return em.Finish(event.Result{Result: "done"})
	})
}

// What a run leaves behind does not keep the process alive.
func TestCase022LeftoversDontHoldTheProcess(t *testing.T) {
	stdin, open, err := os.Pipe()
	must(t, err)
	defer stdin.Close()
	defer open.Close()
	cmd := child(t, "leftover")
	cmd.Stdin = stdin
	got := finish(t, cmd)
	if records := whole(t, got.stdout); got.code != exitcode.OK || last(records).str("result") != "done" {
		t.Errorf("exit code %d: %s", got.code, kinds(records))
	}
}

// Short runs end, each of many: within a process, and as processes.
func TestCase023ShortRunsEnd(t *testing.T) {
	for range 200 {
		got := run(t, t.Context(), emit.Options{}, func(_ context.Context, em *emit.Emitter) error {
			em.Go(func(context.Context) error { return em.Text(0, "hi") })
			return nil
		})
		got.want(t, "success", "end_turn", exitcode.OK)
	}
	t.Run("processes", func(t *testing.T) {
		for i := range 8 {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				got := finish(t, child(t, "startup"))
				if whole(t, got.stdout); got.code != exitcode.OK {
					t.Errorf("exit code %d, stderr %q", got.code, got.stderr)
				}
			})
		}
	})
}
