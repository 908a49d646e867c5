//go:build !linux && !darwin

package stdio

import (
	"os"
	"time"
)

// stdoutNumber is the number or handle of what os.Stdout was before any claim.
func stdoutNumber() uintptr {
	process.Lock()
	defer process.Unlock()
	if process.claim != nil {
		return process.claim.key
	}
	n, _ := number(os.Stdout)
	return n
}

// filePort returns the port on a file, which waits itself where it can.
func filePort(f *os.File) (p port, own *os.File) { return plainFile{f}, f }

type plainFile struct{ f *os.File }

func (p plainFile) write(b []byte) (int, error) {
	n, err := p.f.Write(b)
	return n, attemptError(err)
}

func (plainFile) wait() error { return nil }

func proseFile(f *os.File) proseport { return plainFile{f} }

// writeNow waits: these systems have no way around it that would not change the
// file for other processes.
func (p plainFile) writeNow(b []byte) (int, error) { return p.write(b) }

func (plainFile) awaitRoom(limit time.Duration) { time.Sleep(min(limit, minPause)) }
