package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/streamjson/streamjson/exitcode"
)

// maxInput is how much of stdin and of a script is read.
const maxInput = 1 << 20

// readPrompt returns the prompt: the one of the command line, else stdin's.
// What is wrong with it is the user's mistake, with the status of one, but
// the stream has begun by then, so it ends in a result.
func (c config) readPrompt(ctx context.Context, stdin io.Reader) (string, error) {
	if c.prompt != "" {
		return c.prompt, nil
	}
	text, err := readBounded(ctx, func() (io.ReadCloser, error) { return io.NopCloser(stdin), nil })
	if err == nil && strings.TrimSpace(text) == "" {
		err = errors.New("it is empty")
	}
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil {
		return "", exitcode.Error{Code: exitcode.Usage, Err: fmt.Errorf("the prompt on stdin: %w", err)}
	}
	return strings.TrimSpace(text), nil
}

// readBounded reads what open opens. To open a FIFO and to read a pipe can
// take for ever and can't be interrupted, so another goroutine does it, which
// the end of the run leaves behind.
func readBounded(ctx context.Context, open func() (io.ReadCloser, error)) (string, error) {
	type outcome struct {
		data []byte
		err  error
	}
	done := make(chan outcome, 1)
	go func() {
		r, err := open()
		if err != nil {
			done <- outcome{err: err}
			return
		}
		defer r.Close()
		data, err := io.ReadAll(io.LimitReader(r, maxInput+1))
		if err == nil && len(data) > maxInput {
			err = fmt.Errorf("more than %s", size(maxInput))
		}
		done <- outcome{data, err}
	}()
	select {
	case o := <-done:
		return string(o.data), o.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}
