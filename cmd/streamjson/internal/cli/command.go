package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/streamjson/streamjson/contract"
	"github.com/streamjson/streamjson/exitcode"
	"github.com/streamjson/streamjson/stdio"
)

// afterExit is how long the output of a command is waited for once the command
// itself has ended: what it leaves behind may hold the pipe open.
const afterExit = 2 * time.Second

// runCommand runs the command and checks what it writes while it writes it.
func (c *checkCall) runCommand() (input, error) {
	in := input{Name: strings.Join(c.command, " ")}
	cmd := exec.Command(c.command[0], c.command[1:]...)
	if f, ok := c.s.in.(*os.File); ok {
		cmd.Stdin = f
	}
	cmd.WaitDelay = afterExit
	sink := c.sink()
	cmd.Stdout = sink.stdout
	cmd.Stderr = tee{sink.stderr, c.s.err}
	code, err := c.wait(cmd)
	if err != nil {
		return in, err
	}
	in.Report = sink.report(code)
	return in, nil
}

// A sink is where the output of a command goes, and what comes of it.
type sink struct {
	stdout, stderr io.Writer
	report         func(code int) *contract.Report
}

func (c *checkCall) sink() sink {
	if !c.envelope {
		k := contract.NewChecker(c.options)
		return sink{k, k.Stderr(), func(code int) *contract.Report {
			k.Exit(code)
			return k.Report()
		}}
	}
	whole := &capped{most: c.options.MaxLine}
	if whole.most == 0 {
		whole.most = maxDocument
	}
	return sink{whole, io.Discard, func(code int) *contract.Report {
		o := c.options
		o.Exit = &code
		report, err := contract.CheckEnvelope(&whole.buf, o)
		if err != nil { // a buffer has none
			return &contract.Report{}
		}
		return report
	}}
}

// maxDocument is how much of an envelope is kept where no limit is given.
const maxDocument = 1 << 30

// A capped keeps one byte more than the limit, so that it shows when more came.
type capped struct {
	buf  bytes.Buffer
	most int
}

func (w *capped) Write(p []byte) (int, error) {
	w.buf.Write(p[:min(len(p), w.most+1-w.buf.Len())])
	return len(p), nil
}

// A tee shows stderr and looks at it; that it can't be shown any more must not
// be the command's problem.
type tee struct{ look, show io.Writer }

func (t tee) Write(p []byte) (int, error) {
	t.look.Write(p)
	t.show.Write(p)
	return len(p), nil
}

// wait runs cmd to its end and returns its exit status: 128+n where signal n
// ended it. An error says that it could not be run.
func (c *checkCall) wait(cmd *exec.Cmd) (int, error) {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	if err := cmd.Start(); err != nil {
		return 0, fmt.Errorf("the command can't be run: %w", err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	for seen := 0; ; {
		select {
		case sig := <-signals:
			seen++
			pass(cmd.Process, sig, seen, c.s.in)
		case err := <-done:
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
				return 0, fmt.Errorf("the command's output can't be read: %w", err)
			}
			return statusOf(cmd.ProcessState), nil
		}
	}
}

// pass hands a signal on to the command, so that its end is checked, too. An
// interrupt from a terminal reaches the command by itself. The second signal
// ends it.
func pass(p *os.Process, sig os.Signal, seen int, stdin io.Reader) {
	if seen > 1 {
		p.Kill()
		return
	}
	f, ok := stdin.(*os.File)
	if sig == os.Interrupt && ok && stdio.FromFile(f).IsTerminal() {
		return
	}
	p.Signal(sig)
}

// statusOf is the exit status as a shell would tell it.
func statusOf(state *os.ProcessState) int {
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return exitcode.FromSignal(ws.Signal())
	}
	if code := state.ExitCode(); code >= 0 {
		return code
	}
	return exitcode.Failure
}
