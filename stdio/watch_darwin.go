package stdio

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// hangUpEvents: the kernel of macOS watches no descriptor of which nothing is
// asked.
const hangUpEvents = unix.POLLHUP

func wakePipe(p *[2]int) error {
	syscall.ForkLock.RLock() // macOS has no pipe2
	defer syscall.ForkLock.RUnlock()
	if err := unix.Pipe(p[:]); err != nil {
		return err
	}
	unix.CloseOnExec(p[0])
	unix.CloseOnExec(p[1])
	return nil
}
