//go:build linux

package emit_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/event"
)

// A process is a child whose stdout the test reads as it likes.
type process struct {
	cmd    *exec.Cmd
	out    *os.File // the reading end of its stdout
	in     *os.File // the writing end, open until full has looked at it
	lines  *bufio.Reader
	read   []byte // all that was read by line and rest
	stderr tape
}

// launch starts the program of that name with its stdout in a pipe.
func launch(t *testing.T, name string, env ...string) *process {
	t.Helper()
	return launchCmd(t, child(t, name, env...))
}

func launchCmd(t *testing.T, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{}
	cmd.Stderr = &p.stderr
	p.start(t, cmd)
	must(t, p.in.Close())
	return p
}

// launchToFill is launch for a child whose pipe is to be filled.
func launchToFill(t *testing.T, name string, env ...string) *process {
	t.Helper()
	p := &process{}
	cmd := child(t, name, env...)
	cmd.Stderr = &p.stderr
	p.start(t, cmd)
	return p
}

// launchMerged is launch with 2>&1.
func launchMerged(t *testing.T, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{}
	p.start(t, cmd)
	must(t, p.in.Close())
	return p
}

// start starts the child with a pipe as its stdout, and as its stderr unless it
// has one.
func (p *process) start(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	var err error
	p.out, p.in, err = os.Pipe()
	must(t, err)
	t.Cleanup(func() { p.out.Close(); p.in.Close() })
	p.cmd, p.lines = cmd, bufio.NewReader(p.out)
	if cmd.Stdout = p.in; cmd.Stderr == nil {
		cmd.Stderr = p.in
	}
	must(t, cmd.Start())
}

// line returns the child's next line.
func (p *process) line(t *testing.T) record {
	t.Helper()
	text, err := p.lines.ReadBytes('\n')
	p.read = append(p.read, text...)
	if err != nil {
		t.Fatalf("%v; the child said %q and %q", err, text, p.stderr.String())
	}
	r, err := parse(bytes.TrimSuffix(text, []byte("\n")))
	must(t, err)
	return r
}

// until reads lines until one is of the kind.
func (p *process) until(t *testing.T, kind string) record {
	t.Helper()
	for {
		if r := p.line(t); r.kind() == kind {
			return r
		}
	}
}

// send sends a signal; a child that has ended is fine.
func (p *process) send(t *testing.T, sig os.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(sig); err != nil && err != os.ErrProcessDone { //nolint:errorlint // returned as it is
		t.Fatal(err)
	}
}

// says waits until the child has said something on stderr.
func (p *process) says(t *testing.T, text string) {
	t.Helper()
	eventually(t, "the child says "+text, func() bool { return strings.Contains(p.stderr.String(), text) })
}

// rest reads to the end, and waits for the child's.
func (p *process) rest(t *testing.T) finished {
	t.Helper()
	text, err := io.ReadAll(p.lines)
	must(t, err)
	p.read = append(p.read, text...)
	return p.wait(t)
}

func (p *process) wait(t *testing.T) finished {
	t.Helper()
	code := exitCode(t, p.cmd.Wait())
	return finished{p.read, p.stderr.bytes(), code}
}

// full waits until the child has filled the pipe, so that it is in a write
// which waits for the reader, or about to be.
func (p *process) full(t *testing.T) {
	t.Helper()
	conn, err := p.in.SyscallConn()
	must(t, err)
	eventually(t, "the pipe is full", func() bool {
		room := 0
		must(t, conn.Control(func(fd uintptr) {
			room, err = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}, 0)
		}), ignoreEINTR(err))
		return err == nil && room == 0
	})
	must(t, p.in.Close())
}

func ignoreEINTR(err error) error {
	if errors.Is(err, syscall.EINTR) {
		return nil
	}
	return err
}

