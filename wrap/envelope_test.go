//go:build unix

package wrap_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/streamjson/streamjson/contract"
	"github.com/streamjson/streamjson/contract/schema"
	"github.com/streamjson/streamjson/envelope"
	"github.com/streamjson/streamjson/redact"
	"github.com/streamjson/streamjson/wrap"
)

// checked writes an envelope as a program would, and holds it to the contract
// and its exit status (E1).
func checked[T any](t *testing.T, e envelope.Envelope[T]) string {
	t.Helper()
	var doc bytes.Buffer
	code := envelope.Run(t.Context(), envelope.RunOptions{JSON: true, Compact: true, Stdout: &doc, Stderr: io.Discard, Signals: []os.Signal{}},
		func(_ context.Context, call *envelope.Call) (any, error) {
			for _, w := range e.Warnings {
				call.Warn(w)
			}
			return e.Data, e.Err()
		})
	if code != e.ExitCode() {
		t.Errorf("exit status %d, want %d", code, e.ExitCode())
	}
	verdict, err := schema.Envelopes(false)
	if err != nil {
		t.Fatal(err)
	}
	report, err := contract.CheckEnvelope(bytes.NewReader(doc.Bytes()), contract.CheckOptions{Exit: &code, Schema: verdict})
	if err != nil || report.Failed(true) {
		t.Errorf("%v, %v: %s", err, report.Findings, doc.Bytes())
	}
	return doc.String()
}

// 127, 131, 142: ok says what the exit status says, and there is one envelope
// whatever becomes of the program.
func TestEnvelope(t *testing.T) {
	for _, c := range []struct {
		rule     string
		c        wrap.Command
		code     int
		data     string // without argv, cwd and duration
		errors   string
		warnings int
	}{
		{"success", shell("echo a; echo b >&2"), 0, `0 "" "a\n" "b\n" `, "", 0},
		{"JSON", shell(`echo '{"b":1.50,"a":[]}'`), 0, `0 "" "{\"b\":1.50,\"a\":[]}\n" "" {"b":1.50,"a":[]}`, "", 0},
		{"JSON lines", shell(`echo '{"a":1}'; echo; echo 2`), 0, `0 "" "{\"a\":1}\n\n2\n" "" [{"a":1},2]`, "", 0},
		{"colourful JSON", shell(`printf '\033[1m{"a":\033[32m1\033[0m}'`), 0, `0 "" "{\"a\":1}" "" {"a":1}`, "", 0},
		{"a failure", shell("echo a; echo b >&2; exit 7"), 7, `7 "" "a\n" "b\n" `, "sh: exit status 7 | b", 0},
		{"131: a signal", shell("kill -KILL $$"), 137, `137 "SIGKILL" "" "" `, "sh: ended by SIGKILL", 0},
		{"49: not found", wrap.Command{Argv: []string{"no-such-program-anywhere"}}, 127, `127 "" "" "" `, `can't start "no-such-program-anywhere": no program of that name is in PATH; check the name, or give its path`, 0},
		{"a time limit", wrap.Command{Argv: []string{"sleep", "600"}, Timeout: 50 * time.Millisecond}, 124, `143 "SIGTERM" "" "" `, "the time limit is reached: sleep was ended after 50ms", 0},
		{"something that stays", wrap.Command{Argv: []string{"sh", "-c", "sleep 600 & echo a"}, Grace: 50 * time.Millisecond}, 0, `0 "" "a\n" "" `, "", 1},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			e, err := wrap.Envelope(t.Context(), c.c)
			if err != nil {
				t.Fatal(err)
			}
			d := e.Data
			got := fmt.Sprintf("%d %q %q %q %s", d.ExitCode, d.Signal, d.Stdout, d.Stderr, d.StdoutJSON)
			if e.ExitCode() != c.code || e.OK != (c.code == 0) || got != c.data || len(e.Warnings) != c.warnings {
				t.Errorf("exit status %d, %s, %q; want %d, %s", e.ExitCode(), got, e.Warnings, c.code, c.data)
			}
			if got := strings.Join(e.Errors, " | "); got != c.errors {
				t.Errorf("errors %q, want %q", got, c.errors)
			}
			doc := checked(t, e)
			for _, member := range []string{`"argv":["`, `"cwd":"/`, `"exit_code":`, `"duration_ms":`, `"stdout":"`, `"stderr":"`} {
				if !strings.Contains(doc, member) {
					t.Errorf("%s is not in %s", member, doc)
				}
			}
			if strings.Contains(doc, `"signal"`) != (d.Signal != "") || strings.Contains(doc, `"stdout_json"`) != (d.StdoutJSON != nil) {
				t.Errorf("an absent member is written: %s", doc)
			}
		})
	}
	if _, err := wrap.Envelope(t.Context(), wrap.Command{}); err == nil {
		t.Error("no command is taken")
	}
}

