package main

import (
	"context"
	"errors"
	"flag"
	"io"

	"github.com/streamjson/streamjson/envelope"
	"github.com/streamjson/streamjson/examples/jsonflag/deps"
)

// front builds the commands anew for each run, since flags hold values.
func front() *envelope.Command {
	rootFlags := flag.NewFlagSet("jsonflag", flag.ContinueOnError)
	dir := rootFlags.String("C", ".", "look at the module in `DIR`")

	listFlags := flag.NewFlagSet("list", flag.ContinueOnError)
	direct := listFlags.Bool("direct", false, "only what go.mod requires itself")
	match := listFlags.String("match", "", "only modules whose path matches `GLOB`")

	// A body returns data and an error. It prints nothing, so that it needn't know
	// who asked.
	list := func(ctx context.Context, call *envelope.Call) (any, error) {
		l, err := deps.Read(ctx, *dir, call.Warn)
		if err != nil {
			return nil, err
		}
		if l, err = l.Filter(*direct, *match); err != nil {
			return nil, &envelope.UsageError{Err: err}
		}
		return l, nil
	}
	show := func(ctx context.Context, call *envelope.Call) (any, error) {
		m, err := deps.Show(ctx, *dir, call.Args()[0], call.Warn)
		return m, explain(err)
	}
	why := func(ctx context.Context, call *envelope.Call) (any, error) {
		w, err := deps.Why(ctx, *dir, call.Args()[0])
		return w, explain(err)
	}
	graph := func(ctx context.Context, _ *envelope.Call) (any, error) {
		return deps.Graph(ctx, *dir)
	}

	return &envelope.Command{
		Name:    "jsonflag",
		Summary: "Lists what a Go module depends on.",
		Flags:   rootFlags,
		Commands: []*envelope.Command{
			{Name: "list", Summary: "list the modules that the build uses", Flags: listFlags, Body: list, Human: human(deps.List.WriteText)},
			{Name: "show", Args: "MODULE", Summary: "tell about one of them", Body: show, Human: human((*deps.Detail).WriteText)},
			{Name: "why", Args: "MODULE", Summary: "tell how it comes in", Body: why, Human: human((*deps.Chain).WriteText)},
			{Name: "graph", Summary: "list all edges", Body: graph, Human: human(deps.Edges.WriteText), Pending: true},
		},
	}
}

// explain adds what a person or an agent can do next.
func explain(err error) error {
	var unknown *deps.UnknownError
	if errors.As(err, &unknown) {
		return envelope.WithHint(err, "run 'jsonflag list' for the modules there are")
	}
	return err
}

// human adapts a method that writes a T as text.
func human[T any](write func(T, io.Writer) error) func(io.Writer, any) error {
	return func(w io.Writer, data any) error {
		if v, ok := data.(T); ok {
			return write(v, w)
		}
		return nil
	}
}
