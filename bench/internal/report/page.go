package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/streamjson/streamjson/bench/internal/corpus"
	"github.com/streamjson/streamjson/bench/internal/load"
	"github.com/streamjson/streamjson/bench/internal/suite"
)

// A page is written piece by piece; the first error stays.
type page struct {
	w   io.Writer
	err error
}

func (p *page) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

// Page writes the page. Charts are expected in the directory charts beside it.
func Page(w io.Writer, d *Data, charts string) error {
	p := &page{w: w}
	p.printf("# Performance\n\n")
	p.printf("Written by `make bench`: edit nothing here by hand. How it is measured, and how to run it yourself: [bench](../bench/README.md).\n\n")
	p.machine(d)
	p.goals(d)
	p.deltas(d, charts)
	p.encoding(d, charts)
	p.values(d)
	p.writing(d, charts)
	p.rest(d, charts)
	return p.err
}

func (p *page) machine(d *Data) {
	m := d.Machine
	p.printf("Measured on %s: %s, %d cores, %s/%s, %s. Medians of %d interleaved rounds, fewer where an operation takes milliseconds; "+
		"ratios are medians of each round's. "+
		"Machines differ and are shared: trust ratios to about 15 %%, times to about 30 %%.\n\n", m.Date, m.CPU, m.Cores, m.OS, m.Arch, m.Go, m.Rounds)
	var list []string
	for _, v := range m.Modules {
		list = append(list, v[0]+" "+v[1])
	}
	p.printf("Versions: %s; slog, encoding/json and encoding/json/v2 are those of Go.\n\n", strings.Join(list, ", "))
	p.printf("In brackets stands how many times as long as ours something takes. Every call gets a text that it has not seen: " +
		"a repeated text is learned by the branch predictor and makes every escaper look two to four times as fast. " +
		"Rivals are used as their documentation recommends for speed, and write the same members. " +
		"Ours redacts nothing unless it says so, and escapes more than any of them. " +
		"[Faults](#what-is-written-wrong) are what each of them gets wrong in lines that are hard to write.\n\n")
}

func (p *page) goals(d *Data) {
	p.printf("## Goals\n\n")
	g := grid{head: []string{"#", "goal", "figures", "met"}}
	for _, goal := range Goals(d) {
		var checks []string
		for _, c := range goal.Checks {
			text := c.String()
			if !c.Met() {
				text = "**" + text + "**"
			}
			checks = append(checks, text)
		}
		g.add(fmt.Sprint(goal.Number), goal.Text, strings.Join(checks, "<br>"), verdict(goal.Met()))
	}
	p.printf("%s\n", strings.Replace(g.String(), "| ---: | ---: | ---: |", "| --- | --- | --- |", 1))
}

func verdict(met bool) string {
	if met {
		return "yes"
	}
	return "**no**"
}

func (p *page) deltas(d *Data, charts string) {
	p.printf("## A delta, from call to Write\n\n")
	p.printf("A text of 20 to 60 bytes: number, clock, lock, encoding, one Write to a writer that discards it. The floor is a reading "+
		"of the monotonic clock, an uncontended lock, and the copy of the line.\n\n![a delta by library](%s/delta.svg)\n\n", charts)
	columns, keys := byKind(true, corpus.Delta)
	p.printf("%s\n", d.contrast(d.Default, columns, keys))
	p.printf("%s\n", d.parts())
}

func (p *page) encoding(d *Data, charts string) {
	p.printf("## Encoding alone\n\nThe line of a delta into memory, by the length of its text. The floor copies the text unseen.\n\n"+
		"![64 KiB by library](%s/encode.svg)\n\n", charts)
	for _, size := range []int{corpus.Delta, suite.Small, suite.Large, suite.Huge} {
		columns, keys := byKind(false, size)
		p.printf("### %s\n\n%s\n", suite.SizeName(size), d.contrast(d.Default, columns, keys))
	}
	p.printf("### Without assembly\n\nThe same with `-tags purego`.\n\n")
	columns, keys := measured(d.Portable, suite.Encodes())
	p.printf("%s\n", d.contrast(d.Portable, columns, keys))
	p.printf("### With GOEXPERIMENT=jsonv2\n\nencoding/json stands on encoding/json/v2 there.\n\n")
	columns, keys = measured(d.Experiment, append(suite.Emits(), suite.Encodes()...))
	p.printf("%s\n", d.contrast(d.Experiment, columns, keys))
}

func (p *page) values(d *Data) {
	p.printf("## Other lines\n\nWhole emits. A tool_use goes with a short tool_result, and a tool_result of 64 KiB with a short tool_use. " +
		"Envelopes are indented; loggers write none.\n\n")
	columns, keys := others(suite.Emits())
	p.printf("%s\nEncoding alone. The tool_use has ten keys, the result three models.\n\n", d.contrast(d.Default, columns, keys))
	columns, keys = others(suite.Encodes())
	p.printf("%s\n", d.contrast(d.Default, columns, keys))
}

func (p *page) writing(d *Data, charts string) {
	p.printf("## Into a pipe and a file\n\nThe pipe is read by a process that checks the order of all lines; of what went to a file, it is checked "+
		"afterwards. Durable: each line is in the kernel when its call returns. Burst: lines that come thick and fast gather for a moment "+
		"(`Options.Burst`). Lock and write is our encoding in the frame of the rivals: a lock, and one Write a line.\n\n"+
		"![into a pipe by goroutines](%s/pipe.svg)\n\n", charts)
	p.printf("### Pipe\n\n%s\n", d.loads(load.Pipe, 0))
	p.printf("### File\n\n%s\n", d.loads(load.File, 0))
	p.printf("### Discarded\n\nContention alone: no system call takes time here, and nothing real runs like this.\n\n%s\n", d.loads(load.Discard, 0))
	p.printf("### 1,000 lines a second to a pipe\n\n%s\n", d.loads(load.Pipe, Calm))
	p.printf("### 100,000 lines a second to a pipe\n\n%s\n", d.loads(load.Pipe, Busy))
	p.printf("### An idle second\n\nHow often threads of a process are woken up while an emitter is open and nothing is written. "+
		"The runtime and the system cause some; lock and write has nothing that could.\n\n%s\n", d.idles())
}

func (p *page) rest(d *Data, charts string) {
	p.printf("## Memory\n\nAfter lines of 1 MiB the heap is larger by %s MiB, the answer that the result repeats included.\n\n", figure(float64(d.HeapGrowth)/(1<<20)))
	p.printf("## Start\n\nFrom fork to exit, and the stripped binary.\n\n![start by library](%s/start.svg)\n\n", charts)
	p.printf("Two lines:\n\n%s\nOne envelope:\n\n%s\n", d.starts(false), d.starts(true))
	p.printf("## What is written wrong\n\nLines with texts and tool inputs that are hard to write: invalid UTF-8, control characters, raw JSON that is none, "+
		"spans lines, or has a key twice. An error that came back instead of a line counts as refused. "+
		"The last column is no fault of JSON, but such characters break line splitters, terminals and log viewers.\n\n%s", d.faults())
}
