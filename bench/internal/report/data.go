// Package report judges what was measured by the goals of this SDK, and writes
// it down: a page of tables and charts, and the ratios that later runs are
// compared with.
package report

import (
	"slices"

	"github.com/streamjson/streamjson/bench/internal/cold"
	"github.com/streamjson/streamjson/bench/internal/faults"
	"github.com/streamjson/streamjson/bench/internal/load"
	"github.com/streamjson/streamjson/bench/internal/measure"
	"github.com/streamjson/streamjson/bench/internal/stats"
)

// Data is all that one run has measured.
type Data struct {
	Machine    Machine
	Default    *measure.Table // the build that programs get
	Portable   *measure.Table // -tags purego: no assembly
	Experiment *measure.Table // GOEXPERIMENT=jsonv2
	Parts      *measure.Table // of the floor
	Loads      []LoadRow
	Idle       []IdleRow
	HeapGrowth int64 // bytes of heap more after a run of 1 MiB lines than before
	Starts     []cold.Row
	Faults     []FaultRow
}

// Machine is what was measured on.
type Machine struct {
	CPU, OS, Arch, Go, Date string
	Cores                   int
	Modules                 [][2]string // path and version of each library
	Rounds                  int
}

// A LoadKey names a configuration of package load.
type LoadKey struct {
	Encoder   string
	Mode      load.Mode
	Redacting bool
	Sink      load.Sink
	Writers   int
	Rate      int // lines a second; 0: as fast as possible
}

// A LoadRow holds the rounds of a configuration.
type LoadRow struct {
	LoadKey
	Rounds []load.Result
}

// Name is how tables call the encoder of k.
func (k LoadKey) Name() string {
	name := k.Encoder
	switch {
	case k.Encoder == load.Ours:
		name = "ours, " + string(k.Mode)
	case k.Encoder == load.LockWrite:
		name = "our encoding, lock and write"
	}
	if k.Redacting {
		name += ", redacting"
	}
	return name
}

// An IdleRow counts the wake-ups of an idle second, a process each.
type IdleRow struct {
	LoadKey
	Wakeups []int64
}

// Least returns the fewest wake-ups of a row; -1 if none were counted. The
// system wakes up any process now and then, but never fewer times than it must.
func (r IdleRow) Least() int64 {
	if len(r.Wakeups) == 0 {
		return -1
	}
	return slices.Min(r.Wakeups)
}

// A FaultRow says what a contender got wrong.
type FaultRow struct {
	Name  string
	Count faults.Count
}

// load returns the rounds of a configuration, or nil.
func (d *Data) load(k LoadKey) []load.Result {
	for _, r := range d.Loads {
		if r.LoadKey == k {
			return r.Rounds
		}
	}
	return nil
}

// column returns a figure of each round of a configuration.
func (d *Data) column(k LoadKey, of func(load.Result) float64) []float64 {
	var list []float64
	for _, r := range d.load(k) {
		list = append(list, of(r))
	}
	return list
}

// loadRatio compares a figure of two configurations, round by round.
func (d *Data) loadRatio(a, b LoadKey, of func(load.Result) float64) float64 {
	return stats.MedianRatio(d.column(a, of), d.column(b, of))
}

func speed(r load.Result) float64 { return r.LinesPerSecond }
func cpu(r load.Result) float64   { return float64(r.CPU) }
func tail(r load.Result) float64  { return float64(r.P999) }

func median(rounds []load.Result, of func(load.Result) float64) float64 {
	list := make([]float64, len(rounds))
	for i, r := range rounds {
		list[i] = of(r)
	}
	return stats.Median(list)
}
