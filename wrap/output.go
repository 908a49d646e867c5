package wrap

import (
	"bytes"
	"sync"
	"time"

	"github.com/streamjson/streamjson/wrap/internal/text"
)

// unfinishedFor is how long a line may be unfinished before what there is of it
// is told.
const unfinishedFor = 100 * time.Millisecond

// A teller tells of lines as they come. Their texts are valid until flush
// returns.
type teller interface {
	add(stream string, l text.Line) error
	flush() error
}

// An output takes what the program writes, on both of its streams in the order
// in which it is read, keeps it, and has it told.
type output struct {
	mu      sync.Mutex
	tell    teller // nil: nobody wants lines
	streams [2]*stream
	last    time.Time // when something was taken last
	failed  error     // by the teller; then nothing more is told
	ended   bool
	alarm   *time.Timer // for unfinished lines; runs only while there is one
	set     bool
}

const (
	stdout = iota
	stderr
)

func newOutput(c *Command, tell teller, tap func([]byte)) *output {
	o := &output{tell: tell, last: time.Now()}
	for i, name := range [...]string{"stdout", "stderr"} {
		o.streams[i] = &stream{
			output: o, name: name, kept: newKeeper(c.MaxOutput),
			lines: text.New(text.Options{MaxLine: c.MaxLine, Redactor: c.Redactor, Tap: tap}),
		}
		tap = nil // it is for stdout
	}
	return o
}

// A stream is one of the two streams of an output, as a writer.
type stream struct {
	*output
	name  string
	lines *text.Splitter
	kept  keeper
	since time.Time // since when there is something unfinished; zero: there is not
}

// Write takes what was read of the stream. It returns when its lines are told.
func (s *stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines.Push(p, s.line)
	s.flush()
	s.last = time.Now()
	s.watch(bytes.IndexByte(p, '\n') >= 0)
	if s.failed != nil {
		return 0, s.failed
	}
	return len(p), nil
}

// line keeps a line and has it told.
func (s *stream) line(l text.Line) {
	if l.Rewrite {
		s.kept.rewrite()
	}
	s.kept.add(l.Text)
	if !l.Part {
		s.kept.newline()
	}
	if s.tell != nil && s.failed == nil {
		s.failed = s.tell.add(s.name, l)
	}
}

// flush has the lines written that were added.
func (o *output) flush() {
	if o.tell != nil && o.failed == nil {
		o.failed = o.tell.flush()
	}
}

// watch looks after an unfinished line; anew: it began just now, if there is
// one.
func (s *stream) watch(anew bool) {
	switch {
	case !s.lines.Unfinished():
		s.since = time.Time{}
	case s.since.IsZero() || anew:
		s.since = s.last
	}
	if s.tell != nil && !s.since.IsZero() && !s.set {
		s.setAlarm(unfinishedFor)
	}
}

func (o *output) setAlarm(d time.Duration) {
	o.set = true
	if o.alarm == nil {
		o.alarm = time.AfterFunc(d, o.ring)
		return
	}
	o.alarm.Reset(d)
}

// ring tells what has been unfinished for long enough, and sets the alarm for
// what has not.
func (o *output) ring() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.set = false
	if o.ended {
		return
	}
	var next time.Duration
	for _, s := range o.streams {
		if s.since.IsZero() {
			continue
		}
		if wait := unfinishedFor - time.Since(s.since); wait > 0 {
			if next == 0 || wait < next {
				next = wait
			}
			continue
		}
		s.since = time.Time{}
		s.lines.Pending(s.line)
		s.flush()
	}
	if next > 0 {
		o.setAlarm(next)
	}
}

// end takes what was held back. Nothing is told by an alarm after that.
func (o *output) end() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = true
	if o.alarm != nil {
		o.alarm.Stop()
	}
	for _, s := range o.streams {
		s.lines.End(s.line)
		o.flush()
	}
	return o.failed
}

// silentFor is how long nothing has come. While something is being told that is
// not silence, and the call waits.
func (o *output) silentFor() time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	return time.Since(o.last)
}
