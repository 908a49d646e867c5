// Package schema has the two JSON Schemas (draft 2020-12) of the contract, and
// judges lines and envelopes by them. It is the only package that links a
// schema library.
//
// Each schema has two readings from one source. The producer's is closed: what
// is known must be complete, of its type, and without members that the
// contract does not list. The reader's is open: it asks only for what every
// reader may rely on, so that a stream of a later revision passes. Unknown
// system subtypes and unknown values of enumerations pass in both.
package schema

import (
	_ "embed"
	"sync"
)

//go:embed stream-json.schema.json
var streamSource []byte

//go:embed envelope.schema.json
var envelopeSource []byte

// Stream returns the schema of one line of a stream, in the producer's reading.
func Stream() []byte { return printed(streamSource, false) }

// StreamReader returns the schema of one line in the reader's reading.
func StreamReader() []byte { return printed(streamSource, true) }

// Envelope returns the schema of the envelope in the producer's reading.
func Envelope() []byte { return printed(envelopeSource, false) }

// EnvelopeReader returns the schema of the envelope in the reader's reading.
func EnvelopeReader() []byte { return printed(envelopeSource, true) }

// printed makes a document of its own out of a source. A source that is no
// schema gives nothing; the tests make sure that none is.
func printed(source []byte, reader bool) []byte {
	doc, err := parse(source)
	if err != nil {
		return nil
	}
	if reader {
		doc = loosen(doc)
	} else {
		doc = withoutReader(doc)
	}
	return layout(doc)
}

// The compiled schemas, each built on first need.
var (
	lineProducer     = sync.OnceValues(func() (*judge, error) { return compile(Stream()) })
	lineReader       = sync.OnceValues(func() (*judge, error) { return compile(StreamReader()) })
	envelopeProducer = sync.OnceValues(func() (*judge, error) { return compile(Envelope()) })
	envelopeReader   = sync.OnceValues(func() (*judge, error) { return compile(EnvelopeReader()) })
)
