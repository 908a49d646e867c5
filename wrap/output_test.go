//go:build unix

package wrap_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/redact"
	"github.com/streamjson/streamjson/wrap"
)

// 43, 70: what a program prints is data, whatever it looks like. 44: a line
// without a newline is kept, says so, and the result stands on its own line.
// 58: a grandchild's output, too. 97, 98, 104, 107: bytes.
func TestOutputIsData(t *testing.T) {
	result := `{"type":"result","subtype":"success","is_error":false,"result":"no"}`
	for _, c := range []struct{ rule, script, text string }{
		{"43: an event", "echo '" + result + "'", result + "\n"},
		{"44: no newline", "printf 'no newline'", "no newline"},
		{"58: a grandchild", "sh -c 'echo added 3 packages'", "added 3 packages\n"},
		{"70: a marker and a code page", `printf '\033[?2004h\251\372\265\174\n{"a":1}\n'`, "\ufffd\ufffd\ufffd|\n{\"a\":1}\n"},
		{"97: line separators", `printf 'a\342\200\250b\302\205c\n'`, "a\u2028bc\n"},
		{"98: UTF-16 without a mark", `printf 'W\000s\000l\000'`, "W\x00s\x00l\x00"},
		{"104: a mark of UTF-8", `printf '\357\273\277a\n'`, "a\n"},
		{"104: a mark of UTF-16", `printf '\377\376a\000\n\000'`, "a\n"},
		{"107: a progress bar", `printf '10%%\r20%%\r100%%\n'`, "100%\n"},
		{"100: control characters", `printf '\001\007\010\177\t\n'`, "\x01\a\b\x7f\t\n"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			r := wrapped(t, shell(c.script))
			if got := r.text("stdout"); got != c.text || r.toolResult() != c.text || r.result().Result != c.text {
				t.Errorf("lines %q, tool result %q, result %q, want %q", got, r.toolResult(), r.result().Result, c.text)
			}
			if n := len(r.of("result", "success")); n != 1 {
				t.Errorf("%d results", n)
			}
			for _, l := range r.of("system", "task_progress") {
				invalid, nul := strings.Count(l.Task.Text, "\ufffd"), strings.Count(l.Task.Text, "\x00")
				if fmt.Sprint(l.Meta["invalid_utf8"]) != orNil(invalid) || fmt.Sprint(l.Meta["nul"]) != orNil(nul) {
					t.Errorf("%q has %v", l.Task.Text, l.Meta)
				}
			}
			if last := r.of("system", "task_progress"); last[len(last)-1].Task.Partial == strings.HasSuffix(c.text, "\n") {
				t.Errorf("the last line is %+v", last[len(last)-1].Task)
			}
		})
	}
}

func orNil(n int) string {
	if n == 0 {
		return "<nil>"
	}
	return fmt.Sprint(n)
}

// 94, 95: a character that comes in two writes, with a pause between them, is
// whole; on stderr, too. The pause is the time until the text before it is
// told, so that the test knows that the halves were read apart.
func TestSplitCharacters(t *testing.T) {
	for name, c := range map[string]struct{ first, rest, want string }{
		"three bytes, cut after one": {`\342`, `\200\224`, "—"}, "three bytes, cut after two": {`\342\200`, `\224`, "—"},
		"four bytes, cut after one": {`\360`, `\237\230\200`, "😀"}, "four bytes, cut after two": {`\360\237`, `\230\200`, "😀"},
		"four bytes, cut after three": {`\360\237\230`, `\200`, "😀"},
	} {
		for _, stream := range []string{"stdout", "stderr"} {
			t.Run(name+" on "+stream, func(t *testing.T) {
				t.Parallel()
				go1 := filepath.Join(t.TempDir(), "go")
				script := fmt.Sprintf(`{ printf 'a%s'; until [ -e '%s' ]; do sleep 0.01; done; printf '%s\n'; }`, c.first, go1, c.rest)
				if stream == "stderr" {
					script += " >&2"
				}
				r := wrappedIn(t.Context(), t, emit.Options{Also: []io.Writer{onText(`"text":"a"`, func() { touch(go1) })}}, shell(script))
				if got := r.text(stream); got != "a"+c.want+"\n" {
					t.Errorf("%q", got)
				}
			})
		}
	}
}

