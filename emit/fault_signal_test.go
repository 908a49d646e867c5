//go:build linux

package emit_test

import (
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// allSignals are what Run takes by default.
var allSignals = [...]syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}

func signalName(sig syscall.Signal) string { return unix.SignalName(sig) }

// interrupted checks a run that a signal has ended.
func (f finished) interrupted(t *testing.T, sig syscall.Signal) []record {
	t.Helper()
	records := whole(t, f.stdout)
	checkDeltas(t, records)
	r := last(records)
	if f.code != 128+int(sig) || r.str("subtype") != "interrupted" || r.str("stop_reason") != "cancelled" || !strings.Contains(errorsOf(r), signalName(sig)) {
		t.Errorf("exit code %d after %v: %.400s; stderr %q", f.code, sig, r.raw, f.stderr)
	}
	return records
}

// B6, field cases 13 and 14: a signal at any moment is one result that names
// it, with everything closed before it and the text so far in it.
func TestSignalAtAnyMoment(t *testing.T) {
	t.Parallel()
	rounds := 8
	if testing.Short() {
		rounds = 2
	}
	for _, sig := range allSignals {
		for range rounds {
			p := launch(t, "ticker")
			for range 1 + rand.IntN(400) {
				p.line(t)
			}
			p.send(t, sig)
			got := p.rest(t)
			records := got.interrupted(t, sig)
			if t.Failed() {
				return
			}
			if text := last(records).str("result"); text != "and then" {
				t.Errorf("the text so far is %q", text)
			}
		}
	}
}

// A signal that comes before the body returns wins over what it returns, be it
// nil, and its error stands beside the signal's name (design section 2).
func TestSignalBeatsTheBody(t *testing.T) {
	t.Parallel()
	for way, says := range map[string]string{"nil": "", "error": "the body's own error", "": "", "never": ""} {
		for _, wire := range []string{"stream-json", "json", "text"} {
			t.Run(way+" "+wire, func(t *testing.T) {
				p := launch(t, "waiter", wayVariable+"="+way, wireVariable+"="+wire, graceVariable+"=300ms")
				p.says(t, "waiting")
				p.send(t, syscall.SIGTERM)
				got := p.rest(t)
				switch wire {
				case "stream-json":
					got.interrupted(t, syscall.SIGTERM)
				case "json":
					r, err := parse(compact(t, got.stdout))
					must(t, err)
					checkResult(t, r)
					if !strings.Contains(errorsOf(r), "SIGTERM") || !strings.Contains(errorsOf(r), says) {
						t.Errorf("%s", r.raw)
					}
				default:
					if !strings.Contains(string(got.stderr), "SIGTERM") || !strings.Contains(string(got.stderr), says) {
						t.Errorf("stderr %q", got.stderr)
					}
				}
				if got.code != 143 {
					t.Errorf("exit code %d", got.code)
				}
			})
		}
	}
}

// But not over a result that stands already; nor does a reader that leaves then.
func TestSignalAfterFinish(t *testing.T) {
	t.Parallel()
	for name, leaves := range map[string]bool{"read on": false, "reader leaves": true} {
		t.Run(name, func(t *testing.T) {
			p := launch(t, "finished")
			p.until(t, "result/success")
			whole(t, p.read)
			if leaves {
				must(t, p.out.Close())
			}
			p.send(t, syscall.SIGTERM)
			if got := p.wait(t); got.code != 0 || !strings.Contains(string(got.stderr), "too late") {
				t.Errorf("exit code %d, stderr %q", got.code, got.stderr)
			}
			if !leaves && len(drainPipe(t, p)) > 0 {
				t.Error("something stands behind the result")
			}
		})
	}
}

// What a time limit has ended is that, or what the signal says which came
// before the body returned, but the result and the exit code say the same.
func TestSignalAfterTimeLimit(t *testing.T) {
	t.Parallel()
	got := launch(t, "lastword", wayVariable+"=timeout").rest(t)
	switch r := last(whole(t, got.stdout)); r.str("subtype") {
	case "interrupted":
		got.interrupted(t, syscall.SIGTERM)
	default:
		if got.code != 124 || r.str("subtype") != "error_during_execution" {
			t.Errorf("exit code %d, %.300s", got.code, r.raw)
		}
	}
}

// B3: a signal during a write that waits for its reader. The reader comes
// back: it gets the result.
func TestSignalDuringBlockedWrite(t *testing.T) {
	t.Parallel()
	for _, sig := range allSignals {
		p := launchToFill(t, "ticker", sizeVariable+"=20000")
		p.line(t)
		p.full(t)
		p.send(t, sig)
		p.rest(t).interrupted(t, sig)
	}
}

