package envelope

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/streamjson/streamjson/exitcode"
	"github.com/streamjson/streamjson/redact"
	"github.com/streamjson/streamjson/stdio"
)

// Option changes what [EmitJSON] writes. A nil Option does nothing.
type Option func(*document)

// Fail makes the document a failure with the given messages: ok is false and
// the exit status 1. Blank messages are left out; where none is left, one that
// says so stands in, since a failure is never without a message (contract E4).
func Fail(messages ...string) Option {
	return func(d *document) { d.fail(exitcode.Failure, messages...) }
}

// Err makes the document a failure with what err says: the parts of
// errors.Join one by one, each followed by its hint (see [WithHint]). The exit
// status is that of an exitcode.Error in the chain of err, 2 for a
// [UsageError], else 1. A nil err changes nothing, so that the error of a
// function can be passed on as it is.
func Err(err error) Option {
	return func(d *document) {
		if err != nil {
			d.fail(statusOf(err), messagesOf(err)...)
		}
	}
}

// Warn adds warnings, which leave ok and the exit status alone. Blank ones are
// left out.
func Warn(messages ...string) Option {
	return func(d *document) { d.warn(messages...) }
}

// Compact writes the document on one line.
func Compact() Option {
	return func(d *document) { d.compact = true }
}

// Redact sets the rules by which secrets are replaced in data, errors and
// warnings. Without it, or with nil, they are redact.Default(); redact.None()
// switches redaction off.
func Redact(r *redact.Redactor) Option {
	return func(d *document) { d.redactor = r }
}

// Append sets the encoder for values other than the usual kinds (which are
// encoded without reflection): it appends the JSON of v to dst. Without it, or
// with nil, that is encoding/json without HTML escaping. What it writes is
// checked and rewritten by the rules of the wire like any foreign JSON.
func Append(f func(dst []byte, v any) ([]byte, error)) Option {
	return func(d *document) { d.append = f }
}

// EmitJSON writes data to w as one envelope, in one call of Write, and returns
// the exit status that goes with it: 0, or with [Fail] and [Err] another one.
// It never exits; the command owns its exit (contract E1):
//
//	code, err := envelope.EmitJSON(os.Stdout, data)
//
// A nil slice or map as data is written [] or {} (contract E3); with a failure,
// data is what was found by then, or nil.
//
// If data can't be encoded (NaN, a cycle, a marshaller that fails or panics,
// invalid raw JSON, a key twice, more than 1,000 levels), an envelope with ok
// false, data null and the reason goes out instead, and the reason is returned
// as an error (contract E5). If w fails, the status is 74, or 141 if the reader
// of w has gone; what had been written by then is no document, and nothing
// more is written.
//
// An *os.File may be in non-blocking mode. A closed pipe on it is an error,
// also on os.Stdout, where os.File itself would end the process.
//
// EmitJSON doesn't touch what else the process prints on stdout; [Run] does.
func EmitJSON(w io.Writer, data any, opts ...Option) (exitCode int, err error) {
	d := newDocument(opts)
	dataErr := d.setData(data)
	buf := buffers.get()
	defer buffers.put(buf)
	*buf = d.appendTo((*buf)[:0])
	if _, err := writeWhole(w, *buf); err != nil {
		return writeStatus(err), errors.Join(dataErr, err)
	}
	return d.status, dataErr
}

// writeStatus is the exit status for a document that could not be written
// (contract F13).
func writeStatus(err error) int {
	if isReaderGone(err) {
		return exitcode.ReaderGone
	}
	return exitcode.IO
}

// errReaderGone is the cause of what ended because nobody reads stdout.
var errReaderGone = errors.New("the reader of stdout has gone")

func isReaderGone(err error) bool {
	return errors.Is(err, errReaderGone) || stdio.IsReaderGone(err)
}

// stalls is how often in a row a writer may take nothing without an error.
const stalls = 100

// writeWhole hands doc to w in one call and, if w takes less without an error,
// the rest in further ones.
func writeWhole(w io.Writer, doc []byte) (written int, err error) {
	out := w
	switch f := w.(type) {
	case nil:
		return 0, errors.New("envelope: there is no writer: give EmitJSON one, for example os.Stdout")
	case *os.File:
		if f != nil {
			out = stdio.FromFile(f)
		}
	}
	for stalled := 0; written < len(doc) && err == nil; {
		var n int
		n, err = out.Write(doc[written:])
		if n < 0 || n > len(doc)-written {
			n, err = 0, fmt.Errorf("a %T broke the rules of io.Writer: it says %d of %d bytes were written", w, n, len(doc)-written)
		}
		if written += n; n > 0 {
			stalled = 0
		} else if stalled++; err == nil && stalled == stalls {
			err = io.ErrNoProgress
		}
	}
	if err == nil {
		return written, nil
	}
	if s, ok := out.(*stdio.Stdout); ok && s.ReaderGone(err) && !stdio.IsReaderGone(err) {
		err = errors.Join(err, errReaderGone) // a terminal that was hung up
	}
	return written, fmt.Errorf("envelope: the output is cut after %d of %d bytes: %w", written, len(doc), err)
}
