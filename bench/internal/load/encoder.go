package load

import (
	"fmt"
	"io"

	"github.com/streamjson/streamjson/bench/internal/line"
	"github.com/streamjson/streamjson/bench/internal/ours"
	"github.com/streamjson/streamjson/bench/internal/rival"
	"github.com/streamjson/streamjson/redact"
)

// An Encoder is a way to write lines.
type Encoder struct {
	Name string
	Open func(io.Writer) (line.Emitter, error)

	lines  func(calls uint64) (least, most uint64) // that so many calls write
	ending string                                  // that the last line has
}

// The encoders that are ours.
const (
	Ours      = "ours"
	LockWrite = "lockwrite" // our encoding in the rivals' frame: a lock and a Write a line
)

// A Mode is how ours hands lines to the kernel.
type Mode string

// The modes.
const (
	Durable Mode = "durable" // each line is in the kernel when its call returns
	Burst   Mode = "burst"   // emit.Options.Burst
)

// EncoderOf returns the encoder called name: Ours, LockWrite or a rival's. Mode
// and redacting are for Ours alone.
func EncoderOf(name string, mode Mode, redacting bool) (Encoder, error) {
	if name != Ours && (mode == Burst || redacting) {
		return Encoder{}, fmt.Errorf("load: only %q has a burst mode and redacts", Ours)
	}
	switch name {
	case Ours:
		return oursEncoder(mode, redacting)
	case LockWrite:
		return Encoder{
			Name:  name,
			Open:  func(w io.Writer) (line.Emitter, error) { return ours.NewLockWrite(w), nil },
			lines: exactly,
		}, nil
	}
	lib, ok := rival.Find(name)
	if !ok {
		return Encoder{}, fmt.Errorf("load: no encoder %q: choose one of %q", name, Names())
	}
	return Encoder{
		Name:  name,
		Open:  func(w io.Writer) (line.Emitter, error) { return rival.NewEmitter(lib, w), nil },
		lines: exactly,
	}, nil
}

// Names returns the names of all encoders.
func Names() []string {
	list := []string{Ours, LockWrite}
	for _, lib := range rival.Libraries() {
		list = append(list, lib.Name)
	}
	return list
}

func exactly(calls uint64) (least, most uint64) { return calls, calls }

// oursEncoder also writes an init line, a line for each message that ends, and
// the result, which is the last one: what went missing behind a line would
// show as its absence. With redaction on, a text may wait for the next one.
func oursEncoder(mode Mode, redacting bool) (Encoder, error) {
	if mode != Durable && mode != Burst {
		return Encoder{}, fmt.Errorf("load: no mode %q: choose %q or %q", mode, Durable, Burst)
	}
	r := redact.None()
	if redacting {
		r = redact.Default()
	}
	return Encoder{
		Name: Ours + " " + string(mode),
		Open: func(w io.Writer) (line.Emitter, error) { return ours.NewEmitter(w, r, mode == Burst) },
		lines: func(calls uint64) (least, most uint64) {
			most = 2*calls + 2 // should each text end its message
			if redacting {
				return 2, most + 1
			}
			return calls + 2, most
		},
		ending: `{"type":"result","subtype":"success"`,
	}, nil
}
