package stdio

import (
	"errors"
	"io"
	"strconv"
	"time"
)

// maxIdleWrites is how many writes in a row may take nothing without an error.
const maxIdleWrites = 100

// The time between two attempts on a file that says that it is ready and takes
// nothing all the same: other processes that write to it were faster, or the
// system can't poll it.
const (
	minPause = time.Millisecond
	maxPause = 16 * time.Millisecond
)

var (
	// errAgain is a port's word for EAGAIN.
	errAgain = errors.New("resource temporarily unavailable")
	// errCount is for a file whose write returns an impossible count.
	errCount = errors.New("write returned a count outside the buffer")
)

// errIdle is io.ErrNoProgress, whose own text speaks of reads.
type errIdle struct{}

func (errIdle) Error() string {
	return "the file took nothing " + strconv.Itoa(maxIdleWrites) + " times in a row"
}
func (errIdle) Unwrap() error { return io.ErrNoProgress }

// writeRest goes on where a first attempt to write p has returned n and err: it
// writes all of p, or returns how much was written and the error.
func writeRest(w port, p []byte, n int, err error) (int, error) {
	var done, idle int
	var pause time.Duration
	for ; ; n, err = w.write(p[done:]) {
		if n < 0 || n > len(p)-done {
			return done, errCount
		}
		done += n
		if n > 0 {
			idle, pause = 0, 0
		}
		switch {
		case done == len(p) && (err == nil || err == errAgain):
			return done, nil
		case err == errAgain:
			time.Sleep(pause) // nothing for the first time
			pause = min(max(2*pause, minPause), maxPause)
			if err := w.wait(); err != nil {
				return done, err
			}
		case err != nil:
			return done, err
		case n == 0:
			if idle++; idle == maxIdleWrites {
				return done, errIdle{}
			}
		}
	}
}

// attemptError turns the error of a Write of os.File into one of a port.
func attemptError(err error) error {
	switch {
	case isAgain(err):
		return errAgain // made non-blocking after os.File had looked
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil // os.File's word for a write that took nothing
	}
	return err
}
