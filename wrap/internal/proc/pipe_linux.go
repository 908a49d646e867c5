package proc

import (
	"os"

	"golang.org/x/sys/unix"
)

// widen makes a pipe hold more, as far as the system allows it.
func widen(f *os.File) {
	control(f, func(fd int) { unix.FcntlInt(uintptr(fd), unix.F_SETPIPE_SZ, pipeSize) })
}
