//go:build linux || darwin

package stdio

import (
	"fmt"
	"os"
	"syscall"

	"github.com/streamjson/streamjson/stdio/internal/stdfd"
)

// stdoutNumber is what Reserve knows claims by.
func stdoutNumber() uintptr { return 1 }

var sigpipe = [...]os.Signal{syscall.SIGPIPE}

// claim is called with the process's lock held, as is raw.
func claim() (*Stdout, error) {
	taken := stdfd.Adopt()
	if taken == nil {
		var err error
		if taken, err = stdfd.Take(); err != nil {
			return nil, err
		}
	}
	if err := taken.MuteErr(); err != nil {
		taken.Restore() // as it was; the first error is the one to tell
		syscall.Close(taken.Out)
		return nil, err
	}
	s := private(taken.Out)
	s.mirrored = taken.Same
	s.stderr = taken.Err
	s.undo = taken.Restore
	return s, nil
}

func raw() (*Stdout, error) {
	if taken := stdfd.Adopt(); taken != nil {
		err := taken.Restore()
		syscall.Close(taken.Out)
		if err != nil {
			return nil, err
		}
	}
	from := 1
	if process.claim != nil {
		from = int(process.claim.port.(descriptor))
	}
	fd, err := stdfd.Duplicate(from)
	if err != nil {
		return nil, fmt.Errorf("stdio: cannot duplicate descriptor 1 (stdout): %w", err)
	}
	return private(fd), nil
}

// private returns a Stdout on a descriptor that is its own.
func private(fd int) *Stdout {
	d := descriptor(fd)
	return &Stdout{port: d, closer: d.close, key: stdoutNumber(), terminal: isTerminal(fd), stderr: -1}
}
