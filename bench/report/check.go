package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/streamjson/streamjson/bench/internal/measure"
	"github.com/streamjson/streamjson/bench/internal/report"
	"github.com/streamjson/streamjson/bench/internal/rival"
	"github.com/streamjson/streamjson/bench/internal/suite"
)

var errLost = errors.New("slower than recorded")

// tries is how often a ratio must be seen below its limit. A machine that is
// shared can hit one contender by chance; what a change has cost is there
// every time.
const tries = 3

// check measures the core and compares it with the recorded ratios.
func check(ctx context.Context, s settings, b *suite.Builder, stdout io.Writer, tell func(string, ...any)) error {
	recorded, err := report.ReadRatios(s.table)
	if err != nil {
		return fmt.Errorf("%w (a full run records the ratios)", err)
	}
	keys := suite.Core()
	var lost []report.Loss
	for try := range tries {
		measured, err := ratios(ctx, s, b, keys)
		if err != nil {
			return err
		}
		if try == 0 {
			if err := tellRatios(stdout, recorded, measured, keys); err != nil {
				return err
			}
		}
		lost = again(lost, report.Losses(only(recorded, keys), measured), try)
		if len(lost) == 0 {
			_, err := fmt.Fprintln(stdout, "no ratio has lost more than a quarter")
			return err
		}
		keys = slices.DeleteFunc(slices.Clone(keys), func(k suite.Key) bool {
			return !slices.ContainsFunc(lost, func(l report.Loss) bool { return l.Case == k.String() })
		})
		tell("try %d of %d: %d ratios are low\n", try+1, tries, len(lost))
		if len(keys) == 0 {
			break // what is lost is measured no longer
		}
	}
	for _, l := range lost {
		if _, err := fmt.Fprintln(stdout, l); err != nil {
			return err
		}
	}
	return errLost
}

// again returns what is lost now and was lost in the try before, too.
func again(before, now []report.Loss, try int) []report.Loss {
	if try == 0 {
		return now
	}
	return slices.DeleteFunc(now, func(l report.Loss) bool {
		return !slices.ContainsFunc(before, func(b report.Loss) bool { return b.Case == l.Case && b.Rival == l.Rival })
	})
}

// only returns the ratios of some cases, and of those that nothing measures
// any more.
func only(r report.Ratios, keys []suite.Key) report.Ratios {
	list := report.Ratios{}
	for name, rivals := range r {
		known := slices.ContainsFunc(suite.Core(), func(k suite.Key) bool { return k.String() == name })
		if !known || slices.ContainsFunc(keys, func(k suite.Key) bool { return k.String() == name }) {
			list[name] = rivals
		}
	}
	return list
}

func ratios(ctx context.Context, s settings, b *suite.Builder, keys []suite.Key) (report.Ratios, error) {
	cases, err := b.Cases(keys, func(name string) bool {
		return name == suite.Ours || name == rival.EncodingJSON || name == rival.Zerolog
	})
	if err != nil {
		return nil, err
	}
	table := new(measure.Table)
	for _, c := range cases {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		t, err := measure.Run([]measure.Case{c}, measure.Options{Rounds: 2*s.rounds + 1, Slice: s.slice})
		if err != nil {
			return nil, err
		}
		table.Merge(t)
	}
	return report.RatiosOf(table, keys), nil
}

func tellRatios(w io.Writer, recorded, measured report.Ratios, keys []suite.Key) error {
	for _, k := range keys {
		for _, lib := range []string{rival.EncodingJSON, rival.Zerolog} {
			_, err := fmt.Fprintf(w, "%-32s %-14s %6.2fx  recorded %6.2fx\n", k, lib, measured[k.String()][lib], recorded[k.String()][lib])
			if err != nil {
				return err
			}
		}
	}
	return nil
}
