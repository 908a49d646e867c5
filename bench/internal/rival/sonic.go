//go:build (amd64 || arm64) && !go1.28

package rival

import (
	"bytes"
	"encoding/json"

	"github.com/bytedance/sonic"
	"github.com/bytedance/sonic/encoder"

	"github.com/streamjson/streamjson/bench/internal/line"
)

const checked = encoder.SortMapKeys | encoder.CompactMarshaler | encoder.ValidateString

// native returns sonic, which neither compiles on 32-bit machines nor knows
// versions of Go that came after it.
func native() []Library {
	const module = "github.com/bytedance/sonic"
	return []Library{
		{Name: SonicInto, Module: module, Writes: all, New: func() line.Encoder { return &into{} }},
		{Name: SonicChecked, Module: module, Writes: all, New: func() line.Encoder { return &into{options: checked} }},
		{Name: "sonic Marshal", Module: module, Writes: all, New: func() line.Encoder { return new(marshalling) }},
	}
}

// into encodes by EncodeInto. The slice is a field, since the address of a
// local one would cost an allocation a call.
type into struct {
	line.Structs
	options encoder.Options
	buf     []byte
	out     bytes.Buffer
}

func (e *into) Encode(l *line.Line) ([]byte, error) {
	e.buf = e.buf[:0]
	if err := encoder.EncodeInto(&e.buf, e.Value(l), e.options); err != nil {
		e.buf = e.buf[:0]
		return nil, err
	}
	e.buf = append(e.buf, '\n')
	if l.Shape != line.Envelope {
		return e.buf, nil
	}
	e.out.Reset()
	err := json.Indent(&e.out, e.buf, "", indent) // what its own EncodeIndented does
	return e.out.Bytes(), err
}

// marshalling encodes by sonic.Marshal, as most programs do.
type marshalling struct {
	line.Structs
	out bytes.Buffer
}

func (e *marshalling) Encode(l *line.Line) ([]byte, error) {
	b, err := sonic.ConfigDefault.Marshal(e.Value(l))
	if err != nil {
		return nil, err
	}
	if l.Shape != line.Envelope {
		return append(b, '\n'), nil
	}
	e.out.Reset()
	err = json.Indent(&e.out, append(b, '\n'), "", indent)
	return e.out.Bytes(), err
}
