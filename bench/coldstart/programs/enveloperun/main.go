// Enveloperun prints one envelope by this SDK's Run, with all that it guards
// against.
package main

import (
	"context"
	"os"

	"github.com/streamjson/streamjson/envelope"
)

type module struct {
	Path     string   `json:"path"`
	Version  string   `json:"version"`
	Requires []string `json:"requires"`
}

func main() {
	os.Exit(envelope.Run(context.Background(), envelope.RunOptions{JSON: true}, func(context.Context, *envelope.Call) (any, error) {
		return []module{
			{"example.com/a", "v1.2.3", []string{"example.com/b", "example.com/c"}}, {"example.com/b", "v0.1.0", []string{}},
		}, nil
	}))
}
