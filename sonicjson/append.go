package sonicjson

import (
	"bytes"
	"encoding/json"
)

// Append appends the JSON of v to dst, and returns the extended buffer. On an
// error dst comes back as it was. A panic of v's own MarshalJSON or MarshalText
// passes through. It is safe for concurrent use.
func Append(dst []byte, v any) ([]byte, error) {
	if out, done, err := appendNative(dst, v); done {
		return out, err
	}
	return appendStandard(dst, v)
}

// Active reports whether Append uses sonic, by all that is known so far: that
// memory can't be made executable is found out at the first value.
func Active() bool { return active() }

// appendStandard is Append by encoding/json.
func appendStandard(dst []byte, v any) ([]byte, error) {
	buf := bytes.NewBuffer(dst)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return dst, err
	}
	out := buf.Bytes()
	return out[:len(out)-1], nil // without the newline
}
