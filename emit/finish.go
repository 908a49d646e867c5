package emit

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/streamjson/streamjson/emit/event"
	"github.com/streamjson/streamjson/exitcode"
	"github.com/streamjson/streamjson/internal/jsonl"
	"github.com/streamjson/streamjson/internal/wire"
)

// The texts of what the emitter closes by itself (contract section 3).
const (
	closedToolText = "The run ended before this tool call returned."
	closedByClose  = "the program closed the stream without a result"
)

// brokenGrace is how long a run may take to wind down when nobody reads it.
const brokenGrace = 500 * time.Millisecond

// An ending is how a stream ends. Guarded by the emitter's lock, but for the
// channels and top.
type ending struct {
	top        *Actor
	supervised bool          // Run or Do sees to the end, so that Close is a no-op
	code       int           // the exit code, once the result has its place
	done       chan struct{} // closed when the stream has ended
	failed     error         // what the result says, where that is an error
	hurry      chan struct{} // closed when Finish must not wait any longer
	broken     chan struct{} // closed when stdout can't be written any more
}

// A verdict is how a run ends.
type verdict struct {
	res   event.Result
	code  int    // 0: that of the subtype
	trace []byte // of a panic
}

// Finish ends the stream with its result, the one terminal line. It waits for
// what runs under Go, writes what is held back, and closes what is open: tool
// calls, tasks, nested actors. What res leaves unset is counted; the zero
// Result is a success. A result that breaks a rule is refused with an
// *EventError, and the stream goes on.
//
// Should something under Go fail, or not end within Options.Grace of the run's
// cancellation, the result tells that instead. Nothing can follow a result:
// a second Finish returns ErrEnded.
func (e *Emitter) Finish(res event.Result) error {
	s := e.stream
	checked, _, err := checkResult(res)
	if err != nil {
		return s.tell(err)
	}
	// A value that can't be encoded is found out while the stream still runs.
	if l := s.encodeResult(checked, 0, false); l.Refused != nil {
		return s.refused(l)
	} else {
		s.recycle(l)
	}
	return s.finish(func(left int, failed error) verdict {
		if failed != nil {
			return s.verdictOf(failed)
		}
		if left > 0 {
			return verdict{res: event.Result{
				Subtype: event.ErrorDuringExecution,
				Result:  res.Result,
				Errors:  []string{leftText(left, s.o.Grace)},
			}}
		}
		return verdict{res: res}
	})
}

func leftText(left int, grace time.Duration) string {
	if left == 1 {
		return fmt.Sprintf("a goroutine started by Go did not end within %v of the run's cancellation", grace)
	}
	return fmt.Sprintf("%d goroutines started by Go did not end within %v of the run's cancellation", left, grace)
}

// Close ends a stream that has no result with an error result that says so.
// It is meant for defer, and does nothing after Finish, nor in a body that Run
// or Do has called: these write the result after the body returns. While
// another goroutine ends the stream, Close waits for it.
func (e *Emitter) Close() error {
	s := e.stream
	s.mu.Lock()
	if s.end.supervised {
		s.mu.Unlock()
		return nil
	}
	phase := s.phase
	s.mu.Unlock()
	if phase != phaseOpen {
		if !insideFinish() && !s.group.owns(goroutine()) {
			<-s.end.done
		}
		return nil
	}
	err := s.finish(func(_ int, failed error) verdict {
		if failed != nil {
			return s.verdictOf(failed)
		}
		return verdict{res: event.Result{Subtype: event.ErrorDuringExecution, Errors: []string{closedByClose}}}
	})
	if errors.Is(err, ErrEnded) {
		return nil
	}
	return err
}

// ExitCode returns the status with which a process should end that did this
// run (contract F13): that of the result, or of why it could not be written.
// Before the end it is exitcode.Failure.
func (e *Emitter) ExitCode() int {
	e.stream.mu.Lock()
	defer e.stream.mu.Unlock()
	return e.stream.exitCode()
}

func (s *stream) exitCode() int {
	switch {
	case s.out.err != nil && errors.Is(s.out.err, ErrReaderGone):
		return exitcode.ReaderGone
	case s.out.err != nil:
		return exitcode.IO
	case s.phase != phaseEnded:
		return exitcode.Failure
	default:
		return s.end.code
	}
}

// verdictOf returns how a run ends for the cause err.
func (s *stream) verdictOf(err error) verdict {
	res, code := resultOf(err)
	v := verdict{res: res, code: code}
	if thrown, ok := errorAs[*panicError](err); ok {
		v.trace = thrown.told()
	}
	return v
}

