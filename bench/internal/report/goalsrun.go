package report

import (
	"fmt"
	"math"

	"github.com/streamjson/streamjson/bench/internal/cold"
	"github.com/streamjson/streamjson/bench/internal/corpus"
	"github.com/streamjson/streamjson/bench/internal/load"
	"github.com/streamjson/streamjson/bench/internal/rival"
	"github.com/streamjson/streamjson/bench/internal/suite"
)

// The rates of the paced runs, in lines a second.
const (
	Calm = 1000
	Busy = 100_000
)

// runGoals judges what whole processes were measured for.
func runGoals(d *Data) []Goal {
	return []Goal{
		{8, "to a pipe that is read", pipeGoal(d)},
		{9, "to a file, burst", fileGoal(d)},
		{10, "1,000 lines a second, and an idle second", calmGoal(d)},
		{11, "burst, 64 goroutines, 100,000 lines a second: p99.9 of a call", tailGoal(d)},
		{12, "heap after lines of 1 MiB", heapGoal(d)},
		{13, "start and size of a process", startGoal(d)},
		{14, "redaction is off above, as rivals have none; on, a delta costs little, and no escape of the contract is left out", redactGoal(d)},
	}
}

func oursTo(sink load.Sink, mode load.Mode, writers int) LoadKey {
	return LoadKey{Encoder: load.Ours, Mode: mode, Sink: sink, Writers: writers}
}

func libraryTo(sink load.Sink, name string, writers int) LoadKey {
	return LoadKey{Encoder: name, Mode: load.Durable, Sink: sink, Writers: writers}
}

func pipeGoal(d *Data) []Check {
	var list []Check
	for _, x := range []struct {
		writers                     int
		durable, burst, burstRivals float64
	}{{1, 1.35, 4.8, 0}, {8, 1.5, 5.5, 9}, {64, 2, 5.5, 9}} {
		zerolog := libraryTo(load.Pipe, rival.Zerolog, x.writers)
		lock := libraryTo(load.Pipe, load.LockWrite, x.writers)
		durable, burst := oursTo(load.Pipe, load.Durable, x.writers), oursTo(load.Pipe, load.Burst, x.writers)
		list = append(
			list,
			atLeast(fmt.Sprintf("durable, %d: zerolog", x.writers), x.durable, d.loadRatio(durable, zerolog, speed)),
			atLeast(fmt.Sprintf("burst, %d: lock and write", x.writers), x.burst, d.loadRatio(burst, lock, speed)),
		)
		if x.burstRivals > 0 {
			list = append(list, atLeast(fmt.Sprintf("burst, %d: zerolog", x.writers), x.burstRivals, d.loadRatio(burst, zerolog, speed)))
		}
	}
	return list
}

func fileGoal(d *Data) []Check {
	var list []Check
	for _, writers := range []int{1, 8} {
		burst := oursTo(load.File, load.Burst, writers)
		list = append(
			list,
			atLeast(fmt.Sprintf("%d: lock and write", writers), 8.5, d.loadRatio(burst, libraryTo(load.File, load.LockWrite, writers), speed)),
			atLeast(fmt.Sprintf("%d: zerolog", writers), 11, d.loadRatio(burst, libraryTo(load.File, rival.Zerolog, writers), speed)),
		)
	}
	return list
}

// idleNoise is how many wake-ups two idle processes may differ by that do the
// same: the runtime's and the system's own.
const idleNoise = 2

func calmGoal(d *Data) []Check {
	lock := libraryTo(load.Pipe, load.LockWrite, 1)
	lock.Rate = Calm
	var list []Check
	for _, mode := range []load.Mode{load.Durable, load.Burst} {
		ours := oursTo(load.Pipe, mode, 1)
		ours.Rate = Calm
		list = append(list, atMost(string(mode)+": processor time a line of lock and write's", 1.15, d.loadRatio(ours, lock, cpu)))
	}
	base := d.idle(load.LockWrite, load.Durable)
	for _, mode := range []load.Mode{load.Durable, load.Burst} {
		list = append(list, Check{
			What: string(mode) + ": wake-ups in an idle second beyond those of a process without an emitter",
			Got:  d.idle(load.Ours, mode) - base, Limit: idleNoise,
		})
	}
	return list
}

// idle returns the wake-ups of an idle second, NaN if they were not counted.
func (d *Data) idle(encoder string, mode load.Mode) float64 {
	for _, r := range d.Idle {
		if r.Encoder == encoder && r.Mode == mode && r.Least() >= 0 {
			return float64(r.Least())
		}
	}
	return math.NaN()
}

func tailGoal(d *Data) []Check {
	ours, lock := oursTo(load.Pipe, load.Burst, 64), libraryTo(load.Pipe, load.LockWrite, 64)
	ours.Rate, lock.Rate = Busy, Busy
	return []Check{atMost("of lock and write's", 0.15, d.loadRatio(ours, lock, tail))}
}

func heapGoal(d *Data) []Check {
	return []Check{{What: "growth", Got: float64(d.HeapGrowth) / (1 << 20), Limit: 2, Unit: " MiB"}}
}

func startGoal(d *Data) []Check {
	find := func(name string) cold.Row {
		r, _ := cold.Find(d.Starts, name) // without starts every figure is NaN
		return r
	}
	ours, three := find(cold.StreamOurs), find(cold.StreamThree)
	size := math.NaN()
	if ours.Size > 0 && three.Size > 0 {
		size = float64(ours.Size-three.Size) / 1e6
	}
	return []Check{
		atMost("a stream, of a program with zerolog, slog and encoding/json", 1.15, cold.Ratio(ours, three)),
		{What: "its binary beyond that program's", Got: size, Limit: 1, Unit: " MB"},
		atMost("an envelope, of encoding/json", 1.1, cold.Ratio(find(cold.EnvelopeOurs), find(cold.EnvelopeJSON))),
	}
}

func redactGoal(d *Data) []Check {
	list := []Check{atMost("a delta redacted, of one that is not", 1.3, worst(false, func(k corpus.Kind) float64 {
		return d.Default.Ratio(delta(true, k, corpus.Delta).String(), suite.Redacted, suite.Ours)
	}))}
	wrong := math.NaN()
	for _, f := range d.Faults {
		if f.Name == suite.Ours {
			wrong = float64(f.Count.Total() + f.Count.Unescaped)
		}
	}
	return append(list, none("lines that are wrong, or lack an escape", wrong))
}
