// Stdjson is a program that writes one envelope by encoding/json alone: the
// measure for what package envelope costs (see bench_test.go).
package main

import (
	"bytes"
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
	data := []module{{"example.com/a", "v1.2.3", []string{"example.com/b", "example.com/c"}}, {"example.com/b", "v0.1.0", []string{}}}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	code := 0
	if err := enc.Encode(envelope{1, true, data, []string{}, []string{}}); err != nil {
		code = 1
	}
	if _, err := os.Stdout.Write(buf.Bytes()); err != nil {
		code = 1
	}
	os.Exit(code)
}
