package emit_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/streamjson/streamjson/clock"
	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/event"
)

// firstLine returns the init line of a run with these options.
func firstLine(t *testing.T, change func(*emit.Options)) record {
	t.Helper()
	var w tape
	o := quiet(&w)
	change(&o)
	em := begin(t, o)
	must(t, em.Finish(event.Result{}))
	return whole(t, w.bytes())[0]
}

func childUnnamed() int {
	return emit.Run(context.Background(), emit.Options{}, func(context.Context, *emit.Emitter) error { return nil })
}

// A program is named as it was called, which its file need not be.
func TestProductIsWhatTheProgramWasCalledAs(t *testing.T) {
	for called, product := range map[string]string{"/links/My-Tool": "my_tool", "tool.exe": "tool", "": "program"} {
		cmd := child(t, "unnamed")
		cmd.Args = []string{called}
		got := finish(t, cmd)
		if first := whole(t, got.stdout)[0]; first.at("agent", "name") != product || first.str(product+"_version") == "" {
			t.Errorf("called as %q: %s", called, first.raw)
		}
	}
}

// The zero Options make a stream whose first line tells of the program.
func TestDefaults(t *testing.T) {
	exe, err := os.Executable()
	must(t, err)
	product := regexp.MustCompile(`[^a-z0-9]`).ReplaceAllString(strings.ToLower(strings.TrimSuffix(filepath.Base(exe), ".exe")), "_")
	version := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		version = info.Main.Version
	}
	cwd, err := os.Getwd()
	must(t, err)
	before := time.Now().Truncate(time.Millisecond)
	r := firstLine(t, func(o *emit.Options) { *o = emit.Options{Stdout: o.Stdout, Stderr: o.Stderr} })
	if got := r.str(product + "_version"); got != version {
		t.Errorf("%s_version is %q, want %q: %s", product, got, version, r.raw)
	}
	if got := fmt.Sprint(r.at("agent")); got != "map[name:"+product+" provider:local role:primary]" {
		t.Errorf("agent %s", got)
	}
	if got := fmt.Sprint(r.at("capabilities")); got != "[stream_v1]" || r.str("cwd") != cwd {
		t.Errorf("%s", r.raw)
	}
	if ts, err := time.Parse(time.RFC3339, r.str("ts")); err != nil || ts.Before(before) || ts.After(time.Now()) {
		t.Errorf("ts %s of no system clock: %v", r.str("ts"), err)
	}
}

// A product's name becomes part of a member's name, whatever stands in it.
func TestProductName(t *testing.T) {
	for product, want := range map[string]string{
		"milk": "milk", "Milk": "milk", "Milk CLI": "milk_cli", "my-tool.v2": "my_tool_v2", "a_b": "a_b",
		"K\u00e4se": "k_se", "\u212aelvin": "_elvin", "a\xffb": "a_b", "q\"\n": "q__", "9": "9", "type": "type",
		"___": "program", "\u725b\u4e73": "program", " ": "program",
	} {
		r := firstLine(t, func(o *emit.Options) { o.Product, o.Version = product, "1.2" })
		if r.str(want+"_version") != "1.2" || r.str("agent", "name") != want {
			t.Errorf("%q: %s", product, r.raw)
		}
	}
}

// A version is the program's own, as it stands.
func TestVersion(t *testing.T) {
	for _, version := range []string{"0.9.0", "v1.2.3-rc.1+dirty", "\x1b[1m\xff"} {
		r := firstLine(t, func(o *emit.Options) { o.Version = version })
		if got := r.str("kit_version"); got != string([]rune(version)) {
			t.Errorf("%q became %q", version, got)
		}
	}
}

// A session id is new for each run where none is given, and sorts by time.
func TestSessionID(t *testing.T) {
	form := regexp.MustCompile(`^sess_[0-9A-HJKMNP-TV-Z]{26}$`)
	at := time.Unix(0, 0)
	last, seen := "", map[string]bool{}
	for i, step := range []time.Duration{
		0, time.Millisecond, 31 * time.Millisecond, time.Second, time.Hour, 1e9 * time.Second, 7e9 * time.Second, 9e9 * time.Second,
	} {
		at = at.Add(step)
		for range 3 {
			id := firstLine(t, func(o *emit.Options) { o.SessionID, o.Clock = "", clock.Fixed(at) }).str("session_id")
			if !form.MatchString(id) || seen[id] || i > 0 && id <= last {
				t.Errorf("at %v: %s after %s", at, id, last)
			}
			seen[id] = true
		}
		for id := range seen {
			last = max(last, id)
		}
	}
	for _, odd := range []time.Time{{}, time.Unix(-1, 0), time.Date(20_000, 1, 1, 0, 0, 0, 0, time.UTC)} {
		if id := firstLine(t, func(o *emit.Options) { o.SessionID, o.Clock = "", clock.Fixed(odd) }).str("session_id"); !form.MatchString(id) {
			t.Errorf("at %v: %s", odd, id)
		}
	}
}

