package wrap_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/emittest"
	"github.com/streamjson/streamjson/redact"
	"github.com/streamjson/streamjson/wrap"
)

func TestAdoptTable(t *testing.T) {
	ok := []string{adoptInit, adoptHello, adoptSuccess}
	limited := speaks(says(adoptInit, adoptCall), "sleep 600")
	limited.Timeout = 300 * time.Millisecond
	silent := speaks(says(adoptInit, adoptCall), "sleep 600")
	silent.IdleTimeout = 300 * time.Millisecond
	lingers := speaks(says(ok...), "sleep 600")
	lingers.IdleTimeout = 300 * time.Millisecond
	for _, c := range []struct {
		name    string
		command wrap.Command
		code    int
		subtype string
		says    string
		but     []string
	}{
		{name: "all is right", command: speaks(says(ok...)), subtype: "success"},
		{name: "rows 125 and 133: a success that its exit status denies", command: speaks(says(ok...), "exit 7"), code: 7, subtype: "success", says: "exit status 7", but: []string{"exit-code"}},
		{name: "a failure with exit status 0", command: speaks(says(adoptInit, adoptHello, adoptFailure)), code: 1, subtype: "error_during_execution"},
		{name: "a failure with a status of its own", command: speaks(says(adoptInit, adoptHello, adoptFailure), "exit 9"), code: 9, subtype: "error_during_execution"},
		{name: "row 7: no result and exit status 0", command: speaks(says(adoptInit, adoptHello)), code: 1, subtype: "error_during_execution", says: "exit status 0"},
		{name: "rows 8 and 140: nothing at all", command: speaks("exit 52"), code: 52, subtype: "error_during_execution", says: "exit status 52"},
		{name: "row 131: SIGKILL", command: speaks(says(adoptInit, adoptCall), "kill -KILL $$"), code: 137, subtype: "interrupted", says: "SIGKILL"},
		{name: "row 131: SIGTERM", command: speaks(says(adoptInit), "kill -TERM $$"), code: 143, subtype: "interrupted", says: "SIGTERM"},
		{name: "a shell's word for a signal", command: speaks(says(adoptInit), "exit 137"), code: 137, subtype: "interrupted", says: "exit status 137"},
		{name: "row 14: a time limit", command: limited, code: 124, subtype: "error_during_execution", says: "was ended after 300ms"},
		{name: "row 1: silence", command: silent, code: 124, subtype: "error_during_execution", says: "wrote nothing for 300ms"},
		{name: "row 22: alive behind its result", command: lingers, code: 0, subtype: "success"},
		{name: "row 49: not found", command: wrap.Command{Argv: []string{"no-such-program-at-all"}}, code: 127, subtype: "error_during_execution", says: "no-such-program-at-all"},
		{name: "row 49: a directory", command: wrap.Command{Argv: []string{t.TempDir()}}, code: 126, subtype: "error_during_execution"},
		{name: "rows 46 and 58: prints of libraries and children", command: speaks("echo added 3 packages", says(adoptInit), "sh -c 'echo Hello'", says(adoptHello), "printf 'no newline'"), code: 1, subtype: "error_during_execution", says: "added 3 packages\nHello\nno newline"},
		{name: "row 50: advice behind the result", command: speaks(says(ok...), "echo a new version is there"), subtype: "success", says: "a new version is there"},
		{name: "row 19: a second result", command: speaks(says(ok...), says(adoptFailure)), subtype: "success", says: "behind its result"},
		{name: "row 181: the last words of one that dies", command: speaks("echo last words >&2", "kill -ABRT $$"), code: 134, subtype: "interrupted", says: "last words"},
		{name: "row 175: a grandchild holds the pipes", command: wrap.Command{Argv: []string{"sh", "-c", says(ok...) + "sleep 600 & exit 0"}, Grace: 100 * time.Millisecond}, subtype: "success"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := adopted(t, wrap.AdoptOptions{}, c.command).whole(c.but...).ends(c.code, c.subtype)
			if c.says != "" {
				a.says(c.says)
			}
		})
	}
}

