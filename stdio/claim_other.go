//go:build !linux && !darwin && !windows

package stdio

import "os"

var sigpipe = [0]os.Signal{}

// claim replaces the variable os.Stdout, which is all that can be done here. It
// is called with the process's lock held, as is raw.
func claim() (*Stdout, error) {
	s := FromFile(os.Stdout)
	before := os.Stdout
	os.Stdout = os.Stderr
	s.undo = func() error {
		os.Stdout = before
		return nil
	}
	return s, nil
}

func raw() (*Stdout, error) {
	if process.claim != nil {
		return FromFile(process.claim.file), nil
	}
	return FromFile(os.Stdout), nil
}

// isTerminalFile takes a character device for a terminal.
func isTerminalFile(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// claimProse is called with the process's lock held.
func claimProse() (*Prose, error) { return NewProse(os.Stderr), nil }