// A line that is unfinished is told once it has been for a while, and the rest
// of it when it comes. The program goes on only when it has been.
func TestUnfinishedLineIsTold(t *testing.T) {
	flag := filepath.Join(t.TempDir(), "told")
	script := fmt.Sprintf(`printf 'Password: '; until [ -e '%s' ]; do sleep 0.01; done; echo ok`, flag)
	r := wrappedIn(t.Context(), t, emit.Options{Also: []io.Writer{onText(`"text":"Password`, func() { touch(flag) })}}, shell(script))
	lines := r.of("system", "task_progress")
	if len(lines) != 2 || lines[0].Task.Text != "Password: " || !lines[0].Task.Partial || lines[1].Task.Text != "ok" || lines[1].Task.Partial {
		t.Errorf("%+v", lines)
	}
	if r.text("stdout") != "Password: ok\n" {
		t.Errorf("%q", r.text("stdout"))
	}
}

// A progress bar that is told while it moves says what is replaced, and the
// kept text has the last state alone.
func TestRewrittenLineIsTold(t *testing.T) {
	flag := filepath.Join(t.TempDir(), "told")
	script := fmt.Sprintf(`printf '10%%%%'; until [ -e '%s' ]; do sleep 0.01; done; printf '\r100%%%%\n'`, flag)
	r := wrappedIn(t.Context(), t, emit.Options{Also: []io.Writer{onText(`"text":"10%`, func() { touch(flag) })}}, shell(script))
	lines := r.of("system", "task_progress")
	if len(lines) != 2 || !lines[0].Task.Partial || !lines[1].Task.Rewrite || lines[1].Task.Text != "100%" {
		t.Errorf("%+v", lines)
	}
	if r.text("stdout") != "100%\n" || r.toolResult() != "100%\n" {
		t.Errorf("%q, %q", r.text("stdout"), r.toolResult())
	}
}

