package cli

import (
	"errors"
	"flag"

	"github.com/streamjson/streamjson/contract/schema"
	"github.com/streamjson/streamjson/exitcode"
)

// printSchema prints one of the schemas.
func printSchema(s *streams, args []string) int {
	f := flag.NewFlagSet("schema", flag.ContinueOnError)
	reader := f.Bool("reader", false, "the reader's reading: what every reader may rely on, open to additions")
	rest, err := parse(s, f, args)
	if err == nil && len(rest) == 0 {
		err = errors.New("say which one: stream or envelope")
	}
	if err != nil || len(rest) > 1 {
		return refuse(s, "schema", rest[min(1, len(rest)):], err)
	}
	var document []byte
	switch name := rest[0]; {
	case name == "stream" && *reader:
		document = schema.StreamReader()
	case name == "stream":
		document = schema.Stream()
	case name == "envelope" && *reader:
		document = schema.EnvelopeReader()
	case name == "envelope":
		document = schema.Envelope()
	default:
		return refuse(s, "schema", nil, errors.New("the schemas are stream and envelope"))
	}
	s.out.Write(document)
	return exitcode.OK
}