// A capability is announced once, and only if the run has it.
func TestCapabilities(t *testing.T) {
	for _, c := range []struct {
		partial bool
		given   []string
		want    string
	}{
		{false, nil, "[stream_v1]"},
		{true, nil, "[stream_v1 partial_messages_v1]"},
		{true, []string{"tasks_v1", "workflows_v1"}, "[stream_v1 partial_messages_v1 tasks_v1 workflows_v1]"},
		{false, []string{"tasks_v1", "stream_v1", "tasks_v1"}, "[stream_v1 tasks_v1]"},
		{false, []string{"partial_messages_v1", "tasks_v1"}, "[stream_v1 tasks_v1]"},
		{true, []string{"tasks_v1", "partial_messages_v1"}, "[stream_v1 partial_messages_v1 tasks_v1]"},
	} {
		given := strings.Join(c.given, " ")
		r := firstLine(t, func(o *emit.Options) { o.Partial, o.Capabilities = c.partial, c.given })
		if got := fmt.Sprint(r.at("capabilities")); got != c.want {
			t.Errorf("partial %v and %v: %s, want %s", c.partial, c.given, got, c.want)
		}
		if strings.Join(c.given, " ") != given {
			t.Errorf("the caller's slice was changed: %v", c.given)
		}
	}
}

