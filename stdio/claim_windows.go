package stdio

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// sigpipe is empty: the system has no such signal.
var sigpipe = [0]os.Signal{}

// claim replaces the standard handle, and the variables os.Stdout and
// syscall.Stdout, which have copies of it. It is called with the process's lock
// held, as is raw.
func claim() (*Stdout, error) {
	s, err := raw()
	if err != nil {
		return nil, err
	}
	before := standard{os.Stdout, os.Stderr}
	after := standard{os.Stderr, os.Stderr}
	if s.mirrored = sameStream(before.out, before.err); s.mirrored {
		null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
		if err != nil {
			s.file.Close()
			return nil, fmt.Errorf("stdio: cannot point stdout and stderr at NUL: %w", err)
		}
		after = standard{null, null}
	}
	if err := after.install(); err != nil {
		_ = before.install()
		s.file.Close()
		return nil, fmt.Errorf("stdio: cannot replace the standard handles: %w", err)
	}
	s.undo = before.install
	return s, nil
}

// standard is what os.Stdout and os.Stderr are.
type standard struct{ out, err *os.File }

func (s standard) install() error {
	os.Stdout, os.Stderr = s.out, s.err
	syscall.Stdout, syscall.Stderr = syscall.Handle(s.out.Fd()), syscall.Handle(s.err.Fd())
	err := windows.SetStdHandle(windows.STD_OUTPUT_HANDLE, windows.Handle(s.out.Fd()))
	if err != nil {
		return err
	}
	return windows.SetStdHandle(windows.STD_ERROR_HANDLE, windows.Handle(s.err.Fd()))
}

// raw duplicates the handle of stdout, not to be inherited.
func raw() (*Stdout, error) {
	from := os.Stdout
	key := from.Fd()
	if process.claim != nil {
		from, key = process.claim.file, process.claim.key
	}
	var dup windows.Handle
	self := windows.CurrentProcess()
	err := windows.DuplicateHandle(self, windows.Handle(from.Fd()), self, &dup, 0, false, windows.DUPLICATE_SAME_ACCESS)
	if err != nil {
		return nil, fmt.Errorf("stdio: cannot duplicate the handle of stdout: %w", err)
	}
	f := os.NewFile(uintptr(dup), stdoutName)
	s := &Stdout{file: f, closer: f.Close, key: key, terminal: isTerminalFile(f), stderr: -1}
	s.port, s.own = filePort(f)
	return s, nil
}

// sameStream tells whether two files are one pipe or disk file.
func sameStream(a, b *os.File) bool {
	if a == nil || b == nil {
		return false
	}
	ha, hb := windows.Handle(a.Fd()), windows.Handle(b.Fd())
	switch kind, _ := windows.GetFileType(ha); kind {
	case windows.FILE_TYPE_DISK:
		ia, err := a.Stat()
		if err != nil {
			return false
		}
		ib, err := b.Stat()
		return err == nil && os.SameFile(ia, ib)
	case windows.FILE_TYPE_PIPE:
		if ha == hb {
			return true
		}
		compare := windows.NewLazySystemDLL("kernelbase.dll").NewProc("CompareObjectHandles")
		if compare.Find() != nil { // before Windows 10
			return false
		}
		same, _, _ := compare.Call(uintptr(ha), uintptr(hb))
		return same != 0
	}
	return false
}

func isTerminalFile(f *os.File) bool {
	yes := false
	control(f, func(fd int) {
		var mode uint32
		yes = windows.GetConsoleMode(windows.Handle(fd), &mode) == nil
	})
	return yes
}

// claimProse is called with the process's lock held.
func claimProse() (*Prose, error) { return NewProse(os.Stderr), nil }
