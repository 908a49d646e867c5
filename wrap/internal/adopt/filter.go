package adopt

import (
	"bytes"
	"cmp"
	"io"
	"time"

	"github.com/streamjson/streamjson/clock"
	"github.com/streamjson/streamjson/internal/jsonl"
	"github.com/streamjson/streamjson/internal/ulid"
	"github.com/streamjson/streamjson/redact"
)

const (
	// DefaultMaxLine is the longest line that is taken where none is set.
	DefaultMaxLine = 16 << 20
	// LeastMaxLine is the least that can be set.
	LeastMaxLine = 4 << 10
	// flushSize is how many bytes of lines are gathered at most before they
	// are written, while more of them are there.
	flushSize = 256 << 10
)

// Options say what a Filter does. The zero value is ready for use.
type Options struct {
	// Name, Version and CWD are for the init line that is supplied where the
	// child writes none. In the name of a member, Name is written as contract
	// D6 wants it.
	Name, Version, CWD string
	// SessionID is for a run in which the child has written no event; RunID
	// for the init line. Both are new where they are empty.
	SessionID, RunID string
	// Clock gives the time; nil is clock.System().
	Clock clock.Clock
	// Redactor keeps secrets out of the lines, and out of what Foreign and
	// Notice are told; nil redacts nothing.
	Redactor *redact.Redactor
	// MaxLine is how long an event may be; 0 is DefaultMaxLine.
	MaxLine int
	// Terminal says that the child writes to a terminal, which ends lines by
	// CR LF whatever the child does.
	Terminal bool
	// Foreign is given what the child wrote on its stdout that is no event:
	// whole lines, for stderr. nil drops them.
	Foreign func(text []byte)
	// Notice is told, without a newline, what people should know. nil drops it.
	Notice func(text string)
	// Ending is called once the result has its place, before it is written:
	// who reads it may act on it at once. nil is allowed.
	Ending func()
}

func (o Options) normalize() Options {
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	now := o.Clock.Now()
	if o.SessionID == "" {
		o.SessionID = "sess_" + ulid.New(now)
	}
	if o.RunID == "" {
		o.RunID = ulid.New(now)
	}
	if o.MaxLine <= 0 {
		o.MaxLine = DefaultMaxLine
	}
	o.MaxLine = max(o.MaxLine, LeastMaxLine)
	o.Name = cmp.Or(o.Name, "program")
	o.Version = cmp.Or(o.Version, "unknown")
	o.CWD = cmp.Or(o.CWD, ".")
	if o.Foreign == nil {
		o.Foreign = func([]byte) {}
	}
	if o.Notice == nil {
		o.Notice = func(string) {}
	}
	if o.Ending == nil {
		o.Ending = func() {}
	}
	return o
}

// A Filter makes a whole run of what a child writes. What it writes does not
// depend on how the child's bytes are cut into calls of Write, but for the
// number of its own writes: one for each call, of all lines that are whole by
// then.
//
// It is not safe for concurrent use.
type Filter struct {
	o     Options
	w     io.Writer
	err   error // of w; nothing is written after it
	began time.Time

	lines   lines
	reader  reader
	foreign foreign
	notices notices
	said    []string // by Warn, before the first line

	out     []byte // lines that are not written yet
	seq     uint64 // of the next line
	session []byte // JSON; nil: not known yet
	stamp   clock.Stamper
	ts      []byte // of the last line that had one

	inited bool                // the first line has its place
	begun  bool                // and it is the child's own
	others map[string]struct{} // sessions of other runs in the same pipe
	ended  bool                // and the result
	failed bool                // the result is one of a failure
	end    string

	count   count // the child's own numbers
	opened  opened
	deltas  deltas
	account account
}

// New returns a Filter that writes lines to w.
func New(w io.Writer, o Options) *Filter {
	o = o.normalize()
	f := &Filter{o: o, w: w, began: o.Clock.Now(), lines: newLines(o.MaxLine), opened: newOpened()}
	f.reader.keys = newKeySet()
	if o.Redactor.Enabled() {
		f.reader.secrets, f.reader.filter = o.Redactor, o.Redactor.Filter()
		f.reader.deltas = true
	}
	f.foreign = newForeign(o.Redactor, o.Foreign)
	f.deltas = newDeltas(o.Redactor)
	return f
}

