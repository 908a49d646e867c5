package envelope

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// maxWarnings bounds what a command that warns in a loop can pile up. The rest
// is counted.
const maxWarnings = 1000

// Call is one run of a command, as its body sees it. Its methods are safe for
// concurrent use, and on a nil Call (no Run above) they do nothing.
type Call struct {
	json  bool
	args  []string
	prose *prose

	mu       sync.Mutex
	warnings []string
	dropped  int
	closed   bool // the document is made
}

// JSON tells that the answer goes to a program: nobody can be asked anything,
// whether or not stdin is a terminal. A body that lacks a value returns an
// error that says how to give it.
func (c *Call) JSON() bool { return c != nil && c.json }

// Args returns the arguments behind command names and flags; nil unless a
// front such as [Command] runs the body.
func (c *Call) Args() []string {
	if c == nil {
		return nil
	}
	return slices.Clone(c.args)
}

// Warn adds a warning to the answer and tells people on stderr at once. Of more
// than 1,000 warnings the rest is counted. A warning that comes after the
// answer was made, from a goroutine left behind, reaches stderr alone. A blank
// one is nothing.
func (c *Call) Warn(message string) {
	if c == nil || isBlank(message) {
		return
	}
	if c.add(message) {
		c.prose.say("warning: ", message)
	}
}

// add reports whether people are to be told.
func (c *Call) add(message string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return true
	}
	if len(c.warnings) >= maxWarnings {
		c.dropped++
		return false
	}
	c.warnings = append(c.warnings, message)
	return true
}

// close returns the warnings; later ones are too late for the document.
func (c *Call) close() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	if c.dropped > 0 {
		c.warnings = append(c.warnings, fmt.Sprintf("%d more warnings are left out", c.dropped))
		c.dropped = 0
	}
	return c.warnings
}

type callKey struct{}

// FromContext returns the Call whose context ctx is or descends from, and nil,
// which is a usable Call that does nothing, where there is none. It lets a
// library deep below the body warn.
func FromContext(ctx context.Context) *Call {
	c, _ := ctx.Value(callKey{}).(*Call)
	return c
}
