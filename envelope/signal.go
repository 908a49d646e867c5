package envelope

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// sameSignal is how long after the first signal another one counts as the same:
// timeout(1) and shells send theirs to the process and to its group.
const sameSignal = 100 * time.Millisecond

// signals are the signals that end a run. They are caught from the first moment
// of Run on; on the process's own stdout they stay caught, since a signal in
// the moments between the document and the exit would contradict it.
type signals struct {
	ch    chan os.Signal
	first os.Signal
	at    time.Time
}

// catchSignals starts to catch list; nil: SIGINT, SIGTERM and SIGHUP, save those
// that the process was started to ignore (nohup, a shell's background job).
func catchSignals(list []os.Signal) *signals {
	s := &signals{ch: make(chan os.Signal, 8)}
	if list == nil {
		for _, sig := range [...]os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
			if !signal.Ignored(sig) {
				list = append(list, sig)
			}
		}
	}
	if len(list) > 0 { // without any, Notify would mean all
		signal.Notify(s.ch, list...)
	}
	return s
}

// note takes a signal in and tells whether it is the second one, at which the
// process ends.
func (s *signals) note(sig os.Signal) (second bool) {
	if s.first == nil {
		s.first, s.at = sig, time.Now()
		return false
	}
	return time.Since(s.at) >= sameSignal
}

// drain takes in what has come already.
func (s *signals) drain() {
	for {
		select {
		case sig := <-s.ch:
			s.note(sig)
		default:
			return
		}
	}
}

// await is drain, with patience for a first signal.
func (s *signals) await(patience time.Duration) {
	if s.drain(); s.first != nil {
		return
	}
	select {
	case sig := <-s.ch:
		s.note(sig)
	case <-time.After(patience):
	}
}

// release gives the signals back to the rest of the process.
func (s *signals) release() { signal.Stop(s.ch) }

// signalError is the cause of a run's context after a signal.
type signalError struct{ sig os.Signal }

// Signal is for those who pass the signal on, to a child for example.
func (e *signalError) Signal() os.Signal { return e.sig }

func (e *signalError) Error() string {
	switch e.sig {
	case os.Interrupt:
		return "stopped by SIGINT (interrupt)"
	case syscall.SIGTERM:
		return "stopped by SIGTERM (terminated)"
	case syscall.SIGHUP:
		return "stopped by SIGHUP (hangup)"
	}
	return fmt.Sprintf("stopped by a signal: %v", e.sig)
}
