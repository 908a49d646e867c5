package envelope

import (
	"github.com/streamjson/streamjson/internal/jsonl"
	"github.com/streamjson/streamjson/redact"
)

// filter is the one place where redaction enters the envelope: on by default,
// for data, errors, warnings and what a run tells on stderr. nil means that
// nothing is to be replaced.
func filter(r *redact.Redactor) jsonl.Filter {
	if r == nil {
		r = redact.Default()
	}
	return r.Filter()
}
