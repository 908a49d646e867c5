package emit_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/event"
)

// prosed begins a run whose prose goes to a tape.
func prosed(t *testing.T, change func(*emit.Options)) (em *emit.Emitter, stream, prose *tape) {
	t.Helper()
	stream, prose = &tape{}, &tape{}
	o := quiet(stream)
	o.Stderr = prose
	if change != nil {
		change(&o)
	}
	return begin(t, o), stream, prose
}

// Prose is for people: a line each in one Write, the level, the message, and
// the fields, quoted where they could be taken for something else.
func TestProseLines(t *testing.T) {
	em, _, prose := prosed(t, nil)
	at := time.Date(2026, 1, 2, 3, 4, 5, 678_000_000, time.UTC)
	logger, handler := em.Log(), em.SlogHandler()
	for _, c := range []struct {
		say  func()
		want string
	}{
		{func() { logger.Info().Msg("hello") }, "info: hello"},
		{func() { logger.Warn().Msg("hello") }, "warning: hello"},
		{func() { logger.Error().Err(errPlain).Msg("hello") }, `error: hello error="the model is down"`},
		{func() { logger.Log().Msg("no level") }, "info: no level"},
		{func() { logger.Info().Send() }, "info: "},
		{func() { logger.Info().Str("a", "x").Int("b", 7).Bool("c", true).Float64("d", 1.5).Msg("m") }, "info: m a=x b=7 c=true d=1.5"},
		{func() { logger.Info().Str("a", "x b=1").Str("empty", "").Str("q", `"`).Msg("m") }, `info: m a="x b=1" empty="" q="\""`},
		{func() { logger.Info().Str("a b", "x").Str("", "y").Msg("m") }, `info: m "a b"=x ""=y`},
		{func() { logger.Info().Strs("list", []string{"a", "b"}).Interface("none", nil).Msg("m") }, `info: m list="[\"a\",\"b\"]" none=null`},
		{func() { logger.Info().Time("time", at).Msg("m") }, "2026-01-02T03:04:05Z info: m"},
		{func() { _ = em.Warn("loop", "the same call again") }, "warning: the same call again"},
		{func() {
			r := slog.NewRecord(at, slog.LevelWarn, "m", 0)
			r.Add("a", 1, slog.Group("g", "b", "x y"))
			must(t, handler.Handle(t.Context(), r))
		}, `2026-01-02T03:04:05.678Z warning: m a=1 g.b="x y"`},
	} {
		before, calls := prose.String(), len(prose.calls())
		c.say()
		if got := prose.String()[len(before):]; got != c.want+"\n" || len(prose.calls()) != calls+1 {
			t.Errorf("%q in %d writes, want %q", got, len(prose.calls())-calls, c.want)
		}
	}
}

// A field is a field, whatever its name: those that the logger itself uses for
// its line are no exception.
func TestProseKeepsEachField(t *testing.T) {
	for _, name := range []string{"level", "message", "time", "error", "caller", "stack"} {
		for _, where := range []string{"event", "context"} {
			em, stream, prose := prosed(t, nil)
			must(t, em.Init(event.Init{}))
			if where == "event" {
				em.Log().Warn().Str(name, "mine").Msg("the message")
			} else {
				logger := em.Log().With().Str(name, "mine").Logger()
				logger.Warn().Msg("the message")
			}
			if want := "warning: the message " + name + "=mine\n"; prose.String() != want {
				t.Errorf("%s, %s: %q, want %q", name, where, prose.String(), want)
			}
			must(t, em.Finish(event.Result{}))
			holds(t, "the stream", stream.bytes(), `"message":"the message `+name+`=mine"`)
		}
	}
}

