package emit_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/streamjson/streamjson/clock"
	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/event"
)

// childPrints prints to stdout by all doors that don't ask the emitter.
func childPrints() int {
	log.SetOutput(os.Stdout)
	early := os.Stdout // as a library keeps it
	return runChild(func(_ context.Context, em *emit.Emitter) error {
		fmt.Println("Hello by fmt")
		log.Println("Hello by log")
		fmt.Fprintln(early, "Hello by a kept os.Stdout")
		err := em.Emit(event.State{SessionState: "running"})
		_, _ = syscall.Write(syscall.Stdout, []byte("Hello by syscall\n"))
		_, _ = os.NewFile(uintptr(syscall.Stdout), "mine").WriteString("Hello by a file of its own\n")
		return err
	})
}

// Prints of a library land on stderr.
func TestCase046LibraryPrints(t *testing.T) {
	got := finish(t, child(t, "prints"))
	if s := kinds(whole(t, got.stdout)); s != "init state result/success" || got.code != 0 {
		t.Errorf("exit code %d: %s", got.code, s)
	}
	holds(t, "stderr", got.stderr, "Hello by fmt\n", "Hello by log\n", "Hello by a kept os.Stdout\n")
}

// A warning by any public door is a warning line, or stands in init's
// warnings.
func TestCase047WarningsAreEvents(t *testing.T) {
	for name, warn := range map[string]func(*emit.Emitter, string){
		"Warn":           func(em *emit.Emitter, s string) { _ = em.Warn("notice", s) },
		"Emit":           func(em *emit.Emitter, s string) { _ = em.Emit(event.Warning{Category: "notice", Message: s}) },
		"nested Warn":    func(em *emit.Emitter, s string) { _ = em.Nested("p", "r").Warn("notice", s) },
		"Log":            func(em *emit.Emitter, s string) { em.Log().Warn().Msg(s) },
		"Log, an error":  func(em *emit.Emitter, s string) { em.Log().Error().Msg(s) },
		"slog":           func(em *emit.Emitter, s string) { slog.New(em.SlogHandler()).Warn(s) },
		"slog, an error": func(em *emit.Emitter, s string) { slog.New(em.SlogHandler()).Error(s) },
		"slog, nested":   func(em *emit.Emitter, s string) { slog.New(em.Nested("p", "r").SlogHandler()).Warn(s) },
		"log by slog": func(em *emit.Emitter, s string) {
			slog.NewLogLogger(em.SlogHandler(), slog.LevelWarn).Print(s)
		},
	} {
		t.Run(name, func(t *testing.T) {
			var w tape
			em := begin(t, quiet(&w))
			warn(em, "early")
			must(t, em.Emit(event.State{SessionState: "running"}))
			warn(em, "late")
			must(t, em.Finish(event.Result{}))
			records := whole(t, w.bytes())
			var said []string
			if list, ok := records[0].at("warnings").([]any); ok {
				said = append(said, fmt.Sprint(list...))
			}
			for _, r := range ofKind(records, "system/warning") {
				said = append(said, r.str("message"))
			}
			if s := strings.Join(said, " "); s != "early late" {
				t.Errorf("%q in %s", s, kinds(records))
			}
		})
	}
}

// childLate prints behind the result: from main, from a deferred function, and
// as a check for a new version that takes its time.
func childLate() (code int) {
	defer fmt.Println("a tip of a deferred function")
	code = runChild(func(_ context.Context, em *emit.Emitter) error {
		if err := em.Finish(event.Result{Result: "done"}); err != nil {
			return err
		}
		fmt.Println("a tip in the body")
		em.Log().Info().Msg("version 2 is out")
		em.Log().Warn().Msg("version 1 is old")
		return nil
	})
	fmt.Println("a tip of main")
	return code
}

// Nothing stands behind the result.
func TestCase050PrintsAfterTheResult(t *testing.T) {
	got := finish(t, child(t, "late"))
	if s := kinds(whole(t, got.stdout)); s != "init result/success" || got.code != 0 {
		t.Errorf("exit code %d: %s", got.code, s)
	}
	holds(t, "stderr", got.stderr, "a tip of a deferred function", "a tip in the body", "a tip of main",
		"info: version 2 is out", "warning: version 1 is old")
}

