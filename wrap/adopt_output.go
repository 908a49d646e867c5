package wrap

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/streamjson/streamjson/internal/jsonl"
	"github.com/streamjson/streamjson/redact"
	"github.com/streamjson/streamjson/stdio"
)

const (
	// proseStall is how long a reader of stderr may take nothing before what
	// it does not take is dropped: the program must not hang on it for ever.
	proseStall = 2 * time.Second
	// proseDrain is how long the end of a run waits for it.
	proseDrain = 100 * time.Millisecond
)

// open opens the outputs of the run.
func (a *adopter) open() error {
	w, err := openAdopted(a.o.Stdout)
	if err != nil {
		return err
	}
	release, err := stdio.Reserve(w)
	if err != nil {
		return err
	}
	a.stop = append(a.stop, release)
	if a.err, err = newAdoptErr(a.o); err != nil {
		return err
	}
	a.out = &adoptOut{w: w, begun: time.Now()}
	for i, also := range a.o.Also {
		a.out.copies = append(a.out.copies, newCopy(also, func(err error) {
			a.warn(fmt.Sprintf("output %d of AdoptOptions.Also was cut off: %v", i+1, err))
		}))
	}
	return nil
}

// openAdopted returns the writer of the lines. A claim is for the life of the
// process.
func openAdopted(w io.Writer) (io.Writer, error) {
	f, isFile := w.(*os.File)
	switch {
	case w == nil, isFile && f != nil && stdio.IsStdout(f):
		return stdio.Claim()
	case isFile && f == nil:
		return nil, errors.New("wrap: AdoptOptions.Stdout: a nil *os.File")
	case isFile:
		return stdio.FromFile(f), nil
	}
	return w, nil
}

// release gives back what open and run have opened, the last first.
func (a *adopter) release() {
	for _, stop := range slices.Backward(a.stop) {
		stop()
	}
}

// adoptOut is where the lines go: stdout, and copies.
type adoptOut struct {
	w      io.Writer
	copies []*lineCopy
	begun  time.Time
	last   atomic.Int64 // the last line, since begun
}

func (o *adoptOut) Write(p []byte) (n int, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the writer panicked: %v", r)
		}
	}()
	for _, c := range o.copies {
		c.put(p)
	}
	n, err = o.w.Write(p)
	o.last.Store(int64(time.Since(o.begun)))
	return n, err
}

// idle returns how long no line was written.
func (o *adoptOut) idle() time.Duration { return time.Since(o.begun) - time.Duration(o.last.Load()) }

// finish waits for the copies.
func (o *adoptOut) finish() {
	for _, c := range o.copies {
		c.finish()
	}
}

// isGone reports whether err means that nobody reads stdout.
func (o *adoptOut) isGone(err error) bool {
	if out, ok := o.w.(*stdio.Stdout); ok {
		return out.ReaderGone(err)
	}
	return stdio.IsReaderGone(err)
}

// adoptErr is where prose goes: what the program writes on its stderr, what it
// prints among its events, and what there is to say about it, each on lines of
// its own.
type adoptErr struct {
	child   *redact.Writer // the program's stderr
	secrets *redact.Redactor
	quiet   bool
	hurry   atomic.Bool // the program is to end: nobody waits for a reader

	mu      sync.Mutex
	w       io.Writer
	prose   *stdio.Prose // w, where it is one
	midLine bool
	stalled bool
	words   []byte // the last of what the program said
}

func newAdoptErr(o AdoptOptions) (*adoptErr, error) {
	e := &adoptErr{secrets: o.Redactor, quiet: o.Quiet}
	var err error
	switch w := o.Stderr.(type) {
	case nil:
		e.prose, err = stdio.ClaimProse()
	case *os.File:
		e.prose = stdio.NewProse(w)
	default:
		e.w = w
	}
	if err != nil {
		return nil, err
	}
	if e.prose != nil {
		e.w = e.prose
	}
	e.child = redact.NewWriter(childErr{e}, o.Redactor)
	return e, nil
}

// childErr is the way of the program's stderr to adoptErr, which remembers the
// last words.
type childErr struct{ *adoptErr }

func (e childErr) Write(p []byte) (int, error) {
	e.mu.Lock()
	if len(e.words)+len(p) > 2*errorTail {
		e.words = append(e.words[:0], last(e.words, max(errorTail-len(p), 0))...)
	}
	e.words = append(e.words, last(p, errorTail)...)
	e.mu.Unlock()
	return e.adoptErr.Write(p)
}

// last returns the last n bytes of p.
func last(p []byte, n int) []byte { return p[max(len(p)-n, 0):] }

// lastWords returns the end of what the program has said on its stderr, in
// whole lines where there is more than one.
func (e *adoptErr) lastWords() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	words := last(e.words, errorTail)
	if n := bytes.IndexByte(words, '\n'); n >= 0 && n+1 < len(words) && len(words) < len(e.words) {
		words = words[n+1:]
	}
	return strings.TrimSpace(strings.ToValidUTF8(jsonl.StripANSI(string(words)), "\ufffd"))
}

// Write writes what the program said. It waits for a slow reader, as the
// command would by itself, but not for one that has stopped.
func (e *adoptErr) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(p) == 0 {
		return 0, nil
	}
	e.midLine = p[len(p)-1] != '\n'
	// Prose is best effort: an error on stderr has nowhere to go.
	_, _ = e.w.Write(p)
	if e.prose == nil {
		return len(p), nil
	}
	patience := proseStall
	if e.stalled || e.hurry.Load() {
		patience = time.Millisecond
	}
	began := time.Now()
	e.prose.Drain(patience)
	e.stalled = time.Since(began) >= patience
	return len(p), nil
}

// say tells something about the program, on a line of its own.
func (e *adoptErr) say(level, text string) {
	if e.quiet {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	line := make([]byte, 0, 128)
	if e.midLine {
		line = append(line, '\n')
	}
	line = append(append(line, level...), ": "...)
	line = append(line, proseLine(e.secrets, text)...)
	e.midLine = false
	_, _ = e.w.Write(append(line, '\n'))
}

// drain waits for a slow reader for a moment.
func (e *adoptErr) drain() {
	if e.prose != nil {
		e.prose.Drain(proseDrain)
	}
}

// proseLine is a text as it can stand on a line for people.
func proseLine(secrets *redact.Redactor, text string) []byte {
	return jsonl.AppendEscaped(nil, secrets.String(jsonl.StripANSI(text)))
}

// tellRefused tells why nothing could begin.
func tellRefused(o AdoptOptions, err error) {
	w := o.Stderr
	if w == nil {
		w = os.Stderr
	}
	_, _ = fmt.Fprintf(w, "%s\n", proseLine(o.Redactor, err.Error()))
}
