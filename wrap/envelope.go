package wrap

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/streamjson/streamjson/envelope"
	"github.com/streamjson/streamjson/exitcode"
)

// Envelope runs a program and returns what came of it as one answer:
//
//	envelope.Run(ctx, o, func(ctx context.Context, call *envelope.Call) (any, error) {
//		e, err := wrap.Envelope(ctx, wrap.Command{Argv: argv})
//		if err != nil {
//			return nil, err
//		}
//		for _, w := range e.Warnings {
//			call.Warn(w)
//		}
//		return e.Data, e.Err()
//	})
//
// It is ok if the program exits with 0. If not, the errors say why and what it
// wrote last on stderr, and ExitCode is that of Run: the program's own, 128+n,
// 127, 126, 124. When ctx is done the program is ended and the answer holds
// what it had written. Secrets are replaced by Command.Redactor.
//
// The error says that the command makes no sense (an exitcode.Error, status 2).
func Envelope(ctx context.Context, c Command) (envelope.Envelope[Data], error) {
	o, err := c.observe(ctx)
	if err != nil {
		return envelope.Envelope[Data]{}, err
	}
	return answer(o, o.Data), nil
}

// Unwrap runs a program that answers with JSON itself, and returns that JSON as
// the data: one value, or an array of values that each begin on a line of their
// own.
//
// An answer that is an envelope already is passed through with its errors and
// warnings, and held to contract E1: one that says ok and exits with another
// status than 0 is made a failure with that status; one that says not ok and
// exits with 0 fails with status 1.
//
// A program that writes nothing has null as its data, and a warning says so.
// One that succeeds and writes anything else than JSON fails with status 1.
// All else is as in Envelope.
func Unwrap(ctx context.Context, c Command) (envelope.Envelope[json.RawMessage], error) {
	o, err := c.observe(ctx)
	if err != nil {
		return envelope.Envelope[json.RawMessage]{}, err
	}
	if e, err := envelope.Decode[json.RawMessage](o.StdoutJSON); err == nil {
		return o.passOn(e), nil
	}
	e := answer(o, o.StdoutJSON)
	switch {
	case o.StdoutJSON != nil:
	case o.stdoutBytes == 0:
		e.Data = json.RawMessage("null")
		e.Warnings = append(e.Warnings, "the program wrote nothing on stdout, so there is no data")
	default:
		e.Data = json.RawMessage("null")
		text := "what the program wrote on stdout is no JSON"
		if o.TruncatedBytes > 0 {
			text = "what the program wrote on stdout is more than is kept (MaxOutput), so it can't be read as JSON"
		}
		e.Errors = append(e.Errors, text)
		if e.OK {
			e.OK, e.Code = false, exitcode.Failure
		}
	}
	return e, nil
}

// observe runs the command without telling anybody.
func (c Command) observe(ctx context.Context) (*outcome, error) {
	c, err := c.normalize()
	if err != nil {
		return nil, err
	}
	o, err := c.execute(ctx, job{raw: true})
	if err != nil {
		return nil, err
	}
	o.StdoutJSON = jsonOf(o.raw, c.Redactor)
	o.report(&c)
	return o, nil
}

// answer is the outcome as an envelope.
func answer[T any](o *outcome, data T) envelope.Envelope[T] {
	return envelope.Envelope[T]{
		SchemaVersion: envelope.SchemaVersion,
		OK:            o.Err == nil,
		Data:          data,
		Errors:        append([]string{}, o.messages()...),
		Warnings:      o.warnings(),
		Code:          o.code,
	}
}

// warnings is what a reader should know besides.
func (o *outcome) warnings() []string {
	list := []string{}
	if o.TruncatedBytes > 0 {
		list = append(list, count(o.TruncatedBytes, "byte")+" of the program's output were left out")
	}
	if o.held {
		list = append(list, "something that the program left behind held its output open, and was killed")
	}
	return list
}

// passOn holds the program's own envelope to its exit status.
func (o *outcome) passOn(e envelope.Envelope[json.RawMessage]) envelope.Envelope[json.RawMessage] {
	e.Warnings = append(e.Warnings, o.warnings()...)
	switch {
	case o.Err == nil && e.OK:
	case o.Err == nil:
		e.Code = exitcode.Failure
		e.Warnings = append(e.Warnings, fmt.Sprintf("the program answered with a failure, but its exit status was 0: taken for %d", e.Code))
	case e.OK:
		e.OK, e.Code = false, o.code
		e.Errors = append(e.Errors, "the program answered ok, but: "+o.Err.Error())
	default:
		e.Code = o.code
		if o.cause != nil {
			e.Errors = append(e.Errors, o.Err.Error()) // the answer does not know of it
		}
	}
	return e
}