// Lines that are there together go out in one write.
func TestLinesGoOutTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lines")
	if err := os.WriteFile(path, []byte(strings.Repeat("a line\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	var calls, most int
	count := observer(func(p []byte) {
		calls++
		most = max(most, bytes.Count(p, []byte("task_progress")))
	})
	o := emit.Options{Stdout: count, Stderr: &bytes.Buffer{}, Signals: []os.Signal{}}
	code := emit.Run(t.Context(), o, func(ctx context.Context, em *emit.Emitter) error {
		return wrap.Run(ctx, em, wrap.Command{Argv: []string{"cat", path}})
	})
	// One write of 700 bytes to a pipe is one read.
	if code != 0 || most != 100 || calls > 7 {
		t.Errorf("exit status %d, %d writes, at most %d lines in one", code, calls, most)
	}
}

// 85, 91: a line without end comes in parts that say so and join to the same
// bytes, and memory is bounded: what is kept is the beginning and the end, and
// how much stood between is told.
func TestEndlessLine(t *testing.T) {
	size := 32 << 20
	if testing.Short() || raceEnabled {
		size = 2 << 20
	}
	for _, from := range []string{"head -c %d /dev/zero", "head -c %d /dev/zero | tr '\\0' x"} {
		var longest int
		var most uint64
		tally := observer(func(p []byte) {
			for l := range bytes.Lines(p) {
				longest = max(longest, len(l))
			}
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
		})
		o := emit.Options{Stdout: tally, Stderr: &bytes.Buffer{}, Signals: []os.Signal{}}
		var data wrap.Data
		c := shell(fmt.Sprintf(from, size))
		c.MaxOutput, c.Report = 64<<10, func(d wrap.Data) { data = d }
		code := emit.Run(t.Context(), o, func(ctx context.Context, em *emit.Emitter) error { return wrap.Run(ctx, em, c) })
		if code != 0 || longest > 7<<16 || data.TruncatedBytes < int64(size)-64<<10 || len(data.Stdout) > 65<<10 {
			t.Errorf("%s: exit status %d, a line of %d bytes, %d left out, %d kept", from, code, longest, data.TruncatedBytes, len(data.Stdout))
		}
		if most > 48<<20 {
			t.Errorf("%s: %d bytes of memory", from, most)
		}
		if !strings.Contains(data.Stdout, " bytes left out]\n") {
			t.Errorf("%s: nothing tells that the text is cut", from)
		}
	}
}

// Parts join to the same bytes.
func TestPartsJoin(t *testing.T) {
	c := shell(`i=0; while [ $i -lt 300 ]; do printf 'äöü€'; i=$((i+1)); done; echo; echo end`)
	c.MaxLine = 256
	r := wrapped(t, c)
	want := strings.Repeat("äöü€", 300) + "\nend\n"
	if r.text("stdout") != want || r.toolResult() != want {
		t.Errorf("the parts join to %q", r.text("stdout"))
	}
	for _, l := range r.of("system", "task_progress") {
		if len(l.Task.Text) > 256 {
			t.Errorf("a part of %d bytes", len(l.Task.Text))
		}
	}
}

// A megabyte on stderr before one on stdout: neither waits for the other, and
// nothing of either is lost.
func TestBothStreamsAreDrained(t *testing.T) {
	r := wrapped(t, shell(`yes $(printf '%0999d' 1) | head -n 1000 >&2; yes $(printf '%0999d' 2) | head -n 1000`))
	for stream, last := range map[string]string{"stderr": "1\n", "stdout": "2\n"} {
		if got := r.text(stream); got != strings.Repeat(strings.Repeat("0", 998)+last, 1000) {
			t.Errorf("%s: %d bytes", stream, len(got))
		}
	}
	if n := len(r.result().Result); n != 64<<10 {
		t.Errorf("the result has %d bytes", n)
	}
	if got := r.result().Meta["stdout_bytes"]; got != 1e6 {
		t.Errorf("the result says that stdout had %v bytes", got)
	}
}

// 163: secrets of the command line stand nowhere. 164: nor those of an
// environment that is printed, nor one that is cut over lines.
func TestSecrets(t *testing.T) {
	const secret = "kJ8sQ2vXz9Lm4Tw7Rp3N"
	r := wrapped(t, wrap.Command{Argv: []string{"no-such-curl", "-H", "Authorization: Bearer " + secret, "--api-key=" + secret, "--api-key", secret, "-u", "me:" + secret}})
	if bytes.Contains(r.stream, []byte(secret)) || !bytes.Contains(r.stream, []byte("REDACTED")) {
		t.Errorf("the command line tells secrets: %s", r.stream)
	}

	env := []string{
		"PATH=" + os.Getenv("PATH"), "GITHUB_TOKEN=ghp_16C7e42F292c6912E7710c838347Ae178B4a",
		"AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzzzz1", "OPENAI_API_KEY=sk-proj-abcdefABCDEF0123456789abcdefABCDEF0123456789ab",
		"SLACK_TOKEN=xoxb-123456789012-123456789012-AbCdEfGhIjKlMnOpQrStUvWx", "DB_PASSWORD=" + secret,
	}
	r = wrapped(t, wrap.Command{Argv: []string{"env"}, Env: env})
	for _, kv := range env[1:] {
		_, value, _ := strings.Cut(kv, "=")
		if bytes.Contains(r.stream, []byte(value)) {
			t.Errorf("the environment tells %s", kv)
		}
	}

	pem := "-----BEGIN RSA PRIVATE KEY-----\n" + strings.Repeat("MIIEowIBAAKCAQEA7bq1xYz0Lm4Tw7kJ8sQ2vXz9Lm4Tw7kJ8sQ2vXz9Lm4Tw7kJ\n", 8) + "-----END RSA PRIVATE KEY-----\n"
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, []byte(pem), 0o600); err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(t.TempDir(), "script")
	text := "cat " + path + "; printf 'key ghp_16C7e42F292c69'; sleep 0.2; echo 12E7710c838347Ae178B4a"
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r = wrapped(t, wrap.Command{Argv: []string{"sh", script}})
	for _, piece := range []string{"MIIEowIBAAKC", "16C7e42F", "12E7710c"} {
		if bytes.Contains(r.stream, []byte(piece)) {
			t.Errorf("the stream holds %s: %s", piece, r.stream)
		}
	}
	r = wrappedIn(t.Context(), t, emit.Options{Redactor: redact.None()}, shell("echo ghp_16C7e42F292c6912E7710c838347Ae178B4a"))
	if r.text("stdout") != "ghp_16C7e42F292c6912E7710c838347Ae178B4a\n" {
		t.Errorf("without a redactor: %q", r.text("stdout"))
	}
}
