package cli

import (
	"fmt"

	"github.com/streamjson/streamjson/envelope"
	"github.com/streamjson/streamjson/exitcode"
)

// document writes an envelope (contract section 5) and returns code, which its
// ok agrees with.
func document(s *streams, data any, errs, warnings []string, code int) int {
	options := []envelope.Option{envelope.Warn(warnings...)}
	if code != exitcode.OK {
		if len(errs) == 0 {
			errs = []string{fmt.Sprintf("exit status %d", code)}
		}
		options = append(options, envelope.Fail(errs...))
	}
	if _, err := envelope.EmitJSON(s.out, data, options...); err != nil {
		fmt.Fprintf(s.err, "streamjson: the answer can't be encoded: %v\n", err)
		return exitcode.Failure
	}
	return code
}
