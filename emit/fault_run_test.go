package emit_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/event"
	"github.com/streamjson/streamjson/exitcode"
)

// A ran is what came of a run within this process.
type ran struct {
	records []record
	result  record
	stderr  string
	code    int
}

// run does a run and checks its stream. No signals are taken.
func run(t *testing.T, ctx context.Context, o emit.Options, body func(context.Context, *emit.Emitter) error) ran { //nolint:revive // t goes first in tests
	t.Helper()
	var out, prose tape
	o.Product, o.Signals, o.Stdout, o.Stderr = "kit", noSignals, &out, &prose
	var code int
	within(t, "Run", func() { code = emit.Run(ctx, o, body) })
	records := whole(t, out.bytes())
	r := ran{records, last(records), prose.String(), code}
	if isError, _ := r.result.at("is_error").(bool); isError != (code != 0) {
		t.Errorf("is_error %v, exit code %d", isError, code)
	}
	return r
}

// want compares the terminal line and the exit code.
func (r ran) want(t *testing.T, subtype, stopReason string, code int) {
	t.Helper()
	if r.result.str("subtype") != subtype || r.result.str("stop_reason") != stopReason || r.code != code {
		t.Errorf("exit code %d, %.400s; want %s, %s, %d", r.code, r.result.raw, subtype, stopReason, code)
	}
}

var errPlain = errors.New("the model is down")

// What the body returns decides the result and the exit code (design section
// 2, contract F13).
func TestBodyReturns(t *testing.T) {
	for _, c := range []struct {
		name    string
		err     error
		subtype string
		stop    string
		code    int
	}{
		{"nil", nil, "success", "end_turn", 0},
		{"an error", errPlain, "error_during_execution", "error", 1},
		{"an error without a text", errors.New(""), "error_during_execution", "error", 1},
		{"an inner deadline", fmt.Errorf("calling the model: %w", context.DeadlineExceeded), "error_during_execution", "error", 1},
		{"an inner cancel", fmt.Errorf("calling the model: %w", context.Canceled), "error_during_execution", "error", 1},
		{"ErrMaxTurns", emit.ErrMaxTurns, "error_max_turns", "max_turns", 3},
		{"ErrMaxTurns wrapped", fmt.Errorf("after 7: %w", emit.ErrMaxTurns), "error_max_turns", "max_turns", 3},
		{"ErrRefused", emit.ErrRefused, "refused", "refusal", 0},
		{"ErrRefused joined", errors.Join(errPlain, emit.ErrRefused), "refused", "refusal", 0},
		{"ErrTimeout", emit.ErrTimeout, "error_during_execution", "error", 124},
		{"a code", exitcode.Error{Code: 7, Err: errPlain}, "error_during_execution", "error", 7},
		{"a code without an error", exitcode.Error{Code: 7}, "error_during_execution", "error", 7},
		{"a code by pointer", &exitcode.Error{Code: 7, Err: errPlain}, "error_during_execution", "error", 7},
		{"a code wrapped", fmt.Errorf("x: %w", exitcode.Error{Code: 7}), "error_during_execution", "error", 7},
		{"a code joined", errors.Join(errPlain, &exitcode.Error{Code: 7}), "error_during_execution", "error", 7},
		{"a code that is no status of an error", exitcode.Error{Code: 0, Err: errPlain}, "error_during_execution", "error", 1},
		{"a code that is no status", exitcode.Error{Code: 256}, "error_during_execution", "error", 1},
		{"a code for the turn limit", exitcode.Error{Code: 9, Err: emit.ErrMaxTurns}, "error_max_turns", "max_turns", 9},
		{"a code for a timeout", exitcode.Error{Code: 9, Err: emit.ErrTimeout}, "error_during_execution", "error", 9},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := run(t, t.Context(), emit.Options{}, func(context.Context, *emit.Emitter) error { return c.err })
			got.want(t, c.subtype, c.stop, c.code)
			if c.err != nil && c.err.Error() != "" && c.subtype != "refused" {
				for _, line := range strings.Split(c.err.Error(), "\n") {
					if !strings.Contains(errorsOf(got.result), line) {
						t.Errorf("the errors %q lack %q", errorsOf(got.result), line)
					}
				}
			}
		})
	}
}

