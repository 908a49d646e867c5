//go:build linux || darwin

package stdio_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/streamjson/streamjson/stdio"
)

func roleRelease() {
	_, err := unix.FcntlInt(1, unix.F_SETFD, unix.FD_CLOEXEC) // must survive
	must(err)
	before := identity(0) + identity(1) + identity(2)
	files := len(openFiles())
	for range 3 {
		all := make(chan *stdio.Stdout)
		for range 8 {
			go func() { all <- claimed() }()
		}
		s := <-all
		for range 7 {
			if other := <-all; other != s {
				panic("two claims")
			}
		}
		fmt.Println("stray")
		line(s, "event")
		var wait sync.WaitGroup
		for range 8 {
			wait.Go(func() { must(s.Release()) })
		}
		wait.Wait()
		if after := identity(0) + identity(1) + identity(2); after != before {
			panic(before + " became " + after)
		}
		if _, err := s.Write([]byte("late")); !errors.Is(err, os.ErrClosed) {
			panic(err)
		}
		fmt.Println("out")
	}
	if now := len(openFiles()); now != files {
		panic(fmt.Sprintf("%d open files became %d", files, now))
	}
}

// openFiles returns the descriptors in use and their flags.
func openFiles() map[int]int {
	files := make(map[int]int)
	for fd := range 256 {
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil {
			files[fd] = flags
		}
	}
	return files
}

func TestReleaseRestoresEverything(t *testing.T) {
	out, err := drained(t, "pipe"), drained(t, "pipe")
	cmd := command(t, "release")
	cmd.Stdout, cmd.Stderr = out.child, err.child
	check(t, cmd.Start())
	code := exitCode(t, cmd)
	if got, want := out.all(t), "event\nout\nevent\nout\nevent\nout\n"; code != 0 || got != want {
		t.Errorf("exit %d, stdout is %q", code, got)
	}
	if got, want := err.all(t), "stray\nstray\nstray\n"; got != want {
		t.Errorf("stderr is %q", got)
	}
}

// Release and the other methods answer while a Write waits for its reader; the
// write itself goes on, whole.
func TestMethodsAnswerWhileAWriteWaits(t *testing.T) {
	var fds [2]int
	check(t, unix.Pipe(fds[:]))
	r := os.NewFile(uintptr(fds[0]), "r")
	defer r.Close()
	out := stdio.OnDescriptor(fds[1])
	written := make(chan error, 1)
	go func() {
		_, err := out.Write(pattern(1 << 20))
		written <- err
	}()
	got := make([]byte, 1<<20)
	_, err := io.ReadFull(r, got[:1]) // the write is on its way, and can't end
	check(t, err)
	within(t, "a method", func() {
		out.IsTerminal()
		out.Mirrored()
		out.ReaderGone(syscall.EPIPE)
		out.WatchReader(func(error) {})()
		release, err := stdio.Reserve(out)
		check(t, err)
		release()
		check(t, out.Release())
	})
	if _, err := unix.FcntlInt(uintptr(fds[1]), unix.F_GETFD, 0); err != nil {
		t.Error("Release closed the descriptor under a Write")
	}
	_, err = io.ReadFull(r, got[1:])
	check(t, err)
	check(t, <-written)
	if n, err := r.Read(got); n != 0 || err != io.EOF {
		t.Errorf("the descriptor was not closed behind the write: %d, %v", n, err)
	}
}

func roleRaw() {
	p, err := stdio.Raw()
	must(err)
	fmt.Println("one")
	line(p, "two")
	strayPrints("early")
	s := claimed()
	fmt.Println("stray")
	line(s, "three")
	line(p, "four")
	again, err := stdio.Raw() // the claim stays
	must(err)
	line(again, "five")
	fmt.Println("stray")
	if again == p || p.Mirrored() || again.Mirrored() {
		panic("raw is not raw")
	}
	must(again.Release())
	must(p.Release())
	line(s, "six")
}

func TestRawRedirectsNothing(t *testing.T) {
	out, err := drained(t, "pipe"), drained(t, "pipe")
	cmd := command(t, "raw")
	cmd.Stdout, cmd.Stderr = out.child, err.child
	check(t, cmd.Start())
	code := exitCode(t, cmd)
	got := out.all(t)
	if want := "one\ntwo\nstray early fmt\nstray early log\nstray early syscall\nstray early file\n" +
		"stray early child\nstray early grandchild\nthree\nfour\nfive\nsix\n"; code != 0 || got != want {
		t.Errorf("exit %d, stdout is %q", code, got)
	}
	if got, want := err.all(t), "stray early println\nstray\nstray\n"; got != want {
		t.Errorf("stderr is %q", got)
	}
}

// roleRawUnclaimed is a text program whose reader has gone.
func roleRawUnclaimed() {
	p, err := stdio.Raw()
	must(err)
	_, err = p.Write([]byte("text\n"))
	fmt.Fprint(os.Stderr, stdio.IsReaderGone(err))
}

