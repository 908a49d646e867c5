// Ours is the program of ../stdjson by EmitJSON.
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
	data := []module{{"example.com/a", "v1.2.3", []string{"example.com/b", "example.com/c"}}, {"example.com/b", "v0.1.0", []string{}}}
	code, _ := envelope.EmitJSON(os.Stdout, data)
	os.Exit(code)
}
