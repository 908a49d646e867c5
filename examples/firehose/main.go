// Firehose turns the access log of a web server into a stream, an event for
// each request, as fast as the reader takes them:
//
//	firehose access.log
//	zcat access.log.*.gz | firehose
//	firehose --demo 1000000 | wc -l
//
// It is a program to copy from where events come by the hundred thousand. What
// it does for that: Options.Burst lets lines gather while others are written,
// sonicjson encodes its struct, several goroutines parse, and what is odd is
// counted and told once, not once a line. What it does not have to do: the
// stream stays in order, a slow reader slows it down, and one that goes away
// ends it.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync/atomic"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/event"
	"github.com/streamjson/streamjson/exitcode"
	"github.com/streamjson/streamjson/sonicjson"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, nil, os.Stderr)) }

type config struct {
	emit    emit.Options
	workers int
	demo    int
	files   []string
}

// run is the program; a nil stdout is that of the process.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	var c config
	durable := false
	flags := flag.NewFlagSet("firehose", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&c.workers, "workers", runtime.GOMAXPROCS(0), "`goroutines` that parse")
	flags.IntVar(&c.demo, "demo", 0, "make up so many `lines` instead of reading any")
	flags.BoolVar(&durable, "durable", false, "have each line in the kernel before the next one is parsed")
	flags.Var(&c.emit.Format, "output-format", "stream-json, json or text")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return exitcode.OK
	case err != nil:
		return exitcode.Usage
	case c.workers < 1:
		_, _ = fmt.Fprintln(stderr, "firehose: --workers must be at least 1")
		return exitcode.Usage
	}
	c.files = flags.Args()
	c.emit.Product, c.emit.Stdout, c.emit.Stderr = "firehose", stdout, stderr
	c.emit.Burst = !durable
	c.emit.Append = sonicjson.Append
	return emit.Run(context.Background(), c.emit, func(ctx context.Context, em *emit.Emitter) error {
		return c.pour(ctx, em, stdin)
	})
}

// A chunk is lines of the log that one worker parses.
type chunk struct {
	first int // the number of the first one, from 1
	lines []string
}

// pour emits an event for each line.
func (c *config) pour(ctx context.Context, em *emit.Emitter, stdin io.Reader) error {
	chunks := make(chan chunk, c.workers)
	var requests, odd atomic.Int64
	em.Go(func(ctx context.Context) error {
		defer close(chunks)
		return c.read(ctx, stdin, chunks)
	})
	workers := make(chan struct{}, c.workers)
	for range c.workers {
		em.Go(func(context.Context) error {
			defer func() { workers <- struct{}{} }()
			return work(em, chunks, &requests, &odd)
		})
	}
	for range c.workers {
		select {
		case <-workers:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	if n := odd.Load(); n > 0 {
		err := em.Emit(event.Warning{Category: "odd_lines", Message: "some lines are no requests", Count: int(n)})
		if err != nil {
			return err
		}
	}
	return em.Finish(event.Result{Result: fmt.Sprintf("%d requests", requests.Load())})
}

// work parses lines and emits what they say. A failed Emit ends the run: the
// stream can't be written any more.
func work(em *emit.Emitter, chunks <-chan chunk, requests, odd *atomic.Int64) error {
	for ch := range chunks {
		for i, text := range ch.lines {
			r, ok := parse(text)
			if !ok {
				odd.Add(1)
				continue
			}
			r.Line = ch.first + i
			if err := em.Emit(event.System{Subtype: "request", Fields: r}); err != nil {
				return err
			}
			requests.Add(1)
		}
	}
	return nil
}

const (
	chunkLines = 256
	// longestLine bounds what is taken for a line of a log.
	longestLine = 1 << 20
)

// read sends the lines of all inputs to the workers.
func (c *config) read(ctx context.Context, stdin io.Reader, chunks chan<- chunk) error {
	next := 1
	send := func(lines []string) error {
		select {
		case chunks <- chunk{next, lines}:
			next += len(lines)
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	switch {
	case c.demo > 0:
		return makeUp(c.demo, send)
	case len(c.files) == 0:
		return scan(stdin, send)
	}
	for _, name := range c.files {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		err = scan(f, send)
		_ = f.Close() // it was only read
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// scan sends the lines of one input in chunks.
func scan(r io.Reader, send func([]string) error) error {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 64<<10), longestLine)
	lines := make([]string, 0, chunkLines)
	for s.Scan() {
		if lines = append(lines, s.Text()); len(lines) == chunkLines {
			if err := send(lines); err != nil {
				return err
			}
			lines = make([]string, 0, chunkLines)
		}
	}
	if err := s.Err(); err != nil || len(lines) == 0 {
		return err
	}
	return send(lines)
}

// makeUp sends n lines that nobody has asked for.
func makeUp(n int, send func([]string) error) error {
	paths := []string{"/", "/index.html", "/search?q=json&lang=de", "/img/logo.svg", "/api/v1/items/42"}
	for from := 0; from < n; from += chunkLines {
		lines := make([]string, 0, chunkLines)
		for i := from; i < min(n, from+chunkLines); i++ {
			lines = append(lines, fmt.Sprintf(
				`192.0.2.%d - - [30/Nov/2026:12:%02d:%02d +0000] "GET %s HTTP/1.1" %d %d`,
				i%250, i/60%60, i%60, paths[i%len(paths)], []int{200, 200, 304, 404}[i%4], i*37%10000))
		}
		if err := send(lines); err != nil {
			return err
		}
	}
	return nil
}
