// Package measure times short operations side by side: in each round every
// contender of a case runs for a moment, one after the other, and what is
// compared are the figures of the same round. A machine that is shared, hot or
// throttled is so for all of them.
package measure

import (
	"fmt"
	"runtime"
	"time"
)

// A Contender is one way to do what a case is about. Op does it once, with
// another input each time, and returns how many bytes it wrote.
type Contender struct {
	Name string
	Op   func() (int, error)
}

// A Case is a comparison.
type Case struct {
	Name       string
	Contenders []Contender
}

// Options say how long to measure.
type Options struct {
	Rounds int           // at least 1; fewer for operations that take longer than Slice, but 3
	Slice  time.Duration // of one contender in one round
	// Progress is told of each case that begins; nil: nobody is.
	Progress func(name string)
}

// Run measures the cases one after the other. It stops at the first operation
// that fails.
func Run(cases []Case, o Options) (*Table, error) {
	t := new(Table)
	for _, c := range cases {
		if o.Progress != nil {
			o.Progress(c.Name)
		}
		if err := t.run(c, o); err != nil {
			return nil, fmt.Errorf("measure: %s: %w", c.Name, err)
		}
	}
	return t, nil
}

func (t *Table) run(c Case, o Options) error {
	counts := make([]int, len(c.Contenders))
	slowest := float64(o.Slice)
	for i, x := range c.Contenders {
		ns, err := calibrate(x, o.Slice)
		if err != nil {
			return fmt.Errorf("%s: %w", x.Name, err)
		}
		counts[i] = max(1, int(float64(o.Slice)/ns))
		slowest = max(slowest, ns)
	}
	rounds := min(o.Rounds, max(fewest, int(float64(o.Rounds)*float64(o.Slice)/slowest)))
	for round := range rounds {
		// There and back, so that nobody always follows the same one.
		for k := range c.Contenders {
			i := k
			if round%2 == 1 {
				i = len(c.Contenders) - 1 - k
			}
			s, err := slice(c.Contenders[i], counts[i])
			if err != nil {
				return fmt.Errorf("%s: %w", c.Contenders[i].Name, err)
			}
			t.add(c.Name, c.Contenders[i].Name, s)
		}
	}
	return nil
}

// fewest is how many rounds there are at least, where there may be as many.
const fewest = 3

// calibrate returns about how many nanoseconds an operation takes, and warms
// it up by that.
func calibrate(c Contender, d time.Duration) (float64, error) {
	for n := 1; ; n *= 4 {
		s, err := slice(c, n)
		if err != nil {
			return 0, err
		}
		if s.NS*float64(n) >= float64(d)/8 {
			return s.NS, nil
		}
	}
}

// A Sample is what one slice has shown, per operation.
type Sample struct {
	NS     float64
	Allocs float64 // whole ones: what happens once in many operations is not theirs
	Memory float64 // allocated bytes
	Bytes  float64 // written
}

func slice(c Contender, n int) (Sample, error) {
	var before, after runtime.MemStats
	total := 0
	runtime.ReadMemStats(&before)
	start := time.Now()
	for range n {
		written, err := c.Op()
		if err != nil {
			return Sample{}, err
		}
		total += written
	}
	spent := time.Since(start)
	runtime.ReadMemStats(&after)
	return Sample{
		NS:     max(float64(spent.Nanoseconds()), 1) / float64(n),
		Allocs: float64((after.Mallocs - before.Mallocs) / uint64(n)),
		Memory: float64((after.TotalAlloc - before.TotalAlloc) / uint64(n)),
		Bytes:  float64(total) / float64(n),
	}, nil
}
