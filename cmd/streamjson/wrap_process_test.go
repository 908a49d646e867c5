//go:build linux

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// running starts a command and reads its stream up to the first text of the
// wrapped one, which is returned. The rest comes with wait.
func running(t *testing.T, cmd *exec.Cmd) (first string, wait func() outcome) {
	t.Helper()
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errOut bytes.Buffer
	cmd.Stderr = &errOut
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	guard := time.AfterFunc(hang, func() { cmd.Process.Kill() })
	var out bytes.Buffer
	r := bufio.NewReader(io.TeeReader(stdout, &out))
	for first == "" {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatalf("%v: %s%s", err, out.String(), errOut.String())
		}
		if _, text, ok := strings.Cut(line, `"text":"`); ok {
			first, _, _ = strings.Cut(text, `"`)
		}
	}
	return first, func() outcome {
		defer guard.Stop()
		io.Copy(io.Discard, r)
		cmd.Wait()
		return outcome{out.String(), errOut.String(), cmd.ProcessState.ExitCode()}
	}
}

// lives reports whether a process is there and no zombie.
func lives(pid string) bool {
	text, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return false
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	return fields[0] != "Z" && fields[0] != "X"
}

// ends polls until a process has gone.
func ends(t *testing.T, pid string) {
	t.Helper()
	if n, err := strconv.Atoi(pid); err != nil || n < 2 {
		t.Fatalf("no process id: %q", pid)
	}
	for end := time.Now().Add(hang); lives(pid); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("process %s lives on", pid)
		}
	}
}

// Cases 175, 176: what a command leaves behind does not hold us, keeps no text
// back, and is ended, in whatever session it is.
func TestWrapCase175(t *testing.T) {
	for _, script := range []string{
		"sleep 600 & echo $!",
		"sleep 600 2>/dev/null & echo $!",
		"sleep 600 >/dev/null & echo $!",
		"setsid sh -c 'echo $$; exec sleep 600' & sleep 0.1",
		"setsid sh -c 'echo $$; exec sleep 600 >/dev/null 2>&1' & sleep 0.1",
	} {
		for _, mode := range []string{"--quiet", "--output-format=text"} {
			o := streamjson(t, "wrap", mode, "--grace=100ms", "--", "sh", "-c", script)
			text := o.stdout
			if mode == "--quiet" {
				text = texts(events(t, o), "stdout")
			}
			if o.code != 0 {
				t.Errorf("%s: exit status %d", script, o.code)
			}
			ends(t, strings.TrimSpace(text))
		}
	}
}

// Case 178: once the wrapper is told to end, nothing of the tree is left after
// the grace time; case 14: the result names the signal.
func TestWrapCase178(t *testing.T) {
	for _, c := range []struct {
		sig  syscall.Signal
		code int
		name string
	}{
		{syscall.SIGTERM, 143, "SIGTERM"},
		{syscall.SIGINT, 130, "SIGINT"},
		{syscall.SIGHUP, 129, "SIGHUP"},
	} {
		for _, script := range []string{
			"(trap '' TERM INT HUP; sleep 600; sleep 600) & sleep 600 & echo $$ $! ; wait",
			"trap '' TERM INT HUP; setsid sleep 600 & echo $$ $! ; while :; do sleep 600; done",
		} {
			cmd := exec.Command("streamjson", "wrap", "--grace=200ms", "--", "sh", "-c", script)
			pids, wait := running(t, cmd)
			cmd.Process.Signal(c.sig)
			o := wait()
			res := last(events(t, o))
			if o.code != c.code || res.Subtype != "interrupted" || !strings.Contains(strings.Join(res.Errors, "\n"), c.name) {
				t.Errorf("%v: exit status %d, %+v", c.sig, o.code, res)
			}
			for _, pid := range strings.Fields(pids) {
				ends(t, pid)
			}
		}
	}
}

// The signal is passed on, so that the command can clean up, in each mode.
func TestWrapPassesSignalsOn(t *testing.T) {
	for _, mode := range []string{"--quiet", "--adopt", "--output-format=text", "--json"} {
		file := t.TempDir() + "/is"
		script := "trap 'echo yes >" + file + ".clean; exit 0' HUP; echo ready >" + file + ".ready; while :; do sleep 0.01; done"
		cmd := exec.Command("streamjson", "wrap", mode, "--grace=1m", "--", "sh", "-c", script)
		wait := start(t, cmd)
		contents(t, file+".ready")
		cmd.Process.Signal(syscall.SIGHUP)
		if o := wait(); o.code != 129 {
			t.Errorf("%s: exit status %d, want 129", mode, o.code)
		}
		if text, err := os.ReadFile(file + ".clean"); string(text) != "yes\n" {
			t.Errorf("%s: it was not told: %v", mode, err)
		}
	}
}

