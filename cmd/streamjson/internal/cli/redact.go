package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/streamjson/streamjson/exitcode"
	"github.com/streamjson/streamjson/redact"
)

// names is a flag that can be given several times.
type names []string

func (n *names) String() string { return strings.Join(*n, ",") }

func (n *names) Set(name string) error {
	if name == "" {
		return errors.New("the name of a variable is missing")
	}
	*n = append(*n, name)
	return nil
}

// redactFilter copies stdin to stdout with the secrets replaced.
func redactFilter(s *streams, args []string) int {
	f := flag.NewFlagSet("redact", flag.ContinueOnError)
	var values names
	f.Var(&values, "value-env", "the `NAME` of an environment variable whose value is a secret; may be repeated")
	lines := f.Bool("json-lines", false, "the input is one JSON value a line: find secrets by the names of members, too")
	report := f.Bool("report", false, "tell on stderr how many secrets of each kind were replaced, never which")
	rest, err := parse(s, f, args)
	if err != nil || len(rest) > 0 {
		return refuse(s, "redact", rest, err)
	}
	r, err := redactorOf(s, values)
	if err != nil {
		return refuse(s, "redact", nil, err)
	}
	counts, err := redact.Filter(context.Background(), s.in, s.out, redact.FilterOptions{Redactor: r, JSONLines: *lines})
	if *report {
		fmt.Fprint(s.err, counts)
	}
	if err != nil && s.stdout.err == nil {
		fmt.Fprintf(s.err, "streamjson redact: %v\n", err)
		return exitcode.Failure
	}
	return exitcode.OK
}

// redactorOf returns the default redactor with the values of the environment
// variables, and tells of a value that can't be looked for.
func redactorOf(s *streams, variables names) (*redact.Redactor, error) {
	var values []redact.Value
	for _, name := range variables {
		value, ok := os.LookupEnv(name)
		if !ok {
			return nil, fmt.Errorf("--value-env %s: there is no such environment variable", name)
		}
		values = append(values, redact.Value{Name: name, Value: value})
	}
	r, warnings, err := redact.New(redact.Options{Values: values})
	for _, w := range warnings {
		fmt.Fprintf(s.err, "streamjson redact: warning: %v\n", w)
	}
	return r, err
}
