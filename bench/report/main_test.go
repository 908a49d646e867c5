package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/streamjson/streamjson/bench/internal/cold"
	"github.com/streamjson/streamjson/bench/internal/load"
	"github.com/streamjson/streamjson/bench/internal/measure"
	"github.com/streamjson/streamjson/bench/internal/report"
	"github.com/streamjson/streamjson/bench/internal/rival"
	"github.com/streamjson/streamjson/bench/internal/suite"
)

// TestMain also is the reader of a pipe.
func TestMain(m *testing.M) {
	load.ServeReader()
	// A reader under the race detector would sleep for a second at its end.
	os.Setenv("GORACE", os.Getenv("GORACE")+" atexit_sleep_ms=0")
	goleak.VerifyTestMain(m)
}

// TestRunsCoverTheGoals: no goal may ask for a run that nobody makes.
func TestRunsCoverTheGoals(t *testing.T) {
	d := &report.Data{Default: new(measure.Table), Portable: new(measure.Table)}
	for _, k := range loadKeys() {
		if _, err := load.EncoderOf(k.Encoder, k.Mode, k.Redacting); err != nil {
			t.Errorf("%+v: %v", k, err)
		}
		d.Loads = append(d.Loads, report.LoadRow{LoadKey: k, Rounds: []load.Result{{LinesPerSecond: 1, CPU: 1, P999: 1}}})
	}
	for _, g := range report.Goals(d) {
		for _, c := range g.Checks {
			if g.Number >= 8 && g.Number <= 11 && strings.Contains(c.String(), "not measured") && !strings.Contains(c.What, "idle") {
				t.Errorf("goal %d: %v", g.Number, c)
			}
		}
	}
}

// recorded writes a table in which every ratio is x.
func recorded(t *testing.T, x float64) string {
	t.Helper()
	r := report.Ratios{}
	for _, k := range suite.Core() {
		r[k.String()] = map[string]float64{rival.EncodingJSON: x, rival.Zerolog: x}
	}
	path := filepath.Join(t.TempDir(), "ratios.json")
	if err := report.WriteRatios(path, r); err != nil {
		t.Fatal(err)
	}
	return path
}

// checked runs a check against the ratios in path, in no time.
func checked(path string) (out, progress string, err error) {
	var told, printed bytes.Buffer
	err = check(
		context.Background(), settings{rounds: 1, slice: 100 * time.Microsecond, table: path}, suite.NewBuilder(96<<10), &printed,
		func(format string, args ...any) { fmt.Fprintf(&told, format, args...) },
	)
	return printed.String(), told.String(), err
}

func TestCheckFailsOnALossAlone(t *testing.T) {
	// Nobody is a million times as fast as ours, and nobody a millionth.
	if out, _, err := checked(recorded(t, 1e-6)); err != nil || !strings.Contains(out, "no ratio has lost") {
		t.Errorf("%v\n%s", err, out)
	}
	out, progress, err := checked(recorded(t, 1e6))
	if !errors.Is(err, errLost) || strings.Count(out, "% lost") != 2*len(suite.Core()) {
		t.Errorf("%v\n%s", err, out)
	}
	if got := strings.Count(progress, "ratios are low"); got != tries {
		t.Errorf("%d tries, want %d: %s", got, tries, progress)
	}
	if _, _, err := checked("none.json"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v, want that there is no record", err)
	}
}

// TestRecordedCaseThatIsGoneIsALoss: a check must not get easier by leaving a
// case out.
func TestRecordedCaseThatIsGoneIsALoss(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ratios.json")
	if err := report.WriteRatios(path, report.Ratios{"emit/smoke": {"zerolog": 2}}); err != nil {
		t.Fatal(err)
	}
	out, _, err := checked(path)
	if !errors.Is(err, errLost) || !strings.Contains(out, "emit/smoke against zerolog: 2.00x recorded, not measured") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestStepsFillTheirPart runs the steps that need no build of their own, for a
// moment each.
func TestStepsFillTheirPart(t *testing.T) {
	c := &collector{
		rounds: 1, slice: 100 * time.Microsecond, load: time.Millisecond, paced: 5 * time.Millisecond, tried: 20,
		tell: func(string, ...any) {}, suite: suite.NewBuilder(96 << 10),
	}
	for i, k := range loadKeys() {
		if i%5 == 0 {
			c.keys = append(c.keys, k)
		}
	}
	ctx := context.Background()
	d := &report.Data{Machine: machine(1)}
	for _, step := range []func(context.Context, *report.Data) error{c.heap, c.faults, c.loads} {
		if err := step(ctx, d); err != nil {
			t.Fatal(err)
		}
	}
	if len(d.Loads) != len(c.keys) || len(d.Loads[0].Rounds) != 1 || !d.Loads[0].Rounds[0].Checked {
		t.Errorf("%d loads", len(d.Loads))
	}
	if len(d.Faults) != 1+len(rival.Libraries()) || d.HeapGrowth == 0 {
		t.Errorf("%d rows of faults, %d bytes of heap", len(d.Faults), d.HeapGrowth)
	}
	if d.Machine.CPU == "" || d.Machine.Cores < 1 || d.Machine.Rounds != 1 {
		t.Errorf("%+v", d.Machine)
	}
}

func TestPageChartsAndRatiosAreWritten(t *testing.T) {
	dir := t.TempDir()
	s := settings{page: filepath.Join(dir, "page.md"), charts: "charts", table: filepath.Join(dir, "ratios.json")}
	empty := &report.Data{Default: new(measure.Table), Portable: new(measure.Table), Experiment: new(measure.Table), Parts: new(measure.Table)}
	if err := write(s, empty); err == nil {
		t.Error("a chart of nothing was drawn")
	}
	cases, err := suite.NewBuilder(64<<10).Cases(suite.Core(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if empty.Default, err = measure.Run(cases, measure.Options{Rounds: 1, Slice: 50 * time.Microsecond}); err != nil {
		t.Fatal(err)
	}
	d := empty
	for _, k := range loadKeys() {
		d.Loads = append(d.Loads, report.LoadRow{LoadKey: k, Rounds: []load.Result{{LinesPerSecond: 1}}})
	}
	d.Starts = append(d.Starts, cold.Row{Program: cold.Program{Library: "ours"}, Starts: []float64{7}})
	if err := write(s, d); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"page.md", "charts/delta.svg", "charts/encode.svg", "charts/pipe.svg", "charts/start.svg"} {
		if info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name))); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	var ratios report.Ratios
	b, err := os.ReadFile(s.table)
	if err = errors.Join(err, json.Unmarshal(b, &ratios)); err != nil || len(ratios) != len(suite.Core()) {
		t.Errorf("%d ratios, %v", len(ratios), err)
	}
	var out bytes.Buffer
	if err := summary(&out, report.Goals(d)); err != nil || strings.Count(out.String(), "goal ") != 14 || !strings.Contains(out.String(), "of 14 goals met") {
		t.Errorf("%v\n%s", err, out.String())
	}
}

func TestWrongUsage(t *testing.T) {
	for _, args := range [][]string{{"-rounds", "0"}, {"-slice", "0"}, {"now"}, {"-fast"}} {
		var out, errs bytes.Buffer
		if err := run(context.Background(), args, &out, &errs); err == nil || out.Len() > 0 {
			t.Errorf("%v: %v", args, err)
		}
	}
}