// A child's own result stands when it comes in time, also where it was told to
// end; its exit status goes with it, and 124 with a limit.
func TestAdoptLetsTheChildFinish(t *testing.T) {
	trap := `trap 'echo "$FAILURE"; exit 5' TERM; echo "$INIT"; echo "$HELLO"; while :; do sleep 0.05; done`
	c := speaks(trap)
	c.Env = append(os.Environ(), "INIT="+adoptInit, "HELLO="+adoptHello, "FAILURE="+adoptFailure)
	c.Timeout = 300 * time.Millisecond
	a := adopted(t, wrap.AdoptOptions{}, c).whole().ends(124, "error_during_execution")
	if !strings.HasSuffix(a.stdout, adoptFailure+"\n") {
		t.Errorf("the child's result was changed:\n%s", a.stdout)
	}
}

// A context that is done ends the command by its cause, as it ends emit.Run.
func TestAdoptContext(t *testing.T) {
	for _, c := range []struct {
		name    string
		cause   error
		code    int
		subtype string
	}{
		{"cancelled", nil, 130, "interrupted"},
		{"a limit", emit.ErrTimeout, 124, "error_during_execution"},
		{"another cause", errors.New("the server is going down"), 1, "error_during_execution"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancelCause(context.Background())
			var stdout, stderr safeBuffer
			ready := writerFunc(func(p []byte) (int, error) {
				if bytes.Contains(p, []byte(`"assistant"`)) {
					cancel(c.cause)
				}
				return stdout.Write(p)
			})
			code := wrap.Adopt(ctx, wrap.AdoptOptions{Stdout: ready, Stderr: &stderr, Signals: []os.Signal{}}, speaks(says(adoptInit, adoptCall), "sleep 600"))
			a := &adoption{t, stdout.String(), stderr.String(), code}
			a.whole().ends(c.code, c.subtype)
			if c.cause != nil {
				a.says(c.cause.Error())
			}
		})
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var stdout, stderr safeBuffer
	code := wrap.Adopt(ctx, wrap.AdoptOptions{Stdout: &stdout, Stderr: &stderr, Signals: []os.Signal{}}, speaks(says(adoptInit)))
	(&adoption{t, stdout.String(), stderr.String(), code}).whole().ends(130, "interrupted")
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// rows 34 and 35: silence is filled with heartbeats, between init and result.
func TestAdoptHeartbeat(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "go on")
	if out, err := exec.Command("mkfifo", fifo).CombinedOutput(); err != nil {
		t.Skipf("no mkfifo: %v %s", err, out)
	}
	var stdout safeBuffer
	beats := 0
	w := writerFunc(func(p []byte) (int, error) {
		if beats += bytes.Count(p, []byte(`"heartbeat"`)); beats == 3 {
			beats++
			go func() { _ = os.WriteFile(fifo, nil, 0) }()
		}
		return stdout.Write(p)
	})
	a := adopted(t, wrap.AdoptOptions{Stdout: w, Heartbeat: 20 * time.Millisecond}, speaks(says(adoptInit, adoptCall), "cat '"+fifo+"'", says(adoptSuccess)))
	a.stdout = stdout.String()
	a.whole().ends(0, "success")
	if n := strings.Count(a.stdout, `"heartbeat"`); n < 3 {
		t.Errorf("%d heartbeats", n)
	}
}

