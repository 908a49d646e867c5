// Package load drives an emitter with many goroutines into a real sink, and
// measures what a program would notice: lines a second, the time of a call,
// processor time and memory a line. The order of what arrives is checked.
package load

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/streamjson/streamjson/bench/internal/corpus"
	"github.com/streamjson/streamjson/bench/internal/line"
	"github.com/streamjson/streamjson/bench/internal/stats"
)

// A Config says what to run.
type Config struct {
	Encoder  Encoder
	Sink     Sink
	Writers  int           // goroutines
	Duration time.Duration // of the writing
	Rate     int           // lines a second of all writers together; 0: as fast as they can
	// Check has the order of all lines checked. Those that went to Discard are
	// checked in a short run of their own behind the measured one.
	Check bool
	// Corpus and Size are what the texts are cut from.
	Corpus *corpus.Corpus
	Size   int
	// Idle is called after the last line, before the emitter is closed.
	Idle func()
}

// Validate returns what is wrong with a configuration, or nil.
func (c Config) Validate() error {
	switch {
	case c.Writers < 1 || c.Writers > maxWriters:
		return fmt.Errorf("load: %d writers: there must be 1 to %d", c.Writers, maxWriters)
	case c.Duration <= 0:
		return fmt.Errorf("load: a duration of %v is none", c.Duration)
	case c.Rate < 0 || c.Rate > maxRate:
		return fmt.Errorf("load: a rate of %d: it must be 0 (no limit) to %d", c.Rate, maxRate)
	case c.Size < 1 || c.Corpus == nil:
		return fmt.Errorf("load: texts of %d bytes: there must be a corpus, and at least a byte", c.Size)
	case !slices.Contains(Sinks(), c.Sink):
		return fmt.Errorf("load: no sink %q: choose one of %q", c.Sink, Sinks())
	}
	return nil
}

// The limits of a Config: what a machine can have a use for.
const (
	maxWriters = 10_000
	maxRate    = 1_000_000_000
)

// A Result is what a run has shown.
type Result struct {
	Calls              uint64  // of Emit
	LinesPerSecond     float64 // calls until the last line had left the emitter
	BytesPerSecond     float64
	P50, P99, P999     time.Duration // of a call
	Longest            time.Duration
	CPU                time.Duration // of this process, a call; 0 where the system doesn't tell
	Allocs, AllocBytes float64       // a call
	Checked            bool          // the order of all lines was right
}

// checkTime is how long the run lasts that checks the order for Discard.
const checkTime = 50 * time.Millisecond

// Run runs a configuration. A fault in the order of the lines is an error.
func Run(c Config) (Result, error) {
	if err := c.Validate(); err != nil {
		return Result{}, err
	}
	res, err := run(c, c.Check && c.Sink != Discard)
	if err != nil || !c.Check || c.Sink != Discard {
		return res, err
	}
	again := c
	again.Duration, again.Idle = min(checkTime, c.Duration), nil
	_, err = run(again, true)
	res.Checked = err == nil
	return res, err
}

func run(c Config, check bool) (Result, error) {
	out, err := c.Sink.open(check)
	if err != nil {
		return Result{}, err
	}
	em, err := c.Encoder.Open(out.w)
	if err != nil {
		_, late := out.finish()
		return Result{}, errors.Join(err, late)
	}
	d := drive{c: c, em: em, pool: c.Corpus.Pool(c.Size)}
	res, err := d.measure()
	arrived, late := out.finish()
	if err = errors.Join(err, late); err != nil {
		return Result{}, fmt.Errorf("load: %s to %s: %w", c.Encoder.Name, c.Sink, err)
	}
	res.BytesPerSecond = float64(arrived.Bytes) / float64(res.Calls) * res.LinesPerSecond
	if check {
		least, most := c.Encoder.lines(res.Calls)
		if err := arrived.End(least, most, c.Encoder.ending); err != nil {
			return res, fmt.Errorf("%w (%s to %s)", err, c.Encoder.Name, c.Sink)
		}
		res.Checked = true
	}
	return res, nil
}

// A drive is a run on its way.
type drive struct {
	c     Config
	em    line.Emitter
	pool  *corpus.Pool
	start time.Time
	stop  atomic.Bool
}

// A tally is what one writer has done. The padding keeps neighbours apart.
type tally struct {
	calls   uint64
	latency stats.Histogram
	err     error
	_       [64]byte
}

func (d *drive) measure() (Result, error) {
	tallies := make([]tally, d.c.Writers)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	cpu := processTime()
	d.start = time.Now()
	var wg sync.WaitGroup
	for i := range tallies {
		wg.Go(func() { d.write(i, &tallies[i]) })
	}
	timer := time.AfterFunc(d.c.Duration, func() { d.stop.Store(true) })
	wg.Wait()
	timer.Stop()
	if d.c.Idle != nil {
		d.c.Idle()
	}
	err := d.em.Close()
	spent := time.Since(d.start)
	cpu = processTime() - cpu
	runtime.ReadMemStats(&after)

	var all tally
	for i := range tallies {
		all.calls += tallies[i].calls
		all.latency.Merge(&tallies[i].latency)
		err = errors.Join(err, tallies[i].err)
	}
	if err != nil {
		return Result{}, err
	}
	calls := float64(all.calls)
	return Result{
		Calls:          all.calls,
		LinesPerSecond: calls / spent.Seconds(),
		P50:            all.latency.Quantile(.5),
		P99:            all.latency.Quantile(.99),
		P999:           all.latency.Quantile(.999),
		Longest:        all.latency.Max(),
		CPU:            time.Duration(float64(cpu) / calls),
		Allocs:         float64(after.Mallocs-before.Mallocs) / calls,
		AllocBytes:     float64(after.TotalAlloc-before.TotalAlloc) / calls,
	}, nil
}

// timed is how many calls go by for each that is timed, where writers run as
// fast as they can: two readings of the clock take as long as a line.
const timed = 8

// write is one writer. It has one turn at least, however late it comes to it.
func (d *drive) write(i int, t *tally) {
	pool := d.pool.Clone(i, d.c.Writers)
	l := &line.Line{Shape: line.TextDelta}
	pace := newPace(d.c.Rate, i, d.c.Writers)
	for {
		pace.wait(d.start)
		if t.calls > 0 && d.stop.Load() {
			return
		}
		l.Text = pool.Next()
		if d.c.Rate == 0 && t.calls%timed != 0 {
			t.err = d.em.Emit(l)
		} else {
			begin := time.Since(d.start)
			t.err = d.em.Emit(l)
			t.latency.Add(time.Since(d.start) - begin)
		}
		if t.err != nil {
			return
		}
		t.calls++
	}
}

// A pace says when one of several writers has its turns, spread evenly over
// the time between two of them.
type pace struct {
	interval time.Duration // 0: always
	next     time.Duration // since the start
}

func newPace(rate, i, writers int) *pace {
	if rate == 0 {
		return &pace{}
	}
	interval := time.Duration(int64(time.Second) * int64(writers) / int64(rate))
	return &pace{interval: interval, next: interval * time.Duration(i) / time.Duration(writers)}
}

// wait returns at the writer's next turn. A writer that is late makes up for
// it.
func (p *pace) wait(start time.Time) {
	if p.interval == 0 {
		return
	}
	if d := p.next - time.Since(start); d > 0 {
		time.Sleep(d)
	}
	p.next += p.interval
}