// Case 179: wrappers in wrappers are groups of their own: a signal to the
// innermost group ends that command alone, and one to the outermost process
// ends all.
func TestWrapCase179(t *testing.T) {
	nested := func(script string) *exec.Cmd {
		text := []string{"wrap", "--output-format=text", "--grace=20s", "--"}
		args := append([]string{"wrap", "--grace=30s", "--", "streamjson"}, text...)
		args = append(args, "streamjson")
		return exec.Command("streamjson", append(append(args, text...), "sh", "-c", script)...)
	}
	cmd := nested("echo $$; exec sleep 600")
	pid, wait := running(t, cmd)
	id, _ := strconv.Atoi(pid)
	if group, err := syscall.Getpgid(id); err != nil || group != id {
		t.Fatalf("group %d of process %d: %v", group, id, err)
	}
	syscall.Kill(-id, syscall.SIGKILL)
	o := wait()
	if res := last(events(t, o)); o.code != 137 || res.Subtype != "error_during_execution" {
		t.Errorf("exit status %d, %+v: the wrappers should live, and tell of it", o.code, res)
	}

	cmd = nested("echo $$; exec sleep 600")
	pid, wait = running(t, cmd)
	cmd.Process.Signal(syscall.SIGTERM)
	if o := wait(); o.code != 143 {
		t.Errorf("exit status %d, want 143", o.code)
	}
	ends(t, pid)
}

// Case 181: nothing of the last output of a command that dies is lost.
func TestWrapCase181(t *testing.T) {
	n := 40
	if testing.Short() {
		n = 10
	}
	for i := range n {
		o := streamjson(t, "wrap", "--", "sh", "-c", fmt.Sprintf("echo out %d; echo err %d >&2; kill -ABRT $$", i, i))
		list := events(t, o)
		if o.code != 134 || texts(list, "stdout") != fmt.Sprintf("out %d\n", i) || texts(list, "stderr") != fmt.Sprintf("err %d\n", i) {
			t.Fatalf("run %d: exit status %d, %s", i, o.code, o.stdout)
		}
	}
}

// Case 182: of an endless stdin nothing is taken, unless the command takes it.
func TestWrapCase182(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := w.WriteString("one\ntwo\nthree\n"); err != nil {
		t.Fatal(err)
	}
	w.Close()
	cmd := exec.Command("streamjson", "wrap", "--", "cat")
	cmd.Stdin = r
	if got := texts(events(t, finish(t, cmd)), "stdout"); got != "" {
		t.Errorf("it read %q", got)
	}
	cmd = exec.Command("streamjson", "wrap", "--stdin=inherit", "--", "head", "-c4")
	cmd.Stdin = r
	if got := texts(events(t, finish(t, cmd)), "stdout"); got != "one\n" {
		t.Errorf("it read %q", got)
	}
	if rest, err := io.ReadAll(r); string(rest) != "two\nthree\n" || err != nil {
		t.Errorf("left is %q, %v", rest, err)
	}
}

// Case 1: six at once over a command that says something and then nothing any
// more: each ends with one error result.
func TestWrapCase1(t *testing.T) {
	var all sync.WaitGroup
	outcomes := make([]outcome, 6)
	for i := range outcomes {
		all.Add(1)
		go func() {
			defer all.Done()
			var out bytes.Buffer
			cmd := exec.Command("streamjson", "wrap", "--idle-timeout=1s", "--", "sh", "-c", "echo 1; echo 2; echo 3; sleep 600")
			cmd.Stdout = &out
			cmd.Run()
			outcomes[i] = outcome{out.String(), "", cmd.ProcessState.ExitCode()}
		}()
	}
	all.Wait()
	for _, o := range outcomes {
		list := events(t, o)
		if o.code != 124 || last(list).Subtype != "error_during_execution" || texts(list, "stdout") != "1\n2\n3\n" {
			t.Errorf("exit status %d, %s", o.code, o.stdout)
		}
	}
}

