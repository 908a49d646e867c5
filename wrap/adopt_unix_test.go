//go:build linux || darwin

package wrap_test

import (
	"bufio"
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/streamjson/streamjson/wrap"
)

// Under a terminal lines end in CR LF, and stderr comes among them.
func TestAdoptPTY(t *testing.T) {
	c := speaks(says(adoptInit), "echo prose >&2", says(adoptHello, adoptSuccess), "test -t 1")
	c.PTY = true
	a := adopted(t, wrap.AdoptOptions{}, c).whole().ends(0, "success").says("prose")
	if n := strings.Count(a.stdout, `"warning"`); n != 1 {
		t.Errorf("%d warnings:\n%s", n, a.stdout)
	}
}

// A signal that comes behind the result changes nothing but how long the
// program is waited for.
func (exe programs) signalBehindTheResult(t *testing.T) {
	p := exe.start(t, nil, "sh", "-c", says(adoptInit, adoptHello, adoptSuccess)+"sleep 600")
	p.until(`"success"`)
	p.signal(syscall.SIGTERM)
	p.wait().whole().ends(0, "success").says("behind its result")
}

// agentPackage is a program that speaks stream_v1: examples/agent.
const agentPackage = "github.com/streamjson/streamjson/examples/agent"

// agentScript keeps an agent busy with everything that a stream has: deltas,
// tool calls side by side, sub-agents, tasks.
const agentScript = `turn
think What can I do here?
say I look at it from all sides. There is a lot to see, and I say it word by word.
call list_files {}
call one = start_agent {"agent":"reader","task":"read"}
call two = start_agent {"agent":"reader","task":"read it again"}
call run_command {"argv":["sleep","0.05"]}
turn
usage input=10 output=3
say That is all there is.

agent reader
turn
say I read a file with many words in it, and take my time for it.
call list_files {}
turn
say Done with reading.
`

// TestAdoptPrograms builds programs once and puts them to all uses.
func TestAdoptPrograms(t *testing.T) {
	exe := programs{agent: build(t, agentPackage), adopter: build(t, "./testdata/adopter")}
	t.Run("an agent byte for byte", exe.passByteForByte)
	t.Run("an agent killed at random moments", exe.killedAtRandomMoments)
	t.Run("signals are passed on", exe.passSignalsOn)
	t.Run("signals to a deaf program", exe.signalsToADeafProgram)
	t.Run("a signal behind the result", exe.signalBehindTheResult)
	t.Run("a reader that has gone", exe.readerGone)
	t.Run("a reader that stands", exe.readerStands)
	t.Run("merged streams", exe.mergedStreams)
}

// programs are the paths of examples/agent and testdata/adopter.
type programs struct{ agent, adopter string }

// The agent's stream passes byte for byte, with the default redaction.
func (exe programs) passByteForByte(t *testing.T) {
	dir, agent := t.TempDir(), exe.agent
	if err := os.WriteFile(filepath.Join(dir, "a.script"), []byte(agentScript), 0o600); err != nil {
		t.Fatal(err)
	}
	c := speaks(`"$0" --script a.script --output-format stream-json --include-partial-messages hello | tee copy`)
	c.Argv, c.Dir = append(c.Argv, agent), dir
	a := adopted(t, wrap.AdoptOptions{}, c).whole().ends(0, "success")
	want, err := os.ReadFile(filepath.Join(dir, "copy"))
	if err != nil || a.stdout != string(want) {
		t.Errorf("%v: the stream differs:\n%s\nagainst\n%s", err, a.stdout, want)
	}
}

