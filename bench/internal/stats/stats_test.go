package stats_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/streamjson/streamjson/bench/internal/stats"
)

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		list []float64
		want float64
	}{
		{[]float64{3}, 3},
		{[]float64{9, 1, 4}, 4},
		{[]float64{9, 1, 4, 5}, 4.5},
		{[]float64{2, 2, 2, 100, 2}, 2},
	} {
		before := slices.Clone(c.list)
		if got := stats.Median(c.list); got != c.want {
			t.Errorf("Median(%v) = %v, want %v", c.list, got, c.want)
		}
		if !slices.Equal(c.list, before) {
			t.Errorf("Median has changed its argument to %v", c.list)
		}
	}
	if got := stats.Median(nil); !math.IsNaN(got) {
		t.Errorf("the median of nothing is %v, want NaN", got)
	}
}

func TestMedianRatioComparesNeighbours(t *testing.T) {
	// The machine was three times slower in the second round, for both.
	if got := stats.MedianRatio([]float64{10, 30, 10}, []float64{5, 15, 5, 999}); got != 2 {
		t.Errorf("%v, want 2", got)
	}
}

func TestSpread(t *testing.T) {
	if got := stats.Spread([]float64{4, 1, 3, 2}); got != 1/2.5 {
		t.Errorf("%v, want %v", got, 1/2.5)
	}
	if got := stats.Spread([]float64{5, 5, 5, 5, 5}); got != 0 {
		t.Errorf("%v, want 0", got)
	}
	if got := stats.Spread([]float64{1, 2, 3}); !math.IsNaN(got) {
		t.Errorf("%v, want NaN", got)
	}
}

// TestHistogramAgreesWithSorting compares quantiles with those of the sorted
// list, of which a histogram may be off by a bucket.
func TestHistogramAgreesWithSorting(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var whole, half, other stats.Histogram
	var list []time.Duration
	for i := range 20_000 {
		d := time.Duration(math.Exp(r.Float64() * 23)) // 1 ns to 10 s
		list = append(list, d)
		whole.Add(d)
		if i%2 == 0 {
			half.Add(d)
		} else {
			other.Add(d)
		}
	}
	half.Merge(&other)
	slices.Sort(list)
	if whole.Count() != uint64(len(list)) || whole.Max() != list[len(list)-1] {
		t.Errorf("Count %d, Max %v", whole.Count(), whole.Max())
	}
	for _, q := range []float64{0, .001, .1, .5, .9, .99, .999, 1} {
		want := list[max(int(math.Ceil(q*float64(len(list)))), 1)-1]
		got := whole.Quantile(q)
		if got < want || float64(got) > float64(want)*1.035 {
			t.Errorf("quantile %v: %v, want %v and 3 %% more at most", q, got, want)
		}
		if merged := half.Quantile(q); merged != got {
			t.Errorf("quantile %v: %v after Merge, %v before", q, merged, got)
		}
	}
}

func TestHistogramAtItsEnds(t *testing.T) {
	var h stats.Histogram
	if got := h.Quantile(.5); got != 0 {
		t.Errorf("the median of an empty histogram is %v", got)
	}
	h.Add(-time.Second)
	h.Add(math.MaxInt64)
	if lo, hi := h.Quantile(0), h.Quantile(1); lo != 0 || hi != math.MaxInt64 {
		t.Errorf("%v to %v, want 0 to the longest duration", lo, hi)
	}
}
