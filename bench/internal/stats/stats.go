// Package stats holds the few statistics that the benchmarks need.
package stats

import (
	"math"
	"slices"
)

// Median returns the median of list, which it leaves alone: the mean of the
// two in the middle where their number is even, NaN for none.
func Median(list []float64) float64 {
	if len(list) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(list))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// MedianRatio returns the median of the ratios a[i]/b[i]: of what was measured
// side by side, so that a machine that was slow for a moment was so for both.
// Surplus elements of the longer list don't count.
func MedianRatio(a, b []float64) float64 {
	ratios := make([]float64, min(len(a), len(b)))
	for i := range ratios {
		ratios[i] = a[i] / b[i]
	}
	return Median(ratios)
}

// Spread returns the distance of the quartiles of list as a share of its
// median: how much a figure can be trusted. It is NaN for fewer than four.
func Spread(list []float64) float64 {
	if len(list) < 4 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(list))
	return (sorted[(3*len(sorted)-1)/4] - sorted[len(sorted)/4]) / Median(list)
}