// Cases 77, 79: when the reader goes, the command is ended, though it writes
// nothing any more.
func TestWrapCase79(t *testing.T) {
	for _, mode := range []string{"--quiet", "--adopt", "--output-format=text"} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		file := t.TempDir() + "/pid"
		cmd := exec.Command("streamjson", "wrap", mode, "--grace=100ms", "--", "sh", "-c", "echo $$ >"+file+".new; mv "+file+".new "+file+"; exec sleep 600")
		cmd.Stdout = w
		wait := start(t, cmd)
		w.Close()
		pid := contents(t, file)
		r.Close()
		if o := wait(); o.code != 141 {
			t.Errorf("%s: exit status %d, want 141", mode, o.code)
		}
		ends(t, pid)
	}
}

// What a command has started is ended, too, when the reader has gone and the run
// does not wait for it; but after a second signal nothing is waited for.
func TestWrapEndsTheTreeOfAGoneReader(t *testing.T) {
	for _, mode := range []string{"--quiet", "--adopt", "--output-format=text"} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		file := t.TempDir() + "/pid"
		script := "trap '' TERM; sleep 600 & echo $! >" + file + ".new; mv " + file + ".new " + file + "; while :; do sleep 600; done"
		cmd := exec.Command("streamjson", "wrap", mode, "--grace=1s", "--", "sh", "-c", script)
		cmd.Stdout = w
		wait := start(t, cmd)
		w.Close()
		pid := contents(t, file)
		r.Close()
		if o := wait(); o.code != 141 || lives(pid) {
			t.Errorf("%s: exit status %d, want 141; process %s lives: %v", mode, o.code, pid, lives(pid))
		}
	}
}

// A second signal ends the wrapper at once, and the command with it.
func TestWrapSecondSignal(t *testing.T) {
	for _, mode := range []string{"--quiet", "--json", "--adopt", "--output-format=text"} {
		file := t.TempDir() + "/pid"
		script := "trap 'echo told >" + file + ".told' TERM; echo $$ >" + file + ".new; mv " + file + ".new " + file + "; while :; do sleep 0.01; done"
		cmd := exec.Command("streamjson", "wrap", mode, "--grace=1h", "--", "sh", "-c", script)
		wait := start(t, cmd)
		pid := contents(t, file)
		cmd.Process.Signal(syscall.SIGTERM)
		contents(t, file+".told")
		time.Sleep(150 * time.Millisecond) // an earlier one is the same signal twice
		cmd.Process.Signal(syscall.SIGTERM)
		if o := wait(); o.code != 143 {
			t.Errorf("%s: exit status %d, want 143", mode, o.code)
		}
		ends(t, pid)
	}
}

// contents waits for a file and returns the line in it.
func contents(t *testing.T, file string) string {
	t.Helper()
	for end := time.Now().Add(hang); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if text, err := os.ReadFile(file); err == nil && strings.HasSuffix(string(text), "\n") {
			return strings.TrimSpace(string(text))
		}
	}
	t.Fatalf("%s never came", file)
	return ""
}

// Case 91: output without a line end, and output without an end, is bounded in
// memory in each mode.
func TestWrapCase91(t *testing.T) {
	long, lines := 70_000_000, 600_000
	if testing.Short() || raceEnabled {
		long, lines = long/10, lines/20
	}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	for _, mode := range [][]string{{"--quiet"}, {"--json", "--quiet"}, {"--adopt", "--quiet"}, {"--output-format=text"}} {
		for _, source := range []string{
			fmt.Sprintf("head -c %d /dev/zero", long),
			fmt.Sprintf("yes | head -c %d", lines),
			// Text, as a NUL takes six bytes in JSON, and the two together more
			// than the limit in an envelope.
			fmt.Sprintf("head -c %d /dev/zero | tr '\\0' x >&2; head -c %d /dev/zero | tr '\\0' x", long/4, long/4),
		} {
			cmd := exec.Command("streamjson", append(append([]string{"wrap"}, mode...), "--", "sh", "-c", source)...)
			cmd.Stdout, cmd.Stderr = null, null
			want := 0
			if mode[0] == "--adopt" {
				want = 1 // there is no stream in it
			}
			if o := finish(t, cmd); o.code != want {
				t.Errorf("%v %s: exit status %d, want %d", mode, source, o.code, want)
			}
			kib := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
			t.Logf("%v %s: %d KiB", mode, source, kib)
			if kib > 64<<10 && !raceEnabled { // the race detector takes several times as much
				t.Errorf("%v %s: %d KiB of memory, want at most 64 MiB", mode, source, kib)
			}
		}
	}
}