// The reader never comes back: Grace ends the process, with the signal's code.
func TestSignalWithoutReader(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"ticker", "firehose"} {
		p := launchToFill(t, program, sizeVariable+"=20000", graceVariable+"=200ms")
		p.full(t)
		p.send(t, syscall.SIGTERM)
		if got := p.wait(t); got.code != 143 {
			t.Errorf("%s: exit code %d, stderr %q", program, got.code, got.stderr)
		}
		records, _ := lines(t, drainPipe(t, p))
		checkPrefix(t, records)
	}
}

func drainPipe(t *testing.T, p *process) []byte {
	t.Helper()
	text, err := io.ReadAll(p.lines)
	must(t, err)
	return text
}

// A second signal ends the process at once, with the first one's code, also
// with a reader that was stopped.
func TestSecondSignal(t *testing.T) {
	t.Parallel()
	t.Run("unread pipe", func(t *testing.T) {
		p := launchToFill(t, "ticker", sizeVariable+"=20000", graceVariable+"=1h")
		p.full(t)
		secondSignal(t, p)
	})
	t.Run("deaf body", func(t *testing.T) {
		p := launch(t, "waiter", wayVariable+"=never", graceVariable+"=1h")
		p.says(t, "waiting")
		secondSignal(t, p)
	})
	t.Run("stopped reader", func(t *testing.T) {
		reader := child(t, "bytewise")
		in, err := reader.StdinPipe()
		must(t, err)
		var kept tape
		reader.Stdout = &kept
		must(t, reader.Start())
		must(t, reader.Process.Signal(syscall.SIGSTOP))
		cmd := child(t, "waiter", wayVariable+"=never", graceVariable+"=1h")
		p := &process{cmd: cmd}
		cmd.Stdout, cmd.Stderr = in.(*os.File), &p.stderr
		must(t, cmd.Start(), in.Close())
		p.says(t, "waiting")
		secondSignal(t, p)
		must(t, reader.Process.Signal(syscall.SIGCONT), reader.Wait())
		records, cut := lines(t, kept.bytes())
		checkPrefix(t, records)
		if len(cut) > 0 {
			t.Errorf("half a line: %q", cut)
		}
	})
}

// secondSignal sends signals that are two, and waits for the end: what happens
// at once does not wait for Grace, which is an hour.
func secondSignal(t *testing.T, p *process) {
	t.Helper()
	second := syscall.SIGTERM
	p.send(t, syscall.SIGTERM)
	if strings.HasPrefix(p.stderr.String(), "waiting") {
		p.says(t, "cancelled") // the first one is noticed for sure
		second = syscall.SIGINT
	}
	ended := make(chan error, 1)
	go func() { ended <- p.cmd.Wait() }()
	for {
		select {
		case err := <-ended:
			if code := exitCode(t, err); code != 143 {
				t.Errorf("exit code %d, stderr %q", code, p.stderr.String())
			}
			return
		case <-time.After(150 * time.Millisecond): // more than what makes two signals one
			p.send(t, second)
		}
	}
}

// Signals that come at once are one: the process has its time to wind down.
func TestSignalsAtOnce(t *testing.T) {
	t.Parallel()
	for name, list := range map[string][]syscall.Signal{
		"two":   {syscall.SIGTERM, syscall.SIGTERM},
		"mixed": {syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP},
		"storm": {syscall.SIGTERM, syscall.SIGPIPE, syscall.SIGTERM, syscall.SIGPIPE, syscall.SIGTERM, syscall.SIGTERM},
	} {
		t.Run(name, func(t *testing.T) {
			p := launch(t, "waiter", wayVariable+"=nil")
			p.until(t, "system/state")
			// A stopped process finds them all when it goes on.
			p.send(t, syscall.SIGSTOP)
			for _, sig := range list {
				p.send(t, sig)
			}
			p.send(t, syscall.SIGCONT)
			got := p.rest(t)
			got.interrupted(t, syscall.Signal(got.code-128))
		})
	}
}

// A signal that the parent has the process ignore is not taken: a shell's
// "cmd &" outlives the terminal's Ctrl-C, nohup its end.
func TestSignalIgnoredAtStart(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGHUP} {
		cmd := child(t, "ticker")
		exe := cmd.Path
		sh, err := exec.LookPath("sh")
		if err != nil {
			t.Skip("NOT TESTED: ", err)
		}
		cmd.Path, cmd.Args = sh, []string{"sh", "-c", `trap "" ` + strings.TrimPrefix(signalName(sig), "SIG") + `; exec "$0"`, exe}
		p := launchCmd(t, cmd)
		for range 20 {
			p.line(t)
		}
		p.send(t, sig)
		for range 3000 { // more than the pipe can hold from before
			p.line(t)
		}
		p.send(t, syscall.SIGTERM)
		records := p.rest(t).interrupted(t, syscall.SIGTERM)
		if text := errorsOf(last(records)); strings.Contains(text, signalName(sig)) {
			t.Errorf("%v was ignored and taken: %s", sig, text)
		}
	}
}

