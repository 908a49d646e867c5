package stdio

import (
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/streamjson/streamjson/stdio/internal/stdfd"
)

// pipeRoom is what a pipe takes at least when poll calls it ready.
const pipeRoom = 4096

// reopen opens the pipe or terminal behind fd once more, non-blocking: the flag
// belongs to the open file, and on a shared one it would meet everybody else.
// It returns -1 for other files, and where the system refuses (no /proc, a pipe
// of another user's).
func reopen(fd int) int {
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFIFO && !isTerminal(fd) {
		return -1
	}
	const flags = unix.O_WRONLY | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC
	low, err := unix.Open("/proc/self/fd/"+strconv.Itoa(fd), flags, 0)
	if err != nil {
		return -1
	}
	defer unix.Close(low)
	high, err := stdfd.Duplicate(low)
	if err != nil {
		return -1
	}
	return high
}
