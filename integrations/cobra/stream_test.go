package streamjsoncobra_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/streamjson/streamjson/envelope"
	"github.com/streamjson/streamjson/exitcode"
	streamjsoncobra "github.com/streamjson/streamjson/integrations/cobra"
)

// format is a pflag.Value in the manner of emit.Format.
type format string

func (f *format) String() string { return string(*f) }
func (f *format) Type() string   { return "format" }
func (f *format) Set(s string) error {
	if s != "text" && s != "stream-json" {
		return errors.New("it is neither text nor stream-json")
	}
	*f = format(s)
	return nil
}

// agent has one command that streams, and one that doesn't.
func agent(io.Writer) *cobra.Command {
	root := &cobra.Command{Use: "agent"}
	root.SetErr(io.Discard)
	ask := streamjsoncobra.Streams(&cobra.Command{Use: "ask PROMPT", Args: cobra.ExactArgs(1), RunE: func(cmd *cobra.Command, args []string) error {
		if args[0] == "fail" {
			return exitcode.Error{Code: 3, Err: errors.New("too many turns")}
		}
		return nil
	}})
	list := &cobra.Command{Use: "list", RunE: streamjsoncobra.RunE(func(context.Context, *envelope.Call, *cobra.Command, []string) (any, error) { return "x", nil }, human)}
	root.AddCommand(ask, list)
	return root
}

// TestStream: --output-format goes the same way as --json: found by parsing, and
// every path ends in the stream.
func TestStream(t *testing.T) {
	for _, c := range []struct {
		args string
		want string // "stream: …" what the last line would tell; "envelope"; "people"
		code int
	}{
		{"ask hi", "stream: text, <nil>", 0},
		{"ask hi --output-format stream-json", "stream: stream-json, <nil>", 0},
		{"--output-format=stream-json ask fail", "stream: stream-json, too many turns", 3},
		{"ask --output-format stream-json", "stream: stream-json, accepts 1 arg(s), received 0", 2},
		{"ask hi --nosuch --output-format stream-json", "stream: text, unknown flag: --nosuch", 2},
		{"nosuch --output-format stream-json", "stream: text, unknown command", 2},
		{"ask hi --output-format nosuch", "stream: text, invalid argument", 2},
		{"list --output-format stream-json", "stream: stream-json, \"agent list\" has no stream", 2},
		{"list", "people", 0},
		{"list --output-format text", "people", 0},
		{"list --json", "envelope", 0},
		{"ask hi --json", "envelope", 2},
		{"list --json --output-format stream-json", "envelope", 2},
		{"ask --nosuch --json", "envelope", 2},
		{"ask -- --json", "stream: text, <nil>", 0},
	} {
		t.Run(c.args, func(t *testing.T) {
			f := format("text")
			var out, prose bytes.Buffer
			streamed := ""
			code := streamjsoncobra.Main(context.Background(), agent(nil), streamjsoncobra.Options{
				RunOptions: envelope.RunOptions{Stdout: &out, Stderr: &prose, Signals: []os.Signal{}},
				Args:       strings.Fields(c.args),
				Format:     &f,
				Stream: func(ctx context.Context, run func(context.Context) error) int {
					err := run(ctx)
					streamed = fmt.Sprintf("stream: %s, %v", f, err)
					if err == nil {
						return 0
					}
					var unknown *pflag.NotExistError // cobra's own errors stay in the chain
					if strings.Contains(c.args, "--nosuch") != errors.As(err, &unknown) {
						t.Errorf("the chain of %v", err)
					}
					code, ok := exitcode.Of(err)
					if !ok {
						code = 1
					}
					return code
				},
			})
			if code != c.code {
				t.Errorf("exit status %d, want %d (%s)", code, c.code, prose.String())
			}
			switch got := out.String(); {
			case strings.HasPrefix(c.want, "stream"):
				if !strings.HasPrefix(streamed, c.want) || got != "" {
					t.Errorf("%q, stdout %q; want %q", streamed, got, c.want)
				}
			case c.want == "people":
				if streamed != "" || got != "for people\n" {
					t.Errorf("%q, stdout %q", streamed, got)
				}
			default:
				if mustParse(t, got); streamed != "" {
					t.Errorf("%q besides the envelope", streamed)
				}
			}
		})
	}
}
