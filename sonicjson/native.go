//go:build (amd64 || arm64) && !nosonic && !go1.28

package sonicjson

import (
	"encoding/json"
	"sync"
	"sync/atomic"

	"github.com/bytedance/sonic/encoder"
)

// options are the ones with which sonic writes valid JSON whatever it is given:
// its defaults pass on invalid UTF-8 and the newlines of a MarshalJSON.
const options = encoder.SortMapKeys | encoder.CompactMarshaler | encoder.ValidateString

// keptBuffer is the largest buffer that is kept for the next value.
const keptBuffer = 256 << 10

var (
	unusable atomic.Bool // sonic has panicked on its own account
	warm     sync.Once
	// A scratch is a buffer of sonic's own. Its options act on all that stands
	// in a buffer, it leaves any length behind an error, and the address of a
	// local one would cost an allocation.
	scratches = sync.Pool{New: func() any { return new(scratch) }}
)

type scratch struct{ buf []byte }

func active() bool { return !unusable.Load() }

// appendNative is Append by sonic; done is false where that is not used.
func appendNative(dst []byte, v any) (out []byte, done bool, err error) {
	if unusable.Load() {
		return nil, false, nil
	}
	warm.Do(func() { go warmUp() })
	s := scratches.Get().(*scratch)
	panicked, err := s.encode(v)
	if panicked {
		return whose(dst, v)
	}
	if err != nil {
		out = dst
	} else {
		out = append(dst, s.buf...)
	}
	if cap(s.buf) <= keptBuffer {
		s.buf = s.buf[:0]
		scratches.Put(s)
	}
	return out, true, err
}

// encode encodes v into the scratch, which is lost if that panics.
func (s *scratch) encode(v any) (panicked bool, err error) {
	panicked = true
	defer func() { _ = recover() }() // encoding/json will tell again
	err = encoder.EncodeInto(&s.buf, v, options)
	return false, err
}

// whose finds out who has panicked: where encoding/json panics, too, it was a
// marshaller of the value's, and the panic passes on; else it was sonic, which is
// not used again.
func whose(dst []byte, v any) (out []byte, done bool, err error) {
	out, err = appendStandard(dst, v)
	unusable.Store(true)
	return out, true, err
}

// warmUp encodes, once and in the background, what most often stands in a
// member of type any, so that its encoders are compiled by then.
//
// Sonic's own Pretouch must not be used for that: it compiles without the lock
// that its encoders take, and two compilations at once end the process.
func warmUp() {
	Warm(
		[]any{nil, true, "", 0, int64(0), 0.0, json.Number("0"), json.RawMessage("0")},
		map[string]any{"": []string{""}}, map[string]string{"": ""},
	)
}

// Warm encodes these values and drops the result, so that the first value of
// their types that is emitted costs no more than the others: an encoder takes
// milliseconds to be compiled. A type and a pointer to it are two types. What
// can't be encoded is left out; a panic of a marshaller passes through.
func Warm(values ...any) {
	for _, v := range values {
		_, _, _ = appendNative(nil, v)
	}
}
