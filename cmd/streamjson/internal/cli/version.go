package cli

import (
	"encoding/json"
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/streamjson/streamjson/contract/schema"
	"github.com/streamjson/streamjson/exitcode"
)

// version prints which program this is and which contract it knows.
func version(s *streams, args []string) int {
	f := flag.NewFlagSet("version", flag.ContinueOnError)
	rest, err := parse(s, f, args)
	if err != nil || len(rest) > 0 {
		return refuse(s, "version", rest, err)
	}
	program := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		program = info.Main.Version
	}
	fmt.Fprintf(s.out, "streamjson %s %s %s/%s\n", program, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	fmt.Fprintf(s.out, "stream_v1, schema revision %d\n", revision(schema.Stream()))
	fmt.Fprintf(s.out, "envelope 1, schema revision %d\n", revision(schema.Envelope()))
	return exitcode.OK
}

// revision reads the revision that a schema states.
func revision(document []byte) int {
	var head struct {
		Revision int `json:"x-revision"`
	}
	if json.Unmarshal(document, &head) != nil {
		return 0
	}
	return head.Revision
}

// refuse tells what was wrong with the arguments of a command, unless help was
// asked for.
func refuse(s *streams, name string, rest []string, err error) int {
	switch {
	case err == flag.ErrHelp: //nolint:errorlint // parse returns it bare
		return exitcode.OK
	case err == nil && len(rest) > 0:
		err = fmt.Errorf("unexpected argument %q", rest[0])
	}
	fmt.Fprintf(s.err, "streamjson %s: %v; streamjson help %s tells how to call it\n", name, err, name)
	return exitcode.Usage
}
