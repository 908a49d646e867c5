// Jsonflag lists what a Go module depends on, for people and for programs:
//
//	jsonflag list                    the modules that the build uses
//	jsonflag show MODULE             one of them, with its neighbours
//	jsonflag why MODULE              how it comes in
//	jsonflag graph                   all edges (no --json yet)
//
// It is a program to copy from: front.go is all there is to --json that holds
// on every path, and jsonflag_test.go keeps it so.
package main

import (
	"context"
	"io"
	"os"

	"github.com/streamjson/streamjson/envelope"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, nil, nil)) }

// run is the program. Without writers it uses those of the process, which
// envelope.Run then protects from stray prints; tests give their own.
func run(args []string, _ io.Reader, stdout, stderr io.Writer) (exitCode int) {
	return front().Main(context.Background(), args, envelope.RunOptions{
		JSONEnv: "JSONFLAG_JSON",
		Stdout:  stdout,
		Stderr:  stderr,
	})
}
