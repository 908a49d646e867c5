package proc

import (
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ownGroup makes cmd the leader of a process group of its own, or of a session
// on the terminal that is its standard output, and ties its life to that of
// the thread that starts it.
func ownGroup(cmd *exec.Cmd, pty bool) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Setpgid:   !pty,
		Setsid:    pty,
		Setctty:   pty,
		Ctty:      1, // in the command
		Pdeathsig: syscall.SIGKILL,
	}
	if !pty {
		cmd.SysProcAttr.Ctty = 0
	}
}

// await returns when the command has ended. It is not reaped: while its id is
// taken, no signal to it or to its group can meet a stranger. Orphans that
// this process has adopted are reaped as they end.
func (c *child) await() {
	which, id, flags := unix.P_PID, c.pid, unix.WEXITED|unix.WNOWAIT
	if c.sole {
		which, id = unix.P_ALL, 0
	}
	if c.front != nil {
		flags |= unix.WSTOPPED
	}
	for {
		var info unix.Siginfo
		err := unix.Waitid(which, id, &info, flags, nil)
		pid, stopped := pidOf(&info), info.Code == cldStopped
		switch {
		case err == unix.EINTR:
		case err != nil: // something else has reaped it
			c.wait()
			return
		case stopped:
			// Taken, or it would be told again.
			unix.Waitid(unix.P_PID, pid, &info, unix.WSTOPPED|unix.WNOHANG, nil)
			if pid == c.pid && !c.ending.Load() {
				c.front.suspend()
			}
		case pid == c.pid:
			return
		default:
			unix.Wait4(pid, nil, 0, nil)
		}
	}
}

// cldStopped is the code of a report that a child was stopped.
const cldStopped = 5

// pidOf returns whom a report of waitid is about. The id stands behind three
// ints, in a union that is aligned as a pointer is.
func pidOf(info *unix.Siginfo) int {
	const align = unsafe.Alignof(uintptr(0))
	const offset = (3*4 + align - 1) / align * align
	return int(*(*int32)(unsafe.Add(unsafe.Pointer(info), offset)))
}