// A notice of a new version is info prose: stdout does not change by a byte.
func TestCase052UpdateNotice(t *testing.T) {
	stream := func(format emit.Format, notice bool) (stdout, stderr string) {
		var w, prose tape
		o := quiet(&w)
		o.Format, o.Stderr, o.Clock = format, &prose, clock.Fixed(time.Unix(1, 0))
		em := begin(t, o)
		emit.Pin(em, "/", "01")
		say := func() {
			if notice {
				em.Log().Info().Str("version", "2").Msg("an update is available")
			}
		}
		say()
		must(t, em.Init(event.Init{}))
		say()
		must(t, em.Finish(event.Result{Result: "42"}))
		return w.String(), prose.String()
	}
	for _, format := range []emit.Format{emit.FormatStreamJSON, emit.FormatJSON, emit.FormatText} {
		without, _ := stream(format, false)
		with, stderr := stream(format, true)
		if with != without || stderr != strings.Repeat("info: an update is available version=2\n", 2) {
			t.Errorf("%v: stdout %q became %q; stderr %q", format, without, with, stderr)
		}
	}
}

// Nor does it when the check ends after the result was written.
func TestCase053UpdateNoticeAfterTheResult(t *testing.T) {
	for _, format := range []emit.Format{emit.FormatStreamJSON, emit.FormatJSON, emit.FormatText} {
		var w, prose tape
		o := quiet(&w)
		o.Format, o.Stderr, o.MirrorAll = format, &prose, true
		em := begin(t, o)
		must(t, em.Finish(event.Result{Result: "42"}))
		before := w.String()
		em.Log().Info().Msg("an update is available")
		em.Log().Warn().Msg("yours is old")
		if w.String() != before || prose.String() != "info: an update is available\nwarning: yours is old\n" {
			t.Errorf("%v: stdout %q, stderr %q", format, w.String(), prose.String())
		}
	}
}

func childStartup() int {
	return runChild(func(context.Context, *emit.Emitter) error { return nil })
}

// A run that only starts and ends has nothing on stdout that is not JSON, and
// nothing on stderr. (Prints of package initialization are stdio/early's.)
func TestCase055StartUp(t *testing.T) {
	got := finish(t, child(t, "startup"))
	if s := kinds(whole(t, got.stdout)); s != "init result/success" || len(got.stderr) > 0 || got.code != 0 {
		t.Errorf("exit code %d: %s, stderr %q", got.code, s, got.stderr)
	}
}

// The guard works on the descriptor, and on whoever writes to it.
func TestCase056PrintsOnTheDescriptor(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("what writes to a handle of its own can't be turned round there")
	}
	got := finish(t, child(t, "prints"))
	whole(t, got.stdout)
	holds(t, "stderr", got.stderr, "Hello by syscall\n", "Hello by a file of its own\n")
}

// childSpawns starts a child that inherits stdout and starts one of its own.
func childSpawns() int {
	return runChild(func(ctx context.Context, em *emit.Emitter) error {
		cmd := exec.CommandContext(ctx, "sh", "-c", `sh -c "echo added 3 packages"; echo installed`)
		cmd.Stdout = os.Stdout
		return errors.Join(em.Init(event.Init{}), cmd.Run(), em.Emit(event.State{SessionState: "running"}))
	})
}

// So do children, and theirs.
func TestCase058GrandchildPrints(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip(err)
	}
	got := finish(t, child(t, "spawns"))
	if s := kinds(whole(t, got.stdout)); s != "init state result/success" || got.code != 0 {
		t.Errorf("exit code %d: %s", got.code, s)
	}
	holds(t, "stderr", got.stderr, "added 3 packages\n", "installed\n")
}

// childOutcome ends as the test asks for.
func childOutcome() int {
	o := childOptions()
	if os.Getenv(outcomeVariable) == "usage" {
		o.MaxLineBytes = 1
	}
	return emit.Run(context.Background(), o, func(_ context.Context, em *emit.Emitter) error {
		em.Log().Info().Msg("starting")
		em.Log().Warn().Msg("careful")
		m := em.Message("m")
		if err := errors.Join(m.Text("the answer"), m.End()); err != nil {
			return err
		}
		fmt.Print("a stray print\n")
		println("a stray println")
		switch os.Getenv(outcomeVariable) {
		case "failure":
			return errors.New("the model is down")
		case "panic":
			em.Go(func(context.Context) error { panic("the database is locked") })
		}
		return nil
	})
}

