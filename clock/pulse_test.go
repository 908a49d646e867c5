package clock

import (
	"math/rand/v2"
	"testing"
	"time"
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
			m.pulse.turn(before, uint64(m.ticks), now, m.next-now, false)
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
	for _, c := range []struct {
		name     string
		seldom   time.Duration // how far apart jumps are at least
		often    int           // one jump in so many calls after that
		late     time.Duration
		anyThing bool // the rate changes, too
	}{
		{"now and then", 10 * time.Millisecond, 10_000, 2 * time.Millisecond, false},
		{"all the time", 0, 3, longest/.5*time.Nanosecond + 5*time.Millisecond, true},
		{"often", 0, 3000, longest/.5*time.Nanosecond + 5*time.Millisecond, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			for range 6 {
				m := &machine{r: r, rate: .5 + 3*r.Float64(), ticks: 1e15}
				for last := time.Duration(0); m.now < 100*time.Millisecond; {
					m.pass(time.Duration(50 + r.IntN(100)))
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