// What is JSON as a whole, and what is not.
func TestStdoutJSON(t *testing.T) {
	for out, want := range map[string]string{
		"":                               "",
		"\n":                             "",
		"text\n":                         "",
		"42":                             "42",
		" null \n":                       "null",
		`"a"`:                            `"a"`,
		"{\n  \"a\": 1\n}\n":             `{"a":1}`,
		"{\n\"a\":1}\n{\n\"a\":2\n}\n":   `[{"a":1},{"a":2}]`,
		"1\n2\n3\n":                      "[1,2,3]",
		"1 2 3\n":                        "",
		`{"a":1}{"a":2}`:                 "",
		"{\"a\":1}\ntext\n":              "",
		"text\n{\"a\":1}\n":              "",
		`{"a":1,"a":2}`:                  "",
		`{"a":`:                          "",
		`{"a":NaN}`:                      "",
		"\xef\xbb\xbf{\"a\":1}\r\n":      `{"a":1}`,
		`{"a":"\ud800"}`:                 "{\"a\":\"\ufffd\"}",
		"{\"a\":\"\xff\"}":               "{\"a\":\"\ufffd\"}",
		`{"id":50000000014435121}`:       `{"id":50000000014435121}`,
		strings.Repeat("[", 2000) + "\n": "",
		strings.Repeat("[", 1500) + strings.Repeat("]", 1500): "",
	} {
		if strings.ContainsAny(out, "\x00") {
			t.Fatal("no argument can hold it")
		}
		e, err := wrap.Envelope(t.Context(), wrap.Command{Argv: []string{"printf", "%s", out}})
		if err != nil || string(e.Data.StdoutJSON) != want {
			t.Errorf("%.60q: %s, %v, want %s", out, e.Data.StdoutJSON, err, want)
		}
	}
	e, err := wrap.Envelope(t.Context(), wrap.Command{Argv: []string{"sh", "-c", `printf '["%05000d"]' 1`}, MaxOutput: 4096})
	if err != nil || e.Data.StdoutJSON != nil || e.Data.TruncatedBytes == 0 || len(e.Warnings) != 1 || !strings.Contains(e.Data.Stdout, "left out]") {
		t.Errorf("a text that is not kept: %+v, %v", e, err)
	}
	checked(t, e)
}

