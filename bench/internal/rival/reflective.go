package rival

import (
	"bytes"
	"encoding/json"

	goccy "github.com/goccy/go-json"
	segmentio "github.com/segmentio/encoding/json"

	"github.com/streamjson/streamjson/bench/internal/line"
)

// indent is that of an envelope.
const indent = "  "

// A streamEncoder is what encoding/json calls Encoder, and the libraries that
// took over its API.
type streamEncoder interface {
	Encode(v any) error
	SetIndent(prefix, indent string)
	SetEscapeHTML(on bool)
}

// streaming encodes by a streamEncoder into a buffer that is reused.
type streaming struct {
	line.Structs
	buf      bytes.Buffer
	encoder  streamEncoder
	indented bool
}

func newStreaming(open func(*bytes.Buffer) streamEncoder) *streaming {
	e := new(streaming)
	e.encoder = open(&e.buf)
	e.encoder.SetEscapeHTML(false)
	return e
}

func (e *streaming) Encode(l *line.Line) ([]byte, error) {
	if document := l.Shape == line.Envelope; document != e.indented {
		e.indented = document
		if document {
			e.encoder.SetIndent("", indent)
		} else {
			e.encoder.SetIndent("", "")
		}
	}
	e.buf.Reset()
	err := e.encoder.Encode(e.Value(l))
	return e.buf.Bytes(), err
}

func standard() []Library {
	return []Library{{
		Name: EncodingJSON, Writes: all,
		New: func() line.Encoder {
			return newStreaming(func(b *bytes.Buffer) streamEncoder { return json.NewEncoder(b) })
		},
	}}
}

// The libraries that goals name.
const (
	EncodingJSON = "encoding/json"
	Zerolog      = "zerolog"
	Slog         = "slog"
	// EncodingJSONv2 is there under GOEXPERIMENT=jsonv2 alone.
	EncodingJSONv2 = "encoding/json/v2"
	SonicInto      = "sonic EncodeInto"          // its fastest: keys in random order, bytes unchecked
	SonicChecked   = "sonic EncodeInto, checked" // keys sorted, bytes checked
)

func reflective() []Library {
	return []Library{
		{
			Name: "goccy/go-json", Module: "github.com/goccy/go-json", Writes: all,
			New: func() line.Encoder {
				return newStreaming(func(b *bytes.Buffer) streamEncoder { return goccy.NewEncoder(b) })
			},
		},
		{
			Name: "segmentio/encoding", Module: "github.com/segmentio/encoding", Writes: all,
			New: func() line.Encoder { return new(appending) },
		},
	}
}

// appending encodes by segmentio's Append, which is faster than its Encoder.
type appending struct {
	line.Structs
	buf []byte
	out bytes.Buffer
}

func (e *appending) Encode(l *line.Line) ([]byte, error) {
	buf, err := segmentio.Append(e.buf[:0], e.Value(l), segmentio.SortMapKeys)
	if err != nil {
		return nil, err
	}
	e.buf = append(buf, '\n')
	if l.Shape != line.Envelope {
		return e.buf, nil
	}
	e.out.Reset()
	err = json.Indent(&e.out, e.buf, "", indent)
	return e.out.Bytes(), err
}