// Prose of level warn and above is mirrored into the stream, and with MirrorAll
// that of level info; Quiet leaves out stderr alone.
func TestMirroring(t *testing.T) {
	for _, c := range []struct {
		name             string
		all, quiet       bool
		mirrored, stderr string
	}{
		{"by default", false, false, "warn n=1, error n=1, slog warn, slog error", "info warn error info warn error"},
		{"MirrorAll", true, false, "info n=1, warn n=1, error n=1, slog info, slog warn, slog error", "info warn error info warn error"},
		{"Quiet", false, true, "warn n=1, error n=1, slog warn, slog error", ""},
		{"both", true, true, "info n=1, warn n=1, error n=1, slog info, slog warn, slog error", ""},
	} {
		for _, early := range []bool{true, false} {
			t.Run(fmt.Sprint(c.name, " before init ", early), func(t *testing.T) {
				em, stream, prose := prosed(t, func(o *emit.Options) { o.MirrorAll, o.Quiet = c.all, c.quiet })
				if !early {
					must(t, em.Init(event.Init{}))
				}
				em.Log().Debug().Msg("debug")
				em.Log().Info().Int("n", 1).Msg("info")
				em.Log().Warn().Int("n", 1).Msg("warn")
				em.Log().Error().Int("n", 1).Msg("error")
				logger := slog.New(em.SlogHandler())
				logger.Debug("slog debug")
				logger.Info("slog info")
				logger.Warn("slog warn")
				logger.Error("slog error")
				must(t, em.Finish(event.Result{}))
				records := whole(t, stream.bytes())
				var said []string
				list, _ := records[0].at("warnings").([]any)
				for _, w := range list {
					said = append(said, w.(string))
				}
				for _, r := range ofKind(records, "system/warning") {
					said = append(said, r.str("message"))
				}
				if got := strings.Join(said, ", "); got != c.mirrored || early != (len(list) > 0) {
					t.Errorf("mirrored: %s, %s", got, kinds(records))
				}
				var levels []string
				for _, m := range regexp.MustCompile(`(?m)(info|warn|error)( n=1)?$`).FindAllStringSubmatch(prose.String(), -1) {
					levels = append(levels, m[1])
				}
				if got := strings.Join(levels, " "); got != c.stderr || c.quiet && prose.String() != "" {
					t.Errorf("stderr: %q", prose.String())
				}
			})
		}
	}
}