// Signals that are not meant to end a program don't, and leave no trace.
func TestSignalsThatAreNoEnd(t *testing.T) {
	t.Parallel()
	p := launch(t, "ticker")
	p.line(t)
	for _, sig := range []syscall.Signal{
		syscall.SIGPIPE, syscall.SIGCHLD, syscall.SIGURG, syscall.SIGWINCH, syscall.SIGSTOP, syscall.SIGCONT, syscall.SIGTSTP, syscall.SIGCONT, syscall.SIGPIPE,
	} {
		p.send(t, sig)
		if sig != syscall.SIGSTOP && sig != syscall.SIGTSTP {
			p.line(t)
		}
	}
	p.send(t, syscall.SIGTERM)
	p.rest(t).interrupted(t, syscall.SIGTERM)
}

// Options.Signals takes others, and leaves those that it does not name alone.
func TestSignalsOfOnesOwn(t *testing.T) {
	t.Parallel()
	taken := signalsVariable + "=" + strconv.Itoa(int(syscall.SIGUSR1))
	p := launch(t, "ticker", taken)
	p.line(t)
	p.send(t, syscall.SIGUSR1)
	got := p.rest(t)
	r := last(whole(t, got.stdout))
	if text := errorsOf(r); got.code != 138 || r.str("subtype") != "interrupted" || !strings.Contains(text, "USR1") && !strings.Contains(text, "user defined signal 1") {
		t.Errorf("exit code %d, %.300s", got.code, r.raw)
	}
	p = launch(t, "ticker", taken)
	p.line(t)
	p.send(t, syscall.SIGTERM)
	if got := p.rest(t); got.code != -1 {
		t.Errorf("exit code %d: SIGTERM was taken, which is not on the list", got.code)
	}
}

// Signals around the end of 300 runs: none dies by one, each has its result,
// and the exit code says what the result says.
func TestSignalAtTheEnd(t *testing.T) {
	t.Parallel()
	runs := 300
	if testing.Short() || underRace {
		runs = 40
	}
	results := map[string]int{}
	for i := range runs {
		p := launch(t, "quick")
		sig := allSignals[i%len(allSignals)]
		for range 1 + rand.IntN(4) { // init, state, delta, result
			p.line(t)
		}
		p.send(t, sig)
		got := p.rest(t)
		r := last(whole(t, got.stdout))
		results[r.str("subtype")]++
		switch r.str("subtype") {
		case "interrupted":
			got.interrupted(t, sig)
		case "success":
			if got.code != 0 {
				t.Errorf("exit code %d after a success", got.code)
			}
		default:
			t.Errorf("%.300s", r.raw)
		}
		if t.Failed() {
			t.Fatalf("run %d", i)
		}
	}
	t.Logf("%v", results)
}

// Signals during an end that takes its time, for its result is long and its
// reader slow.
func TestSignalDuringTheEnd(t *testing.T) {
	t.Parallel()
	for _, sig := range allSignals {
		p := launchToFill(t, "answer", sizeVariable+"=200000")
		p.line(t)
		p.full(t)
		p.send(t, sig)
		got := p.rest(t)
		switch r := last(whole(t, got.stdout)); r.str("subtype") {
		case "interrupted":
			got.interrupted(t, sig)
		case "success":
			if got.code != 0 {
				t.Errorf("exit code %d after a success", got.code)
			}
		}
	}
}

// A signal beats a stdout that is broken (contract F13), whichever comes first.
func TestSignalBeatsBrokenStdout(t *testing.T) {
	t.Parallel()
	t.Run("the reader goes first", func(t *testing.T) {
		p := launch(t, "lastword")
		p.until(t, "system/state")
		must(t, p.out.Close())
		if got := p.wait(t); got.code != 143 || len(got.stderr) > 0 {
			t.Errorf("exit code %d, stderr %q", got.code, got.stderr)
		}
	})
	t.Run("the signal comes first", func(t *testing.T) {
		// A body that does not listen has little time once nobody reads it,
		// and not the hour that it has otherwise.
		p := launch(t, "waiter", wayVariable+"=never", graceVariable+"=1h")
		p.until(t, "system/state")
		p.send(t, syscall.SIGTERM)
		p.says(t, "cancelled")
		must(t, p.out.Close())
		if got := p.wait(t); got.code != 143 {
			t.Errorf("exit code %d, stderr %q", got.code, got.stderr)
		}
	})
}
