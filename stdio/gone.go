package stdio

import (
	"errors"
	"io"
)

// IsReaderGone tells whether err, from a write to a pipe, FIFO or socket, means
// that nobody reads it any more: EPIPE, ECONNRESET, io.ErrClosedPipe, and on
// Windows ERROR_BROKEN_PIPE and ERROR_NO_DATA. A terminal that was hung up
// gives EIO, as a broken disk does: see [Stdout.ReaderGone].
func IsReaderGone(err error) bool {
	return errors.Is(err, io.ErrClosedPipe) || isGone(err)
}
