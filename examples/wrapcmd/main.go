// Wrapcmd runs a command and writes what it does as a stream, the way a tool of
// your own can: what the command prints is data in it, a crash or a Ctrl-C is
// its last line, and the exit status is the command's.
//
//	wrapcmd go vet ./...
package main

import (
	"context"
	"os"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/wrap"
)

func main() {
	o := emit.Options{Capabilities: []string{wrap.Capability}}
	os.Exit(emit.Run(context.Background(), o, func(ctx context.Context, em *emit.Emitter) error {
		return wrap.Run(ctx, em, wrap.Command{Argv: os.Args[1:]})
	}))
}
