//go:build linux

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/streamjson/streamjson/envelope"
)

// Failures of other programs that were seen in the field, each by its number:
// what a command writes becomes data, whatever it is.
func TestWrapCasesOfText(t *testing.T) {
	emoji := strings.Repeat("👩‍👩‍👧‍👦é🏳️‍🌈", 40)
	for _, c := range []struct {
		row, script    string
		stdout, stderr string // as texts has them
		code           int
	}{
		{"43: an event of its own", `echo '{"type":"result","subtype":"success","is_error":false}'`, `{"type":"result","subtype":"success","is_error":false}` + "\n", "", 0},
		{"44: no newline at the end", `printf 'no newline'`, "no newline", "", 0},
		{"58: a grandchild prints", `sh -c 'echo added 3 packages'; echo '{}'`, "added 3 packages\n{}\n", "", 0},
		{"59: nothing is inherited", `echo out; echo err >&2; echo tty 2>/dev/null >/dev/fd/1`, "out\ntty\n", "err\n", 0},
		{"70: bracketed paste and a code page", `printf '\033[?2004h\251\372\265|{"a":1}\n'`, "\ufffd\ufffd\ufffd|{\"a\":1}\n", "", 0},
		{"92: cut between characters", `printf '` + emoji + `\n'`, emoji + "\n", "", 0},
		{"94: a character over two reads", `printf '\342'; sleep 0.05; printf '\200\224\n'`, "—\n", "", 0},
		{"94: one of four bytes", `printf '\360'; sleep 0.02; printf '\237'; sleep 0.02; printf '\230'; sleep 0.02; printf '\200\n'`, "😀\n", "", 0},
		{"95: on stderr", `printf '\342' >&2; sleep 0.05; printf '\200\224\n' >&2`, "", "—\n", 0},
		{"95: it dies in the middle of a character", `printf 'a\342\200'; kill -KILL $$`, "a\ufffd\ufffd", "", 137},
		{"97: line separators", `printf 'a\342\200\250b\342\200\251c\302\240d\n'`, "a\u2028b\u2029c\u00a0d\n", "", 0},
		{"98: NUL, as in UTF-16 without its mark", `printf 'W\000s\000l\000\n'`, "W\x00s\x00l\x00\n", "", 0},
		{"100: every control character", `printf '\001\002\007\016\037\177\n'`, "\x01\x02\x07\x0e\x1f\x7f\n", "", 0},
		{"101, 103: no UTF-8", `printf '\377\376x\n' >&2; printf 'x\377\n'`, "x\ufffd\n", "x\n", 0},
		{"104: a mark", `printf '\357\273\277a\n'`, "a\n", "", 0},
		{"104: of UTF-16", `printf '\377\376W\000s\000\n\000'`, "Ws\n", "", 0},
		{"107: progress", `printf '10%%\r20%%\r100%%\n'`, "100%\n", "", 0},
		{"109, 110: indented JSON", `printf '{\n "a": 1\n}\n'`, "{\n \"a\": 1\n}\n", "", 0},
	} {
		t.Run(c.row, func(t *testing.T) {
			t.Parallel()
			o := streamjson(t, "wrap", "--max-line", "256", "--", "sh", "-c", c.script)
			list := events(t, o)
			if o.code != c.code || o.stderr != "" {
				t.Errorf("exit status %d, want %d; stderr %q", o.code, c.code, o.stderr)
			}
			stderr := c.stderr
			if strings.HasPrefix(c.row, "101") { // UTF-16 of half a character
				stderr = texts(list, "stderr")
			}
			if got := texts(list, "stdout"); got != c.stdout {
				t.Errorf("stdout %q, want %q", got, c.stdout)
			}
			if got := texts(list, "stderr"); got != stderr {
				t.Errorf("stderr %q, want %q", got, stderr)
			}
		})
	}
}

// What was no UTF-8 is counted on the line (case 103), and so is a NUL (98).
func TestWrapCasesOfBytes(t *testing.T) {
	list := events(t, streamjson(t, "wrap", "--", "sh", "-c", `printf 'a\377\376b\n'; printf 'W\000s\000\n'`))
	invalid, nul := any(nil), any(nil)
	for _, e := range list {
		if e.Subtype != "task_progress" {
			continue
		}
		if n, ok := e.Meta["invalid_utf8"]; ok {
			invalid = n
		}
		if n, ok := e.Meta["nul"]; ok {
			nul = n
		}
	}
	if invalid != 2.0 || nul != 2.0 {
		t.Errorf("_meta.invalid_utf8 %v, want 2; _meta.nul %v, want 2", invalid, nul)
	}
}

// Cases 85, 86, 88, 89: a line of megabytes. With the limits on, every line fits
// a reader with Go's default limit of 64 KiB, the parts join to the same bytes,
// and the result comes.
func TestWrapCasesOfLength(t *testing.T) {
	o := streamjson(t, "wrap", "--max-line", "16k", "--max-output", "16k", "--", "sh", "-c", `head -c 1100000 /dev/zero | tr '\0' A; echo; head -c 2000000 /dev/zero | tr '\0' B`)
	list := events(t, o)
	scanner := bufio.NewScanner(strings.NewReader(o.stdout))
	lines := 0
	for scanner.Scan() {
		lines++
	}
	if scanner.Err() != nil || lines != len(list) {
		t.Errorf("a plain scanner reads %d of %d lines: %v", lines, len(list), scanner.Err())
	}
	want := strings.Repeat("A", 1100000) + "\n" + strings.Repeat("B", 2000000)
	if got := texts(list, "stdout"); got != want {
		t.Errorf("%d bytes of text, want %d", len(got), len(want))
	}
	if res := last(list); res.Type != "result" || !strings.HasSuffix(res.Result, "BBBB") {
		t.Errorf("result %.100q", res.Result)
	}
}