// finish ends the stream. decide is called once everything that could change
// the verdict is over; it is told how many goroutines under Go still run, and
// the first failure of those that don't.
func (s *stream) finish(decide func(left int, failed error) verdict) error {
	s.mu.Lock()
	if s.phase != phaseOpen {
		s.mu.Unlock()
		return ErrEnded
	}
	s.phase = phaseFinishing
	s.mu.Unlock()

	left := s.group.wait(s.ctx, s.o.Grace, s.end.hurry)
	v := decide(left, s.group.decide())
	res, out, err := checkResult(v.res)
	if err != nil {
		// Only a verdict of the emitter's own comes here unchecked.
		res, out, _ = checkResult(event.Result{Subtype: event.ErrorDuringExecution, Errors: []string{err.Error()}})
	}

	s.mu.Lock()
	from := s.seq
	s.begin()
	s.closeOpened(nil)
	s.phase = phaseClosing
	text, lost := s.finalText()
	if res.Result != "" {
		lost = 0
	}
	s.ledger.settle(&res, text, s.o.Clock.Now().Sub(s.began))
	empty := isEmpty(&res, &s.ledger)
	s.mu.Unlock()

	l := s.encodeResult(res, lost, empty)
	if l.Refused != nil {
		// It could be encoded a moment ago: what the caller added goes.
		s.recycle(l)
		res.Extra, res.TotalCostUSD = nil, nil
		l = s.encodeResult(res, lost, empty)
	}
	err = s.writeResult(l, res, cmp.Or(v.code, out.code), from)
	s.conclude(v.trace)
	return err
}

// writeResult gives the result its place, and waits until it is written, and
// with it all lines since from.
func (s *stream) writeResult(l *wire.Line, res event.Result, code int, from uint64) error {
	s.mu.Lock()
	if s.o.Format == FormatJSON && s.out.err == nil {
		seq := s.seq
		s.seq = 0 // the document is a stream of its own
		s.stamp.Set(s.o.Clock.Now())
		line := append(append(s.head(nil, s.end.top, l.Type, l.Subtype), l.Buf...), '}')
		buf := bytes.NewBuffer(s.out.open(0))
		_ = json.Indent(buf, line, "", "  ") // fails only on what is no JSON
		buf.WriteByte('\n')
		s.out.close(buf.Bytes())
		s.seq = seq
	}
	s.put(s.end.top, l.Type, l.Subtype, l.Buf)
	s.text.finish(s, s.o.Redactor.String(jsonl.Valid(res.Result)))
	s.end.code = code
	if res.IsError {
		s.end.failed = &exitcode.Error{Code: code, Err: errors.New(strings.Join(res.Errors, "; "))}
	}
	s.phase = phaseEnded
	if s.beat != nil {
		s.beat.Stop()
	}
	var err error
	if s.out.err != nil {
		err = s.out.err
		s.mu.Unlock()
	} else {
		err = s.out.wait(s.out.end, from)
	}
	s.recycle(l)
	if s.text.on && res.IsError && err == nil {
		for _, text := range res.Errors {
			s.prose.print(levelError, text, "")
		}
	}
	return err
}

// conclude gives back what the run has held.
func (s *stream) conclude(trace []byte) {
	for _, c := range s.copies {
		c.finish()
	}
	s.out.endBurst()
	if trace != nil {
		s.prose.raw(trace)
	}
	s.stop()
	s.cancel(ErrEnded)
	s.prose.drain()
	close(s.end.done)
}

// finalText returns the newest text of the top-level actor: that of a message
// that was not completed, else that of the last one, and how many bytes of it
// were not kept.
func (s *stream) finalText() (string, int) {
	if text, lost := s.end.top.openText(); len(text) > 0 {
		return string(text), lost
	}
	return string(s.ledger.text), 0
}

// closesBefore orders actors: nested before parent, newest first.
func closesBefore(x, y *Actor) int {
	return cmp.Or(cmp.Compare(y.depth, x.depth), cmp.Compare(y.order, x.order))
}

// closeOpened writes what is held back and closes what is open, of one actor
// or of all: nested before parent, newest first, each on the actor that opened
// it. The lock is held.
func (s *stream) closeOpened(a *Actor) {
	for _, streaming := range slices.SortedFunc(maps.Keys(s.streaming), closesBefore) {
		if a == nil || streaming == a {
			streaming.flushTails()
		}
	}
	for _, e := range s.opened.closing(a) {
		if e.class == openTool {
			s.put(e.actor, "user", "", closeTool(e.id))
		} else {
			s.put(e.actor, "system", "task_notification", closeTask(e.id, e.kind))
		}
		s.opened.remove(e.class, e.id)
	}
}

// closeTool returns the members of the line that closes a tool call.
func closeTool(id []byte) []byte {
	line := []byte(`,"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":`)
	line = jsonl.AppendString(line, string(id))
	return append(line, `,"content":"`+closedToolText+`","is_error":true}]}`...)
}

// closeTask returns the members of the line that closes a task.
func closeTask(id, kind []byte) []byte {
	line := jsonl.AppendString([]byte(`,"task_id":`), string(id))
	line = jsonl.AppendString(append(line, `,"kind":`...), string(kind))
	return append(line, `,"status":"cancelled"`...)
}