// Field case 46 and issue 2, must show: a library prints to stdout at random
// times while events of 1 MB go out: stdout stays pure.
func TestStrayPrintsBetweenBigEvents(t *testing.T) {
	t.Parallel()
	for name, merged := range map[string]bool{"apart": false, "2>&1": true} {
		t.Run(name, func(t *testing.T) {
			start := launchCmd
			if merged {
				start = launchMerged
			}
			size := 8
			if testing.Short() {
				size = 3
			}
			got := start(t, child(t, "stray", sizeVariable+"="+fmt.Sprint(size))).rest(t)
			if got.code != 0 {
				t.Fatalf("exit code %d: %.500s", got.code, got.stderr)
			}
			first, stream, _ := bytes.Cut(got.stdout, []byte("\n"))
			if string(first) != "stray: early" {
				t.Errorf("what was printed before the claim is gone: %.100q", first)
			}
			if records := whole(t, stream); len(ofKind(records, "system/warning")) != size {
				t.Errorf("%s", kinds(records))
			}
			for _, say := range []string{"stray: Println", "stray: descriptor 1", "stray: log", "no child program", "stray: late", "stray: latest"} {
				if !merged && !strings.Contains(string(got.stderr), say) {
					t.Errorf("%q is not on stderr: %.300q", say, got.stderr)
				}
			}
		})
	}
}

// B1, field cases 76 and 77: the reader closes after k bytes, for each k over a
// line: the calls say so, the context ends, and the exit code is 141.
func TestReaderClosesAfterBytes(t *testing.T) {
	var sound tape
	must(t, begin(t, quiet(&sound)).Emit(event.State{SessionState: "running"}))
	for k := range len(sound.bytes()) + 2 {
		read, write, err := os.Pipe()
		must(t, err)
		em, err := emit.New(t.Context(), quiet(write))
		must(t, err)
		go func() {
			_, _ = io.ReadFull(read, make([]byte, k))
			read.Close()
		}()
		within(t, "the emitter", func() {
			for em.Emit(event.State{SessionState: strings.Repeat("x", 500)}) == nil {
			}
			<-em.Context().Done()
			if err := em.Finish(event.Result{}); err == nil {
				t.Error("Finish returned nil")
			}
		})
		if em.ExitCode() != 141 {
			t.Fatalf("after %d bytes: exit code %d", k, em.ExitCode())
		}
		must(t, write.Close())
	}
}

// The same for processes: one that writes, one that waits for its model, and
// one that does not listen. None leaves a trace on stderr.
func TestReaderLeavesProcess(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		program string
		way     string
		wire    string
		bytes   int
	}{
		"writing, a line read":      {"firehose", "", "stream-json", 300},
		"writing, nothing read":     {"firehose", "", "stream-json", 0},
		"writing, half a line":      {"firehose", "", "stream-json", 70_000},
		"waiting, a line read":      {"waiter", "", "stream-json", 300},
		"waiting, nothing read":     {"waiter", "", "stream-json", 0},
		"waiting, json":             {"waiter", "", "json", 0},
		"waiting, text":             {"waiter", "", "text", 3},
		"waiting, an error":         {"waiter", "error", "stream-json", 300},
		"waiting, nil":              {"waiter", "nil", "stream-json", 300},
		"deaf to its context":       {"waiter", "never", "stream-json", 300},
		"deaf to its context, text": {"waiter", "never", "text", 3},
	} {
		t.Run(name, func(t *testing.T) {
			p := launch(t, c.program, wireVariable+"="+c.wire, wayVariable+"="+c.way, graceVariable+"=1h")
			_, err := io.ReadFull(p.out, make([]byte, c.bytes))
			must(t, err)
			must(t, p.out.Close())
			got := p.wait(t)
			if got.code != 141 || !strings.HasPrefix("waiting\ncancelled\n", string(got.stderr)) {
				t.Errorf("exit code %d, stderr %q", got.code, got.stderr)
			}
		})
	}
}

// B2: a full disk is exit code 74, and one clear line.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	for _, wire := range []string{"stream-json", "json", "text"} {
		for _, program := range []string{"answer", "firehose"} {
			if program == "firehose" && wire != "stream-json" {
				continue // writes nothing before its end, which never comes
			}
			t.Run(program+" "+wire, func(t *testing.T) {
				full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
				if err != nil {
					t.Skip("NOT TESTED: ", err)
				}
				defer full.Close()
				cmd := child(t, program, wireVariable+"="+wire)
				var stderr tape
				cmd.Stdout, cmd.Stderr = full, &stderr
				code := exitCode(t, cmd.Run())
				if text := stderr.String(); code != 74 || strings.Count(text, "\n") != 1 || !strings.Contains(text, syscall.ENOSPC.Error()) {
					t.Errorf("exit code %d, stderr %q", code, text)
				}
			})
		}
	}
}

