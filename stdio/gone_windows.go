package stdio

import (
	"errors"
	"syscall"

	"golang.org/x/sys/windows"
)

func isGone(err error) bool {
	var errno syscall.Errno
	if !errors.As(err, &errno) {
		return false
	}
	switch errno {
	case windows.ERROR_BROKEN_PIPE, windows.ERROR_NO_DATA, windows.WSAECONNRESET, syscall.EPIPE, syscall.ECONNRESET:
		return true
	}
	return false
}

func isHangUp(error) bool { return false }