// Which descriptor carries what, in each format and on each way out.
func TestCase061WhatGoesWhere(t *testing.T) {
	for _, c := range []struct {
		format, outcome string
		code            int
		stderr          []string // beyond the prose of every run
	}{
		{"stream-json", "success", 0, nil},
		{"stream-json", "failure", 1, nil},
		{"stream-json", "panic", 1, []string{"panic: the database is locked", "goroutine "}},
		{"json", "success", 0, nil},
		{"json", "failure", 1, nil},
		{"json", "panic", 1, []string{"panic: the database is locked", "goroutine "}},
		{"text", "success", 0, nil},
		{"text", "failure", 1, []string{"error: the model is down\n"}},
		{"text", "panic", 1, []string{"error: panic: the database is locked\n", "goroutine "}},
		{"stream-json", "usage", 2, nil},
		{"json", "usage", 2, nil},
		{"text", "usage", 2, nil},
	} {
		t.Run(c.format+" "+c.outcome, func(t *testing.T) {
			t.Parallel()
			got := finish(t, child(t, "outcome", formatVariable+"="+c.format, outcomeVariable+"="+c.outcome))
			if got.code != c.code {
				t.Errorf("exit code %d", got.code)
			}
			if c.outcome == "usage" {
				if len(got.stdout) > 0 || strings.Count(string(got.stderr), "\n") != 1 || !strings.Contains(string(got.stderr), "MaxLineBytes") {
					t.Errorf("stdout %q, stderr %q", got.stdout, got.stderr)
				}
				return
			}
			holds(t, "stderr", got.stderr, append(c.stderr, "info: starting\n", "warning: careful\n", "a stray println\n")...)
			lacks(t, "stderr", got.stderr, "the answer", `"type"`)
			lacks(t, "stdout", got.stdout, "starting", "println", "goroutine ")
			if c.format == "text" { // fd 1 is everybody's there
				if string(got.stdout) != "a stray print\nthe answer\n" {
					t.Errorf("stdout %q", got.stdout)
				}
				return
			}
			holds(t, "stderr", got.stderr, "a stray print\n")
			var r record
			if c.format == "stream-json" {
				records := whole(t, got.stdout)
				holds(t, "init", records[0].raw, `"warnings":["careful"]`)
				r = last(records)
			} else {
				r = document(t, got.stdout)
			}
			if r.str("result") != "the answer" || r.at("is_error") != (c.code != 0) {
				t.Errorf("%s", r.raw)
			}
		})
	}
}

// A failure after partial data is one document, which has both.
func TestCase062OneDocument(t *testing.T) {
	var w tape
	code := emit.Run(t.Context(), emit.Options{Format: emit.FormatJSON, Stdout: &w, Stderr: &tape{}, Signals: noSignals},
		func(_ context.Context, em *emit.Emitter) error {
			must(t, em.Text(0, "half an ans"))
			return errPlain
		})
	if doc := document(t, w.bytes()); code != 1 || doc.str("result") != "half an ans" || errorsOf(doc) != errPlain.Error() {
		t.Errorf("exit code %d: %s", code, w.String())
	}
}

// Under 2>&1 there is JSON alone, on success and on failure.
func TestCase064StreamsMergedByTheUser(t *testing.T) {
	for outcome, code := range map[string]int{"success": 0, "failure": 1, "panic": 1} {
		t.Run(outcome, func(t *testing.T) {
			t.Parallel()
			cmd := child(t, "outcome", outcomeVariable+"="+outcome)
			var both tape
			cmd.Stdout, cmd.Stderr = &both, &both // os/exec makes it one pipe
			if got := exitCode(t, cmd.Run()); got != code {
				t.Errorf("exit code %d", got)
			}
			records := whole(t, both.bytes())
			holds(t, "init", records[0].raw, "careful") // the warning is in the stream
		})
	}
}

// A program that links the emitter and does not use it says nothing.
func TestCase065NoBanner(t *testing.T) {
	if got := finish(t, child(t, "nothing")); len(got.stdout)+len(got.stderr) > 0 || got.code != 0 {
		t.Errorf("exit code %d, stdout %q, stderr %q", got.code, got.stdout, got.stderr)
	}
}
