package emit

import (
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/streamjson/streamjson/internal/jsonl"
	"github.com/streamjson/streamjson/redact"
	"github.com/streamjson/streamjson/stdio"
)

// proseDrain is how long the end of a run waits for a slow reader of stderr.
const proseDrain = 100 * time.Millisecond

// A level is how much a notice matters.
type level uint8

const (
	levelDebug level = iota
	levelInfo
	levelWarn
	levelError
)

func (l level) String() string { return [...]string{"debug", "info", "warning", "error"}[l] }

// color returns the ANSI colour of a level's name.
func (l level) color() string { return [...]string{"90", "36", "33", "31"}[l] }

// A prose writes notices for people to stderr, one line each: the level, the
// message, the fields. It never writes to the stream.
type prose struct {
	mu      sync.Mutex
	w       io.Writer    // nil: nothing is written
	process *stdio.Prose // w, where it is the process's own
	color   bool
	secrets *redact.Redactor
	line    []byte
}

// newProse returns the prose of a run, whose stdout is open. Where stdout and
// stderr are one file and a program reads it, package stdio leaves prose out.
func newProse(o Options) (*prose, error) {
	p := &prose{secrets: o.Redactor}
	var err error
	switch w := o.Stderr.(type) {
	case nil:
		p.process, err = stdio.ClaimProse()
	case *os.File:
		p.process = stdio.NewProse(w)
	default:
		p.w = w
	}
	if err != nil {
		return nil, err
	}
	if p.process != nil {
		p.w = p.process
	}
	p.color = wantColor(p.process != nil && p.process.IsTerminal())
	if o.Quiet {
		p.w = nil
	}
	return p, nil
}

// wantColor reports whether prose is coloured: on a terminal, unless NO_COLOR
// says no, or where FORCE_COLOR says yes.
func wantColor(terminal bool) bool {
	if os.Getenv("NO_COLOR") != "" {
		return false
	}
	if force := os.Getenv("FORCE_COLOR"); force != "" {
		return force != "0"
	}
	return terminal && os.Getenv("TERM") != "dumb"
}

// print writes one notice. Fields are " key=value" each, or empty.
func (p *prose) print(l level, message, fields string) { p.printAt("", l, message, fields) }

// printAt is print with a time in front, unless it is empty.
func (p *prose) printAt(at string, l level, message, fields string) {
	if p.w == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	b := p.line[:0]
	if at != "" {
		b = append(append(b, p.clean(at)...), ' ')
	}
	if p.color {
		b = append(append(append(b, "\x1b["...), l.color()...), 'm')
	}
	b = append(append(b, l.String()...), ':')
	if p.color {
		b = append(b, "\x1b[0m"...)
	}
	b = append(b, ' ')
	b = append(b, p.clean(message+fields)...)
	b = append(b, '\n')
	// Prose is best effort: an error on stderr has nowhere to go.
	_, _ = p.w.Write(b)
	if cap(b) <= keptBuffer {
		p.line = b
	}
}

// clean returns a text as it may stand on a line of prose. Escape sequences go
// first, or they could break up a secret.
func (p *prose) clean(text string) string {
	return oneLine(p.secrets.String(jsonl.StripANSI(text)))
}

// raw writes text that has lines of its own: the trace of a panic.
func (p *prose) raw(text []byte) {
	if p.w == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	_, _ = io.WriteString(p.w, p.secrets.String(string(text)))
}

// drain waits for a slow reader for a moment.
func (p *prose) drain() {
	if p.process != nil {
		p.process.Drain(proseDrain)
	}
}

// oneLine returns s as it can stand on a terminal's line: without escape
// sequences, and with other control characters spelled.
func oneLine(s string) string {
	s = jsonl.StripANSI(s)
	if !strings.ContainsFunc(s, spelled) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteByte(' ')
		case spelled(r):
			b.Write(jsonl.AppendEscaped(nil, string(r)))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// spelled reports whether r would do something to a terminal, or break lines.
func spelled(r rune) bool {
	return r < 0x20 || r >= 0x7f && r <= 0x9f || r == '\u2028' || r == '\u2029'
}
