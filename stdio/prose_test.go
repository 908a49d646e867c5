//go:build linux || darwin

package stdio_test

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/streamjson/streamjson/stdio"
)

const proseLine = "a line of prose, number %07d, that somebody should read some day\n"

func proseLines(from, to int) (text []byte) {
	for i := from; i < to; i++ {
		text = fmt.Appendf(text, proseLine, i)
	}
	return text
}

// accounts checks what came of prose that was written while nobody read: lines
// in order, whole, and the dropped bytes told where they are missing. It returns
// how many lines arrived and how often drops were told.
func accounts(t *testing.T, got string, lines int) (arrived, told int) {
	t.Helper()
	size := len(fmt.Sprintf(proseLine, 0))
	next := 0
	for l := range strings.Lines(got) {
		var n int
		if c, err := fmt.Sscanf(l, "stdio: %d bytes of stderr dropped here: its reader was too slow", &n); c == 1 && err == nil {
			if n <= 0 || n%size != 0 {
				t.Errorf("%d bytes dropped are no whole lines", n)
			}
			next += n / size
			told++
			continue
		}
		if l != fmt.Sprintf(proseLine, next) {
			t.Fatalf("line %d is %q", next, l)
		}
		next++
		arrived++
	}
	if next != lines {
		t.Errorf("%d lines arrived or were told as dropped, of %d", next, lines)
	}
	return arrived, told
}

// Prose never waits for its reader, and accounts for every byte.
func TestProseOnAFullStderr(t *testing.T) {
	for _, kind := range watchedKinds {
		for i := range 4 {
			blocking, batch := i&1 != 0, 1+i&2*20
			t.Run(fmt.Sprint(kind, " blocking ", blocking, " lines a write ", batch), func(t *testing.T) {
				t.Parallel()
				s := open(t, kind)
				check(t, syscall.SetNonblock(int(s.child.Fd()), !blocking))
				p := stdio.NewProse(s.child)
				const lines = 6000 // 400 KB, more than any buffer
				within(t, "Write", func() {
					for i := 0; i < lines; i += batch {
						text := proseLines(i, min(i+batch, lines))
						if n, err := p.Write(text); n != len(text) || err != nil {
							t.Error(n, err)
						}
					}
					p.Drain(time.Millisecond) // no room yet
				})
				s.drain()
				p.Drain(hangGuard)
				line(p, strings.TrimSuffix(fmt.Sprintf(proseLine, lines), "\n"))
				p.Drain(hangGuard)
				arrived, told := accounts(t, s.all(t), lines+1)
				if told != 1 {
					t.Errorf("told %d times", told)
				}
				if min := stdio.MaxHeld / len(proseLine); arrived < min {
					t.Errorf("%d lines arrived, at least %d fit", arrived, min)
				}
			})
		}
	}
}

// A reader who is only slow finds every gap told at its place.
func TestProseWithASlowReader(t *testing.T) {
	s := open(t, "pipe")
	p := stdio.NewProse(s.child)
	var got strings.Builder
	buf := make([]byte, 512)
	const lines = 10_000
	for i := range lines {
		fmt.Fprintf(p, proseLine, i)
		if i%16 == 0 {
			n, err := s.ours.Read(buf)
			check(t, err)
			got.Write(buf[:n])
		}
	}
	s.drain()
	p.Drain(hangGuard)
	got.WriteString(s.all(t))
	if _, told := accounts(t, got.String(), lines); told < 2 || told > 20 {
		t.Errorf("told %d times", told)
	}
}

// A line that is too long for every buffer is cut, and the cut is told on a line
// of its own.
func TestProseLongLine(t *testing.T) {
	s := open(t, "pipe")
	p := stdio.NewProse(s.child)
	long := strings.Repeat("x", 1<<20) + "\n"
	within(t, "Write", func() { line(p, long[:1<<20]) })
	line(p, "next")
	s.drain()
	p.Drain(hangGuard)
	got := strings.SplitAfter(s.all(t), "\n")
	if len(got) != 4 || got[2] != "next\n" {
		t.Fatalf("%d lines, the third is %.50q", len(got), got[2])
	}
	want := fmt.Sprintf("stdio: %d bytes of stderr dropped here: its reader was too slow\n", len(long)-(len(got[0])-1))
	if strings.Trim(got[0], "x") != "\n" || got[1] != want {
		t.Errorf("%d bytes, then %q", len(got[0]), got[1])
	}
}

// Writes to a pipe stay within what it takes as one, so that other writers'
// lines do not land inside ours.
func TestProseWritesWholeLines(t *testing.T) {
	packets := open(t, "packets")
	p := stdio.NewProse(packets.child)
	_, err := p.Write([]byte(strings.Repeat(fmt.Sprintf(proseLine, 1), 200)))
	check(t, err)
	buf := make([]byte, 1<<20)
	for left := 200 * len(fmt.Sprintf(proseLine, 1)); left > 0; {
		n, err := packets.ours.Read(buf)
		check(t, err)
		if left -= n; n > 4096 || buf[n-1] != '\n' {
			t.Errorf("a write of %d bytes that ends in %q", n, buf[n-1])
		}
	}
}

