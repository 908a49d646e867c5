package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/exitcode"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the whole program but for the exit, so that a test can call it.
func run(args []string, stdin *os.File, stdout, stderr io.Writer) int {
	cfg, err := parseFlags(args, stdin)
	switch {
	case errors.Is(err, flag.ErrHelp):
		_, _ = io.WriteString(stdout, usage)
		return exitcode.OK
	case err != nil:
		_, _ = fmt.Fprintf(stderr, "agent: %v\nRun agent --help for the flags.\n", err)
		return exitcode.Usage
	}
	cfg.emit.Stdout, cfg.emit.Stderr = stdout, stderr

	// The limit belongs to the run's own context: its cause decides the result.
	ctx := context.Background()
	if cfg.timeout > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, cfg.timeout, fmt.Errorf("%w: --timeout %v", emit.ErrTimeout, cfg.timeout))
		defer stop()
	}
	return emit.Run(ctx, cfg.emit, func(ctx context.Context, em *emit.Emitter) error {
		return cfg.body(ctx, em, stdin)
	})
}
