package envelope_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/streamjson/streamjson/envelope"
	"github.com/streamjson/streamjson/exitcode"
)

type widget struct {
	Name string `json:"name"`
	Size int    `json:"size"`
}

// One answer; the command owns its exit: os.Exit(code).
func ExampleEmitJSON() {
	code, err := envelope.EmitJSON(os.Stdout, []widget{{"gear", 3}})
	fmt.Println(code, err)
	// Output:
	// {
	//   "schema_version": 1,
	//   "ok": true,
	//   "data": [
	//     {
	//       "name": "gear",
	//       "size": 3
	//     }
	//   ],
	//   "errors": [],
	//   "warnings": []
	// }
	// 0 <nil>
}

// A failure keeps what was found by then, and passes on what an error says:
// here two messages, one with a hint, and an exit status of its own.
func ExampleErr() {
	err := errors.Join(
		envelope.WithHint(errors.New("no widget \"cog\""), "run 'widgets list'"),
		exitcode.Error{Code: 4, Err: errors.New("the store is read-only")},
	)
	code, _ := envelope.EmitJSON(os.Stdout, []widget{{"gear", 3}}, envelope.Err(err), envelope.Compact())
	fmt.Println(code)
	// Output:
	// {"schema_version":1,"ok":false,"data":[{"name":"gear","size":3}],"errors":["no widget \"cog\"","hint: run 'widgets list'","the store is read-only"],"warnings":[]}
	// 4
}

// Run answers for a body whatever it does. A main leaves Stdout alone, so that it
// is claimed, and exits with the status: os.Exit(envelope.Run(…)).
func ExampleRun() {
	body := func(ctx context.Context, call *envelope.Call) (any, error) {
		call.Warn("the cache is a week old")
		panic("out of widgets")
	}
	code := envelope.Run(context.Background(), envelope.RunOptions{JSON: true, Compact: true, Stdout: toStdout{}, Stderr: io.Discard}, body)
	fmt.Println(code)
	// Output:
	// {"schema_version":1,"ok":false,"data":null,"errors":["panic: out of widgets"],"warnings":["the cache is a week old"]}
	// 1
}

// A program with a command by package flag. main is
//
//	os.Exit(root.Main(ctx, os.Args[1:], envelope.RunOptions{}))
func ExampleCommand() {
	flags := flag.NewFlagSet("show", flag.ContinueOnError)
	size := flags.Int("size", 0, "only of that `SIZE`")
	show := func(ctx context.Context, call *envelope.Call) (any, error) {
		return widget{Name: call.Args()[0], Size: *size}, nil
	}
	root := &envelope.Command{Name: "widgets", Commands: []*envelope.Command{
		{Name: "show", Args: "NAME", Summary: "show one", Flags: flags, Body: show},
	}}
	for _, args := range [][]string{
		{"show", "gear", "--size", "3", "--json"},
		{"show", "--sise", "3", "--json"}, // also behind a flag that is wrong
		{"show", "--json"},
	} {
		code := root.Main(context.Background(), args, envelope.RunOptions{Compact: true, Stdout: toStdout{}, Stderr: io.Discard})
		fmt.Println(code)
	}
	// Output:
	// {"schema_version":1,"ok":true,"data":{"name":"gear","size":3},"errors":[],"warnings":[]}
	// 0
	// {"schema_version":1,"ok":false,"data":null,"errors":["flag provided but not defined: -sise","hint: see 'widgets show --help'"],"warnings":[]}
	// 2
	// {"schema_version":1,"ok":false,"data":null,"errors":["the argument NAME of \"widgets show\" is missing","hint: see 'widgets show --help'"],"warnings":[]}
	// 2
}

// toStdout is what an example may write to.
type toStdout struct{}

func (toStdout) Write(p []byte) (int, error) { return os.Stdout.Write(p) }

// Reading the answer of another program.
func ExampleDecode() {
	doc := []byte(`{"schema_version":1,"ok":true,"data":{"name":"gear","size":3,"new":true},"errors":[],"warnings":[]}`)
	env, err := envelope.Decode[widget](doc)
	var version *envelope.VersionError
	switch {
	case errors.As(err, &version):
		fmt.Println("a newer program: version", version.Version)
	case err != nil:
		fmt.Println("no answer:", err)
	case !env.OK:
		fmt.Println("it failed:", env.Errors)
	default:
		fmt.Println(env.Data.Name, env.Data.Size)
	}
	// Output: gear 3
}

func ExampleValidate() {
	fmt.Println(envelope.Validate([]byte(`{"schema_version":1,"ok":true,"data":[],"errors":["x"],"warnings":[]}`)))
	fmt.Println(envelope.Validate([]byte("error: no such widget")))
	// Output:
	// envelope: /errors: ok is true, yet there are errors
	// envelope: byte 0: 'e' stands where a value should stand
}