// The run's own context counts by its cause, whatever error the body makes of
// it, and whatever it returns under Go does not hide it.
func TestRunsOwnContext(t *testing.T) {
	wait := func(ctx context.Context, _ *emit.Emitter) error {
		<-ctx.Done()
		return fmt.Errorf("model: %w", ctx.Err())
	}
	waitUnderGo := func(ctx context.Context, em *emit.Emitter) error {
		em.Nested("p", "r").Go(func(ctx context.Context) error {
			<-ctx.Done()
			return fmt.Errorf("tool: %w", ctx.Err())
		})
		return wait(ctx, em)
	}
	cancelled := func(cause error) func(context.Context) (context.Context, func()) {
		return func(ctx context.Context) (context.Context, func()) {
			ctx, cancel := context.WithCancelCause(ctx)
			timer := time.AfterFunc(time.Millisecond, func() { cancel(cause) })
			return ctx, func() { timer.Stop(); cancel(nil) }
		}
	}
	for _, c := range []struct {
		name    string
		context func(context.Context) (context.Context, func())
		subtype string
		stop    string
		code    int
		says    string
	}{
		{"cancel", cancelled(nil), "interrupted", "cancelled", 130, ""},
		{"cancel for the turn limit", cancelled(emit.ErrMaxTurns), "error_max_turns", "max_turns", 3, ""},
		{"cancel for a time limit", cancelled(fmt.Errorf("budget: %w", emit.ErrTimeout)), "error_during_execution", "error", 124, "budget"},
		{"cancel with a code", cancelled(exitcode.Error{Code: 9, Err: errPlain}), "error_during_execution", "error", 9, errPlain.Error()},
		{"timeout", func(ctx context.Context) (context.Context, func()) {
			ctx, stop := context.WithTimeout(ctx, time.Millisecond)
			return ctx, stop
		}, "error_during_execution", "error", 124, ""},
		{"timeout with a cause", func(ctx context.Context) (context.Context, func()) {
			ctx, stop := context.WithTimeoutCause(ctx, time.Millisecond, errors.New("the night is over"))
			return ctx, stop
		}, "error_during_execution", "error", 124, "the night is over"},
		{"timeout with ErrTimeout", func(ctx context.Context) (context.Context, func()) {
			ctx, stop := context.WithTimeoutCause(ctx, time.Millisecond, emit.ErrTimeout)
			return ctx, stop
		}, "error_during_execution", "error", 124, ""},
	} {
		for name, body := range map[string]func(context.Context, *emit.Emitter) error{"": wait, " under Go": waitUnderGo} {
			t.Run(c.name+name, func(t *testing.T) {
				ctx, stop := c.context(t.Context())
				defer stop()
				got := run(t, ctx, emit.Options{}, body)
				got.want(t, c.subtype, c.stop, c.code)
				if !strings.Contains(errorsOf(got.result), c.says) {
					t.Errorf("errors %q do not name %q", errorsOf(got.result), c.says)
				}
			})
		}
	}
}

