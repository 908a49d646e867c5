//go:build linux || darwin

package proc

import (
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/streamjson/streamjson/exitcode"
)

// killName is the signal that kill sends.
const killName = "SIGKILL"

// tell sends a signal to the command's process group, or to the command alone
// if it has left that. What was stopped is woken, or it could not obey.
func (c *child) tell(sig os.Signal) {
	c.remember()
	if unix.Kill(-c.pid, sig.(syscall.Signal)) == nil {
		unix.Kill(-c.pid, unix.SIGCONT)
		return
	}
	c.cmd.Process.Signal(sig)
	c.cmd.Process.Signal(unix.SIGCONT)
}

// kill ends the command and all that can be found of its tree.
func (c *child) kill() {
	c.killRest(true)
	c.cmd.Process.Kill() // it may have left its group
}

// ending is how a process ended, as a shell would tell it.
func ending(state *os.ProcessState) (code int, signal string) {
	status := state.Sys().(syscall.WaitStatus)
	if !status.Signaled() {
		return status.ExitStatus(), ""
	}
	sig := status.Signal()
	signal = unix.SignalName(sig)
	if signal == "" {
		signal = fmt.Sprintf("SIG%d", int(sig)) // a real-time signal
	}
	return exitcode.FromSignal(sig), signal
}

func isPath(key string) bool { return key == "PATH" }

// hungUp reports whether the other end of a pipe or terminal is closed.
func hungUp(f *os.File) bool {
	gone := true
	control(f, func(fd int) {
		fds := [1]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		for {
			_, err := unix.Poll(fds[:], 0)
			if err != unix.EINTR {
				break
			}
		}
		gone = fds[0].Revents&(unix.POLLHUP|unix.POLLERR|unix.POLLNVAL) != 0
	})
	return gone
}

// readNow reads what is there, without waiting for more; 0 is nothing.
func readNow(f *os.File, buf []byte) (n int) {
	if f.SetReadDeadline(time.Time{}) != nil { // no read goes past a deadline
		return 0
	}
	conn, err := f.SyscallConn()
	if err != nil {
		return 0
	}
	conn.Read(func(fd uintptr) bool {
		for {
			n, err = unix.Read(int(fd), buf)
			if err != unix.EINTR {
				return true
			}
		}
	})
	return n
}

// control calls do with the descriptor of f, unless f is closed.
func control(f *os.File, do func(fd int)) {
	if conn, err := f.SyscallConn(); err == nil {
		conn.Control(func(fd uintptr) { do(int(fd)) })
	}
}
