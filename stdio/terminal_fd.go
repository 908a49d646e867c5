//go:build linux || darwin

package stdio

import (
	"os"

	"golang.org/x/sys/unix"
)

// isTerminal is true for a terminal that has been hung up, too: it answers EIO.
func isTerminal(fd int) bool {
	_, err := unix.IoctlGetTermios(fd, getTermios)
	return err == nil || err == unix.EIO
}

func isTerminalFile(f *os.File) bool {
	yes := false
	control(f, func(fd int) { yes = isTerminal(fd) })
	return yes
}
