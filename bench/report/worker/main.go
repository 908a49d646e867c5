// Worker measures in a build of its own what the report wants from it: with
// -tags purego, or under GOEXPERIMENT=jsonv2. It prints a table as JSON.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/streamjson/streamjson/bench/internal/corpus"
	"github.com/streamjson/streamjson/bench/internal/line"
	"github.com/streamjson/streamjson/bench/internal/measure"
	"github.com/streamjson/streamjson/bench/internal/rival"
	"github.com/streamjson/streamjson/bench/internal/suite"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "worker:", err)
		os.Exit(1)
	}
}

func run(args []string, stdout io.Writer) error {
	f := flag.NewFlagSet("worker", flag.ContinueOnError)
	set := f.String("set", "", "what to measure: portable or experiment")
	rounds := f.Int("rounds", 3, "rounds")
	slice := f.Duration("slice", 10*time.Millisecond, "time of one contender in one round")
	if err := f.Parse(args); err != nil {
		return err
	}
	keys, keep, err := choose(*set)
	if err != nil {
		return err
	}
	cases, err := suite.NewBuilder(suite.FreshSize).Cases(keys, keep)
	if err != nil {
		return err
	}
	table, err := measure.Run(cases, measure.Options{Rounds: *rounds, Slice: *slice})
	if err != nil {
		return err
	}
	return json.NewEncoder(stdout).Encode(table)
}

// choose returns the cases and contenders of a set.
func choose(set string) ([]suite.Key, func(string) bool, error) {
	large := func(kind corpus.Kind) suite.Key {
		return suite.Key{Shape: line.TextDelta, Kind: kind, Size: suite.Large}
	}
	small := func(whole bool) suite.Key {
		return suite.Key{Whole: whole, Shape: line.TextDelta, Kind: corpus.Code, Size: corpus.Delta}
	}
	var names []string
	var keys []suite.Key
	switch set {
	case "portable":
		names = []string{suite.Ours, suite.Floor, rival.EncodingJSON, rival.Zerolog}
		keys = []suite.Key{large(corpus.ASCII), large(corpus.Code), large(corpus.NonASCII), large(corpus.CJK)}
	case "experiment":
		names = []string{suite.Ours, rival.EncodingJSON, rival.EncodingJSONv2}
		keys = []suite.Key{small(true), small(false), large(corpus.ASCII), large(corpus.Code), large(corpus.NonASCII), suite.ToolUse(), suite.Result()}
	default:
		return nil, nil, fmt.Errorf("no set %q: choose portable or experiment", set)
	}
	return keys, func(name string) bool { return slices.Contains(names, name) }, nil
}
