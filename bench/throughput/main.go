// Throughput measures on your machine what an emitter of stream-json lines
// costs: goroutines write deltas to a sink for a while, and the program tells
// how many lines a second that were, how long a call took, what each line cost
// in processor time and memory, and whether the lines arrived in order.
//
//	go run ./throughput -writers 8 -sink pipe
//	go run ./throughput -writers 8 -sink pipe -mode burst
//	go run ./throughput -writers 8 -sink pipe -encoder zerolog
//
// Run it for two encoders in turn, and trust ratios more than figures.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/streamjson/streamjson/bench/internal/corpus"
	"github.com/streamjson/streamjson/bench/internal/load"
)

func main() {
	load.ServeReader()
	switch err := run(os.Args[1:], os.Stdout, os.Stderr); {
	case errors.Is(err, flag.ErrHelp):
	case errors.As(err, new(usageError)):
		fmt.Fprintln(os.Stderr, "throughput:", err)
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "throughput:", err)
		os.Exit(1)
	}
}

// A usageError is one that another call of the program would not have.
type usageError struct{ error }

// settings are the flags.
type settings struct {
	encoder, mode, sink, corpus string
	writers, size, rate         int
	duration, idle              time.Duration
	redact, check, json         bool
}

func parse(args []string, stderr io.Writer) (settings, error) {
	var s settings
	f := flag.NewFlagSet("throughput", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&s.encoder, "encoder", load.Ours, "who encodes: "+strings.Join(load.Names(), ", "))
	f.StringVar(&s.mode, "mode", string(load.Durable), "of ours: durable (in the kernel when the call returns) or burst")
	f.BoolVar(&s.redact, "redact", false, "ours redacts, as it does by default in programs; no rival does")
	f.StringVar(&s.sink, "sink", string(load.Discard), "where lines go: discard, file, pipe (to a process that checks them), slow (the same, 20 MiB/s)")
	f.StringVar(&s.corpus, "corpus", string(corpus.Code), "what texts are made of: ascii, code, nonascii, cjk, control")
	f.IntVar(&s.writers, "writers", 1, "goroutines that write")
	f.IntVar(&s.size, "size", corpus.Delta, "bytes of a text; 40 stands for 20 to 60, as models stream them")
	f.IntVar(&s.rate, "rate", 0, "lines a second of all writers together; 0 for as many as they can")
	f.DurationVar(&s.duration, "duration", 2*time.Second, "how long to write")
	f.DurationVar(&s.idle, "idle", 0, "then stay idle that long, and count how often the process wakes up")
	f.BoolVar(&s.check, "check", true, "check the order of all lines")
	f.BoolVar(&s.json, "json", false, "print the figures as JSON")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return s, err
		}
		return s, usageError{err}
	}
	if f.NArg() > 0 {
		return s, usageError{fmt.Errorf("what is %q? All settings are flags; see -help", f.Arg(0))}
	}
	return s, nil
}

// figures is what the program prints.
type figures struct {
	load.Result
	// Wake-ups in the idle time before the run, and with an idle emitter; -1
	// where they were not counted.
	WakeupsBefore, WakeupsIdle int64
}

func run(args []string, stdout, stderr io.Writer) error {
	s, err := parse(args, stderr)
	if err != nil {
		return err
	}
	c, err := s.config()
	if err != nil {
		return usageError{err}
	}
	out := figures{WakeupsBefore: -1, WakeupsIdle: -1}
	if s.idle > 0 {
		ctx := context.Background()
		if n, ok := load.Wakeups(ctx, s.idle); ok {
			out.WakeupsBefore = n
			c.Idle = func() { out.WakeupsIdle, _ = load.Wakeups(ctx, s.idle) }
		} else {
			c.Idle = func() { time.Sleep(s.idle) }
		}
	}
	if out.Result, err = load.Run(c); err != nil {
		return err
	}
	if s.json {
		return json.NewEncoder(stdout).Encode(out)
	}
	return out.print(stdout, s)
}

func (s settings) config() (load.Config, error) {
	encoder, err := load.EncoderOf(s.encoder, load.Mode(s.mode), s.redact)
	if err != nil {
		return load.Config{}, err
	}
	const fresh = 8 << 20 // more than a branch predictor remembers
	text, err := corpus.New(corpus.Kind(s.corpus), max(fresh, min(4*s.size, 256<<20)))
	if err != nil {
		return load.Config{}, err
	}
	c := load.Config{
		Encoder: encoder, Sink: load.Sink(s.sink), Writers: s.writers, Duration: s.duration, Rate: s.rate,
		Check: s.check, Corpus: text, Size: s.size,
	}
	return c, c.Validate()
}

func (f figures) print(w io.Writer, s settings) error {
	order := "not checked"
	if f.Checked {
		order = "right"
	}
	// An idle emitter's time is not that of its lines.
	perSecond := func(x float64, unit string) string {
		if s.idle > 0 {
			return "not told with -idle"
		}
		return fmt.Sprintf("%.0f%s", x, unit)
	}
	rows := [][2]string{
		{"lines", fmt.Sprint(f.Calls)},
		{"lines/s", perSecond(f.LinesPerSecond, "")},
		{"MB/s", perSecond(f.BytesPerSecond/1e6, "")},
		{"a call, p50", f.P50.String()},
		{"p99", f.P99.String()},
		{"p99.9", f.P999.String()},
		{"longest", f.Longest.String()},
		{"CPU a line", f.CPU.String()},
		{"allocations a line", fmt.Sprintf("%.2f, %.0f bytes", f.Allocs, f.AllocBytes)},
		{"order", order},
	}
	if f.WakeupsBefore >= 0 {
		rows = append(rows, [2]string{"wake-ups while idle", fmt.Sprintf("%d; %d without an emitter", f.WakeupsIdle, f.WakeupsBefore)})
	}
	for _, r := range rows {
		if _, err := fmt.Fprintf(w, "%-20s %s\n", r[0], r[1]); err != nil {
			return err
		}
	}
	return nil
}
