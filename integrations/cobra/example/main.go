// Example is examples/jsonflag with its front by cobra: the same commands, the
// same data, one call on the root.
package main

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/streamjson/streamjson/envelope"
	"github.com/streamjson/streamjson/examples/jsonflag/deps"
	streamjsoncobra "github.com/streamjson/streamjson/integrations/cobra"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, nil, nil)) }

// run is the program. Without writers it uses those of the process, which Main
// then protects from stray prints; tests give their own.
func run(args []string, _ io.Reader, stdout, stderr io.Writer) (exitCode int) {
	return streamjsoncobra.Main(context.Background(), root(), streamjsoncobra.Options{
		RunOptions: envelope.RunOptions{JSONEnv: "EXAMPLE_JSON", Stdout: stdout, Stderr: stderr},
		Args:       args,
	})
}

func root() *cobra.Command {
	cmd := &cobra.Command{Use: "example", Short: "Lists what a Go module depends on."}
	dir := cmd.PersistentFlags().StringP("dir", "C", ".", "look at the module in `DIR`")
	cmd.AddCommand(listCommand(dir), showCommand(dir), whyCommand(dir), graphCommand(dir))
	return cmd
}

func listCommand(dir *string) *cobra.Command {
	cmd := &cobra.Command{Use: "list", Short: "list the modules that the build uses", Args: cobra.NoArgs}
	direct := cmd.Flags().Bool("direct", false, "only what go.mod requires itself")
	match := cmd.Flags().String("match", "", "only modules whose path matches `GLOB`")
	// A body returns data and an error. It prints nothing, so that it needn't know
	// who asked.
	cmd.RunE = streamjsoncobra.RunE(func(ctx context.Context, call *envelope.Call, _ *cobra.Command, _ []string) (any, error) {
		l, err := deps.Read(ctx, *dir, call.Warn)
		if err != nil {
			return nil, err
		}
		if l, err = l.Filter(*direct, *match); err != nil {
			return nil, err
		}
		return l, nil
	}, human(deps.List.WriteText))
	return cmd
}

func showCommand(dir *string) *cobra.Command {
	return &cobra.Command{
		Use: "show MODULE", Short: "tell about one of them", Args: cobra.ExactArgs(1),
		RunE: streamjsoncobra.RunE(func(ctx context.Context, call *envelope.Call, _ *cobra.Command, args []string) (any, error) {
			m, err := deps.Show(ctx, *dir, args[0], call.Warn)
			return m, explain(err)
		}, human((*deps.Detail).WriteText)),
	}
}

func whyCommand(dir *string) *cobra.Command {
	return &cobra.Command{
		Use: "why MODULE", Short: "tell how it comes in", Args: cobra.ExactArgs(1),
		RunE: streamjsoncobra.RunE(func(ctx context.Context, _ *envelope.Call, _ *cobra.Command, args []string) (any, error) {
			w, err := deps.Why(ctx, *dir, args[0])
			return w, explain(err)
		}, human((*deps.Chain).WriteText)),
	}
}

func graphCommand(dir *string) *cobra.Command {
	return streamjsoncobra.Pending(&cobra.Command{
		Use: "graph", Short: "list all edges", Args: cobra.NoArgs,
		RunE: streamjsoncobra.RunE(func(ctx context.Context, _ *envelope.Call, _ *cobra.Command, _ []string) (any, error) {
			return deps.Graph(ctx, *dir)
		}, human(deps.Edges.WriteText)),
	})
}

// explain adds what a person or an agent can do next.
func explain(err error) error {
	var unknown *deps.UnknownError
	if errors.As(err, &unknown) {
		return envelope.WithHint(err, "run 'example list' for the modules there are")
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
