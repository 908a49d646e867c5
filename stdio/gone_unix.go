//go:build unix

package stdio

import (
	"errors"
	"syscall"
)

func isGone(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET)
}

// isHangUp is for writes to terminals only.
func isHangUp(err error) bool { return errors.Is(err, syscall.EIO) }
