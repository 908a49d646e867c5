//go:build goexperiment.jsonv2

package rival

import (
	"bytes"
	"encoding/json/jsontext"
	"encoding/json/v2"

	"github.com/streamjson/streamjson/bench/internal/line"
)

// experimental returns the package that a build with GOEXPERIMENT=jsonv2 has;
// encoding/json stands on it there, too.
func experimental() []Library {
	return []Library{{Name: EncodingJSONv2, Writes: all, New: func() line.Encoder { return new(version2) }}}
}

type version2 struct {
	line.Structs
	buf bytes.Buffer
}

func (e *version2) Encode(l *line.Line) ([]byte, error) {
	e.buf.Reset()
	options := []json.Options{json.Deterministic(true)}
	if l.Shape == line.Envelope {
		options = append(options, jsontext.WithIndent(indent))
	}
	err := json.MarshalWrite(&e.buf, e.Value(l), options...)
	e.buf.WriteByte('\n')
	return e.buf.Bytes(), err
}