func TestRawBrokenPipeIsAnError(t *testing.T) {
	out, err := open(t, "pipe"), drained(t, "pipe")
	cmd := command(t, "rawUnclaimed")
	cmd.Stdout, cmd.Stderr = out.child, err.child
	out.ours.Close()
	check(t, cmd.Start())
	code := exitCode(t, cmd)
	if got := err.all(t); code != 0 || got != "true" {
		t.Errorf("exit %d, stderr is %q", code, got)
	}
}

func roleNoFiles() {
	var limit syscall.Rlimit
	must(syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	must(syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 40, Max: limit.Max}))

	var spare []int
	for {
		fd, err := syscall.Dup(0)
		if err != nil {
			break
		}
		spare = append(spare, fd)
	}
	state := func() string { return fmt.Sprint(identity(1), identity(2), openFiles()) }
	failed := 0
	for ; ; failed++ {
		before := state()
		s, err := stdio.Claim()
		if err == nil {
			line(s, fmt.Sprint("claimed after failures: ", failed > 0))
			return
		}
		if s != nil || !errors.Is(err, syscall.EMFILE) || state() != before {
			panic(fmt.Sprintf("failure %d, %v: %s became %s", failed, err, before, state()))
		}
		must(syscall.Close(spare[len(spare)-1]))
		spare = spare[:len(spare)-1]
	}
}

// Whatever step of a claim fails, nothing has changed: with no free descriptor,
// with one, and so on until it succeeds.
func TestFailedClaimChangesNothing(t *testing.T) {
	for _, mirrored := range []bool{true, false} {
		out, err := drained(t, "pipe"), drained(t, "pipe")
		cmd := command(t, "noFiles")
		cmd.Stdout, cmd.Stderr = out.child, err.child
		if mirrored {
			cmd.Stderr = out.child
		}
		check(t, cmd.Start())
		code := exitCode(t, cmd)
		if got := out.all(t); code != 0 || got != "claimed after failures: true\n" {
			t.Errorf("mirrored %v: exit %d, stdout is %q: %s", mirrored, code, got, err.all(t))
		}
	}
}

func roleFewFiles() {
	var old syscall.Rlimit
	must(syscall.Getrlimit(syscall.RLIMIT_NOFILE, &old))
	limit := func(n uint64) {
		must(syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: n, Max: old.Max}))
	}
	before := identity(1)
	limit(3)
	for _, claim := range []func() (*stdio.Stdout, error){stdio.Claim, stdio.Raw} {
		if s, err := claim(); s != nil || err == nil {
			panic("claimed beyond the limit")
		}
	}
	if _, err := stdio.ClaimProse(); err == nil {
		panic("claimed beyond the limit")
	}
	if identity(1) != before {
		panic("a failed claim changed stdout")
	}
	limit(9)
	s := claimed()
	fmt.Println("stray")
	line(s, "event")
}

// No descriptor to be had is an error that changes nothing; a low limit is
// lived with.
func TestClaimUnderAFileLimit(t *testing.T) {
	out, err := drained(t, "pipe"), drained(t, "pipe")
	cmd := command(t, "fewFiles")
	cmd.Stdout, cmd.Stderr = out.child, err.child
	check(t, cmd.Start())
	code := exitCode(t, cmd)
	text := err.all(t)
	if got := out.all(t); code != 0 || got != "event\n" || text != "stray\n" {
		t.Errorf("exit %d, stdout is %q, stderr is %q", code, got, text)
	}
}

func roleChildren() {
	inherited := openFiles()
	s := claimed()
	p, err := stdio.ClaimProse()
	must(err)
	raw, err := stdio.Raw()
	must(err)
	stop := s.WatchReader(func(error) {})
	defer stop()
	high := 0
	for fd, flags := range openFiles() {
		if _, ok := inherited[fd]; ok {
			continue
		}
		if flags&unix.FD_CLOEXEC == 0 {
			panic(fmt.Sprint("children inherit descriptor ", fd))
		}
		if fd >= 10 {
			high++
		}
	}
	if high != 4 { // the claim, the prose, raw, the watch
		panic(fmt.Sprint(high, " private descriptors with a high number"))
	}
	for _, w := range []io.Writer{s, p, raw} { // they were in use until here
		line(w, "end")
	}
}

// Children must not hold our descriptors: a reader would wait for their end.
func TestPrivateDescriptorsAreHighAndCloseOnExec(t *testing.T) {
	out, err := drained(t, "pipe"), drained(t, "pipe")
	cmd := command(t, "children")
	cmd.Stdout, cmd.Stderr = out.child, err.child
	check(t, cmd.Start())
	if code := exitCode(t, cmd); code != 0 {
		t.Errorf("exit %d: %s", code, err.all(t))
	}
}
