package envelope

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/streamjson/streamjson/exitcode"
)

// abortTime is how long the second signal waits for a reader of the document.
const abortTime = 250 * time.Millisecond

// straggle is how long a signal may be on its way to us when stdout has broken:
// Ctrl-C ends the reader, too, and it is the signal that counts (contract F13).
const straggle = 50 * time.Millisecond

// finish answers for what the body did and returns the exit status.
func (r *run) finish(out outcome) int {
	status, messages := r.judge(&out)
	warnings := r.call.close()
	failed := out.write
	gone := errors.Is(out.cause, errReaderGone)
	if r.o.JSON && !gone {
		var limit time.Duration // none: back-pressure is the reader's right
		if out.cause != nil || r.signals.first != nil {
			limit = r.o.Grace
		}
		failed = r.write(r.document(status, messages, warnings, out.data), limit)
	}
	if !gone && !isReaderGone(failed) { // who closes stdout knows why
		r.tell(&out, messages, failed)
	}
	return r.settle(status, failed)
}

// judge says what the document and the exit status will be. From here on a
// signal changes nothing.
func (r *run) judge(out *outcome) (status int, messages []string) {
	if r.signals.drain(); errors.Is(out.cause, errReaderGone) {
		r.signals.await(straggle)
	}
	if sig := r.signals.first; sig != nil {
		out.cause = &signalError{sig}
	}
	if out.cause != nil {
		status, messages = statusOfCause(out.cause), []string{causeText(out.cause)}
	}
	if out.stuck {
		messages = append(messages, "the command did not end within "+r.grace().String()+" and was left behind")
	}
	if out.failure != "" {
		status = firstOf(status, exitcode.Failure)
		messages = append(messages, out.failure)
	}
	if out.err != nil {
		own := messagesOf(out.err)
		if out.cause != nil {
			own = withoutEcho(own, r.ctx)
		}
		status = firstOf(status, statusOf(out.err))
		messages = append(messages, own...)
	}
	return status, messages
}

func firstOf(status, other int) int {
	if status != exitcode.OK {
		return status
	}
	return other
}

// statusOfCause is the exit status of a run that was ended from outside.
func statusOfCause(cause error) int {
	var sig *signalError
	if errors.As(cause, &sig) {
		return exitcode.FromSignal(sig.sig)
	}
	if code, ok := exitcode.Of(cause); ok {
		return code
	}
	switch {
	case errors.Is(cause, errReaderGone):
		return exitcode.ReaderGone
	case errors.Is(cause, context.DeadlineExceeded):
		return exitcode.Timeout
	}
	return exitcode.Interrupted
}

func causeText(cause error) string {
	switch cause { //nolint:errorlint // the bare values only: what wraps them says more
	case context.Canceled:
		return "the command was cancelled"
	case context.DeadlineExceeded:
		return "a time limit ended the command"
	}
	return textOf(cause)
}

// withoutEcho leaves out what a body says when it returns its context's error:
// the reason is told already.
func withoutEcho(messages []string, ctx context.Context) []string {
	if ctx.Err() == nil { // a signal that came behind the body
		return messages
	}
	var rest []string
	for _, m := range messages {
		if m != ctx.Err().Error() && m != textOf(context.Cause(ctx)) {
			rest = append(rest, m)
		}
	}
	return rest
}

func (r *run) document(status int, messages, warnings []string, data []byte) []byte {
	d := document{compact: r.o.Compact, redactor: r.o.Redactor, data: data}
	if status != exitcode.OK {
		d.fail(status, messages...)
	}
	d.warn(warnings...)
	return d.appendTo(nil)
}

// errLate says that a document was not read in the time that it was given.
var errLate = errors.New("nobody took the document in time")

// write writes doc while it listens for signals. limit bounds how long the
// reader may take, 0: not at all, until a signal comes.
func (r *run) write(doc []byte, limit time.Duration) error {
	done := make(chan error, 1) // takes one, so that a late write can end
	go func() { done <- r.writeSafely(doc) }()
	var late <-chan time.Time
	if limit > 0 {
		late = time.After(limit)
	}
	for {
		select {
		case err := <-done:
			return err
		case sig := <-r.signals.ch:
			if r.signals.note(sig) {
				os.Exit(exitcode.FromSignal(r.signals.first))
			}
			if late == nil {
				late = time.After(r.o.Grace)
			}
		case <-late:
			return errLate
		}
	}
}

func (r *run) writeSafely(doc []byte) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the writer panicked: %s", panicText(p))
		}
	}()
	_, err = writeWhole(r.out.w, doc)
	return err
}

// settle is the exit status, by what became of the document.
func (r *run) settle(status int, failed error) int {
	if failed == nil {
		return status
	}
	r.signals.await(straggle)
	switch {
	case r.signals.first != nil:
		return exitcode.FromSignal(r.signals.first)
	case failed == errLate: //nolint:errorlint // our own, never wrapped
		return status // of the limit that it came up against
	}
	return writeStatus(failed)
}

// tell tells people what went wrong, behind the document.
func (r *run) tell(out *outcome, messages []string, failed error) {
	if failed != nil {
		r.prose.say("", "stdout could not be written: "+failed.Error())
	}
	r.tellErrors(messages)
	if usage := usageOf(out.err); usage != nil {
		r.prose.text(usage.Usage)
	}
	if out.trace != nil {
		r.prose.text(string(out.trace))
	}
}

func (r *run) tellErrors(messages []string) {
	for _, m := range messages {
		r.prose.say("", m)
	}
}

// abort ends the process at the second signal. The document still goes out if
// somebody takes it at once.
func (r *run) abort() {
	sig := r.signals.first
	messages := []string{(&signalError{sig}).Error(), "a second signal ended the command at once"}
	status := exitcode.FromSignal(sig)
	if r.o.JSON {
		_ = r.write(r.document(status, messages, r.call.close(), nil), abortTime)
	}
	r.tellErrors(messages)
	r.prose.drain()
	os.Exit(status)
}
