package clock

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/streamjson/streamjson/internal/cpu"
)

// A machine has a clock and a counter. Each call reads the one or the other, as
// a Stamper does.
type machine struct {
	r               *rand.Rand
	pulse           pulse
	now             time.Duration
	rate            float64 // ticks a nanosecond
	ticks           float64
	next            time.Duration // when the millisecond ends that the text shows
	text            time.Duration // what it shows
	readings, calls int
}

func (m *machine) pass(d time.Duration) {
	m.now += d
	m.ticks += float64(d) * m.rate
}

// call reads, and returns by how much the text is late then.
func (m *machine) call() time.Duration {
	m.calls++
	before := uint64(m.ticks)
	if !m.pulse.quietAt(before) {
		m.readings++
		m.pass(time.Duration(m.r.IntN(50)))
		if m.r.IntN(20_000) == 0 {
			m.pass(time.Duration(m.r.IntN(3e6))) // something else ran between the readings
		}
		if now := m.now; now >= m.next {
			m.text = now.Truncate(time.Millisecond)
			m.next = m.text + time.Millisecond
			m.pass(time.Duration(m.r.IntN(50)))
			m.pulse.turn(before, uint64(m.ticks), now, m.next-now)
		}
	}
	return m.now - m.text
}

func TestPulseIsNeverLateWhereTheCounterIsSteady(t *testing.T) {
	for _, rate := range []float64{.02, .1, 1, 2.7, 5} {
		m := &machine{r: rand.New(rand.NewPCG(1, uint64(rate*100))), rate: rate, ticks: 1e6}
		for m.now < 150*time.Millisecond {
			m.pass(time.Duration(50 + m.r.IntN(100)))
			if before := m.now; m.call() >= time.Millisecond && m.now == before {
				t.Fatalf("%v ticks/ns: at %v the text shows %v", rate, m.now, m.text)
			}
		}
		if m.readings > m.calls/4 {
			t.Errorf("%v ticks/ns: %d readings of the clock for %d calls, and the counter is there to spare them", rate, m.readings, m.calls)
		}
	}
}

// A counter may jump when a virtual machine moves, or when the processors of a
// machine do not agree.
func TestPulseIsHardlyLateWhereTheCounterJumps(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const late = 10 * time.Millisecond // sparedMost lines come in that time, and something else may run
	for _, c := range []struct {
		name     string
		gap      int           // nanoseconds between lines, twice that at most
		seldom   time.Duration // how far apart jumps are at least
		often    int           // one jump in so many calls after that
		late     time.Duration
		anyThing bool // the rate changes, too
	}{
		{"now and then", 50, 10 * time.Millisecond, 10_000, 2 * time.Millisecond, false},
		{"between slow lines", 200_000, 10 * time.Millisecond, 5, 2*time.Millisecond + 400*time.Microsecond, false},
		{"all the time", 50, 0, 3, late, true},
		{"often", 50, 0, 3000, late, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			for range 6 {
				m := &machine{r: r, rate: .5 + 3*r.Float64(), ticks: 1e15}
				for last := time.Duration(0); m.now < 100*time.Millisecond; {
					m.pass(time.Duration(c.gap + r.IntN(c.gap)))
					if m.now-last > c.seldom && r.IntN(c.often) == 0 {
						m.jump(c.anyThing)
						last = m.now
					}
					if d := m.call(); d > c.late {
						t.Fatalf("at %v the text shows %v, %v before: the counter froze it", m.now, m.text, d)
					}
				}
			}
		})
	}
}

func (m *machine) jump(rate bool) {
	switch m.r.IntN(4) {
	case 0:
		m.ticks += m.r.Float64() * 1e14
	case 1:
		m.ticks += (m.r.Float64() - .5) * 1e7
	case 2:
		m.ticks = 0
	default:
		if rate {
			m.rate = .5 + 3*m.r.Float64()
		}
	}
}

// A counter that stands still holds the text for sparedMost lines.
func TestPulseSurvivesACounterThatStops(t *testing.T) {
	m := &machine{r: rand.New(rand.NewPCG(5, 6)), rate: 2, ticks: 1e9}
	for m.now < 10*time.Millisecond || m.now%time.Millisecond > 200*time.Microsecond {
		m.pass(100)
		m.call()
	}
	m.rate = 0
	for stale := 0; m.now < 50*time.Millisecond; {
		m.pass(10 * time.Microsecond)
		if stale++; m.call() < time.Millisecond {
			stale = 0
		}
		if stale > sparedMost {
			t.Fatalf("at %v the text shows %v, for %d lines", m.now, m.text, stale)
		}
	}
}

// What is measured begins anew with the Stamper's anchor, and no measurement is
// too short for what a reading takes.
func TestPulseMeasuresWithinOneAnchor(t *testing.T) {
	p := pulse{state: beating}
	const ms = time.Millisecond
	p.turn(1000, 1010, 0, ms)
	p.turn(1000+3e6, 1010+3e6, ms, ms)
	p.turn(1000+6e6, 1010+6e6, 2*ms, ms)
	if want := 3.0; p.rate < .99*want || p.rate > want {
		t.Fatalf("%v ticks a nanosecond, want %v or a little less", p.rate, want)
	}
	if !p.quietAt(p.mark+uint64(p.rate*float64(ms))*3/4) || p.quietAt(p.mark+uint64(p.rate*float64(ms))*15/16) {
		t.Errorf("quiet for %d ticks", p.quiet)
	}
	before, last := p.rate, p.last
	p.turn(900e6, 900e6+10, 0, ms) // a second later
	p.turn(900e6+1e6, 900e6+2e6, time.Microsecond, ms)
	if p.rate != before || p.last != last {
		t.Errorf("%v ticks a nanosecond became %v, then %v", before, p.rate, p.last)
	}
	if p.mark != 900e6+1e6 {
		t.Errorf("quiet from %d on", p.mark)
	}
}

// A pulse that is never used would go unseen: all else is as without it.
func TestStamperUsesThePulse(t *testing.T) {
	if !fineClock || !cpu.HasSteadyTicks() {
		t.Skip("there are no steady ticks, or no clock to measure them by")
	}
	var s Stamper
	for start := time.Now(); time.Since(start) < 10*time.Second; {
		if s.SetNow(System()); s.pulse.spared == sparedMost {
			return
		}
	}
	t.Errorf("no %d readings of the clock were spared in a row in ten seconds: %+v", sparedMost, s.pulse)
}