// rows 1 to 7, 155: an agent that is killed at any moment leaves one whole run,
// and a failing exit status unless its own result had passed.
func (exe programs) killedAtRandomMoments(t *testing.T) {
	runs := 200
	if testing.Short() {
		runs = 20
	}
	dir, agent := t.TempDir(), exe.agent
	if err := os.WriteFile(filepath.Join(dir, "a.script"), []byte(agentScript), 0o600); err != nil {
		t.Fatal(err)
	}
	seed := uint64(20261130)
	rnd := rand.New(rand.NewPCG(seed, seed))
	var killed atomic.Int64
	t.Run("", func(t *testing.T) {
		for n := range runs {
			after, wait := 1+rnd.IntN(110), time.Duration(rnd.IntN(2000))*time.Microsecond
			t.Run(strconv.Itoa(n), func(t *testing.T) {
				t.Parallel()
				if killAgent(t, dir, agent, strconv.Itoa(n), after, wait) {
					killed.Add(1)
				}
			})
		}
	})
	t.Logf("%d of %d were killed before their result (seed %d)", killed.Load(), runs, seed)
	if killed.Load() < int64(runs)/4 {
		t.Error("too few agents were killed for this to mean anything")
	}
}

// killAgent runs an agent that is killed after that many lines, and reports
// whether that was before its result.
func killAgent(t *testing.T, dir, agent, name string, after int, wait time.Duration) bool {
	t.Helper()
	pidFile := filepath.Join(t.TempDir(), "pid")
	var stdout safeBuffer
	lines := 0
	w := writerFunc(func(p []byte) (int, error) {
		before := lines
		lines += bytes.Count(p, []byte("\n"))
		if before < after && after <= lines {
			text, err := os.ReadFile(pidFile)
			pid, err2 := strconv.Atoi(strings.TrimSpace(string(text)))
			if err != nil || err2 != nil {
				t.Error(err, err2)
				return stdout.Write(p)
			}
			// The moment is what is random here; nothing waits for it.
			time.AfterFunc(wait, func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
		}
		return stdout.Write(p)
	})
	c := speaks(`echo $$ > "$1"; exec "$0" --pace=200us --script a.script --output-format stream-json --include-partial-messages "$2"`)
	c.Argv, c.Dir = append(c.Argv, agent, pidFile, name), dir
	a := adopted(t, wrap.AdoptOptions{Stdout: w}, c)
	a.stdout = stdout.String()
	switch r := a.whole("exit-code").result(); {
	case r.Subtype == "success": // the kill, if it met at all, came behind it
		if a.code != 0 && a.code != 137 {
			t.Errorf("exit status %d", a.code)
		}
		return false
	case a.code != 137 || r.Subtype != "interrupted":
		t.Errorf("exit status %d, %s\n%s", a.code, r.Subtype, a.stdout)
		return false
	}
	a.says("SIGKILL")
	return true
}

// An adopterProcess is wrap.Adopt as a process of its own.
type adopterProcess struct {
	t      *testing.T
	cmd    *exec.Cmd
	out    *bufio.Reader
	read   bytes.Buffer
	stderr bytes.Buffer
}

func (exe programs) start(t *testing.T, stdout *os.File, args ...string) *adopterProcess {
	t.Helper()
	p := &adopterProcess{t: t, cmd: exec.Command(exe.adopter, args...)}
	p.cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
	p.cmd.Stderr = &p.stderr
	p.cmd.Stdout = stdout
	var r, w *os.File
	if stdout == nil {
		var err error
		if r, w, err = os.Pipe(); err != nil {
			t.Fatal(err)
		}
		p.cmd.Stdout, p.out = w, bufio.NewReader(r)
		t.Cleanup(func() { r.Close() })
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if w != nil {
		w.Close()
	}
	guard := time.AfterFunc(adoptGuard, func() {
		t.Error("the program hangs")
		_ = p.cmd.Process.Kill()
	})
	t.Cleanup(func() {
		guard.Stop()
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait() // a second time, mostly
	})
	return p
}

// until reads lines until one has a text.
func (p *adopterProcess) until(text string) {
	p.t.Helper()
	for {
		line, err := p.out.ReadString('\n')
		p.read.WriteString(line)
		switch {
		case strings.Contains(line, text):
			return
		case err != nil:
			p.t.Fatalf("%v before %q; stdout:\n%s\nstderr:\n%s", err, text, &p.read, &p.stderr)
		}
	}
}

func (p *adopterProcess) signal(sig syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		p.t.Fatal(err)
	}
}

// wait reads the rest and waits for the end.
func (p *adopterProcess) wait() *adoption {
	p.t.Helper()
	if p.out != nil {
		_, _ = p.out.WriteTo(&p.read)
	}
	_ = p.cmd.Wait() // the status is looked at
	return &adoption{p.t, p.read.String(), p.stderr.String(), p.cmd.ProcessState.ExitCode()}
}

// rows 13 and 14: a signal is passed on, and the program's own result stands.
func (exe programs) passSignalsOn(t *testing.T) {
	script := filepath.Join(t.TempDir(), "a.script")
	if err := os.WriteFile(script, []byte("turn\nsay I begin\nwait 10m\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for sig, code := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143, syscall.SIGHUP: 129} {
		p := exe.start(t, nil, exe.agent, "--script", script, "--output-format", "stream-json", "--include-partial-messages", "hello")
		p.until("begin")
		p.signal(sig)
		a := p.wait().whole().ends(code, "interrupted")
		if strings.Contains(a.stdout, "no result") {
			t.Errorf("the result is not the agent's:\n%s", a.stdout)
		}
	}
}

// A program that does not obey is killed, and a second signal does not even
// wait for that. Each has one result.
func (exe programs) signalsToADeafProgram(t *testing.T) {
	deaf := `trap "" TERM INT; ` + says(adoptInit, adoptCall) + `while :; do sleep 1; done`
	p := exe.start(t, nil, "-grace", "300ms", "sh", "-c", deaf)
	p.until("tool_use")
	p.signal(syscall.SIGTERM)
	p.wait().whole().ends(143, "interrupted").says("interrupted by SIGTERM").says("did not end within")

	p = exe.start(t, nil, "-grace", "10m", "sh", "-c", deaf)
	p.until("tool_use")
	p.signal(syscall.SIGINT)
	time.Sleep(2 * 100 * time.Millisecond) // what comes sooner is the same signal
	p.signal(syscall.SIGTERM)
	p.wait().whole().ends(130, "interrupted").says("interrupted by SIGINT")
}

// rows 77 and 79: a reader that has gone ends the program, which need not write
// for that; a disk that is full is another status.
func (exe programs) readerGone(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "told")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p := exe.start(t, w, "sh", "-c", `trap 'echo bye > "`+mark+`"; exit 1' TERM; `+says(adoptInit)+`while :; do sleep 0.05; done`)
	w.Close()
	if _, err := bufio.NewReader(r).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	r.Close()
	if a := p.wait(); a.code != 141 {
		t.Errorf("exit status %d, stderr %q", a.code, a.stderr)
	}
	if _, err := os.Stat(mark); err != nil {
		t.Errorf("the program was not told to end: %v", err)
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	if a := exe.start(t, full, "sh", "-c", says(adoptInit)).wait(); a.code != 74 || a.stderr == "" {
		t.Errorf("exit status %d, stderr %q", a.code, a.stderr)
	}
}

// A stdout whose reader has stopped does not keep a process that is to end.
func (exe programs) readerStands(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	p := exe.start(t, w, "-grace", "100ms", "sh", "-c", says(adoptInit)+`while :; do `+says(adoptHello)+` done`)
	w.Close()
	if _, err := r.Read(make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	p.signal(syscall.SIGTERM)
	if a := p.wait(); a.code != 143 {
		t.Errorf("exit status %d, stderr %q", a.code, a.stderr)
	}
}

// row 64: with 2>&1 the stream is the stream alone.
func (exe programs) mergedStreams(t *testing.T) {
	p := exe.start(t, nil, "sh", "-c", "echo Loading; "+says(adoptInit)+"echo prose >&2; "+says(adoptHello, adoptSuccess))
	both := p.wait() // a first look at them apart
	both.whole().ends(0, "success").says("prose").says("Loading")

	cmd := exec.Command("sh", "-c", `"$0" sh -c "$1" 2>&1`, exe.adopter, "echo Loading; "+says(adoptInit)+"echo prose >&2; "+says(adoptHello, adoptSuccess))
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	(&adoption{t, string(out), "", 0}).whole().ends(0, "success")
}