// A panic or Goexit ends in one result, the trace stands on stderr behind it,
// and a panic under Go beats whatever the body returns.
func TestPanics(t *testing.T) {
	boom := func(context.Context) error { panic("boom\x1b[31m\nbang") }
	thrown := func(context.Context) error { panic(fmt.Errorf("boom: %w", emit.ErrRefused)) }
	for _, c := range []struct {
		name string
		says string
		body func(context.Context, *emit.Emitter) error
	}{
		{"body", "boom", func(ctx context.Context, _ *emit.Emitter) error { return boom(ctx) }},
		{"body, an error that means success", "boom", func(ctx context.Context, _ *emit.Emitter) error { return thrown(ctx) }},
		{"body, nil", "nil", func(context.Context, *emit.Emitter) error { panic(nil) }}, //nolint:govet // the point
		{"Goexit", "Goexit", func(context.Context, *emit.Emitter) error { runtime.Goexit(); return nil }},
		{"no body", "nil", nil},
		{"under Go", "boom", func(_ context.Context, em *emit.Emitter) error { em.Go(boom); return nil }},
		{"under Go, nil function", "nil", func(_ context.Context, em *emit.Emitter) error { em.Go(nil); return nil }},
		{"nested, under Go", "boom", func(_ context.Context, em *emit.Emitter) error {
			em.Nested("p", "r").Nested("q", "s").Go(boom)
			return nil
		}},
		{"Goexit under Go", "Goexit", func(_ context.Context, em *emit.Emitter) error {
			em.Go(func(context.Context) error { runtime.Goexit(); return nil })
			return nil
		}},
		{"under Go beats ErrRefused", "boom", func(ctx context.Context, em *emit.Emitter) error {
			em.Go(boom)
			<-ctx.Done()
			return emit.ErrRefused
		}},
		{"under Go beats an error under Go", "boom", func(ctx context.Context, em *emit.Emitter) error {
			em.Go(func(context.Context) error { return errPlain })
			em.Go(func(ctx context.Context) error { <-ctx.Done(); return boom(ctx) })
			return nil
		}},
		{"under Go beats the body's Finish", "boom", func(ctx context.Context, em *emit.Emitter) error {
			em.Go(boom)
			return em.Finish(event.Result{Result: "fine"})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := run(t, t.Context(), emit.Options{}, c.body)
			got.want(t, "error_during_execution", "error", 1)
			if text := errorsOf(got.result); !strings.Contains(text, c.says) || strings.Contains(text, "\x1b") || strings.Contains(text, "goroutine 1") {
				t.Errorf("errors: %q", text)
			}
			if !strings.Contains(got.stderr, c.says) || !strings.Contains(got.stderr, "goroutine") || strings.Contains(got.stderr, "\x1b") {
				t.Errorf("stderr: %.300q", got.stderr)
			}
		})
	}
}

// An error under Go ends the run with that cause, and cancels the body.
func TestErrorUnderGo(t *testing.T) {
	got := run(t, t.Context(), emit.Options{}, func(ctx context.Context, em *emit.Emitter) error {
		em.Nested("p", "r").Go(func(context.Context) error { return exitcode.Error{Code: 42, Err: errPlain} })
		<-ctx.Done()
		if !errors.Is(context.Cause(ctx), errPlain) {
			t.Errorf("cause: %v", context.Cause(ctx))
		}
		return nil
	})
	got.want(t, "error_during_execution", "error", 42)
	if errorsOf(got.result) != errPlain.Error() {
		t.Errorf("%s", got.result.raw)
	}
}

// A panic that comes when the result stands already must still be heard of.
func TestPanicAfterTheResultIsTold(t *testing.T) {
	ended := make(chan struct{})
	var prose, out tape
	o := quiet(&out)
	o.Stderr = &prose
	o.Grace = time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	within(t, "Run", func() {
		emit.Run(ctx, o, func(_ context.Context, em *emit.Emitter) error {
			em.Go(func(context.Context) error {
				<-ended
				panic("late boom")
			})
			cancel()
			return errPlain
		})
	})
	whole(t, out.bytes())
	close(ended)
	for end := time.Now().Add(time.Second); !strings.Contains(prose.String(), "late boom"); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the panic is swallowed; stderr: %q", prose.String())
		}
	}
}

// A body that fails cancels what runs under Go: that may wait for nothing
// else.
func TestFailedBodyCancelsGo(t *testing.T) {
	for name, body := range map[string]func() error{
		"error": func() error { return errPlain },
		"panic": func() error { panic(errPlain) },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			late := time.AfterFunc(3*time.Second, func() {
				t.Error("the run waits for a goroutine that waits for its end")
				stop()
			})
			defer late.Stop()
			got := run(t, ctx, emit.Options{}, func(_ context.Context, em *emit.Emitter) error {
				em.Go(func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
				return body()
			})
			got.want(t, "error_during_execution", "error", 1)
		})
	}
}

