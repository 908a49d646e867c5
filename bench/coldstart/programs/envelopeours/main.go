// Envelopeours prints one envelope by this SDK.
package main

import (
	"os"

	"github.com/streamjson/streamjson/envelope"
)

type module struct {
	Path     string   `json:"path"`
	Version  string   `json:"version"`
	Requires []string `json:"requires"`
}

func main() {
	code, _ := envelope.EmitJSON(os.Stdout, []module{
		{"example.com/a", "v1.2.3", []string{"example.com/b", "example.com/c"}}, {"example.com/b", "v0.1.0", []string{}},
	})
	os.Exit(code)
}
