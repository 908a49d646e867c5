//go:build !plan9

package stdio

import (
	"errors"
	"syscall"
)

// isAgain tells whether err is EAGAIN.
func isAgain(err error) bool { return errors.Is(err, syscall.EAGAIN) }
