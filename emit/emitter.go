package emit

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"os"
	"sync"

	"github.com/streamjson/streamjson/emit/event"
	"github.com/streamjson/streamjson/internal/jsonl"
	"github.com/streamjson/streamjson/internal/ulid"
	"github.com/streamjson/streamjson/internal/wire"
	"github.com/streamjson/streamjson/redact"
	"github.com/streamjson/streamjson/stdio"
)

// An Emitter is a run: its top-level actor, and what belongs to the run as a
// whole. Its methods are safe for concurrent use.
type Emitter struct {
	*Actor
}

// New begins a run. Nothing is written before the first event, Init, Finish or
// Close. New refuses options that make no sense, and a stdout that another
// emitter is using.
//
// Run and Do are the better doors for most programs: they see to the end of
// the run whatever happens in it. After New, the program must call Finish, and
// should defer Close for the paths that don't.
func New(ctx context.Context, o Options) (*Emitter, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	o, err := o.normalize()
	if err != nil {
		return nil, err
	}
	s := &stream{
		o:         o,
		began:     o.Clock.Now(),
		cwd:       workingDirectory(),
		runID:     ulid.New(o.Clock.Now()),
		filter:    filterOf(o.Redactor),
		opened:    opened{seed: maphash.MakeSeed()},
		streaming: map[*Actor]struct{}{},
		session:   jsonl.AppendString([]byte(`,"session_id":`), o.SessionID),
	}
	s.end.top = newActor(s, 0, "", "")
	s.end.done = make(chan struct{})
	s.end.hurry = make(chan struct{})
	s.end.broken = make(chan struct{})
	// What can be refused is refused first: a claim may silence stderr.
	if err := s.checkRoom(); err != nil {
		return nil, err
	}
	if err := s.open(); err != nil {
		return nil, err
	}
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	s.watch()
	return &Emitter{s.end.top}, nil
}

// open opens the outputs of the run.
func (s *stream) open() error {
	w, own, err := openStdout(s.o)
	if err != nil {
		return err
	}
	release, err := stdio.Reserve(w)
	if err != nil {
		own()
		return err
	}
	s.stop = func() {
		release()
		own()
	}
	if s.prose, err = newProse(s.o); err != nil {
		s.stop()
		return err
	}
	s.out = newOutlet(&s.mu, w, s.o.Format == FormatStreamJSON, func(err *WriteError) {
		close(s.end.broken)
		s.cancel(err)
	})
	if s.o.Burst {
		s.out.startBurst()
	}
	s.text.on, s.text.live, s.text.fresh = s.o.Format == FormatText, s.o.Partial, true
	for i, also := range s.o.Also {
		s.copies = append(s.copies, newCopy(also, func(err error) {
			s.end.top.notice("", levelWarn, "output "+itoa(i+1)+" of Options.Also was cut off: "+err.Error(), "")
		}))
	}
	s.plain = s.o.Partial && s.o.Format == FormatStreamJSON && len(s.copies) == 0 && s.o.MaxLineBytes == 0
	out, ok := w.(*stdio.Stdout)
	if !ok {
		return nil
	}
	s.out.gone = out.ReaderGone
	if s.text.on && out.IsTerminal() {
		s.text.strip = new(jsonl.Stripper)
	}
	return nil
}

// watch ends the run when the reader of stdout goes away.
func (s *stream) watch() {
	out, ok := s.out.w.(*stdio.Stdout)
	if !ok {
		return
	}
	release, stopWatch := s.stop, out.WatchReader(s.readerGone)
	s.stop = sync.OnceFunc(func() {
		stopWatch()
		release()
	})
}

// filterOf returns what redacts the strings of lines, or nil.
func filterOf(r *redact.Redactor) jsonl.Filter {
	if !r.Enabled() {
		return nil
	}
	return r.Filter()
}