// B4, field cases 25 and 26: a final text of 1 MB arrives whole through a slow
// pipe, whatever the exit code.
func TestBigResultThroughSlowPipe(t *testing.T) {
	t.Parallel()
	for _, wire := range []string{"stream-json", "json", "text"} {
		for way, want := range map[string]int{"": 0, "turns": 3} {
			t.Run(fmt.Sprint(wire, " exit ", want), func(t *testing.T) {
				p := launch(t, "answer", wireVariable+"="+wire, wayVariable+"="+way)
				for buf := make([]byte, 5000); ; time.Sleep(20 * time.Microsecond) { // a slow reader
					n, err := p.out.Read(buf)
					p.read = append(p.read, buf[:n]...)
					if err == io.EOF {
						break
					}
					must(t, err)
				}
				got := p.wait(t)
				text := string(got.stdout)
				switch wire {
				case "stream-json":
					text = last(whole(t, got.stdout)).str("result")
				case "json":
					r, err := parse(compact(t, got.stdout))
					must(t, err)
					text = r.str("result")
				}
				if got.code != want || strings.TrimSuffix(text, "\n") != strings.Repeat("0123456789abcdef", 1<<16) {
					t.Errorf("exit code %d, %d bytes of text; stderr %q", got.code, len(text), got.stderr)
				}
			})
		}
	}
}

// B7, field cases 26 and 29: whatever ends the process right behind an event,
// the event is in the pipe.
func TestAbruptEndLosesNothing(t *testing.T) {
	t.Parallel()
	for way, want := range map[string]int{"os.Exit": 7, "log.Fatal": 1, "zerolog": 1, "bare panic": 2, "SIGKILL": -1} {
		t.Run(way, func(t *testing.T) {
			got := launch(t, "abrupt", wayVariable+"="+way).rest(t)
			records, cut := lines(t, got.stdout)
			checkPrefix(t, records)
			if len(ofKind(records, "system/warning")) < 100 || len(cut) > 0 || got.code != want {
				t.Errorf("exit code %d, %d lines and %q; stderr %.200q", got.code, len(records), cut, got.stderr)
			}
			if strings.Contains(string(got.stderr), "fatal: the end") != (want == 1 || want == 2) {
				t.Errorf("stderr %.300q", got.stderr)
			}
		})
	}
}

// Field case 82: started with descriptors closed, a run ends well, and what it
// writes lands nowhere else.
func TestClosedDescriptorsAtStart(t *testing.T) {
	t.Parallel()
	for closed := range 8 {
		t.Run(fmt.Sprintf("%03b", closed), func(t *testing.T) {
			exe, err := os.Executable()
			must(t, err)
			var files [3]*os.File
			dir := t.TempDir()
			for fd := range files {
				if closed&(1<<fd) == 0 {
					files[fd], err = os.OpenFile(filepath.Join(dir, fmt.Sprint(fd)), os.O_RDWR|os.O_CREATE, 0o600)
					must(t, err)
					defer files[fd].Close()
				}
			}
			p, err := os.StartProcess(exe, []string{exe}, &os.ProcAttr{Env: childEnv("quick"), Files: files[:]})
			must(t, err)
			guard := time.AfterFunc(hangGuard, func() { _ = p.Kill() })
			defer guard.Stop()
			state, err := p.Wait()
			must(t, err)
			if state.ExitCode() != 0 {
				t.Errorf("%v", state)
			}
			for fd, f := range files {
				if f == nil {
					continue
				}
				text, err := os.ReadFile(f.Name())
				must(t, err)
				if fd == 1 {
					whole(t, text)
				} else if len(text) > 0 {
					t.Errorf("descriptor %d has %q", fd, text)
				}
			}
		})
	}
}

