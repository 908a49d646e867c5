package envelopetest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/streamjson/streamjson/envelope"
)

// result is what a run left behind.
type result struct {
	line    string // the command line
	stdout  []byte
	stderr  []byte
	code    int
	problem string // why there is no result
}

func (g Guard) run(args []string, stdin string) result {
	if g.Run != nil {
		return g.inProcess(args, stdin)
	}
	return g.process(args, stdin)
}

// inProcess runs the program's function. If it hangs it is left behind: a
// goroutine can't be ended from outside.
func (g Guard) inProcess(args []string, stdin string) result {
	r := result{line: commandLine(args)}
	var stdout, stderr output
	type end struct {
		code    int
		problem string
	}
	done := make(chan end, 1)
	go func() {
		e := end{problem: "ended its goroutine (runtime.Goexit)"}
		defer func() {
			if p := recover(); p != nil {
				e.problem = fmt.Sprintf("panicked: %v", p)
			}
			done <- e
		}()
		e.code = g.Run(args, strings.NewReader(stdin), &stdout, &stderr)
		e.problem = ""
	}()
	limit := time.NewTimer(g.Timeout)
	defer limit.Stop()
	select {
	case e := <-done:
		r.code, r.problem = e.code, e.problem
	case <-limit.C:
		r.problem = "did not end within " + g.Timeout.String()
	}
	r.stdout, r.stderr = stdout.bytes(), stderr.bytes()
	return r
}

// output is a buffer that a goroutine left behind may go on writing to.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(p)
}

func (o *output) bytes() []byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	return bytes.Clone(o.buf.Bytes())
}

// waitDelay is how long descendants of a process may hold its streams open.
const waitDelay = 5 * time.Second

func (g Guard) process(args []string, stdin string) result {
	argv := append(g.Program[1:len(g.Program):len(g.Program)], args...)
	r := result{line: commandLine(append([]string{g.Program[0]}, argv...))}
	ctx, cancel := context.WithTimeout(context.Background(), g.Timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, g.Program[0], argv...)
	cmd.Dir = g.Dir
	cmd.Env = append(os.Environ(), g.Env...)
	cmd.WaitDelay = waitDelay
	cmd.Stdin = strings.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		r.problem = "did not end within " + g.Timeout.String()
	case errors.As(err, &exit):
		if r.code = exit.ExitCode(); r.code < 0 {
			r.problem = "was ended by a signal: " + exit.String()
		}
	case err != nil:
		r.problem = "could not be run: " + err.Error()
	}
	r.stdout, r.stderr = stdout.Bytes(), stderr.Bytes()
	return r
}

func commandLine(args []string) string {
	quoted := make([]string, len(args))
	for i, a := range args {
		quoted[i] = a
		if a == "" || strings.ContainsAny(a, " \t\n'\"\\$`*?;&|<>()") {
			quoted[i] = fmt.Sprintf("%q", a)
		}
	}
	return strings.Join(quoted, " ")
}

// judge holds a result to the contract and to whether the run was to succeed;
// it says what is wrong and what to do about it.
func (r result) judge(success bool) (wrong, todo string) {
	if r.problem != "" {
		return r.problem, ""
	}
	if err := envelope.ValidateStrict(r.stdout); err != nil {
		todo = "write the answer by envelope.EmitJSON or envelope.Run, and everything else to stderr"
		var version *envelope.VersionError
		switch {
		case errors.As(err, &version):
			todo = "this guard knows version 1 only: update it together with the program"
		case len(r.stdout) == 0:
			return "wrote nothing to stdout", "every path must end in one envelope, failures too: let envelope.Run (or a front: envelope.Command, integrations/cobra) run the command"
		}
		return "did not write exactly one envelope to stdout: " + err.Error(), todo
	}
	env, err := envelope.Decode[json.RawMessage](r.stdout)
	switch {
	case err != nil: // it was valid a moment ago
		return err.Error(), ""
	case env.OK != (r.code == 0):
		return fmt.Sprintf("says ok %v, yet its exit status is %d", env.OK, r.code),
			"exit with the status that EmitJSON or Run returns: os.Exit(envelope.Run(…))"
	case success && !env.OK:
		return "failed", "make it succeed with the arguments in OK, or correct these"
	case !success && env.OK:
		return "succeeded", "give arguments in Fail that make it fail; a flag that doesn't exist must always fail"
	}
	return "", ""
}

// answers tells whether a run gave a success in an envelope, be it as tidy as a
// stable command must be or not.
func (r result) answers() bool {
	env, err := envelope.Decode[json.RawMessage](r.stdout)
	return err == nil && env.OK
}

// report is the text of a failure.
func (r result) report(what, todo string) string {
	var b strings.Builder
	b.WriteString(what + "\n")
	fmt.Fprintf(&b, "  command: %s\n", r.line)
	fmt.Fprintf(&b, "  exit status: %d\n", r.code)
	b.WriteString("  stdout: " + shown(r.stdout) + "\n")
	b.WriteString("  stderr: " + shown(r.stderr) + "\n")
	if todo != "" {
		b.WriteString("  what to do: " + todo + "\n")
	}
	return b.String()
}

// shown is output for a report: quoted where it isn't plain text, and cut.
func shown(b []byte) string {
	const most = 2000
	if len(b) == 0 {
		return "(nothing)"
	}
	rest := ""
	if len(b) > most {
		rest = fmt.Sprintf(" … and %d bytes more", len(b)-most)
		b = b[:most]
	}
	text := strings.TrimRight(string(b), "\n")
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == '\ufffd' || r == 0x7f }) {
		text = fmt.Sprintf("%q", text)
	}
	if strings.Contains(text, "\n") {
		text = "\n    " + strings.ReplaceAll(text, "\n", "\n    ")
	}
	return text + rest
}
