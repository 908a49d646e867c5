package cpu

import (
	"sync"
	"sync/atomic"
)

// A Gate stands before something that only some processors can do, and opens
// when it has been wanted for a while: to ask the processor is too much for the
// start of a program that says little. It is safe for concurrent use. What it
// says changes at most once, from no to yes.
type Gate struct {
	open    atomic.Bool
	settled atomic.Bool
	uses    atomic.Int32
	once    sync.Once
}

// GateUses is how often something has to be wanted before the processor is
// asked.
const GateUses = 200

// Open reports whether the gate is open.
func (g *Gate) Open() bool { return g.open.Load() }

// Knock counts one use, of the weight of more others, and reports whether the
// gate is open. With the last of GateUses ask is called, once.
func (g *Gate) Knock(more int, ask func() bool) bool {
	if g.settled.Load() {
		return g.open.Load()
	}
	if g.uses.Add(int32(1+min(max(more, 0), GateUses))) < GateUses {
		return false
	}
	g.once.Do(func() {
		defer g.settled.Store(true)
		g.open.Store(ask())
	})
	return g.open.Load()
}
