//go:build unix

package load

import (
	"syscall"
	"time"
)

// processTime returns the processor time that this process has taken.
func processTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Switches returns how often a thread of this process has gone to sleep, and
// so was woken up, since it began; false where the system doesn't tell.
func Switches() (int64, bool) {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0, false
	}
	return int64(u.Nvcsw), true //nolint:unconvert // 32 bits on some machines
}
