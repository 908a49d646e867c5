package emit

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/streamjson/streamjson/clock"
	"github.com/streamjson/streamjson/internal/jsonl"
	"github.com/streamjson/streamjson/internal/wire"
)

// A phase is how far a stream has come.
type phase uint8

const (
	phaseOpen      phase = iota // takes events
	phaseFinishing              // Finish was called and waits for what runs under Go
	phaseClosing                // takes none but the emitter's own last lines
	phaseEnded                  // has its result
)

// A stream is what all actors of a run share: the order of lines, and the
// state that the contract makes of them.
//
// Lock order: mu is the only lock that is ever held while another is taken
// (a copy's own). It is never held across a Write or while a caller's code
// runs, but for the clock.
type stream struct {
	o      Options
	ctx    context.Context
	cancel context.CancelCauseFunc
	began  time.Time
	cwd    string
	runID  string
	filter jsonl.Filter // of Options.Redactor; nil: none
	prose  *prose
	copies []*lineCopy
	group  group
	pool   sync.Pool     // of *wire.Line
	actors atomic.Uint64 // how many were made
	stop   func()        // gives back what New has taken

	mu        sync.Mutex
	phase     phase
	out       *outlet
	text      textOutput
	seq       uint64 // of the next line
	stamp     clock.Stamper
	lastLine  time.Time // the clock's reading for the last line, for the heartbeat
	session   []byte    // the session_id member, encoded
	scratch   []byte    // the line where out does not take lines
	plain     bool      // deltas are written, as lines without a limit, to out alone
	held      []byte    // the text that a redacting stream lets go
	mark      int       // where the current line starts in its buffer
	inited    bool
	notices   notices
	ledger    ledger
	opened    opened
	streaming map[*Actor]struct{} // actors with blocks that are not complete
	beat      *time.Timer
	end       ending
}

// ready returns why a can't write a line, or nil.
func (s *stream) ready(a *Actor) error {
	switch {
	case s.phase >= phaseClosing || a.ended:
		return ErrEnded
	case s.out.err != nil:
		return s.out.err
	default:
		return nil
	}
}

// tick reads the clock for a line.
func (s *stream) tick() {
	if s.beat == nil {
		s.stamp.SetNow(s.o.Clock)
		return
	}
	s.lastLine = s.o.Clock.Now()
	s.stamp.Set(s.lastLine)
}

// openLine returns the buffer for the next line, with everything that every
// line begins with, or nil if nobody wants lines. closeLine must follow.
func (s *stream) openLine(a *Actor, typ, subtype string) []byte {
	s.tick()
	buf, wanted := s.buffer()
	if !wanted {
		return nil
	}
	return s.head(buf, a, typ, subtype)
}

// buffer returns the buffer for the next line, and whether anybody wants it.
// place must follow.
func (s *stream) buffer() (buf []byte, wanted bool) {
	switch {
	case s.o.Format == FormatStreamJSON && s.out.err == nil:
		buf = s.out.open(s.seq)
	case len(s.copies) == 0:
		return nil, false
	default:
		buf = s.scratch[:0]
	}
	s.mark = len(buf)
	return buf, true
}

// head appends the members with which every line begins (contract F7).
func (s *stream) head(buf []byte, a *Actor, typ, subtype string) []byte {
	buf = append(buf, `{"type":"`...)
	buf = append(buf, typ...)
	buf = append(buf, '"')
	if subtype != "" {
		buf = append(buf, `,"subtype":`...)
		buf = jsonl.AppendString(buf, subtype)
	}
	buf = append(buf, s.session...)
	buf = append(buf, `,"seq":`...)
	buf = strconv.AppendUint(buf, s.seq, 10)
	buf = append(buf, `,"ts":"`...)
	buf = s.stamp.AppendText(buf)
	buf = append(buf, '"')
	return append(buf, a.parent...)
}

// headRoom returns how long what stands around the members of a line is, at
// most.
func (s *stream) headRoom(a *Actor, typ, subtype string) int {
	const fixed = len(`{"type":"","subtype":"","seq":18446744073709551615,"ts":""}`) + clock.StampLen + len("\n")
	return fixed + len(typ) + 6*len(subtype) + len(s.session) + len(a.parent)
}

// closeLine ends the line that openLine has begun, and gives it its place.
func (s *stream) closeLine(buf []byte) {
	if buf != nil {
		buf = append(buf, "}\n"...)
	}
	s.place(buf)
}

// place gives the line in the buffer its place in the stream; nil is a line that
// nobody wants.
func (s *stream) place(buf []byte) {
	s.seq++
	s.ledger.events = s.ledger.events || s.inited
	if buf == nil {
		return
	}
	for _, c := range s.copies {
		c.put(buf[s.mark:])
	}
	if s.o.Format == FormatStreamJSON && s.out.err == nil {
		s.out.close(buf)
	} else if cap(buf) <= keptBuffer {
		s.scratch = buf
	}
}