// 163: secrets are replaced in all of it, and JSON stays JSON.
func TestEnvelopeSecrets(t *testing.T) {
	const secret = "kJ8sQ2vXz9Lm4Tw7Rp3N"
	c := wrap.Command{Argv: []string{"sh", "-c", `printf '{"password":"%s","n":1}' "$2"`, "--", "--token", secret}}
	e, err := wrap.Envelope(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if text := fmt.Sprintf("%+v %s", e, e.Data.StdoutJSON); strings.Contains(text, secret) {
		t.Errorf("a secret stands in %s", text)
	}
	if got := string(e.Data.StdoutJSON); !strings.Contains(got, `"n":1`) || !json.Valid(e.Data.StdoutJSON) {
		t.Errorf("the JSON is %s", got)
	}
	c.Redactor = redact.None()
	if e, err = wrap.Envelope(t.Context(), c); err != nil || string(e.Data.StdoutJSON) != `{"password":"`+secret+`","n":1}` {
		t.Errorf("without a redactor: %s, %v", e.Data.StdoutJSON, err)
	}
}

// The program's own answer is the data, and its envelope is held to its exit
// status (E1).
func TestUnwrap(t *testing.T) {
	const ok, failed = `{"schema_version":1,"ok":true,"data":{"a":1},"errors":[],"warnings":["w"]}`, `{"schema_version":1,"ok":false,"data":[2],"errors":["e"],"warnings":[]}`
	for _, c := range []struct {
		rule, script string
		code         int
		data         string
		errors       string
		warnings     string
	}{
		{"JSON", `echo '{"a":1}'`, 0, `{"a":1}`, "", ""},
		{"JSON lines", `echo 1; echo 2`, 0, `[1,2]`, "", ""},
		{"JSON and a failure", `echo '{"a":1}'; echo oops >&2; exit 3`, 3, `{"a":1}`, "sh: exit status 3 | oops", ""},
		{"an envelope", `echo '` + ok + `'`, 0, `{"a":1}`, "", "w"},
		{"a failing envelope", `echo '` + failed + `'; exit 4`, 4, `[2]`, "e", ""},
		{"ok and a failing exit", `echo '` + ok + `'; exit 4`, 4, `{"a":1}`, "the program answered ok, but: sh: exit status 4", "w"},
		{"127: a failure and a good exit", `echo '` + failed + `'`, 1, `[2]`, "e", "the program answered with a failure, but its exit status was 0: taken for 1"},
		{"an envelope and a signal", `echo '` + failed + `'; kill -KILL $$`, 137, `[2]`, "e", ""},
		{"an envelope of another version", `echo '{"schema_version":2,"ok":true,"data":{},"errors":[],"warnings":[]}'`, 0, `{"schema_version":2,"ok":true,"data":{},"errors":[],"warnings":[]}`, "", ""},
		{"122: nothing", `:`, 0, `null`, "", "the program wrote nothing on stdout, so there is no data"},
		{"text", `echo hello`, 1, `null`, "what the program wrote on stdout is no JSON", ""},
		{"text and a failure", `echo hello; exit 5`, 5, `null`, "sh: exit status 5 | what the program wrote on stdout is no JSON", ""},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			e, err := wrap.Unwrap(t.Context(), shell(c.script))
			if err != nil {
				t.Fatal(err)
			}
			if e.ExitCode() != c.code || e.OK != (c.code == 0) || string(e.Data) != c.data {
				t.Errorf("exit status %d, %s; want %d, %s", e.ExitCode(), e.Data, c.code, c.data)
			}
			if got := strings.Join(e.Errors, " | "); got != c.errors {
				t.Errorf("errors %q, want %q", got, c.errors)
			}
			if got := strings.Join(e.Warnings, " | "); got != c.warnings {
				t.Errorf("warnings %q, want %q", got, c.warnings)
			}
			checked(t, e)
		})
	}
	if _, err := wrap.Unwrap(t.Context(), wrap.Command{}); err == nil {
		t.Error("no command is taken")
	}
}

// 16: a signal while the program runs gives one whole envelope with what there
// was.
func TestCancelledEnvelope(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		ctx, cancel := context.WithCancelCause(t.Context())
		dir := t.TempDir()
		go func() {
			waitFor(t, func() bool { _, err := os.Stat(dir + "/ready"); return err == nil })
			cancel(signalError{sig})
		}()
		e, err := wrap.Envelope(ctx, wrap.Command{Argv: []string{"sh", "-c", "echo a; touch ready; exec sleep 600"}, Dir: dir})
		if err != nil || e.OK || e.ExitCode() != 128+int(sig) || e.Data.Stdout != "a\n" || e.Errors[0] != "interrupted by a signal" {
			t.Errorf("%v: %+v, %v", sig, e, err)
		}
		checked(t, e)
	}
}
