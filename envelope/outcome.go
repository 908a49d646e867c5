package envelope

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime/debug"

	"github.com/streamjson/streamjson/exitcode"
)

// outcome is how the body ended.
type outcome struct {
	data  []byte // encoded, in JSON mode
	err   error  // what it returned, or why its data could not be encoded or shown
	cause error  // why its context was done before it returned; nil: it was not
	write error  // why Human could not write to stdout

	failure string // a panic or Goexit
	trace   []byte
	stuck   bool // it has not returned
}

// runBody runs the body, and then its encoder or renderer, which is code of the
// program, too.
func (r *run) runBody(body func(context.Context, *Call) (any, error)) {
	var out outcome
	returned := false
	defer func() {
		if !returned {
			out.failure = "the command ended its goroutine without returning (runtime.Goexit)"
			if p := recover(); p != nil {
				out.failure = "panic: " + panicText(p)
			}
			out.trace = debug.Stack()
		}
		r.done <- out
	}()
	if body == nil {
		out.err = exitcode.Error{Code: exitcode.Usage, Err: errors.New("there is no command body to run")}
		returned = true
		return
	}
	if out.cause = context.Cause(r.ctx); out.cause != nil { // over before it began
		returned = true
		return
	}
	data, err := body(r.ctx, r.call)
	out.err, out.cause = err, context.Cause(r.ctx)
	if r.o.JSON {
		r.encode(&out, data)
	} else if err == nil || !isNil(data) {
		r.render(&out, data)
	}
	returned = true
}

// isNil tells whether there is no data, be it that a body has returned the nil
// pointer of a type together with its error.
func isNil(data any) bool {
	switch v := reflect.ValueOf(data); v.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Func, reflect.Chan:
		return v.IsNil()
	}
	return false
}

// panicText is the text of a panic value of any quality.
func panicText(p any) string {
	if err, ok := p.(error); ok {
		return textOf(err)
	}
	return fmt.Sprint(p)
}

func (r *run) encode(out *outcome, data any) {
	d := document{redactor: r.o.Redactor, append: r.o.Append}
	encoded, err := d.encode(data)
	out.data = encoded
	out.err = errors.Join(out.err, err)
}

// render lets Human write to stdout, and tells what it did wrong from what
// stdout did wrong.
func (r *run) render(out *outcome, data any) {
	if r.o.Human == nil {
		return
	}
	to := &recorder{w: r.out.w}
	buf := bufio.NewWriter(to)
	err := r.o.Human(buf, data)
	_ = buf.Flush() // the recorder has its error
	if out.write = to.err; out.write == nil {
		out.err = errors.Join(out.err, err)
	}
}

// recorder remembers the first error of a writer, and stops at it.
type recorder struct {
	w   io.Writer
	err error
}

func (r *recorder) Write(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	n, err := writeWhole(r.w, p)
	r.err = err
	return n, err
}
