package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/streamjson/streamjson/bench/internal/cold"
	"github.com/streamjson/streamjson/bench/internal/faults"
	"github.com/streamjson/streamjson/bench/internal/line"
	"github.com/streamjson/streamjson/bench/internal/measure"
	"github.com/streamjson/streamjson/bench/internal/ours"
	"github.com/streamjson/streamjson/bench/internal/report"
	"github.com/streamjson/streamjson/bench/internal/rival"
	"github.com/streamjson/streamjson/bench/internal/suite"
	"github.com/streamjson/streamjson/redact"
)

// A collector measures all that the page tells.
type collector struct {
	rounds int
	slice  time.Duration // of a contender in a round
	load   time.Duration // of a run as fast as possible
	paced  time.Duration // of a run at a rate
	starts int           // of each program
	tried  int           // texts and tool inputs that are hard to write
	keys   []report.LoadKey
	tell   func(format string, args ...any)
	dir    string // for binaries
	suite  *suite.Builder
}

func (c *collector) collect(ctx context.Context) (*report.Data, error) {
	var err error
	if c.dir, err = os.MkdirTemp("", "report-"); err != nil {
		return nil, err
	}
	defer os.RemoveAll(c.dir)
	d := &report.Data{Machine: machine(c.rounds)}
	// Builds first: they heat the machine.
	if err := c.builds(ctx); err != nil {
		return nil, err
	}
	for _, step := range []struct {
		what string
		do   func(context.Context, *report.Data) error
	}{
		{"emits and encoding", c.tables},
		{"other builds", c.workers},
		{"pipes and files", c.loads},
		{"idle seconds", c.idle},
		{"memory", c.heap},
		{"faults", c.faults},
		{"starts", c.cold},
	} {
		begin := time.Now()
		if err := step.do(ctx, d); err != nil {
			return nil, err
		}
		c.tell("%s: %v\n", step.what, time.Since(begin).Round(time.Second))
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// The binaries that the report runs.
const (
	portable   = "worker-portable"
	experiment = "worker-experiment"
	throughput = "throughput"
)

func (c *collector) builds(ctx context.Context) error {
	for _, b := range []struct {
		name, pkg, env string
		flags          []string
	}{
		{portable, "./report/worker", "", []string{"-tags", "purego"}},
		{experiment, "./report/worker", "GOEXPERIMENT=jsonv2", nil},
		{throughput, "./throughput", "", nil},
	} {
		begin := time.Now()
		args := append([]string{"build", "-o", c.binary(b.name)}, b.flags...)
		cmd := exec.CommandContext(ctx, "go", append(args, b.pkg)...)
		cmd.Env = append(slices.Clone(os.Environ()), "GOWORK=off")
		if b.env != "" {
			cmd.Env = append(cmd.Env, b.env)
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("building %s (in the directory of the module bench?): %w\n%s", b.name, err, out)
		}
		c.tell("building %s: %v\n", b.name, time.Since(begin).Round(time.Second))
	}
	return nil
}

func (c *collector) binary(name string) string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(c.dir, name)
}

func (c *collector) options() measure.Options {
	return measure.Options{Rounds: c.rounds, Slice: c.slice}
}

func (c *collector) tables(_ context.Context, d *report.Data) error {
	cases, err := c.suite.Cases(append(suite.Emits(), suite.Encodes()...), nil)
	if err != nil {
		return err
	}
	if d.Default, err = measure.Run(cases, c.options()); err != nil {
		return err
	}
	parts, err := c.suite.Parts()
	if err != nil {
		return err
	}
	d.Parts, err = measure.Run([]measure.Case{parts}, c.options())
	return err
}

func (c *collector) workers(ctx context.Context, d *report.Data) error {
	for name, table := range map[string]**measure.Table{portable: &d.Portable, experiment: &d.Experiment} {
		set := name[len("worker-"):]
		cmd := exec.CommandContext(ctx, c.binary(name), "-set", set, "-rounds", fmt.Sprint(c.rounds), "-slice", c.slice.String())
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := json.Unmarshal(out, table); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func (c *collector) faults(_ context.Context, d *report.Data) error {
	count := func(name string, e line.Encoder) {
		d.Faults = append(d.Faults, report.FaultRow{Name: name, Count: faults.Examine(c.tried, e.Encode)})
	}
	count(suite.Ours, ours.NewEncoder(redact.None()))
	for _, lib := range rival.Libraries() {
		count(lib.Name, lib.New())
	}
	return nil
}

func (c *collector) cold(ctx context.Context, d *report.Data) error {
	var err error
	d.Starts, err = cold.Measure(ctx, cold.Programs(), c.starts)
	return err
}
