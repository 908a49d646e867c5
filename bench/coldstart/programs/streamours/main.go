// Streamours is the shortest whole stream by this SDK: init and result.
package main

import (
	"context"
	"os"

	"github.com/streamjson/streamjson/emit"
)

func main() {
	os.Exit(emit.Run(context.Background(), emit.Options{}, func(context.Context, *emit.Emitter) error { return nil }))
}
