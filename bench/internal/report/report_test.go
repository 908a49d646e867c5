package report_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/streamjson/streamjson/bench/internal/cold"
	"github.com/streamjson/streamjson/bench/internal/corpus"
	"github.com/streamjson/streamjson/bench/internal/faults"
	"github.com/streamjson/streamjson/bench/internal/line"
	"github.com/streamjson/streamjson/bench/internal/load"
	"github.com/streamjson/streamjson/bench/internal/measure"
	"github.com/streamjson/streamjson/bench/internal/report"
	"github.com/streamjson/streamjson/bench/internal/rival"
	"github.com/streamjson/streamjson/bench/internal/suite"
)

var update = flag.Bool("update", false, "rewrite the golden page")

// table makes up times: ours 100 ns, and everyone else by the factor given.
func table(keys []suite.Key, factors map[string]float64) *measure.Table {
	t := new(measure.Table)
	for _, k := range keys {
		for _, name := range []string{suite.Ours, suite.Redacted, suite.Floor, rival.EncodingJSON, rival.SonicInto, rival.SonicChecked, rival.Zerolog, rival.Slog, rival.EncodingJSONv2} {
			factor, ok := factors[name]
			if !ok {
				continue
			}
			r := &measure.Row{Case: k.String(), Contender: name}
			for _, noise := range []float64{1, 3, 1} {
				r.Samples = append(r.Samples, measure.Sample{NS: 100 * factor * noise})
			}
			t.Rows = append(t.Rows, r)
		}
	}
	return t
}

// good is a run that meets every goal by a little.
func good() *report.Data {
	factors := map[string]float64{
		suite.Ours: 1, suite.Redacted: 1.2, suite.Floor: .8,
		rival.EncodingJSON: 11, rival.SonicInto: 7.5, rival.SonicChecked: 8, rival.Zerolog: 7.1, rival.Slog: 26,
	}
	d := &report.Data{
		Machine: report.Machine{
			CPU: "a processor", OS: "linux", Arch: "amd64", Go: "go1.99", Date: "2026-12-01", Cores: 2, Rounds: 3,
			Modules: [][2]string{{"example.com/rival", "v1.2.3"}},
		},
		Default:    table(append(suite.Emits(), suite.Encodes()...), factors),
		Portable:   table(suite.Encodes()[10:13], factors),
		Experiment: table([]suite.Key{suite.ToolUse()}, map[string]float64{suite.Ours: 1, rival.EncodingJSON: 5, rival.EncodingJSONv2: 4}),
		Parts:      &measure.Table{Rows: []*measure.Row{{Contender: "uncontended lock", Samples: []measure.Sample{{NS: 13.4}}}}},
		HeapGrowth: 3 << 19,
		Faults: []report.FaultRow{
			{Name: suite.Ours, Count: faults.Count{Lines: 2000}},
			{Name: rival.Zerolog, Count: faults.Count{Lines: 2000, InvalidJSON: 12, Broken: 3, Unescaped: 9}},
		},
		Starts: []cold.Row{
			{Program: cold.Program{Name: cold.StreamOurs, Library: "ours"}, Starts: []float64{11, 33}, Size: 3_100_000},
			{Program: cold.Program{Name: cold.StreamThree, Library: "three"}, Starts: []float64{10, 30}, Size: 2_200_000},
			{Program: cold.Program{Name: cold.EnvelopeOurs, Library: "ours, EmitJSON", Document: true}, Starts: []float64{7, 7}, Size: 2_400_000},
			{Program: cold.Program{Name: cold.EnvelopeJSON, Library: "encoding/json", Document: true}, Starts: []float64{7, 7}, Size: 1_900_000},
		},
	}
	addLoads(d)
	return d
}

func addLoads(d *report.Data) {
	add := func(sink load.Sink, writers, rate int, encoder string, mode load.Mode, speed float64, cpu, tail time.Duration) {
		k := report.LoadKey{Encoder: encoder, Mode: mode, Sink: sink, Writers: writers, Rate: rate}
		row := report.LoadRow{LoadKey: k}
		for _, noise := range []float64{1, .25, 1} {
			row.Rounds = append(row.Rounds, load.Result{
				Calls: 1000, LinesPerSecond: speed * noise, P50: time.Microsecond, P99: tail / 2, P999: tail, CPU: cpu,
			})
		}
		d.Loads = append(d.Loads, row)
	}
	for _, writers := range []int{1, 8, 64} {
		add(load.Pipe, writers, 0, load.Ours, load.Burst, 2_000_000, 500, 2000)
		add(load.Pipe, writers, 0, load.Ours, load.Durable, 500_000, 500, 2000)
		add(load.Pipe, writers, 0, load.LockWrite, load.Durable, 300_000, 500, 2000)
		add(load.Pipe, writers, 0, rival.Zerolog, load.Durable, 200_000, 500, 2000)
		add(load.File, writers, 0, load.Ours, load.Burst, 4_000_000, 500, 2000)
		add(load.File, writers, 0, load.LockWrite, load.Durable, 400_000, 500, 2000)
		add(load.File, writers, 0, rival.Zerolog, load.Durable, 300_000, 500, 2000)
	}
	add(load.Pipe, 1, report.Calm, load.Ours, load.Durable, 1000, 110, 2000)
	add(load.Pipe, 1, report.Calm, load.Ours, load.Burst, 1000, 100, 2000)
	add(load.Pipe, 1, report.Calm, load.LockWrite, load.Durable, 1000, 100, 2000)
	add(load.Pipe, 64, report.Busy, load.Ours, load.Burst, 100_000, 100, 140)
	add(load.Pipe, 64, report.Busy, load.LockWrite, load.Durable, 100_000, 100, 1000)
	for _, x := range []struct {
		encoder string
		mode    load.Mode
		wakeups []int64
	}{{load.LockWrite, load.Durable, []int64{9, 4}}, {load.Ours, load.Durable, []int64{4, 70}}, {load.Ours, load.Burst, []int64{5, 8}}} {
		d.Idle = append(d.Idle, report.IdleRow{LoadKey: report.LoadKey{Encoder: x.encoder, Mode: x.mode}, Wakeups: x.wakeups})
	}
}