// The error of an option that makes no sense names it.
func TestRefusedOptionIsNamed(t *testing.T) {
	for want, change := range map[string]func(*emit.Options){
		"Options.Format: Format(3)":    func(o *emit.Options) { o.Format = 3 },
		"Options.MaxLineBytes: 4095":   func(o *emit.Options) { o.MaxLineBytes = 4095 },
		"Options.MaxLineBytes: -1":     func(o *emit.Options) { o.MaxLineBytes = -1 },
		"Options.Heartbeat":            func(o *emit.Options) { o.Heartbeat = -1 },
		"Options.Grace":                func(o *emit.Options) { o.Grace = -1 },
		"Options.Capabilities":         func(o *emit.Options) { o.Capabilities = []string{"a", ""} },
		"Options.Also":                 func(o *emit.Options) { o.Also = []io.Writer{io.Discard, nil} },
		"Options.Stdout":               func(o *emit.Options) { o.Stdout = (*os.File)(nil) },
		"session id, product and capa": func(o *emit.Options) { o.MaxLineBytes, o.SessionID = 4096, strings.Repeat("s", 4000) },
	} {
		o := quiet(&tape{})
		change(&o)
		if em, err := emit.New(t.Context(), o); err == nil || em != nil || !strings.HasPrefix(err.Error(), "emit: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	for _, limit := range []int{0, 4096, 1 << 30} {
		o := quiet(&tape{})
		o.MaxLineBytes = limit
		must(t, begin(t, o).Finish(event.Result{}))
	}
}

// A foreign context is one that package context watches by a goroutine, as it
// does with every one that is not its own.
type foreign struct {
	context.Context
	done chan struct{}
}

func (f foreign) Done() <-chan struct{} { return f.done }

// A refused New leaves nothing behind: no goroutine, no copy's writer.
func TestRefusedNewLeavesNothing(t *testing.T) {
	before := goleak.IgnoreCurrent()
	for name, change := range map[string]func(*emit.Options){
		"format": func(o *emit.Options) { o.Format = 3 },
		"line":   func(o *emit.Options) { o.MaxLineBytes = 1 },
		"room":   func(o *emit.Options) { o.MaxLineBytes, o.SessionID = 4096, strings.Repeat("s", 4000) },
		"stdout": func(o *emit.Options) { o.Stdout = (*os.File)(nil) },
	} {
		o := quiet(&tape{})
		o.Also = []io.Writer{io.Discard}
		change(&o)
		if _, err := emit.New(foreign{t.Context(), make(chan struct{})}, o); err == nil {
			t.Fatalf("%s was taken", name)
		}
		if err := goleak.Find(before); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A format is a value for a flag.
func TestFormatIsAFlag(t *testing.T) {
	for _, name := range []string{"stream-json", "json", "text"} {
		var f emit.Format
		set := flag.NewFlagSet("x", flag.ContinueOnError)
		set.Var(&f, "output-format", "")
		must(t, set.Parse([]string{"--output-format", name}))
		if f.String() != name || f.Type() != "format" {
			t.Errorf("%s became %v, of type %s", name, f, f.Type())
		}
	}
	f := emit.FormatText
	for _, name := range []string{"", "JSON", "stream", "text ", "xml"} {
		if err := f.Set(name); err == nil || f != emit.FormatText || !strings.Contains(err.Error(), "stream-json, json and text") {
			t.Errorf("%q: %v, %v", name, f, err)
		}
	}
	if emit.Format(0) != emit.FormatStreamJSON {
		t.Error("the zero Format is not stream-json")
	}
}

// A run without a context has one of its own.
func TestNoContext(t *testing.T) {
	var none context.Context
	em, err := emit.New(none, quiet(&tape{}))
	must(t, err)
	must(t, em.Context().Err(), em.Finish(event.Result{}))
}

// The context of a body, and of what runs under Go, carries its actor.
func TestContextsCarryActors(t *testing.T) {
	if emit.FromContext(context.Background()) != nil {
		t.Error("a context without an actor has one")
	}
	em := begin(t, quiet(&tape{}))
	nested := em.Nested("p", "helper")
	if got := emit.FromContext(emit.NewContext(emit.NewContext(t.Context(), em.Actor), nested)); got != nested {
		t.Error("the inner actor does not come back")
	}
	err := em.Do(func(ctx context.Context) error {
		if emit.FromContext(ctx) != em.Actor {
			t.Error("the body's context has another actor")
		}
		nested.Go(func(ctx context.Context) error {
			if emit.FromContext(ctx) != nested {
				t.Error("the context under Go has another actor")
			}
			return nil
		})
		return nil
	})
	must(t, err)
}

// After the result every door returns ErrEnded, and none writes.
func TestNothingAfterTheResult(t *testing.T) {
	for _, format := range []emit.Format{emit.FormatStreamJSON, emit.FormatJSON, emit.FormatText} {
		var w, also tape
		o := partial(&w)
		o.Format, o.Also = format, []io.Writer{&also}
		em := begin(t, o)
		nested, open := em.Nested("p", "helper"), em.Message("m")
		must(t, open.Text("hi"), nested.Emit(event.State{SessionState: "running"}), em.Finish(event.Result{}))
		before, copied := w.String(), also.String()
		late := em.Nested("q", "late")
		for door, call := range map[string]func() error{
			"Emit":              func() error { return em.Emit(event.Memory{Op: "get"}) },
			"Emit, nested":      func() error { return nested.Emit(event.Memory{Op: "get"}) },
			"Emit, a new actor": func() error { return late.Emit(event.Memory{Op: "get"}) },
			"EmitAll":           func() error { return em.EmitAll(event.Memory{Op: "get"}, event.Memory{Op: "list"}) },
			"Text":              func() error { return em.Text(0, "x") },
			"Thinking":          func() error { return em.Thinking(0, "x") },
			"ToolArgs":          func() error { return em.ToolArgs("t", "x") },
			"Warn":              func() error { return em.Warn("x", "y") },
			"Init":              func() error { return em.Init(event.Init{}) },
			"Finish":            func() error { return em.Finish(event.Result{}) },
			"Message.Text":      func() error { return open.Text("x") },
			"Message.Thinking":  func() error { return open.Thinking("x") },
			"Message.ToolArgs":  func() error { return open.ToolArgs("t", "x") },
			"Message.ToolUse":   func() error { return open.ToolUse("t", "n", nil) },
			"Message.End":       open.End,
			"Message.Discard":   open.Discard,
			"a new Message":     func() error { return em.Message("n").Text("x") },
			"Do":                func() error { return em.Do(func(context.Context) error { return em.Warn("x", "y") }) },
		} {
			err := call()
			if door == "Do" {
				err = nil // the first result decides
			} else if !errors.Is(err, emit.ErrEnded) {
				t.Errorf("%v: %s: %v", format, door, err)
			}
		}
		em.AddUsage("m", event.Usage{InputTokens: 1})
		em.AddCost(1)
		must(t, em.Close(), em.Close())
		if err := em.Flush(); err != nil && !errors.Is(err, emit.ErrEnded) {
			t.Errorf("%v: Flush: %v", format, err)
		}
		if w.String() != before || also.String() != copied {
			t.Errorf("%v: written after the result: %q", format, w.String()[len(before):])
		}
		if cause := context.Cause(em.Context()); !errors.Is(cause, emit.ErrEnded) {
			t.Errorf("%v: the context's cause is %v", format, cause)
		}
	}
}
