package cli

import (
	"os"
	"time"
)

// A last keeps the process until a command has ended whose run is over already:
// a run whose reader has gone does not wait for it. When the process ends, a
// command dies, but not what it has started.
type last struct {
	limit   time.Duration
	signals chan os.Signal
	running chan struct{} // holds one while the command runs
}

func (c *wrapCall) last() *last {
	l := &last{
		limit:   c.command.Grace + windDown,
		signals: make(chan os.Signal, 8),
		running: make(chan struct{}, 1),
	}
	notify(l.signals)
	return l
}

// begin is called before the command, and what it returns behind it.
func (l *last) begin() (end func()) {
	l.running <- struct{}{}
	return func() { <-l.running }
}

// wait returns when the command has ended, or at once after a second signal.
func (l *last) wait() {
	limit := time.NewTimer(l.limit)
	defer limit.Stop()
	for seen := 0; seen < 2; {
		select {
		case l.running <- struct{}{}: // it is free: nothing runs
			return
		case <-l.signals:
			seen++
		case <-limit.C:
			return
		}
	}
}