// Colour is for terminals, and as NO_COLOR, FORCE_COLOR and TERM say.
func TestColours(t *testing.T) {
	for _, c := range []struct {
		no, force, term  string
		terminal, colour bool
	}{
		{"", "", "xterm", false, false},
		{"", "", "xterm", true, true},
		{"", "", "", true, true},
		{"", "", "dumb", true, false},
		{"1", "", "xterm", true, false},
		{"", "1", "xterm", false, true},
		{"", "1", "dumb", false, true},
		{"", "0", "xterm", true, false},
		{"", "3", "xterm", false, true},
		{"1", "1", "xterm", true, false},
		{"0", "1", "xterm", true, false}, // any value says no
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			t.Setenv("NO_COLOR", c.no)
			t.Setenv("FORCE_COLOR", c.force)
			t.Setenv("TERM", c.term)
			said := ""
			if c.terminal {
				said = onTerminal(t, func(tty *os.File) {
					em, _, _ := prosed(t, func(o *emit.Options) { o.Stderr = tty })
					em.Log().Warn().Msg("careful")
				}, "careful\r\n")
			} else {
				em, _, prose := prosed(t, nil)
				em.Log().Warn().Msg("careful")
				said = prose.String()
			}
			want := "warning: careful"
			if c.colour {
				want = "\x1b[33mwarning:\x1b[0m careful"
			}
			if got := strings.TrimRight(said, "\r\n"); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}

// onTerminal returns what f has written to a terminal, which ends in last.
func onTerminal(t *testing.T, f func(tty *os.File), last string) string {
	t.Helper()
	ours, tty, err := pty.Open()
	if errors.Is(err, pty.ErrUnsupported) {
		t.Skip("no terminals here")
	}
	must(t, err)
	defer ours.Close()
	defer tty.Close()
	read := make(chan string, 1)
	go func() {
		var got []byte
		buf := make([]byte, 4096)
		for !strings.HasSuffix(string(got), last) {
			n, err := ours.Read(buf)
			got = append(got, buf[:n]...)
			if err != nil {
				break
			}
		}
		read <- string(got)
	}()
	f(tty)
	select {
	case got := <-read:
		return got
	case <-time.After(hangGuard):
		t.Fatalf("the terminal never shows %q", last)
		return ""
	}
}

// hostile are texts that do something to a terminal or a log that shows them
// as they are.
func hostile() map[string]string {
	return map[string]string{
		"a newline":           "x\nerror: forged",
		"a carriage return":   "x\rerror: forged",
		"CR LF":               "x\r\nerror: forged",
		"vertical":            "x\v\f\x1ey",
		"a separator":         "x\u2028error: \u2029\u0085forged",
		"a colour":            "x\x1b[31mred\x1b[0m",
		"a title":             "x\x1b]0;owned\x07y",
		"a title, string end": "x\x1b]0;owned\x1b\\y",
		"a link":              "\x1b]8;;http://evil.example\x1b\\click\x1b]8;;\x1b\\",
		"the clipboard":       "\x1b]52;c;aGk=\x07",
		"an open sequence":    "x\x1b[",
		"an open string":      "x\x1b]0;never ended",
		"eight bits":          "x\u009b31mred\u009d0;owned\u009cy",
		"raw eight bits":      "x\x9b31mred\x9d0;owned\x9cy",
		"device control":      "x\x1bPq#0\x1b\\y",
		"erase":               "x\x1b[2J\x1b[H",
		"backspaces":          "safe\b\b\b\bevil",
		"NUL and DEL":         "x\x00\x7fy",
		"bad UTF-8":           "x\xff\xfe\xed\xa0\x80",
	}
}

// Nothing that is said makes a second line of prose, moves a cursor or sets a
// colour, wherever it stands; nor does it in the stream's mirror.
func TestProseInjection(t *testing.T) {
	for door, say := range map[string]func(*emit.Emitter, string){
		"a message":      func(em *emit.Emitter, s string) { em.Log().Warn().Msg(s) },
		"a value":        func(em *emit.Emitter, s string) { em.Log().Warn().Str("k", s).Msg("m") },
		"a key":          func(em *emit.Emitter, s string) { em.Log().Warn().Str(s, "v").Msg("m") },
		"an error":       func(em *emit.Emitter, s string) { em.Log().Warn().Err(errors.New(s)).Msg("m") },
		"a list":         func(em *emit.Emitter, s string) { em.Log().Warn().Strs("k", []string{s}).Msg("m") },
		"any value":      func(em *emit.Emitter, s string) { em.Log().Warn().Interface("k", map[string]any{s: s}).Msg("m") },
		"the time":       func(em *emit.Emitter, s string) { em.Log().Warn().Str("time", s).Msg("m") },
		"bytes":          func(em *emit.Emitter, s string) { em.Log().Warn().Bytes("k", []byte(s)).Msg("m") },
		"Warn":           func(em *emit.Emitter, s string) { _ = em.Warn("notice", s) },
		"a slog message": func(em *emit.Emitter, s string) { slog.New(em.SlogHandler()).Warn(s) },
		"a slog value":   func(em *emit.Emitter, s string) { slog.New(em.SlogHandler()).Warn("m", "k", s) },
		"a slog key":     func(em *emit.Emitter, s string) { slog.New(em.SlogHandler()).Warn("m", s, "v") },
		"a slog group": func(em *emit.Emitter, s string) {
			slog.New(em.SlogHandler()).WithGroup(s).With("a", 1).Warn("m", "k", "v")
		},
		"a slog error":     func(em *emit.Emitter, s string) { slog.New(em.SlogHandler()).Warn("m", "err", errors.New(s)) },
		"a refused event":  func(em *emit.Emitter, s string) { _ = em.Emit(event.System{Subtype: s, Fields: 7}) },
		"a refused member": func(em *emit.Emitter, s string) { _ = em.Emit(own(s, func() {})) },
	} {
		for name, text := range hostile() {
			t.Run(door+", "+name, func(t *testing.T) {
				em, stream, prose := prosed(t, nil)
				must(t, em.Init(event.Init{}))
				say(em, text)
				must(t, em.Finish(event.Result{}))
				checkProse(t, prose.String())
				for _, r := range ofKind(whole(t, stream.bytes()), "system/warning") {
					lacks(t, "the mirror", []byte(r.str("message")), "\x1b", "\u009b", "\u009d")
				}
			})
		}
	}
}

// What stands at the end of a message does nothing to the fields behind it.
func TestProseFieldsAreSafeFromTheMessage(t *testing.T) {
	for name, text := range hostile() {
		for door, say := range map[string]func(*emit.Emitter){
			"zerolog": func(em *emit.Emitter) { em.Log().Warn().Str("k", "v").Msg(text) },
			"slog":    func(em *emit.Emitter) { slog.New(em.SlogHandler()).Warn(text, "k", "v") },
		} {
			t.Run(door+", "+name, func(t *testing.T) {
				em, stream, prose := prosed(t, nil)
				must(t, em.Init(event.Init{}))
				say(em)
				must(t, em.Finish(event.Result{}))
				mirror := ofKind(whole(t, stream.bytes()), "system/warning")[0].str("message")
				if !strings.HasSuffix(prose.String(), " k=v\n") || !strings.HasSuffix(mirror, " k=v") {
					t.Errorf("stderr %q, the mirror %q", prose.String(), mirror)
				}
			})
		}
	}
}

// checkProse checks that text is one line that can be shown anywhere.
func checkProse(t *testing.T, text string) {
	t.Helper()
	if strings.Count(text, "\n") != 1 || !strings.HasSuffix(text, "\n") {
		t.Errorf("not one line: %q", text)
	}
	for _, c := range strings.TrimSuffix(text, "\n") {
		if c < 0x20 || c >= 0x7f && c < 0xa0 || c == 0x2028 || c == 0x2029 {
			t.Errorf("%U stands there: %q", c, text)
		}
	}
}

// The same holds for what a run says about its end: an error of the body, a
// panic's value, options that are refused.
func TestProseInjectionAtTheEnd(t *testing.T) {
	for name, text := range hostile() {
		t.Run(name, func(t *testing.T) {
			for _, body := range []func(context.Context, *emit.Emitter) error{
				func(context.Context, *emit.Emitter) error { return errors.New(text) },
				func(_ context.Context, em *emit.Emitter) error {
					return errors.Join(em.Finish(event.Result{}), errors.New(text))
				},
			} {
				var out, prose tape
				emit.Run(t.Context(), emit.Options{Format: emit.FormatText, Stdout: &out, Stderr: &prose, Signals: noSignals}, body)
				checkProse(t, prose.String())
			}
			got := run(t, t.Context(), emit.Options{}, func(context.Context, *emit.Emitter) error { panic(text) })
			head, trace, _ := strings.Cut(got.stderr, "\n")
			checkProse(t, head+"\n")
			lacks(t, "the trace", []byte(trace), "\x1b", "\r", "forged", "owned")
		})
	}
}

// A stderr that fails, or takes little, harms nobody.
func TestStderrThatFails(t *testing.T) {
	for name, w := range map[string]interface{ Write([]byte) (int, error) }{
		"fails": failing{errFault}, "takes a byte": &chewer{r: rand.New(rand.NewPCG(1, 2))},
	} {
		em, stream, _ := prosed(t, func(o *emit.Options) { o.Stderr = w })
		em.Log().Warn().Msg("careful")
		must(t, em.Finish(event.Result{}))
		if s := kinds(whole(t, stream.bytes())); s != "init result/success" {
			t.Errorf("%s: %s", name, s)
		}
	}
}
