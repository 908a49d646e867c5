package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"

	"github.com/streamjson/streamjson/bench/internal/corpus"
	"github.com/streamjson/streamjson/bench/internal/line"
	"github.com/streamjson/streamjson/bench/internal/load"
	"github.com/streamjson/streamjson/bench/internal/ours"
	"github.com/streamjson/streamjson/bench/internal/report"
	"github.com/streamjson/streamjson/bench/internal/rival"
	"github.com/streamjson/streamjson/bench/internal/suite"
	"github.com/streamjson/streamjson/redact"
)

// loadKeys returns the configurations of the runs, those that are compared
// next to each other.
func loadKeys() []report.LoadKey {
	var list []report.LoadKey
	add := func(sink load.Sink, writers, rate int, keys ...report.LoadKey) {
		for _, k := range keys {
			k.Sink, k.Writers, k.Rate = sink, writers, rate
			list = append(list, k)
		}
	}
	durable := report.LoadKey{Encoder: load.Ours, Mode: load.Durable}
	burst := report.LoadKey{Encoder: load.Ours, Mode: load.Burst}
	durableOn, burstOn := durable, burst
	durableOn.Redacting, burstOn.Redacting = true, true
	other := func(name string) report.LoadKey { return report.LoadKey{Encoder: name, Mode: load.Durable} }
	lock, zerolog := other(load.LockWrite), other(rival.Zerolog)

	for _, writers := range []int{1, 8, 64} {
		add(load.Pipe, writers, 0, durable, zerolog, lock, burst, other(rival.EncodingJSON), durableOn, burstOn)
	}
	for _, writers := range []int{1, 8} {
		add(load.File, writers, 0, burst, lock, zerolog, durable, burstOn)
	}
	for _, writers := range []int{1, 8, 64} {
		add(load.Discard, writers, 0, durable, burst, lock, zerolog)
	}
	add(load.Pipe, 1, report.Calm, durable, lock, burst, durableOn)
	add(load.Pipe, 64, report.Busy, burst, lock, burstOn)
	return list
}

// loads runs the configurations, in rounds.
func (c *collector) loads(ctx context.Context, d *report.Data) error {
	text, err := corpus.New(corpus.Code, suite.FreshSize)
	if err != nil {
		return err
	}
	for _, k := range c.keys {
		d.Loads = append(d.Loads, report.LoadRow{LoadKey: k})
	}
	for range max(c.rounds/5, 1) {
		for i := range d.Loads {
			k := d.Loads[i].LoadKey
			e, err := load.EncoderOf(k.Encoder, k.Mode, k.Redacting)
			if err != nil {
				return err
			}
			config := load.Config{
				Encoder: e, Sink: k.Sink, Writers: k.Writers, Rate: k.Rate, Duration: c.load,
				Check: true, Corpus: text, Size: corpus.Delta,
			}
			if k.Rate > 0 {
				config.Duration = c.paced
			}
			res, err := load.Run(config)
			if err != nil {
				return err
			}
			d.Loads[i].Rounds = append(d.Loads[i].Rounds, res)
			if err := ctx.Err(); err != nil {
				return err
			}
		}
	}
	return nil
}

// idleProcesses is how many processes count the wake-ups of an idle second.
const idleProcesses = 3

// idle counts in processes of their own: in this one, too much goes on.
func (c *collector) idle(ctx context.Context, d *report.Data) error {
	for _, k := range []report.LoadKey{
		{Encoder: load.LockWrite, Mode: load.Durable, Sink: load.Pipe, Writers: 1},
		{Encoder: load.Ours, Mode: load.Durable, Sink: load.Pipe, Writers: 1},
		{Encoder: load.Ours, Mode: load.Burst, Sink: load.Pipe, Writers: 1},
	} {
		d.Idle = append(d.Idle, report.IdleRow{LoadKey: k})
	}
	for range idleProcesses {
		for i := range d.Idle {
			k := d.Idle[i].LoadKey
			cmd := exec.CommandContext(ctx, c.binary(throughput), "-json", "-idle", "1s", "-duration", "100ms",
				"-encoder", k.Encoder, "-mode", string(k.Mode), "-sink", string(k.Sink), "-writers", fmt.Sprint(k.Writers))
			cmd.Stderr = os.Stderr
			out, err := cmd.Output()
			if err != nil {
				return fmt.Errorf("throughput: %w", err)
			}
			var figures struct{ WakeupsIdle int64 }
			if err := json.Unmarshal(out, &figures); err != nil {
				return fmt.Errorf("throughput: %w", err)
			}
			if figures.WakeupsIdle >= 0 {
				d.Idle[i].Wakeups = append(d.Idle[i].Wakeups, figures.WakeupsIdle)
			}
		}
	}
	return nil
}

// heap measures what lines of 1 MiB leave behind in an emitter.
func (c *collector) heap(_ context.Context, d *report.Data) error {
	text, err := corpus.New(corpus.Code, suite.FreshSize)
	if err != nil {
		return err
	}
	pool := text.Pool(suite.Huge)
	em, err := ours.NewEmitter(io.Discard, redact.None(), false)
	if err != nil {
		return err
	}
	if err := em.Emit(&line.Line{Shape: line.Assistant, Text: "short"}); err != nil {
		return err
	}
	before := liveHeap()
	for _, shape := range []line.Shape{line.TextDelta, line.Assistant, line.ToolUse, line.ToolResult} {
		l := &line.Line{Shape: shape, Text: pool.Next()}
		l.Input = map[string]any{"content": l.Text}
		if err := em.Emit(l); err != nil {
			return err
		}
	}
	d.HeapGrowth = int64(liveHeap()) - int64(before)
	runtime.KeepAlive(pool)
	return em.Close()
}

// liveHeap returns the bytes that are in use: two collections empty a
// sync.Pool.
func liveHeap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
