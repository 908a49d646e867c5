//go:build linux || darwin

package stdfd

import "syscall"

// Private descriptors get high numbers: should a program close a standard
// descriptor, ours must not be what the next open file is taken for, nor stand
// where a child expects one of its own.
const (
	highDescriptor   = 10
	lowestDescriptor = 3
)

// Duplicate returns a close-on-exec duplicate of fd with a high number.
func Duplicate(fd int) (int, error) {
	dup, err := fcntl(fd, syscall.F_DUPFD_CLOEXEC, highDescriptor)
	if err == syscall.EINVAL || err == syscall.EMFILE { // a low limit on descriptors
		return fcntl(fd, syscall.F_DUPFD_CLOEXEC, lowestDescriptor)
	}
	return dup, err
}

// fcntl goes through Syscall because package syscall exports no wrapper, and
// x/sys/unix is out of bounds here.
func fcntl(fd, cmd, arg int) (int, error) {
	for {
		r, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), uintptr(cmd), uintptr(arg))
		switch errno {
		case 0:
			return int(r), nil
		case syscall.EINTR:
		default:
			return -1, errno
		}
	}
}

// point makes descriptor to another name for from's file. EBUSY means that an
// open on another thread is about to get that number.
func point(from, to int) error {
	for {
		err := dup2(from, to)
		if err != syscall.EINTR && err != syscall.EBUSY {
			return err
		}
	}
}

func pointAtNull(to int) error {
	for {
		null, err := syscall.Open("/dev/null", syscall.O_WRONLY|syscall.O_CLOEXEC, 0)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return err
		}
		if null == to { // it was closed; it must reach children, as stdout does
			_, err = fcntl(to, syscall.F_SETFD, 0)
			return err
		}
		err = point(null, to)
		syscall.Close(null)
		return err
	}
}

func fstat(fd int, st *syscall.Stat_t) error {
	for {
		if err := syscall.Fstat(fd, st); err != syscall.EINTR {
			return err
		}
	}
}
