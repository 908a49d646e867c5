//go:build amd64 || arm64

// Envelopesonic prints one envelope by sonic.
package main

import (
	"os"

	"github.com/bytedance/sonic"
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
	b, err := sonic.ConfigDefault.MarshalIndent(envelope{1, true, []module{
		{"example.com/a", "v1.2.3", []string{"example.com/b", "example.com/c"}}, {"example.com/b", "v0.1.0", []string{}},
	}, []string{}, []string{}}, "", "  ")
	if err != nil {
		os.Exit(1)
	}
	_, _ = os.Stdout.Write(append(b, '\n'))
}