// Grace ends a run whose body or goroutine does not return.
func TestGraceEndsWhatDoesNotReturn(t *testing.T) {
	for name, body := range map[string]func(context.Context, *emit.Emitter, chan struct{}) error{
		"body": func(_ context.Context, _ *emit.Emitter, forever chan struct{}) error { <-forever; return nil },
		"Go": func(ctx context.Context, em *emit.Emitter, forever chan struct{}) error {
			em.Go(func(context.Context) error { <-forever; return nil })
			<-ctx.Done()
			return ctx.Err()
		},
		"both": func(_ context.Context, em *emit.Emitter, forever chan struct{}) error {
			em.Go(func(context.Context) error { <-forever; return nil })
			<-forever
			return nil
		},
		"Finish in the body, and Go": func(_ context.Context, em *emit.Emitter, forever chan struct{}) error {
			em.Go(func(context.Context) error { <-forever; return nil })
			return em.Finish(event.Result{})
		},
	} {
		t.Run(name, func(t *testing.T) {
			forever := make(chan struct{})
			defer close(forever)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			got := run(t, ctx, emit.Options{Grace: 20 * time.Millisecond}, func(ctx context.Context, em *emit.Emitter) error {
				must(t, em.Message("m").Text("so far"))
				cancel()
				return body(ctx, em, forever)
			})
			if got.code == 0 {
				t.Errorf("exit code 0: %s", got.result.raw)
			}
		})
	}
}

// Whoever calls Finish first decides; what the body returns then is prose.
func TestFinishInTheBody(t *testing.T) {
	for _, c := range []struct {
		name string
		res  event.Result
		err  error
		code int
	}{
		{"success, then an error", event.Result{Result: "42"}, errPlain, 0},
		{"success, then ErrMaxTurns", event.Result{}, emit.ErrMaxTurns, 0},
		{"an error, then nil", event.Result{Subtype: event.ErrorMaxTurns}, nil, 3},
		{"interrupted, then nil", event.Result{Subtype: event.Interrupted}, nil, 130},
		{"refused, then an error", event.Result{Subtype: event.Refused}, errPlain, 0},
		{"its own subtype", event.Result{Subtype: "error_budget", IsError: true}, nil, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := run(t, t.Context(), emit.Options{}, func(_ context.Context, em *emit.Emitter) error {
				must(t, em.Finish(c.res))
				if err := em.Finish(event.Result{}); !errors.Is(err, emit.ErrEnded) {
					t.Errorf("the second Finish: %v", err)
				}
				if err := em.Emit(event.Warning{Category: "late"}); !errors.Is(err, emit.ErrEnded) {
					t.Errorf("an event after the result: %v", err)
				}
				return c.err
			})
			if got.code != c.code {
				t.Errorf("exit code %d, want %d", got.code, c.code)
			}
			if c.err != nil && !strings.Contains(got.stderr, c.err.Error()) {
				t.Errorf("stderr lacks the error: %q", got.stderr)
			}
		})
	}
}

