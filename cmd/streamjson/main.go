// Command streamjson holds programs to the stream-json contract, and helps
// them to keep it. Run it without arguments for a list of what it can do.
package main

import (
	"os"

	"github.com/streamjson/streamjson/cmd/streamjson/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
