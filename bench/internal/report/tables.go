package report

import (
	"fmt"
	"math"

	"github.com/streamjson/streamjson/bench/internal/corpus"
	"github.com/streamjson/streamjson/bench/internal/line"
	"github.com/streamjson/streamjson/bench/internal/load"
	"github.com/streamjson/streamjson/bench/internal/measure"
	"github.com/streamjson/streamjson/bench/internal/suite"
)

// contrast is a table of times: contenders below, cases beside each other, and
// in brackets how many times as long as ours each takes. Beside the times
// stands what each of them writes wrong.
func (d *Data) contrast(t *measure.Table, columns []string, keys []suite.Key) string {
	g := grid{head: append(append([]string{""}, columns...), "allocations", "faults")}
	for _, name := range contenders(t, keys) {
		cells := []string{name}
		most := 0.0
		for _, k := range keys {
			r := t.Row(k.String(), name)
			if r == nil {
				cells = append(cells, "")
				continue
			}
			most = max(most, r.Allocs())
			cell := nanoseconds(r.NS())
			if name == suite.Ours {
				cell = "**" + cell + "**"
			} else if x := t.Ratio(k.String(), name, suite.Ours); !math.IsNaN(x) {
				cell += " (" + ratio(x) + ")"
			}
			cells = append(cells, cell)
		}
		g.add(append(cells, figure(most), d.wrong(name))...)
	}
	return g.String()
}

// wrong returns how many faults were counted in how many lines.
func (d *Data) wrong(name string) string {
	for _, f := range d.Faults {
		if f.Name == name {
			return fmt.Sprintf("%d in %d", f.Count.Total(), f.Count.Lines)
		}
	}
	return ""
}

// contenders returns who took part in any of the cases, in their order.
func contenders(t *measure.Table, keys []suite.Key) []string {
	var list []string
	seen := map[string]bool{}
	for _, k := range keys {
		for _, name := range t.Contenders(k.String()) {
			if !seen[name] {
				seen[name] = true
				list = append(list, name)
			}
		}
	}
	return list
}

// byKind returns the cases of deltas of all kinds.
func byKind(whole bool, size int) (columns []string, keys []suite.Key) {
	for _, kind := range corpus.Kinds() {
		columns = append(columns, string(kind))
		keys = append(keys, suite.Key{Whole: whole, Shape: line.TextDelta, Kind: kind, Size: size})
	}
	return columns, keys
}

// others returns the cases that are no text deltas.
func others(all []suite.Key) (columns []string, keys []suite.Key) {
	for _, k := range all {
		if k.Shape == line.TextDelta {
			continue
		}
		name := k.Shape.String()
		if k.Shape != line.ToolUse && k.Shape != line.Result {
			name += " " + suite.SizeName(k.Size)
		}
		columns = append(columns, name)
		keys = append(keys, k)
	}
	return columns, keys
}

// measured returns the cases of keys that t has, named by themselves.
func measured(t *measure.Table, keys []suite.Key) (columns []string, list []suite.Key) {
	for _, k := range keys {
		if t.Row(k.String(), suite.Ours) != nil {
			columns = append(columns, k.String())
			list = append(list, k)
		}
	}
	return columns, list
}

// loads is the table of the runs into a sink at a rate.
func (d *Data) loads(sink load.Sink, rate int) string {
	g := grid{head: []string{"", "goroutines", "lines/s", "of lock and write", "p50", "p99", "p99.9", "CPU a line", "allocations"}}
	for _, r := range d.Loads {
		if r.Sink != sink || r.Rate != rate {
			continue
		}
		base := libraryTo(sink, load.LockWrite, r.Writers)
		base.Rate = rate
		mid := func(of func(load.Result) float64) float64 { return median(r.Rounds, of) }
		g.add(
			r.Name(), fmt.Sprint(r.Writers), figure(mid(speed)), ratio(d.loadRatio(r.LoadKey, base, speed)),
			nanoseconds(mid(func(x load.Result) float64 { return float64(x.P50) })),
			nanoseconds(mid(func(x load.Result) float64 { return float64(x.P99) })),
			nanoseconds(mid(tail)), nanoseconds(mid(cpu)), figure(math.Round(mid(func(x load.Result) float64 { return x.Allocs })*100)/100),
		)
	}
	return g.String()
}

func (d *Data) idles() string {
	g := grid{head: []string{"", "wake-ups, least of the processes"}}
	for _, r := range d.Idle {
		g.add(r.Name(), fmt.Sprint(r.Least()))
	}
	return g.String()
}

func (d *Data) starts(document bool) string {
	g := grid{head: []string{"", "start", "binary"}}
	for _, r := range d.Starts {
		if r.Document == document {
			g.add(r.Library, figure(r.MS())+" ms", figure(float64(r.Size)/1e6)+" MB")
		}
	}
	return g.String()
}

func (d *Data) faults() string {
	g := grid{head: []string{
		"", "lines", "refused", "invalid JSON", "invalid UTF-8", "newline inside", "a key twice", "text changed", "raw DEL, C1, U+2028/9",
	}}
	for _, f := range d.Faults {
		c := f.Count
		cells := []string{f.Name}
		for _, n := range []int{c.Lines, c.Refused, c.InvalidJSON, c.InvalidUTF8, c.Broken, c.DuplicateKeys, c.Changed, c.Unescaped} {
			cells = append(cells, fmt.Sprint(n))
		}
		g.add(cells...)
	}
	return g.String()
}

func (d *Data) parts() string {
	g := grid{head: []string{"part", "time"}}
	for _, r := range d.Parts.Rows {
		g.add(r.Contender, nanoseconds(r.NS()))
	}
	return g.String()
}