// Do tells by its error what Run tells by the exit code.
func TestDoReturns(t *testing.T) {
	for _, c := range []struct {
		name string
		body func(context.Context, *emit.Emitter) error
		is   error
		ok   bool
	}{
		{"nil", func(context.Context, *emit.Emitter) error { return nil }, nil, true},
		{"refused", func(context.Context, *emit.Emitter) error { return emit.ErrRefused }, nil, true},
		{"an error", func(context.Context, *emit.Emitter) error { return errPlain }, errPlain, false},
		{"a panic", func(context.Context, *emit.Emitter) error { panic(errPlain) }, errPlain, false},
		{"an error under Go", func(_ context.Context, em *emit.Emitter) error {
			em.Go(func(context.Context) error { return errPlain })
			return nil
		}, errPlain, false},
		{"a failed Finish", func(_ context.Context, em *emit.Emitter) error {
			return em.Finish(event.Result{Subtype: event.ErrorMaxTurns})
		}, nil, false},
		{"Finish, then an error", func(_ context.Context, em *emit.Emitter) error {
			return errors.Join(em.Finish(event.Result{}), errPlain)
		}, nil, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var w tape
			em := begin(t, quiet(&w))
			var err error
			within(t, "Do", func() {
				err = em.Do(func(ctx context.Context) error {
					defer em.Close() // a no-op here
					return c.body(ctx, em)
				})
			})
			if (err == nil) != c.ok || !errors.Is(err, c.is) && c.is != nil {
				t.Errorf("Do: %v", err)
			}
			if r := last(whole(t, w.bytes())); (r.at("is_error") == false) != c.ok {
				t.Errorf("%s", r.raw)
			}
		})
	}
}

// Finish called under Go waits for the others, not for itself.
func TestFinishUnderGo(t *testing.T) {
	var w tape
	em := begin(t, quiet(&w))
	done := make(chan error)
	go2 := make(chan struct{})
	em.Go(func(context.Context) error { <-go2; return em.Warn("x", "in time") })
	em.Go(func(context.Context) error {
		close(go2)
		err := em.Finish(event.Result{})
		done <- err
		return err
	})
	within(t, "Finish", func() { must(t, <-done) })
	records := whole(t, w.bytes())
	if got := kinds(records); got != "init warning result/success" {
		t.Errorf("%s", got)
	}
}

// Close does not return while another goroutine still writes the result: a
// main that returns behind it would cut that off.
func TestCloseWaitsForTheResult(t *testing.T) {
	g := newGate()
	em := begin(t, quiet(g))
	finished := make(chan error, 1)
	go func() { finished <- em.Finish(event.Result{}) }()
	<-g.entered
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		_ = em.Close()
	}()
	select {
	case <-closed:
		t.Error("Close returned before the result was written")
	case <-time.After(100 * time.Millisecond):
	}
	close(g.opened)
	must(t, <-finished)
	<-closed
	whole(t, g.bytes())
}

// What New refuses is one line on stderr and exit code 2.
func TestRefusedOptions(t *testing.T) {
	var out, prose tape
	code := emit.Run(t.Context(), emit.Options{Stdout: &out, Stderr: &prose, MaxLineBytes: 1, Signals: noSignals}, func(context.Context, *emit.Emitter) error {
		t.Error("the body was called")
		return nil
	})
	if code != exitcode.Usage || out.String() != "" || strings.Count(prose.String(), "\n") != 1 || !strings.Contains(prose.String(), "MaxLineBytes") {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, out.String(), prose.String())
	}
}

// A stdout that can't be written is one clear line on stderr, in each format.
func TestBrokenStdoutIsToldOnce(t *testing.T) {
	for _, format := range []emit.Format{emit.FormatStreamJSON, emit.FormatJSON, emit.FormatText} {
		for _, partial := range []bool{false, true} {
			t.Run(fmt.Sprint(format, " partial ", partial), func(t *testing.T) {
				var prose tape
				o := emit.Options{Format: format, Partial: partial, Stdout: failing{errFault}, Stderr: &prose, Signals: noSignals}
				code := emit.Run(t.Context(), o, func(ctx context.Context, em *emit.Emitter) error {
					m := em.Message("m")
					if err := m.Text("hello"); err != nil {
						return err
					}
					if err := m.End(); err != nil {
						return err
					}
					return ctx.Err()
				})
				if code != exitcode.IO {
					t.Errorf("exit code %d", code)
				}
				if n := strings.Count(prose.String(), "\n"); n != 1 || !strings.Contains(prose.String(), errFault.Error()) {
					t.Errorf("%d lines: %q", n, prose.String())
				}
			})
		}
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

var _ io.Writer = failing{}
