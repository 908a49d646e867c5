//go:build linux || darwin

package stdfd_test

import (
	"errors"
	"os"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/streamjson/streamjson/stdio/internal/stdfd"
)

// Taking the stdout of a process is tested by stdio, with processes.

func TestDuplicateIsHighAndCloseOnExec(t *testing.T) {
	f, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for range 3 {
		fd, err := stdfd.Duplicate(int(f.Fd()))
		if err != nil {
			t.Fatal(err)
		}
		defer syscall.Close(fd)
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		if fd < 10 || err != nil || flags&unix.FD_CLOEXEC == 0 {
			t.Errorf("descriptor %d, flags %d, %v", fd, flags, err)
		}
	}
}

func TestDuplicateOfNothing(t *testing.T) {
	for _, fd := range []int{-1, 1 << 20} {
		if got, err := stdfd.Duplicate(fd); got >= 0 || err != syscall.EBADF {
			t.Errorf("%d: %d, %v", fd, got, err)
		}
	}
}

func TestAdoptWithoutEarly(t *testing.T) {
	if taken := stdfd.Adopt(); taken != nil {
		t.Error("something was taken")
	}
}

func TestErrorTellsStepAndCause(t *testing.T) {
	err := &stdfd.Error{Step: "open the door", Err: syscall.ENOENT}
	if err.Error() != "stdio: cannot open the door: no such file or directory" || !errors.Is(err, syscall.ENOENT) {
		t.Error(err)
	}
}
