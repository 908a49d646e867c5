package report

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/streamjson/streamjson/bench/internal/measure"
	"github.com/streamjson/streamjson/bench/internal/rival"
	"github.com/streamjson/streamjson/bench/internal/suite"
)

// loss is the share of a ratio that may be lost before it counts: shared
// machines are off by some 15 %.
const loss = 0.25

// Ratios are how many times as long as ours a rival takes, by case and rival.
// They depend far less on the machine than times do.
type Ratios map[string]map[string]float64

// RatiosOf returns the ratios of the cases in keys against the rivals that
// every run has.
func RatiosOf(t *measure.Table, keys []suite.Key) Ratios {
	all := Ratios{}
	for _, k := range keys {
		for _, lib := range []string{rival.EncodingJSON, rival.Zerolog} {
			ratio := faster(t, k, lib)
			if math.IsNaN(ratio) {
				continue
			}
			if all[k.String()] == nil {
				all[k.String()] = map[string]float64{}
			}
			all[k.String()][lib] = math.Round(ratio*100) / 100
		}
	}
	return all
}

// ReadRatios reads what WriteRatios has written.
func ReadRatios(path string) (Ratios, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var r Ratios
	if err := json.Unmarshal(b, &r); err != nil {
		return nil, fmt.Errorf("report: %s: %w", path, err)
	}
	return r, nil
}

// WriteRatios writes r to a file.
func WriteRatios(path string, r Ratios) error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(b, '\n'), 0o644)
}

// A Loss is a ratio that is less than it was.
type Loss struct {
	Case, Rival string
	Was, Is     float64 // Is is NaN where the case was not measured
}

func (l Loss) String() string {
	if math.IsNaN(l.Is) {
		return fmt.Sprintf("%s against %s: %.2fx recorded, not measured", l.Case, l.Rival, l.Was)
	}
	return fmt.Sprintf("%s against %s: %.2fx, %.2fx recorded: %.0f %% lost", l.Case, l.Rival, l.Is, l.Was, 100*(1-l.Is/l.Was))
}

// Losses returns which ratios are more than a quarter below the recorded ones,
// or were not measured, in order of their names.
func Losses(recorded, measured Ratios) []Loss {
	var list []Loss
	for name, rivals := range recorded {
		for lib, was := range rivals {
			is, ok := measured[name][lib]
			if !ok {
				is = math.NaN()
			}
			if !(is >= was*(1-loss)) {
				list = append(list, Loss{name, lib, was, is})
			}
		}
	}
	slices.SortFunc(list, func(a, b Loss) int {
		return strings.Compare(a.Case+"\x00"+a.Rival, b.Case+"\x00"+b.Rival)
	})
	return list
}
