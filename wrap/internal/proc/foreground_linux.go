package proc

import (
	"os"
	"os/signal"
	"runtime"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// withoutTTOU calls do with SIGTTOU blocked on its thread: a process in the
// background that changes its terminal would be stopped otherwise. To ignore
// the signal would be wrong, for that is what programs inherit.
func withoutTTOU(do func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var block, before unix.Sigset_t
	const bit, bits = int(unix.SIGTTOU) - 1, 8 * int(unsafe.Sizeof(block.Val[0]))
	block.Val[bit/bits] |= 1 << (bit % bits)
	if unix.PthreadSigmask(unix.SIG_BLOCK, &block, &before) == nil {
		defer unix.PthreadSigmask(unix.SIG_SETMASK, &before, nil)
	}
	do()
}

// stopping is how long a process may take to stop once it was told to. One that
// handles the signal, or whose shell knows no jobs, does not.
const stopping = 100 * time.Millisecond

// suspend stops this process, and its job, as the command in the foreground has
// been stopped (by ctrl-z), so that the shell gets its terminal back. When the
// shell goes on with the job, so does the command.
func (f *foreground) suspend() {
	resumed := make(chan os.Signal, 1)
	signal.Notify(resumed, unix.SIGCONT)
	defer signal.Stop(resumed)
	f.giveBack()
	unix.Kill(0, unix.SIGTSTP)
	select {
	case <-resumed:
	case <-time.After(stopping):
	}
	if foregroundOf(f.tty) == unix.Getpgrp() { // not after bg
		setForeground(f.tty, f.group)
	}
	unix.Kill(-f.group, unix.SIGCONT)
}