func TestProseWithoutReader(t *testing.T) {
	for _, kind := range watchedKinds {
		s := open(t, kind)
		p := stdio.NewProse(s.child)
		check(t, s.ours.Close())
		for range 3 {
			line(p, "prose")
		}
		within(t, "Drain", func() { p.Drain(time.Hour) }) // nothing to wait for
	}
}

func TestProseOfNothing(t *testing.T) {
	closed := open(t, "pipe").child
	closed.Close()
	for _, f := range []*os.File{nil, closed} {
		p := stdio.NewProse(f)
		line(p, "prose")
		within(t, "Drain", func() { p.Drain(time.Hour) })
		if p.IsTerminal() {
			t.Error("a terminal")
		}
	}
}

// A full disk may be emptied: the bytes are held, and drained as far as may be.
func TestProseOnAFullDevice(t *testing.T) {
	p := stdio.NewProse(open(t, "full").child)
	within(t, "Write", func() {
		for i := range 5000 {
			fmt.Fprintf(p, proseLine, i)
		}
		p.Drain(time.Millisecond)
	})
}

func TestProseMute(t *testing.T) {
	s := open(t, "pipe")
	p := stdio.NewProse(s.child)
	line(p, "one")
	fill(t, s.child)
	line(p, "held, and discarded")
	p.Mute()
	line(p, "two")
	s.drain()
	within(t, "Drain", func() { p.Drain(time.Hour) })
	if got := strings.TrimRight(s.all(t), "\x00"); got != "one\n" {
		t.Errorf("%q", got)
	}
}

func TestProseIsTerminal(t *testing.T) {
	for _, kind := range streamKinds {
		if got := stdio.NewProse(open(t, kind).child).IsTerminal(); got != (kind == "pty") {
			t.Errorf("%s: %v", kind, got)
		}
		if got := stdio.FromFile(open(t, kind).child).IsTerminal(); got != (kind == "pty") {
			t.Errorf("%s: %v", kind, got)
		}
	}
}

// Lines of many goroutines come out whole while others drain.
func TestProseFromManyGoroutines(t *testing.T) {
	s := drained(t, "pipe")
	p := stdio.NewProse(s.child)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 500 {
				line(p, "a whole line")
				p.Drain(time.Millisecond)
			}
		})
	}
	wait.Wait()
	p.Drain(hangGuard)
	for l := range strings.Lines(s.all(t)) {
		if l != "a whole line\n" && !strings.HasPrefix(l, "stdio: ") {
			t.Errorf("%q", l)
		}
	}
}

func roleProse() {
	p, err := stdio.ClaimProse()
	must(err)
	s := claimed()
	if s.Mirrored() {
		panic("mirrored")
	}
	for i := range 6000 {
		fmt.Fprintf(p, proseLine, i)
	}
	line(s, "event")
	p.Drain(hangGuard)
}

// The same for the stderr of a process, which others share: its mode must stay
// what it was.
func TestClaimedProseOnAFullStderr(t *testing.T) {
	for _, kind := range watchedKinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			out, err := open(t, "pipe"), open(t, kind)
			cmd := command(t, "prose")
			cmd.Stdout, cmd.Stderr = out.child, err.child
			check(t, cmd.Start())
			out.child.Close()
			got, e := io.ReadAll(io.LimitReader(out.ours, 6)) // nobody reads stderr yet
			check(t, e)
			if string(got) != "event\n" {
				t.Errorf("stdout is %q", got)
			}
			if flags := statusFlags(t, err.child); flags&syscall.O_NONBLOCK != 0 {
				t.Error("stderr was made non-blocking for everyone")
			}
			err.drain()
			code := exitCode(t, cmd)
			if _, told := accounts(t, err.all(t), 6000); code != 0 || told != 1 {
				t.Errorf("exit %d, told %d times", code, told)
			}
		})
	}
}

func roleProseShared() {
	p, err := stdio.ClaimProse()
	must(err)
	fmt.Fprintln(os.Stderr, "one")
	line(p, "two")
	fmt.Fprintln(os.Stderr, "three")
	line(p, "four")
}

// Prose and what others write to stderr keep their order, in a file too, where
// each open file has a position of its own.
func TestClaimedProseSharesStderr(t *testing.T) {
	for _, kind := range streamKinds {
		err := drained(t, kind)
		cmd := command(t, "proseShared")
		cmd.Stderr = err.child
		check(t, cmd.Start())
		code := exitCode(t, cmd)
		if got := err.all(t); code != 0 || kind != "null" && got != "one\ntwo\nthree\nfour\n" {
			t.Errorf("%s: exit %d, stderr is %q", kind, code, got)
		}
	}
}

func roleProseGone() {
	p, err := stdio.ClaimProse()
	must(err)
	for range 10 {
		line(p, "prose")
	}
	p.Drain(time.Hour)
}

// Prose alone, without a claim of stdout, does not end the process either.
func TestClaimedProseWithoutReader(t *testing.T) {
	for _, kind := range watchedKinds {
		err := open(t, kind)
		cmd := command(t, "proseGone")
		cmd.Stderr = err.child
		check(t, err.ours.Close())
		check(t, cmd.Start())
		if code := exitCode(t, cmd); code != 0 {
			t.Errorf("%s: exit %d", kind, code)
		}
	}
}
