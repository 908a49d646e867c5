package clock

import (
	"runtime"
	"time"

	"github.com/streamjson/streamjson/internal/cpu"
)

// A pulse spares a Stamper most readings of the clock where lines come fast: by
// a counter of the processor it can tell that the millisecond is not over yet.
//
// The counter is trusted for no longer than that. How fast it counts is measured
// anew in each millisecond, too low rather than too high, the lower of the last
// two measurements is used, and the last eighth of a millisecond is left to the
// clock. So a counter that jumps, as it may when a virtual machine moves, when the
// process changes to another processor, or after a sleep, makes a time stamp
// late by a millisecond or so. One that counts wrong for longer, or stands still,
// holds the text for sparedMost lines.
type pulse struct {
	state state
	vains uint16 // readings of the clock that told nothing new, up to worthPulse

	mark, quiet uint64 // for so many ticks from mark on there is nothing to look at
	spared      int    // readings of the clock in a row

	from       uint64        // the ticks that the measurement begins with,
	since      time.Duration // and when that was, after the Stamper's anchor
	last, rate float64       // the last measurement, and the lower of the last two: ticks a nanosecond
}

type state uint8

const (
	waiting state = iota // for enough lines to be worth the question
	beating
	absent // the machine has no such counter
)

const (
	// worthPulse is how many readings of the clock have to be in vain before
	// the processor is asked what it has: that may take as long as a thousand.
	worthPulse = 1000
	// shortest is the time in which a rate can be measured.
	shortest = 100 * time.Microsecond
	// sparedMost is how many readings in a row the counter may spare.
	sparedMost = 64
	// longest bounds quiet: a millisecond of the fastest counter, so that what a
	// jump has made of a measurement still is a number of ticks.
	longest = 1 << 23
)

// fineClock says that the monotonic clock goes on in steps of much less than a
// millisecond. That of Windows may not, and then there is nothing to measure by.
const fineClock = runtime.GOOS != "windows"

// quietAt reports whether nothing can be new at the counter's ticks.
func (p *pulse) quietAt(ticks uint64) bool {
	if ticks-p.mark >= p.quiet || p.spared == sparedMost {
		p.spared = 0
		return false
	}
	p.spared++
	return true
}

// vain counts a reading of the clock that told nothing new.
func (p *pulse) vain() {
	if p.state != waiting {
		return
	}
	if p.vains++; p.vains < worthPulse {
		return
	}
	p.state = absent
	if fineClock && cpu.HasSteadyTicks() {
		p.state = beating
	}
}

// turn begins another millisecond, which has left to go. The clock, which is
// now after the Stamper's anchor, was read between the two readings of the
// counter. A new anchor is now itself, so that nothing is measured across it.
func (p *pulse) turn(before, after uint64, now, left time.Duration) {
	if d := now - p.since; p.from != 0 && d >= shortest {
		measured := float64(before-p.from) / float64(d)
		p.rate, p.last = min(measured, p.last), measured
	}
	p.mark = before
	p.quiet = uint64(min(p.rate*float64(left-left/8), longest))
	// A measurement begins after a reading of the clock and ends before one:
	// nothing that comes between makes the rate too high.
	p.from, p.since = after, now
}
