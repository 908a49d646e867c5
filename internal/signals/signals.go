// Package signals is what all that end with a signal have in common: which
// signals they take, when two of them are one, and what the first is called in
// a cause. It knows nothing of runs.
package signals

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Same is how soon after the first one a signal counts as the same: timeout(1)
// and shells send theirs to the process and to its group.
const Same = 100 * time.Millisecond

// OrDefault returns the list, or for nil the signals that end a program: INT,
// TERM and HUP, save those that the process was started to ignore (nohup, a
// shell's background job).
func OrDefault(list []os.Signal) []os.Signal {
	if list != nil {
		return list
	}
	for _, sig := range [...]os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(sig) {
			list = append(list, sig)
		}
	}
	return list
}

// Take begins to receive signals, SIGPIPE among them so that a broken pipe is an
// error and not the end. They are never given back: between that and the end
// of the process a signal would kill it behind its result.
func Take(list []os.Signal) <-chan os.Signal {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	ch := make(chan os.Signal, 16)
	if list = OrDefault(list); len(list) > 0 { // without any, Notify would mean all
		signal.Notify(ch, list...)
	}
	return ch
}

// An Error is the cause of what a signal has cancelled.
type Error struct{ Sig os.Signal }

func (e *Error) Error() string { return "interrupted by " + name(e.Sig) }

// Signal is for those who pass the signal on, to a child for example.
func (e *Error) Signal() os.Signal { return e.Sig }

func name(sig os.Signal) string {
	switch sig {
	case syscall.SIGINT:
		return "SIGINT"
	case syscall.SIGTERM:
		return "SIGTERM"
	case syscall.SIGHUP:
		return "SIGHUP"
	case syscall.SIGQUIT:
		return "SIGQUIT"
	default:
		return sig.String()
	}
}