func TestPageIsGolden(t *testing.T) {
	d := good()
	d.HeapGrowth = 3 << 20 // one goal that is not met
	var out bytes.Buffer
	if err := report.Page(&out, d, "charts"); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "page.golden.md")
	if *update {
		if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(out.String(), "\n")); diff != "" {
		t.Errorf("(-want +got), -update rewrites it:\n%s", diff)
	}
}

func TestGoodRunMeetsAllGoals(t *testing.T) {
	goals := report.Goals(good())
	if len(goals) != 14 {
		t.Errorf("%d goals, want 14", len(goals))
	}
	for i, g := range goals {
		if g.Number != i+1 || !g.Met() {
			t.Errorf("goal %d: %v", g.Number, g.Checks)
		}
	}
}

// TestNothingMeasuredMeetsNoGoal: a figure that is missing must not count for
// one.
func TestNothingMeasuredMeetsNoGoal(t *testing.T) {
	empty := &report.Data{
		Default: new(measure.Table), Portable: new(measure.Table), Experiment: new(measure.Table), Parts: new(measure.Table),
		HeapGrowth: math.MaxInt64,
	}
	for _, g := range report.Goals(empty) {
		for _, c := range g.Checks {
			if c.Met() {
				t.Errorf("goal %d: met by nothing: %v", g.Number, c)
			}
		}
	}
	if err := report.Page(io.Discard, empty, "charts"); err != nil {
		t.Error(err)
	}
}

// TestEachGoalCanFail spoils one thing at a time.
func TestEachGoalCanFail(t *testing.T) {
	text := func(kind corpus.Kind, size int) suite.Key {
		return suite.Key{Shape: line.TextDelta, Kind: kind, Size: size}
	}
	deltas := suite.Emits()[:3] // ascii, code, nonascii
	for number, spoil := range map[int]func(*report.Data){
		1:  func(d *report.Data) { hinder(d, deltas[2]) },
		2:  func(d *report.Data) { hinder(d, deltas[0]) },
		3:  func(d *report.Data) { hinder(d, text(corpus.Code, corpus.Delta)) },
		4:  func(d *report.Data) { hinder(d, text(corpus.ASCII, suite.Large)) },
		5:  func(d *report.Data) { hinder(d, text(corpus.Code, suite.Large)) },
		6:  func(d *report.Data) { hinder(d, text(corpus.NonASCII, suite.Large)) },
		7:  func(d *report.Data) { allocate(d, suite.Result()) },
		8:  func(d *report.Data) { slowDown(d, load.Pipe, 64, 0) },
		9:  func(d *report.Data) { slowDown(d, load.File, 8, 0) },
		10: func(d *report.Data) { d.Idle[2].Wakeups = []int64{1000, 900} },
		11: func(d *report.Data) { slowDown(d, load.Pipe, 64, report.Busy) },
		12: func(d *report.Data) { d.HeapGrowth = 3 << 20 },
		13: func(d *report.Data) { d.Starts[0].Size = 4 << 20 },
		14: func(d *report.Data) { d.Faults[0].Count.Unescaped = 1 },
	} {
		d := good()
		spoil(d)
		if g := report.Goals(d)[number-1]; g.Met() {
			t.Errorf("goal %d is met all the same: %v", number, g.Checks)
		}
	}
}

// hinder makes ours slow in a case, and allocate makes it allocate.
func hinder(d *report.Data, k suite.Key) {
	for i := range d.Default.Row(k.String(), suite.Ours).Samples {
		d.Default.Row(k.String(), suite.Ours).Samples[i].NS *= 100
	}
}

func allocate(d *report.Data, k suite.Key) {
	for i := range d.Default.Row(k.String(), suite.Ours).Samples {
		d.Default.Row(k.String(), suite.Ours).Samples[i].Allocs = 1
	}
}

// slowDown spoils what ours has reached in a configuration.
func slowDown(d *report.Data, sink load.Sink, writers, rate int) {
	for _, r := range d.Loads {
		if r.Encoder != load.Ours || r.Sink != sink || r.Writers != writers || r.Rate != rate {
			continue
		}
		for i := range r.Rounds {
			r.Rounds[i].LinesPerSecond /= 100
			r.Rounds[i].P999 *= 100
		}
	}
}

func TestChartsAreWellFormed(t *testing.T) {
	dir := t.TempDir()
	if err := report.Charts(dir, good()); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"delta.svg": "zerolog", "encode.svg": "GB/s", "pipe.svg": "64 writing", "start.svg": "ours, EmitJSON (envelope)",
	} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
			continue
		}
		d := xml.NewDecoder(bytes.NewReader(b))
		for {
			if _, err = d.Token(); err != nil {
				break
			}
		}
		if !errors.Is(err, io.EOF) || !bytes.Contains(b, []byte(want)) {
			t.Errorf("%s: %v; holds %q: %v", name, err, want, bytes.Contains(b, []byte(want)))
		}
	}
}

func TestPageTellsOfAFullDisk(t *testing.T) {
	full := errors.New("full")
	if err := report.Page(failing{full}, good(), "charts"); !errors.Is(err, full) {
		t.Errorf("%v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
