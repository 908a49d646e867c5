package envelope

import (
	"io"
	"os"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/streamjson/streamjson/internal/jsonl"
	"github.com/streamjson/streamjson/stdio"
)

// drainTime is how long the end of a run waits for a slow reader of stderr.
const drainTime = 100 * time.Millisecond

// prose is what a run tells people on stderr, in both modes alike: redacted,
// without escape sequences, and never in the way of the document.
type prose struct {
	name   string // of the program, in front of each message
	filter jsonl.Filter

	mu   sync.Mutex // keeps lines whole on a writer of the caller's
	w    io.Writer  // nil: not opened yet, see open
	open func() io.Writer
}

// newProse prepares stderr, which most runs never need. stdout is where a
// document goes, nil in human mode: prose never goes to the same place.
func newProse(o *RunOptions, stdout io.Writer) *prose {
	p := &prose{name: o.Name, filter: filter(o.Redactor)}
	switch w := o.Stderr.(type) {
	case nil:
		p.open = func() io.Writer {
			if own, err := stdio.ClaimProse(); err == nil {
				return own
			}
			return io.Discard // nobody is left who could be told
		}
	case *os.File:
		p.open = func() io.Writer { return stdio.NewProse(w) }
	default:
		p.w = w
	}
	if o.Quiet && o.JSON || stdout != nil && same(o.Stderr, stdout) {
		p.w = io.Discard
	}
	return p
}

// same tells whether two writers are one.
func same(a, b io.Writer) bool {
	return a != nil && reflect.TypeOf(a).Comparable() && a == b
}

// say writes one message, which can have several lines.
func (p *prose) say(label, message string) {
	if message = cleanText(p.filter, message); !isBlank(message) {
		p.write(p.name + ": " + label + strings.TrimRight(message, "\n") + "\n")
	}
}

// text writes what has a layout of its own: a usage text, a trace.
func (p *prose) text(s string) {
	if s = cleanText(p.filter, s); !isBlank(s) {
		p.write(strings.TrimRight(s, "\n") + "\n")
	}
}

func (p *prose) write(s string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.w == nil {
		p.w = p.open()
	}
	_, _ = io.WriteString(p.w, s) // as above
}

// drain gives the reader of stderr a moment for what is held back.
func (p *prose) drain() {
	p.mu.Lock()
	own, ok := p.w.(*stdio.Prose)
	p.mu.Unlock()
	if ok {
		own.Drain(drainTime)
	}
}
