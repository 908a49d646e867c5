package envelope

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Decode reads an envelope as [Validate] does and decodes its data into a T by
// encoding/json: members that T doesn't have are ignored, and a number that
// lands in an any becomes a json.Number, so that long ids keep their digits.
//
// With a [*VersionError] SchemaVersion alone is filled, with a [*FormatError]
// about the document nothing. If it is data that doesn't fit T, the error is a
// *FormatError below /data, and everything but Data is filled: a failure that
// carries other data than a success still tells what went wrong.
func Decode[T any](doc []byte) (Envelope[T], error) {
	e, err := parse(doc, false)
	if err != nil {
		return Envelope[T]{SchemaVersion: int(e.version)}, err
	}
	env := Envelope[T]{
		SchemaVersion: int(e.version),
		OK:            e.ok,
		Errors:        e.errors,
		Warnings:      e.warnings,
	}
	data, err := decodeData[T](e.data)
	if err != nil {
		return env, err
	}
	env.Data = data
	return env, nil
}

func decodeData[T any](text []byte) (data T, err error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&data); err != nil {
		var none T
		return none, dataError(err)
	}
	return data, nil
}

// dataError says which member of data doesn't fit, as far as encoding/json
// tells it.
func dataError(err error) error {
	pointer := "/data"
	var typed *json.UnmarshalTypeError
	if errors.As(err, &typed) && typed.Field != "" {
		pointer += strings.ReplaceAll(pointerTo(typed.Field), ".", "/")
	}
	return fmt.Errorf("%w: %w", invalid(pointer, "it doesn't fit the type that it is decoded into"), err)
}