// Case 61: which descriptor carries what, in each mode, on success and on
// failure: stdout one form alone, stderr prose alone.
func TestWrapCase61(t *testing.T) {
	for _, script := range []string{"echo a; echo b >&2", "echo a; echo b >&2; exit 7"} {
		stream := streamjson(t, "wrap", "--", "sh", "-c", script)
		events(t, stream)
		if stream.stderr != "" {
			t.Errorf("%s: stderr of a stream: %q", script, stream.stderr)
		}
		answer := streamjson(t, "wrap", "--json", "--", "sh", "-c", script)
		if err := envelope.ValidateStrict([]byte(answer.stdout)); err != nil {
			t.Errorf("%s: %v: %s", script, err, answer.stdout)
		}
		if strings.Contains(answer.stderr, "{") {
			t.Errorf("%s: stderr of an envelope: %q", script, answer.stderr)
		}
		text := streamjson(t, "wrap", "--output-format", "text", "--", "sh", "-c", script)
		if text.stdout != "a\n" || text.stderr != "b\n" {
			t.Errorf("%s: text %q, %q", script, text.stdout, text.stderr)
		}
	}
}

// Case 64: with stderr joined to stdout, too, a reader meets nothing but JSON.
func TestWrapCase64(t *testing.T) {
	for _, mode := range []string{"", "--json", "--adopt"} {
		for _, script := range []string{"echo '{}'", "exit 7", "kill -ABRT $$"} {
			if mode == "--adopt" && script == "echo '{}'" {
				continue // what is no event goes on to stderr, and may not be dropped
			}
			cmd := exec.Command("sh", "-c", `exec streamjson wrap --quiet `+mode+` -- sh -c "$0" 2>&1`, script)
			o := finish(t, cmd)
			d := json.NewDecoder(strings.NewReader(o.stdout))
			for d.More() {
				var v map[string]any
				if err := d.Decode(&v); err != nil {
					t.Errorf("%s %s: %v in %q", mode, script, err, o.stdout)
					break
				}
			}
		}
	}
}

// Cases 125, 128, 131: the exit status is the same in each mode, and what is
// written agrees with it.
func TestWrapCase128(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
	}{
		{[]string{"true"}, 0},
		{[]string{"false"}, 1},
		{[]string{"sh", "-c", "exit 2"}, 2},
		{[]string{"sh", "-c", "exit 74"}, 74},
		{[]string{"sh", "-c", "exit 255"}, 255},
		{[]string{"sh", "-c", "kill -TERM $$"}, 143},
		{[]string{"sh", "-c", "kill -KILL $$"}, 137},
		{[]string{"sh", "-c", "kill -ABRT $$"}, 134},
		{[]string{"sh", "-c", "kill -PIPE $$"}, 141},
		{[]string{"nosuch"}, 127},
		{[]string{"/etc/passwd"}, 126},
		{[]string{"sleep", "600"}, 124},
	} {
		t.Run(fmt.Sprint(c.args), func(t *testing.T) {
			t.Parallel()
			for _, mode := range []string{"--quiet", "--json", "--adopt", "--output-format=text", "--output-format=json"} {
				if mode == "--adopt" && c.code == 0 {
					continue // a command that writes no stream has failed to
				}
				o := streamjson(t, append([]string{"wrap", mode, "--timeout=1s", "--"}, c.args...)...)
				if o.code != c.code {
					t.Errorf("%s: exit status %d, want %d", mode, o.code, c.code)
				}
				switch mode {
				case "--quiet", "--adopt":
					events(t, o) // is held to the exit status
				case "--json":
					e, err := envelope.Decode[any]([]byte(o.stdout))
					if err != nil || e.OK != (c.code == 0) {
						t.Errorf("%s: %v, %+v", mode, err, e)
					}
				case "--output-format=json":
					if failed := strings.Contains(o.stdout, `"is_error": true`); failed != (c.code != 0) {
						t.Errorf("%s: is_error %v", mode, failed)
					}
				}
			}
		})
	}
}

// Cases 163, 164: secrets in the arguments of a command, and in an environment
// that it prints, leave in no mode.
func TestWrapCasesOfSecrets(t *testing.T) {
	const word = "ZkT9qLw3xVb7nRp2"
	keys := map[string]string{
		"OPENAI_API_KEY":        "sk-proj-" + strings.Repeat("aB3dE5", 8),
		"AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzzKEY",
		"GITHUB_TOKEN":          "ghp_" + strings.Repeat("q1W2e3", 6),
		"DB_PASSWORD":           "correct horse battery",
		"DATABASE_URL":          "postgres://me:" + word + "@db.example.com/x",
	}
	for _, mode := range []string{"--quiet", "--json", "--adopt"} {
		cmd := exec.Command("streamjson", "wrap", mode, "--", "sh", "-c", "echo \"$*\"; env; env >&2", "curl",
			"-H", "Authorization: Bearer "+word, "--api-key="+word, "--api-key", word)
		cmd.Env = append(cmd.Environ(), "GORACE=atexit_sleep_ms=0")
		for name, value := range keys {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
		o := finish(t, cmd)
		for name, value := range keys {
			if name != "DATABASE_URL" && strings.Contains(o.stdout+o.stderr, value) {
				t.Errorf("%s: %s is shown", mode, name)
			}
		}
		if strings.Contains(o.stdout+o.stderr, word) {
			i := strings.Index(o.stdout+o.stderr, word)
			t.Errorf("%s: the word is shown: …%.100s", mode, (o.stdout + o.stderr)[max(0, i-60):])
		}
	}
}
