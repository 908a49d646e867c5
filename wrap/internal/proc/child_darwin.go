package proc

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup makes cmd the leader of a process group of its own, or of a session
// on the terminal that is its standard output.
func ownGroup(cmd *exec.Cmd, pty bool) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: !pty, Setsid: pty, Setctty: pty}
	if pty {
		cmd.SysProcAttr.Ctty = 1 // in the command
	}
}

// await returns when the command has ended, and was reaped.
func (c *child) await() { c.wait() }

// widen does nothing: a pipe grows by itself.
func widen(*os.File) {}
