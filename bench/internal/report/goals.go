package report

import (
	"fmt"
	"math"

	"github.com/streamjson/streamjson/bench/internal/corpus"
	"github.com/streamjson/streamjson/bench/internal/line"
	"github.com/streamjson/streamjson/bench/internal/measure"
	"github.com/streamjson/streamjson/bench/internal/rival"
	"github.com/streamjson/streamjson/bench/internal/suite"
)

// A Goal is one promise about speed, and what a run says of it.
type Goal struct {
	Number int
	Text   string
	Checks []Check
}

// Met reports whether all checks hold.
func (g Goal) Met() bool {
	for _, c := range g.Checks {
		if !c.Met() {
			return false
		}
	}
	return len(g.Checks) > 0
}

// A Check is one figure and its limit. A figure that is NaN was not measured,
// and holds nothing.
type Check struct {
	What    string
	Got     float64
	Limit   float64
	AtLeast bool   // Limit is a lower bound
	Unit    string // "x" for ratios
}

// Met reports whether the figure is within its limit.
func (c Check) Met() bool {
	if c.AtLeast {
		return c.Got >= c.Limit
	}
	return c.Got <= c.Limit
}

func (c Check) String() string {
	sign := "at most"
	if c.AtLeast {
		sign = "at least"
	}
	got := figure(c.Got) + c.Unit
	if math.IsNaN(c.Got) {
		got = "not measured"
	}
	return fmt.Sprintf("%s: %s (%s %s%s)", c.What, got, sign, figure(c.Limit), c.Unit)
}

func atLeast(what string, limit, got float64) Check { return Check{what, got, limit, true, "x"} }
func atMost(what string, limit, got float64) Check  { return Check{what, got, limit, false, "x"} }
func none(what string, got float64) Check           { return Check{what, got, 0, false, ""} }

// Goals judges a run.
func Goals(d *Data) []Goal {
	list := []Goal{
		{1, "a text delta emitted to a discarding writer, the worst of ASCII, code and non-ASCII", deltaGoal(d)},
		{2, "the same emit against a clock reading, an uncontended lock and the copy of its line", floorGoal(d)},
		{3, "encoding alone, 40 bytes, against copying the line", smallGoal(d)},
		{4, "64 KiB of ASCII", asciiGoal(d)},
		{5, "64 KiB of code", codeGoal(d)},
		{6, "64 KiB with non-ASCII characters, UTF-8 checked", nonASCIIGoal(d)},
		{7, "a tool_use with ten sorted keys, and a result with three models", valuesGoal(d)},
	}
	return append(list, runGoals(d)...)
}

func delta(whole bool, kind corpus.Kind, size int) suite.Key {
	return suite.Key{Whole: whole, Shape: line.TextDelta, Kind: kind, Size: size}
}

// prose are the kinds of text that models write.
func prose() []corpus.Kind { return []corpus.Kind{corpus.ASCII, corpus.Code, corpus.NonASCII} }

// worst returns the extreme of f over the kinds that models write: the least
// if least is set. NaN, which is no figure, is worse than any.
func worst(least bool, f func(corpus.Kind) float64) float64 {
	result := math.NaN()
	for i, kind := range prose() {
		x := f(kind)
		switch {
		case math.IsNaN(x):
			return x
		case i == 0, least && x < result, !least && x > result:
			result = x
		}
	}
	return result
}

// faster returns how many times as long as ours a rival takes.
func faster(t *measure.Table, k suite.Key, lib string) float64 {
	return t.Ratio(k.String(), lib, suite.Ours)
}

func allocs(t *measure.Table, k suite.Key) float64 {
	r := t.Row(k.String(), suite.Ours)
	if r == nil {
		return math.NaN()
	}
	return r.Allocs()
}

func deltaGoal(d *Data) []Check {
	var list []Check
	for _, x := range []struct {
		lib   string
		limit float64
	}{{rival.Zerolog, 6}, {rival.SonicInto, 7}, {rival.EncodingJSON, 10}, {rival.Slog, 25}} {
		list = append(list, atLeast(x.lib, x.limit, worst(true, func(k corpus.Kind) float64 {
			return faster(d.Default, delta(true, k, corpus.Delta), x.lib)
		})))
	}
	return append(list, none("allocations", worst(false, func(k corpus.Kind) float64 {
		return allocs(d.Default, delta(true, k, corpus.Delta))
	})))
}

func floorGoal(d *Data) []Check {
	return []Check{atMost("of the floor", 1.3, worst(false, func(k corpus.Kind) float64 {
		return d.Default.Ratio(delta(true, k, corpus.Delta).String(), suite.Ours, suite.Floor)
	}))}
}

func overCopy(d *Data, kind corpus.Kind, size int) float64 {
	return d.Default.Ratio(delta(false, kind, size).String(), suite.Ours, suite.Floor)
}

func smallGoal(d *Data) []Check {
	return []Check{
		atMost("ASCII", 1.7, overCopy(d, corpus.ASCII, corpus.Delta)),
		atMost("code", 2.2, overCopy(d, corpus.Code, corpus.Delta)),
		atMost("non-ASCII", 2.2, overCopy(d, corpus.NonASCII, corpus.Delta)),
	}
}

func asciiGoal(d *Data) []Check {
	k := delta(false, corpus.ASCII, suite.Large)
	return []Check{
		atLeast("portable, encoding/json", 5, faster(d.Portable, k, rival.EncodingJSON)),
		atMost("of copying the line", 2, overCopy(d, corpus.ASCII, suite.Large)),
	}
}

func codeGoal(d *Data) []Check {
	k := delta(false, corpus.Code, suite.Large)
	return []Check{
		atLeast("portable, encoding/json", 2.4, faster(d.Portable, k, rival.EncodingJSON)),
		atLeast("portable, zerolog", 7, faster(d.Portable, k, rival.Zerolog)),
		atLeast("sonic EncodeInto", 3, faster(d.Default, k, rival.SonicInto)),
	}
}

func nonASCIIGoal(d *Data) []Check {
	k := delta(false, corpus.NonASCII, suite.Large)
	return []Check{
		atLeast("portable, encoding/json", 1.6, faster(d.Portable, k, rival.EncodingJSON)),
		atLeast("encoding/json", 5, faster(d.Default, k, rival.EncodingJSON)),
	}
}

func valuesGoal(d *Data) []Check {
	use, result := suite.ToolUse(), suite.Result()
	return []Check{
		atLeast("tool_use, sonic EncodeInto sorted and checked", 1.7, faster(d.Default, use, rival.SonicChecked)),
		atLeast("tool_use, encoding/json", 5, faster(d.Default, use, rival.EncodingJSON)),
		none("tool_use, allocations", allocs(d.Default, use)),
		atLeast("result, sonic EncodeInto sorted and checked", 1.3, faster(d.Default, result, rival.SonicChecked)),
		atLeast("result, encoding/json", 3, faster(d.Default, result, rival.EncodingJSON)),
		none("result, allocations", allocs(d.Default, result)),
	}
}