// Whatever becomes of stderr, be it that nobody reads it or that its reader has
// gone, events are not held up, and a panic does not hang behind its result.
func TestStderrNobodyReads(t *testing.T) {
	t.Parallel()
	for name, gone := range map[string]bool{"unread": false, "reader gone": true} {
		for _, way := range []string{"", "panic"} {
			t.Run(name+" "+way, func(t *testing.T) {
				read, write, err := os.Pipe()
				must(t, err)
				defer read.Close()
				cmd := child(t, "chatty", wayVariable+"="+way)
				var stdout tape
				cmd.Stdout, cmd.Stderr = &stdout, write
				if gone {
					must(t, read.Close())
				}
				must(t, cmd.Start(), write.Close())
				code := exitCode(t, cmd.Wait())
				records := whole(t, stdout.bytes())
				if n := len(ofKind(records, "system/warning")); n != 2000 {
					t.Errorf("%d of 2000 warnings are in the stream", n)
				}
				if want := map[string]int{"": 0, "panic": 1}[way]; code != want {
					t.Errorf("exit code %d, want %d", code, want)
				}
			})
		}
	}
}

// A program that prints to a stderr without a reader by itself is not ended by
// SIGPIPE, in any format.
func TestOwnWordsToGoneStderr(t *testing.T) {
	t.Parallel()
	for _, wire := range []string{"stream-json", "json", "text"} {
		read, write, err := os.Pipe()
		must(t, err)
		cmd := child(t, "chatty", wayVariable+"=own", wireVariable+"="+wire)
		var stdout tape
		cmd.Stdout, cmd.Stderr = &stdout, write
		must(t, read.Close(), cmd.Start(), write.Close())
		if code := exitCode(t, cmd.Wait()); code != 0 {
			t.Errorf("%s: exit code %d", wire, code)
		}
	}
}

// A panic under 2>&1 leaves its value in the result, and no trace in the stream.
func TestPanicOnMergedStreams(t *testing.T) {
	t.Parallel()
	p := launchMerged(t, child(t, "chatty", wayVariable+"=panic", sizeVariable+"=3"))
	got := p.rest(t)
	r := last(whole(t, got.stdout))
	if got.code != 1 || !strings.Contains(errorsOf(r), "the end of the chatter") {
		t.Errorf("exit code %d, %.300s", got.code, r.raw)
	}
}

// B8: a FIFO is a stdout like any other.
func TestFIFO(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "fifo")
	must(t, unix.Mkfifo(path, 0o600))
	read, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	must(t, err)
	defer read.Close()
	write, err := os.OpenFile(path, os.O_WRONLY, 0)
	must(t, err)
	cmd := child(t, "ticker", sizeVariable+"=500")
	cmd.Stdout = write
	must(t, cmd.Start(), write.Close())
	p := &process{cmd: cmd, out: read, lines: bufio.NewReader(read)}
	for range 1000 {
		p.line(t)
	}
	p.send(t, syscall.SIGTERM)
	got := p.rest(t)
	records := whole(t, got.stdout)
	if got.code != 143 || last(records).str("subtype") != "interrupted" {
		t.Errorf("exit code %d, %.300s", got.code, last(records).raw)
	}
}

// B10: a terminal that hangs up is a reader that has gone; the one that controls
// the process also sends SIGHUP.
func TestTerminalHangsUp(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"firehose", "waiter"} {
		for _, wire := range []string{"stream-json", "text"} {
			for name, controls := range map[string]bool{"": false, ", controlling": true} {
				if program == "firehose" && wire == "text" {
					continue // writes nothing before its end, which never comes
				}
				t.Run(program+" "+wire+name, func(t *testing.T) {
					ours, theirs, err := pty.Open()
					must(t, err)
					cmd := child(t, program, wireVariable+"="+wire)
					var stderr tape
					cmd.Stdout, cmd.Stderr = theirs, &stderr
					cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: controls, Ctty: 1}
					must(t, cmd.Start())
					must(t, theirs.Close())
					_, err = io.ReadFull(ours, make([]byte, 4))
					must(t, err)
					must(t, ours.Close())
					code := exitCode(t, cmd.Wait())
					// The system sends SIGHUP first, but the runtime may bring it last.
					if code != 141 && !(controls && code == 129) {
						t.Errorf("exit code %d; stderr %q", code, stderr.String())
					}
					if text := stderr.String(); !strings.HasPrefix("waiting\ncancelled\n", text) {
						t.Errorf("stderr %q", text)
					}
				})
			}
		}
	}
}
