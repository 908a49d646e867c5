// Report measures this SDK and its rivals side by side, judges the figures by
// the goals, and writes the page docs/performance.md with its charts. It also
// compares ratios with those that an earlier run has recorded.
//
//	go run ./report                  # all of it, some minutes
//	go run ./report -check           # the core, under two minutes
//
// It must be started in the directory of this module.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/streamjson/streamjson/bench/internal/load"
	"github.com/streamjson/streamjson/bench/internal/report"
	"github.com/streamjson/streamjson/bench/internal/suite"
)

func main() {
	load.ServeReader()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
}

type settings struct {
	check               bool
	rounds              int
	slice               time.Duration
	page, charts, table string
}

func parse(args []string, stderr io.Writer) (settings, error) {
	var s settings
	f := flag.NewFlagSet("report", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.BoolVar(&s.check, "check", false, "measure the core alone, and fail if a ratio has lost more than a quarter")
	f.IntVar(&s.rounds, "rounds", 21, "interleaved rounds of short operations; a fifth of them for runs into pipes and files")
	f.DurationVar(&s.slice, "slice", 5*time.Millisecond, "time of one contender in one round")
	f.StringVar(&s.page, "page", filepath.FromSlash("../docs/performance.md"), "the page to write")
	f.StringVar(&s.charts, "charts", "performance", "the directory of the charts, beside the page")
	f.StringVar(&s.table, "ratios", filepath.FromSlash("testdata/ratios.json"), "the recorded ratios: written, or with -check read")
	if err := f.Parse(args); err != nil {
		return s, err
	}
	if s.rounds < 1 || s.slice <= 0 || f.NArg() > 0 {
		return s, errors.New("-rounds and -slice must be positive, and there are no arguments")
	}
	return s, nil
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	s, err := parse(args, stderr)
	if err != nil {
		return err
	}
	builder := suite.NewBuilder(suite.FreshSize)
	tell := func(format string, args ...any) { fmt.Fprintf(stderr, format, args...) }
	if s.check {
		return check(ctx, s, builder, stdout, tell)
	}
	c := &collector{
		rounds: s.rounds, slice: s.slice, load: 250 * time.Millisecond, paced: time.Second, starts: 2 * s.rounds, tried: 1000,
		keys: loadKeys(), tell: tell, suite: builder,
	}
	d, err := c.collect(ctx)
	if err != nil {
		return err
	}
	if err := write(s, d); err != nil {
		return err
	}
	return summary(stdout, report.Goals(d))
}

// write writes the page, its charts, and the ratios.
func write(s settings, d *report.Data) error {
	charts := filepath.Join(filepath.Dir(s.page), s.charts)
	if err := os.MkdirAll(charts, 0o755); err != nil {
		return err
	}
	if err := report.Charts(charts, d); err != nil {
		return err
	}
	f, err := os.Create(s.page)
	if err != nil {
		return err
	}
	if err := errors.Join(report.Page(f, d, filepath.ToSlash(s.charts)), f.Close()); err != nil {
		return err
	}
	return report.WriteRatios(s.table, report.RatiosOf(d.Default, suite.Core()))
}

// summary prints each goal, its figures, and whether it is met. A goal that is
// not is no error: figures are for people to judge.
func summary(w io.Writer, goals []report.Goal) error {
	met := 0
	for _, g := range goals {
		verdict := "NOT MET"
		if g.Met() {
			verdict = "met"
			met++
		}
		if _, err := fmt.Fprintf(w, "goal %2d %-7s  %s\n", g.Number, verdict, g.Text); err != nil {
			return err
		}
		for _, c := range g.Checks {
			mark := "-"
			if c.Met() {
				mark = "+"
			}
			if _, err := fmt.Fprintf(w, "        %s %v\n", mark, c); err != nil {
				return err
			}
		}
	}
	_, err := fmt.Fprintf(w, "%d of %d goals met\n", met, len(goals))
	return err
}