// put writes a line whose members are encoded.
func (s *stream) put(a *Actor, typ, subtype string, members []byte) {
	buf := s.openLine(a, typ, subtype)
	if buf != nil {
		buf = append(buf, members...)
	}
	s.closeLine(buf)
}

// accept gives a line its place in the stream, or says why it can't have one.
func (s *stream) accept(a *Actor, l *wire.Line) error {
	if err := s.ready(a); err != nil {
		return err
	}
	if step, err := s.opened.check(&l.Effects); err != nil {
		return refusal(l.Type, l.Subtype, stepPointer(l, step), err)
	}
	if l.Type == "assistant" && a.message != nil {
		return refusal(l.Type, "", "", errMessageOpen)
	}
	if step, err := s.closingFits(a, l); err != nil {
		return refusal(l.Type, l.Subtype, stepPointer(l, step), err)
	}
	s.begin()
	if l.Type == "assistant" {
		a.complete(l)
	}
	s.put(a, l.Type, l.Subtype, l.Buf)
	s.account(a, l)
	return nil
}

// stepPointer returns where the id that a step is about stands in its line.
func stepPointer(l *wire.Line, step wire.Step) string {
	if step.Block < 0 {
		return "/task_id"
	}
	member := "/tool_use_id"
	if step.Kind == wire.OpenTool {
		member = "/id"
	}
	return "/message/content/" + strconv.Itoa(step.Block) + member
}

// account keeps what a line that has its place means for the run.
func (s *stream) account(a *Actor, l *wire.Line) {
	s.opened.apply(&l.Effects, a)
	for _, step := range l.Effects.Steps {
		switch step.Kind {
		case wire.Hop:
			s.ledger.hop(string(l.Effects.ID(step)))
		case wire.OpenTool:
			s.ledger.tools = true
		default:
		}
	}
	if l.Type != "assistant" || !a.top() {
		return
	}
	s.ledger.turns++
	if s.ledger.take(&l.Effects) {
		s.text.message(s, s.ledger.text)
	}
}

// errClosingFits is why an id is refused that would fit as it is.
var errClosingFits = errors.New("is too long: the line that would close it could not be written in MaxLineBytes")

// closingFits makes sure that what a line opens can be closed.
func (s *stream) closingFits(a *Actor, l *wire.Line) (wire.Step, error) {
	if s.o.MaxLineBytes == 0 {
		return wire.Step{}, nil
	}
	for _, step := range l.Effects.Steps {
		var members []byte
		typ, subtype := "user", ""
		switch step.Kind {
		case wire.OpenTool:
			members = closeTool(l.Effects.ID(step))
		case wire.StartTask:
			typ, subtype = "system", "task_notification"
			members = closeTask(l.Effects.ID(step), l.Effects.Label(step))
		default:
			continue
		}
		if s.headRoom(a, typ, subtype)+len(members) > s.o.MaxLineBytes {
			return step, errClosingFits
		}
	}
	return wire.Step{}, nil
}

// A place is where the stream stood when a call began to add to it.
type place struct {
	end, seq uint64
	urgent   bool // what follows is written before the call returns, also in a burst
}

func (s *stream) here() place { return place{end: s.out.end, seq: s.seq} }

// settle waits for what was written since from, if anything was. The lock is
// held, and is released.
func (s *stream) settle(from place) error {
	var err error
	switch {
	case s.out.end == from.end:
		s.mu.Unlock()
	case s.out.burst != nil && !from.urgent:
		err = s.out.leave(s.out.end, from.seq)
	default:
		err = s.out.wait(s.out.end, from.seq)
	}
	if s.copies != nil {
		s.relieve()
	}
	return err
}

// relieve holds the caller back while a copy of the stream is behind.
func (s *stream) relieve() {
	for _, c := range s.copies {
		c.relieve()
	}
}

// line returns an empty line from the pool.
func (s *stream) line(a *Actor, typ, subtype string) *wire.Line {
	l, ok := s.pool.Get().(*wire.Line)
	if !ok {
		l = &wire.Line{}
		l.Buf = make([]byte, 0, firstBuffer)
		l.Values = jsonl.Values{Append: s.o.Append, Filter: s.filter}
	}
	l.Reset(typ, subtype)
	if s.filter != nil {
		l.Secret = s.o.Redactor
	}
	if s.o.MaxLineBytes > 0 {
		l.Max, l.Overhead, l.Measure = s.o.MaxLineBytes, s.headRoom(a, typ, subtype), true
	}
	return l
}

// recycle takes a line back into the pool, unless it has grown so large that
// it would pin memory.
func (s *stream) recycle(l *wire.Line) {
	if cap(l.Buf) <= keptBuffer && l.Effects.Size() <= keptBuffer {
		s.pool.Put(l)
	}
}
