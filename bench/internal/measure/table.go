package measure

import (
	"math"
	"slices"

	"github.com/streamjson/streamjson/bench/internal/stats"
)

// A Row holds the samples of one contender in one case, a round each.
type Row struct {
	Case, Contender string
	Samples         []Sample
}

// NS returns the median of the nanoseconds.
func (r *Row) NS() float64 { return r.median(func(s Sample) float64 { return s.NS }) }

// Allocs returns the median of the allocations.
func (r *Row) Allocs() float64 { return r.median(func(s Sample) float64 { return s.Allocs }) }

// Memory returns the median of the bytes allocated.
func (r *Row) Memory() float64 { return r.median(func(s Sample) float64 { return s.Memory }) }

// Bytes returns the median of the bytes written.
func (r *Row) Bytes() float64 { return r.median(func(s Sample) float64 { return s.Bytes }) }

func (r *Row) median(of func(Sample) float64) float64 {
	return stats.Median(r.column(of))
}

func (r *Row) column(of func(Sample) float64) []float64 {
	list := make([]float64, len(r.Samples))
	for i, s := range r.Samples {
		list[i] = of(s)
	}
	return list
}

// A Table is what was measured, in the order in which it was. It can be
// encoded as JSON and merged with the table of another process. The zero Table
// is empty.
type Table struct{ Rows []*Row }

func (t *Table) add(name, contender string, s ...Sample) {
	r := t.Row(name, contender)
	if r == nil {
		r = &Row{Case: name, Contender: contender}
		t.Rows = append(t.Rows, r)
	}
	r.Samples = append(r.Samples, s...)
}

// Merge adds the rounds of o.
func (t *Table) Merge(o *Table) {
	for _, r := range o.Rows {
		t.add(r.Case, r.Contender, r.Samples...)
	}
}

// Row returns the row of a contender in a case, or nil.
func (t *Table) Row(name, contender string) *Row {
	i := slices.IndexFunc(t.Rows, func(r *Row) bool { return r.Case == name && r.Contender == contender })
	if i < 0 {
		return nil
	}
	return t.Rows[i]
}

// Contenders returns who took part in a case.
func (t *Table) Contenders(name string) []string {
	var list []string
	for _, r := range t.Rows {
		if r.Case == name {
			list = append(list, r.Contender)
		}
	}
	return list
}

// Ratio returns how many times as long as b a takes: the median of the ratios
// of the rounds; NaN if one of them was not measured.
func (t *Table) Ratio(name, a, b string) float64 {
	x, y := t.Row(name, a), t.Row(name, b)
	if x == nil || y == nil {
		return math.NaN()
	}
	ns := func(s Sample) float64 { return s.NS }
	return stats.MedianRatio(x.column(ns), y.column(ns))
}
