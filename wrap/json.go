package wrap

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/streamjson/streamjson/redact"
)

// jsonOf returns what a program wrote as JSON, with the secrets in it replaced,
// or nil if it is none: the value where there is one, an array where there are
// several that each begin on a line of their own (JSON lines, and what tools
// print that write one indented value after the other).
func jsonOf(out []byte, r *redact.Redactor) json.RawMessage {
	values := jsonValues(out)
	if len(values) == 0 {
		return nil
	}
	var doc []byte
	for i, v := range values {
		if i > 0 {
			doc = append(doc, ',')
		}
		var err error
		if doc, err = r.AppendJSON(doc, v); err != nil {
			return nil // a key twice, for example
		}
	}
	if len(values) == 1 {
		return doc
	}
	return append(append([]byte{'['}, doc...), ']')
}

// jsonValues takes apart a text that is JSON values and nothing else. It
// returns nil for any other text.
func jsonValues(text []byte) (values []json.RawMessage) {
	d := json.NewDecoder(bytes.NewReader(text))
	for end := int64(0); ; end = d.InputOffset() {
		var v json.RawMessage
		err := d.Decode(&v)
		switch {
		case errors.Is(err, io.EOF):
			return values
		case err != nil:
			return nil
		}
		between := text[end : d.InputOffset()-int64(len(v))]
		if len(values) > 0 && bytes.IndexByte(between, '\n') < 0 {
			return nil
		}
		values = append(values, v)
	}
}
