package proc

import (
	"os/signal"

	"golang.org/x/sys/unix"
)

// withoutTTOU calls do with SIGTTOU ignored: a process in the background that
// changes its terminal would be stopped otherwise.
func withoutTTOU(do func()) {
	if signal.Ignored(unix.SIGTTOU) {
		do()
		return
	}
	signal.Ignore(unix.SIGTTOU)
	defer signal.Reset(unix.SIGTTOU)
	do()
}
