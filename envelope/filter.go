package envelope

import (
	"os"

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

// environmentRedactor has the default rules, and knows the values of the
// environment that are secret by their names. What New warns of (a value too
// short to be found without harm) is no concern of who runs the command.
func environmentRedactor() *redact.Redactor {
	values := redact.FromEnviron(os.Environ())
	if len(values) == 0 {
		return redact.Default()
	}
	r, _, err := redact.New(redact.Options{Values: values})
	if err != nil {
		return redact.Default()
	}
	return r
}
