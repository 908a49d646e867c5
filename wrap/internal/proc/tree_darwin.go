package proc

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// A tree is what a command has started: its process group.
type tree struct{}

func (c *child) remember() bool { return false }

func (c *child) signalRest(os.Signal) {}

// settle returns when the process group is empty, or at the deadline.
func (c *child) settle(deadline time.Time) {
	for pause := time.Millisecond; unix.Kill(-c.pid, 0) == nil; pause = min(2*pause, 50*time.Millisecond) {
		left := time.Until(deadline)
		if left <= 0 {
			return
		}
		time.Sleep(min(pause, left))
	}
}

// killRest kills the process group.
func (c *child) killRest(bool) { unix.Kill(-c.pid, unix.SIGKILL) }

func (c *child) adoptOrphans()             {}
func (c *child) leaveOrphans()             {}
func (c *child) reapOrphans(time.Duration) {}