// Secrets leave neither with the lines nor with prose; --no-redact lets them.
func TestAdoptRedacts(t *testing.T) {
	const secret = "Zx81-Spectrum-48K"
	c := speaks(`echo "$INIT"; echo "my key: $API_KEY"; echo "my key: $API_KEY" >&2; echo "$HELLO" | sed "s/Hello/$API_KEY/"`)
	c.Env = append(os.Environ(), "API_KEY="+secret, "INIT="+adoptInit, "HELLO="+adoptHello)
	a := adopted(t, wrap.AdoptOptions{}, c).whole()
	if strings.Contains(a.stdout+a.stderr, secret) || strings.Count(a.stderr, "[REDACTED:") != 2 {
		t.Errorf("stdout:\n%s\nstderr:\n%s", a.stdout, a.stderr)
	}
	a = adopted(t, wrap.AdoptOptions{Redactor: redact.None()}, c).whole()
	if strings.Count(a.stdout, secret) < 2 || strings.Count(a.stderr, secret) != 2 {
		t.Errorf("not all is there:\n%s\nstderr:\n%s", a.stdout, a.stderr)
	}
}

// The copies get the same lines; one that fails harms nobody.
func TestAdoptAlso(t *testing.T) {
	var log safeBuffer
	block := make(chan struct{})
	defer close(block)
	o := wrap.AdoptOptions{Also: []io.Writer{
		&emittest.FaultyWriter{FailAt: 1}, &log, &emittest.FaultyWriter{Block: block},
	}}
	a := adopted(t, o, speaks(says(adoptInit, adoptHello), "sleep 0.2", says(adoptSuccess))).whole().ends(0, "success")
	if log.String() != a.stdout {
		t.Errorf("the copy has\n%s", log.String())
	}
	a.says("output 1 of AdoptOptions.Also was cut off").says("output 3 of AdoptOptions.Also was cut off")
}

// row 49 and F2: what could not be started is two lines, and no prose.
func TestAdoptNotStarted(t *testing.T) {
	a := adopted(t, wrap.AdoptOptions{SessionID: "mine"}, wrap.Command{Argv: []string{"no-such-program-at-all"}}).whole()
	if list := a.lines(); len(list) != 2 || list[0].Session != "mine" || a.stderr != "" {
		t.Errorf("stdout:\n%s\nstderr:\n%s", a.stdout, a.stderr)
	}
}

// The last words of a program stand in the errors of the result, redacted.
func TestAdoptLastWords(t *testing.T) {
	c := speaks(says(adoptInit), `echo "panic: $API_KEY is wrong" >&2`, "kill -ABRT $$")
	c.Env = append(os.Environ(), "API_KEY=Zx81-Spectrum-48K")
	a := adopted(t, wrap.AdoptOptions{Quiet: true}, c).whole().ends(134, "interrupted")
	if errs := a.result().Errors; len(errs) != 2 || errs[1] != "panic: [REDACTED:known-value] is wrong" {
		t.Errorf("%q", errs)
	}
}

func TestAdoptRefuses(t *testing.T) {
	for _, c := range []wrap.Command{{}, {Argv: []string{""}}, {Argv: []string{"true"}, Grace: -1}, {Argv: []string{"true"}, MaxLine: 5}} {
		if a := adopted(t, wrap.AdoptOptions{}, c); a.code != 2 || a.stdout != "" || a.stderr == "" {
			t.Errorf("%+v: exit status %d, stdout %q, stderr %q", c, a.code, a.stdout, a.stderr)
		}
	}
}

// A stdout that can't be written ends the command: 74, and 141 where nobody
// reads it.
func TestAdoptWriteErrors(t *testing.T) {
	forever := speaks(`echo "$INIT"; while :; do echo "$HELLO"; done`)
	forever.Env = append(os.Environ(), "INIT="+adoptInit, "HELLO="+adoptHello)
	w := &emittest.FaultyWriter{FailAt: 3, Lasting: true}
	if a := adopted(t, wrap.AdoptOptions{Stdout: w}, forever); a.code != 74 || !strings.Contains(a.stderr, "no space left") {
		t.Errorf("exit status %d, stderr %q", a.code, a.stderr)
	}
	r, pipe, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	r.Close()
	if a := adopted(t, wrap.AdoptOptions{Stdout: pipe}, forever); a.code != 141 {
		t.Errorf("exit status %d, stderr %q", a.code, a.stderr)
	}
}
