//go:build linux || darwin

package stdfd

import "syscall"

const (
	stdout = 1
	stderr = 2
)

// Error is a step that the system refused, and why.
type Error struct {
	Step string
	Err  error
}

func (e *Error) Error() string { return "stdio: cannot " + e.Step + ": " + e.Err.Error() }

// Unwrap returns the system's error.
func (e *Error) Unwrap() error { return e.Err }

// Taken is the standard output of the process, taken from descriptor 1.
type Taken struct {
	// Out is a private, close-on-exec duplicate of what descriptor 1 was.
	Out int
	// Err is the same of descriptor 2, and -1 while that one is left alone.
	Err int
	// Same tells that descriptors 1 and 2 were one pipe, file or socket. Then
	// descriptor 1 leads to /dev/null, else to the file of descriptor 2.
	Same bool

	outFlags, errFlags int // of descriptors 1 and 2: close-on-exec
}

// Take duplicates descriptor 1 and points it away. On an error nothing has
// changed.
func Take() (*Taken, error) {
	flags, err := fcntl(stdout, syscall.F_GETFD, 0)
	if err != nil {
		return nil, &Error{"use descriptor 1 (stdout)", err}
	}
	out, err := Duplicate(stdout)
	if err != nil {
		return nil, &Error{"duplicate descriptor 1 (stdout)", err}
	}
	t := &Taken{Out: out, Err: -1, Same: oneStream(stdout, stderr), outFlags: flags}
	if t.Same {
		err = pointAtNull(stdout)
	} else if err = point(stderr, stdout); err == syscall.EBADF {
		err = pointAtNull(stdout) // no stderr to send stray prints to
	}
	if err != nil {
		syscall.Close(out)
		return nil, &Error{"point descriptor 1 (stdout) elsewhere", err}
	}
	return t, nil
}

// MuteErr points descriptor 2 at /dev/null as well, where both descriptors
// were one stream: what is logged there would land in it. Elsewhere, and the
// second time, it does nothing.
func (t *Taken) MuteErr() error {
	if !t.Same || t.Err >= 0 {
		return nil
	}
	flags, err := fcntl(stderr, syscall.F_GETFD, 0)
	if err != nil {
		return &Error{"use descriptor 2 (stderr)", err}
	}
	dup, err := Duplicate(stderr)
	if err != nil {
		return &Error{"duplicate descriptor 2 (stderr)", err}
	}
	if err := pointAtNull(stderr); err != nil {
		syscall.Close(dup)
		return &Error{"point descriptor 2 (stderr) at /dev/null", err}
	}
	t.Err, t.errFlags = dup, flags
	return nil
}

// Restore gives descriptor 1, and 2 where it was muted, their files and flags
// back. Out stays open: it is the caller's to close.
func (t *Taken) Restore() error {
	err := giveBack(t.Out, stdout, t.outFlags)
	if t.Err >= 0 {
		if e := giveBack(t.Err, stderr, t.errFlags); err == nil {
			err = e
		}
		syscall.Close(t.Err)
		t.Err = -1
	}
	if err != nil {
		return &Error{"give the standard descriptors back", err}
	}
	return nil
}

func giveBack(private, std, flags int) error {
	if err := point(private, std); err != nil {
		return err
	}
	_, err := fcntl(std, syscall.F_SETFD, flags)
	return err
}

// oneStream tells whether a and b are the same pipe, regular file or socket.
// Devices are exempt: two prints on one terminal disturb nobody, and /dev/null
// is shared by everyone.
func oneStream(a, b int) bool {
	var sa, sb syscall.Stat_t
	if fstat(a, &sa) != nil || fstat(b, &sb) != nil {
		return false
	}
	switch sa.Mode & syscall.S_IFMT {
	case syscall.S_IFREG, syscall.S_IFIFO, syscall.S_IFSOCK:
		return sa.Mode&syscall.S_IFMT == sb.Mode&syscall.S_IFMT && sa.Dev == sb.Dev && sa.Ino == sb.Ino
	}
	return false
}
