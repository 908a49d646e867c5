// Coldstart tells how long programs take that print two lines or one envelope,
// and how large they are, by the library that they print with. It builds them
// and starts them in turn.
//
//	go run ./coldstart -rounds 40
//
// It must be started in a directory of this module.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"

	"github.com/streamjson/streamjson/bench/internal/cold"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "coldstart:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	f := flag.NewFlagSet("coldstart", flag.ContinueOnError)
	f.SetOutput(stderr)
	rounds := f.Int("rounds", 40, "how often to start each program")
	names := f.String("programs", "", "which of them, separated by commas (default all)")
	if err := f.Parse(args); err != nil {
		return err
	}
	if *rounds < 1 || f.NArg() > 0 {
		return errors.New("-rounds must be at least 1, and there are no arguments")
	}
	programs, err := choose(*names)
	if err != nil {
		return err
	}
	rows, err := cold.Measure(ctx, programs, *rounds)
	if err != nil {
		return err
	}
	for i, what := range []string{"two lines", "one envelope"} {
		if _, err := fmt.Fprintf(stdout, "%-34s %8s %8s\n", what, "start", "size"); err != nil {
			return err
		}
		for _, r := range rows {
			if r.Document != (i == 1) {
				continue
			}
			if _, err := fmt.Fprintf(stdout, "  %-32s %5.1f ms %5.1f MB\n", r.Library, r.MS(), float64(r.Size)/1e6); err != nil {
				return err
			}
		}
	}
	return nil
}

// choose returns the programs of a list of names, all for "".
func choose(names string) ([]cold.Program, error) {
	all := cold.Programs()
	if names == "" {
		return all, nil
	}
	var list []cold.Program
	for name := range strings.SplitSeq(names, ",") {
		i := slices.IndexFunc(all, func(p cold.Program) bool { return p.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("no program %q: choose those of coldstart/programs", name)
		}
		list = append(list, all[i])
	}
	return list, nil
}