// Write takes the next bytes of the child's stdout. An error is the writer's;
// it stays.
func (f *Filter) Write(p []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	f.lines.cut(p, f.line, f.overflow)
	f.foreign.flush()
	if err := f.flush(); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Heartbeat writes a heartbeat line (contract section 2), and the warnings
// that wait for the next event. Before the init line and behind the result it
// does nothing. Its ts is that of the line before it: the child may have
// stamped the next line already.
func (f *Filter) Heartbeat() error {
	if !f.inited || f.ended || f.err != nil {
		return f.err
	}
	f.warnDue(false, f.ts)
	b := f.builder()
	b.Int("elapsed_ms", f.elapsed())
	f.insert("system", "heartbeat", "", b.Buf, f.ts)
	return f.flush()
}

// Warn takes a warning that was told in prose (contract F11): it becomes a line
// now, or stands on the init line if that is still to come and is supplied, or
// follows it. Behind the result it does nothing.
func (f *Filter) Warn(text string) error {
	switch {
	case f.ended || f.err != nil:
		return f.err
	case !f.inited:
		if len(f.said) < maxSaid {
			f.said = append(f.said, text)
		}
		return nil
	}
	f.warning("notice", text, 0, f.ts)
	return f.flush()
}

// maxSaid is how many warnings before the first line are kept.
const maxSaid = 100

// End ends the stream: what is open is closed, and a result is written, unless
// the child has written it. It returns the exit status that agrees with the
// result. An error is the writer's.
func (f *Filter) End(o Outcome) (exitCode int, err error) {
	f.lines.end(false, f.line)
	f.foreign.end()
	f.foreign.flush()
	if !f.ended {
		f.supplyResult(o)
		exitCode = o.ownCode()
	} else {
		var denied bool
		exitCode, denied = o.exitCode(f.end, f.failed)
		if denied {
			f.deny(o)
		}
	}
	f.tellRest()
	return exitCode, f.flush()
}

// finish notes that the result has its place.
func (f *Filter) finish(subtype string, failed bool) {
	f.ended, f.failed, f.end = true, failed, subtype
	f.o.Ending()
}

// Ended reports whether the result was written, and which exit status it
// stands for (contract F13).
func (f *Filter) Ended() (exitCode int, ended bool) {
	if !f.ended || f.err != nil {
		return 0, false
	}
	return meaning(f.end, f.failed), true
}

// flush writes what is gathered.
func (f *Filter) flush() error {
	if f.err != nil || len(f.out) == 0 {
		return f.err
	}
	n, err := f.w.Write(f.out)
	if err == nil && n < len(f.out) {
		err = io.ErrShortWrite
	}
	f.err = err
	if cap(f.out) > 2*flushSize {
		f.out = nil
	}
	f.out = f.out[:0]
	return err
}

// line takes a line of the child's.
func (f *Filter) line(l raw) {
	if f.err != nil {
		return
	}
	switch {
	case l.length > len(l.bytes):
		f.longLine(l)
	case l.more:
		f.salvage(l.bytes, true)
	default:
		f.wholeLine(l)
	}
	if len(f.out) >= flushSize {
		_ = f.flush() // Write returns it
	}
}

// wholeLine takes a line that is there from its beginning to its end.
func (f *Filter) wholeLine(l raw) {
	if f.o.Terminal {
		l.bytes = bytes.TrimSuffix(l.bytes, []byte("\r"))
	}
	text, cleaned := unframe(l.bytes)
	switch {
	case len(text) == 0 && !f.ended:
		f.note(framing, "")
		return
	case len(text) == 0:
		return
	case text[0] != '{':
		f.salvage(text, false)
		return
	}
	clean := respell(text, false)
	r := f.reader.read(clean)
	if !r.whole || r.end < len(clean) {
		// Only here, since it costs another look at each byte.
		if clean = respell(text, true); len(clean) != len(text) {
			r = f.reader.read(clean)
		}
	}
	if !r.whole || r.end < len(clean) || r.fault != "" {
		f.salvage(text, false)
		return
	}
	if !f.ended && (cleaned || !l.ended) {
		f.note(framing, "")
	}
	if len(clean) != len(text) {
		f.note(respelled, "")
	}
	f.event(&f.reader.event)
}

// overflow takes a part of a line without end that is text.
func (f *Filter) overflow(text []byte) {
	first := f.lines.text == 0
	if first {
		f.text(text, true)
	}
}

// text takes what is no event.
func (f *Filter) text(piece []byte, long bool) {
	f.foreign.take(piece, long, "")
	if !f.ended {
		f.noteText()
	}
}

func (f *Filter) elapsed() int64 {
	return max(f.o.Clock.Now().Sub(f.began).Milliseconds(), 0)
}

// builder returns a builder for the members of a line.
func (f *Filter) builder() *jsonl.Builder {
	return &jsonl.Builder{Values: jsonl.Values{Filter: f.reader.filter}}
}