// checkRoom makes sure that the lines of every stream fit into MaxLineBytes.
func (s *stream) checkRoom() error {
	if s.o.MaxLineBytes == 0 {
		return nil
	}
	first := s.encodeInit(s.end.top, event.Init{}, nil)
	last := s.encodeResult(event.Result{
		Subtype: event.ErrorDuringExecution, IsError: true, StopReason: "error",
		Errors: []string{"x"}, Usage: &event.Usage{},
	}, 0, false)
	for _, l := range []*wire.Line{first, last} {
		if l.Refused != nil {
			return fmt.Errorf("emit: Options: the session id, product and capabilities leave no room: %w", l.Refused.Err)
		}
	}
	return nil
}

// openStdout returns the writer of the primary output, and what gives back
// what was opened for this run alone. A claim is for the life of the process.
func openStdout(o Options) (w io.Writer, own func(), err error) {
	own = func() {}
	f, isFile := o.Stdout.(*os.File)
	switch {
	case o.Stdout == nil, isFile && o.Format.machine() && stdio.IsStdout(f):
		if o.Format.machine() {
			w, err = stdio.Claim()
			return w, own, err
		}
		raw, err := stdio.Raw()
		if err != nil {
			return nil, own, err
		}
		return raw, func() { _ = raw.Release() }, nil
	case isFile && f == nil:
		return nil, own, errors.New("emit: Options.Stdout: a nil *os.File")
	case isFile:
		return stdio.FromFile(f), own, nil
	default:
		return o.Stdout, own, nil
	}
}

// readerGone ends a run whose reader has closed stdout, without a write.
func (s *stream) readerGone(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.phase != phaseEnded {
		s.out.abandon(err)
	}
}

// Init writes the first line. It is optional: without it the first event
// brings a line that tells of the product alone. After that first event, Init
// returns an error.
func (e *Emitter) Init(init event.Init) error {
	s := e.stream
	s.mu.Lock()
	if err := s.initReady(e.Actor); err != nil {
		s.mu.Unlock()
		return s.tell(err)
	}
	said := len(s.notices.early)
	warnings := s.notices.list()
	s.mu.Unlock()

	// Values of the caller's are encoded without the lock.
	l := s.encodeInit(e.Actor, init, warnings)
	if l.Refused != nil {
		return s.refused(l)
	}
	s.mu.Lock()
	if err := s.initReady(e.Actor); err != nil {
		s.mu.Unlock()
		s.recycle(l)
		return s.tell(err)
	}
	before := s.here()
	s.writeInit(e.Actor, init, l)
	late := s.notices.early[said:]
	err := s.settle(before)
	s.recycle(l)
	// What was said meanwhile follows.
	for _, text := range late {
		e.Actor.mirror(text)
	}
	return err
}

var errInitLate = errors.New("the stream has its first line already: call Init before any event")

func (s *stream) initReady(a *Actor) error {
	if err := s.ready(a); err != nil {
		return err
	}
	if s.inited {
		return refusal("system", "init", "", errInitLate)
	}
	return nil
}

// AddUsage adds tokens that a model has used to the result's usage and
// model_usage. An empty model counts as "unknown".
func (e *Emitter) AddUsage(model string, u event.Usage) {
	e.stream.mu.Lock()
	defer e.stream.mu.Unlock()
	e.stream.ledger.addUsage(model, u)
}

// AddCost adds US dollars to the result's total_cost_usd. Without a call the
// result has none.
func (e *Emitter) AddCost(usd float64) {
	e.stream.mu.Lock()
	defer e.stream.mu.Unlock()
	e.stream.ledger.addCost(usd)
}

// Flush returns when every line whose call has begun before is in the kernel,
// or can't be written. What a delta holds back of a character stays held.
func (e *Emitter) Flush() error {
	s := e.stream
	s.mu.Lock()
	if err := s.out.err; err != nil {
		s.mu.Unlock()
		return err
	}
	return s.out.wait(s.out.end, s.seq)
}

// Context is done when the run is over or broken, or was cancelled;
// context.Cause tells why. Work of the run should obey it.
func (e *Emitter) Context() context.Context { return e.stream.ctx }
