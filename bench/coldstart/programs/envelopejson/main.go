// Envelopejson prints one envelope by encoding/json.
package main

import (
	"encoding/json"
	"os"
)

type envelope struct {
	SchemaVersion int      `json:"schema_version"`
	OK            bool     `json:"ok"`
	Data          any      `json:"data"`
	Errors        []string `json:"errors"`
	Warnings      []string `json:"warnings"`
}

type module struct {
	Path     string   `json:"path"`
	Version  string   `json:"version"`
	Requires []string `json:"requires"`
}

func main() {
	e := json.NewEncoder(os.Stdout)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if e.Encode(envelope{1, true, []module{
		{"example.com/a", "v1.2.3", []string{"example.com/b", "example.com/c"}}, {"example.com/b", "v0.1.0", []string{}},
	}, []string{}, []string{}}) != nil {
		os.Exit(1)
	}
}
