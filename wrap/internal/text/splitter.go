package text

import (
	"bytes"
	"unsafe"

	"github.com/streamjson/streamjson/internal/jsonl"
	"github.com/streamjson/streamjson/redact"
)

// A Line is a line of an output, or a part of one.
//
// The text of an output is that of all its Lines, with a "\n" behind each that
// is no Part; a Rewrite takes back what was told of its line before.
type Line struct {
	// Text is valid UTF-8 without "\r" and "\n". It is a view on the memory of
	// the Splitter, and good until the Splitter's next method is called.
	Text string
	// Part says that the text does not end its line: more of it follows, or
	// the output ended without a newline.
	Part bool
	// Rewrite says that the text replaces the parts of its line that were told
	// so far.
	Rewrite bool
	// Invalid is how many U+FFFD in the text stand for a byte that was no
	// UTF-8.
	Invalid int
	// NUL is how many U+0000 are in the text.
	NUL int
}

// Options say how an output is split.
type Options struct {
	// MaxLine is how many bytes a Line has at most, but for the growth of
	// bytes that become U+FFFD. It is at least 64.
	MaxLine int
	// Redactor keeps secrets out of the lines; nil: nothing does.
	Redactor *redact.Redactor
	// Tap, if not nil, gets the text as it is before secrets are replaced and
	// lines are cut. The bytes are valid during the call.
	Tap func(p []byte)
}

// A Splitter makes Lines of what is pushed into it. What it keeps is less than
// MaxLine bytes of an unfinished line, at most 8 KiB that could become a secret
// or an escape sequence, and buffers as long as what one Push is given.
//
// A Splitter is not safe for concurrent use.
type Splitter struct {
	o       Options
	decoder decoder
	strip   jsonl.Stripper
	secrets *redact.Stream
	clean   []byte // without escape sequences
	fixed   []byte // lines whose bytes were repaired

	// buf[from:] is what is not told of the current line, and of it the first
	// bytes up to seen hold no newline. A carriage return at the end is there
	// until it is known what follows it.
	buf        []byte
	from, seen int
	told       bool // parts of the current line were told
	anew       bool // and the line has begun anew since
}

// New returns a Splitter for one output.
func New(o Options) *Splitter {
	return &Splitter{o: o, secrets: o.Redactor.Stream()}
}

// Push takes the next bytes, and calls emit for each line that ends in them,
// and for each part that is full.
func (s *Splitter) Push(p []byte, emit func(Line)) {
	s.begin()
	s.take(s.decoder.decode(p))
	s.lines(emit)
}

// Pending tells what there is of the unfinished line, up to its last whole
// character. It is no law of the text when that is called: the parts of a line
// differ by it, and the states of a line that is rewritten.
func (s *Splitter) Pending(emit func(Line)) {
	s.begin()
	text, _ := cutReturns(s.buf[s.from:])
	n := jsonl.CompletePrefix(view(text))
	if n == 0 {
		return
	}
	s.tell(text[:n], true, emit)
	s.from += n
	s.seen = len(s.buf)
}

// Unfinished reports whether Pending would have something to tell, but for
// half a character.
func (s *Splitter) Unfinished() bool {
	return s.from < len(s.buf) && s.buf[s.from] != '\r'
}

// End ends the output. It calls emit for what was held back.
func (s *Splitter) End(emit func(Line)) {
	s.begin()
	s.take(s.decoder.end())
	s.clean = s.strip.Flush(s.clean[:0])
	s.redact()
	s.buf = s.secrets.AppendFlush(s.buf)
	s.lines(emit)
	if text, _ := cutReturns(s.buf[s.from:]); len(text) > 0 {
		s.tell(text, true, emit)
	}
	s.buf, s.from, s.seen = nil, 0, 0
}

// begin moves what is left of the last call to the front of the buffer: until
// then the lines that were told stand there.
func (s *Splitter) begin() {
	if s.from > 0 {
		s.buf = s.buf[:copy(s.buf, s.buf[s.from:])]
		s.seen -= s.from
		s.from = 0
	}
	s.fixed = s.fixed[:0]
}

// take strips and redacts the next text.
func (s *Splitter) take(p []byte) {
	s.clean = s.strip.Append(s.clean[:0], p)
	s.redact()
}

func (s *Splitter) redact() {
	if len(s.clean) == 0 {
		return
	}
	if s.o.Tap != nil {
		s.o.Tap(s.clean)
	}
	s.buf = s.secrets.Append(s.buf, view(s.clean))
}

// lines tells the lines that are complete, and the full parts of the one that
// is not.
func (s *Splitter) lines(emit func(Line)) {
	for {
		n := bytes.IndexByte(s.buf[s.seen:], '\n')
		if n < 0 {
			break
		}
		end := s.seen + n
		s.advance(end, emit)
		text, _ := cutReturns(s.buf[s.from:end])
		s.tell(text, false, emit)
		s.from = end + 1
		s.seen = s.from
	}
	s.advance(len(s.buf), emit)
	text, returns := cutReturns(s.buf[s.from:])
	if returns > 1 {
		s.buf = s.buf[:s.from+len(text)+1] // they are as good as one
	}
	s.seen = len(s.buf)
}

// advance goes over the current line up to end: it tells its full parts, and
// drops what stands before a carriage return that begins the line anew. The
// rest, at most MaxLine bytes and carriage returns, remains.
func (s *Splitter) advance(end int, emit func(Line)) {
	for {
		stop, next := end, end
		if n := bytes.IndexByte(s.buf[s.from:end], '\r'); n >= 0 {
			stop = s.from + n
			for next = stop; next < end && s.buf[next] == '\r'; {
				next++
			}
		}
		for stop-s.from > s.o.MaxLine {
			n := cut(s.buf[s.from:stop], s.o.MaxLine)
			s.tell(s.buf[s.from:s.from+n], true, emit)
			s.from += n
		}
		if next == end {
			return
		}
		s.from = next
		s.anew = s.told
	}
}

// tell tells a line or a part of one.
func (s *Splitter) tell(text []byte, part bool, emit func(Line)) {
	l := Line{Part: part, Rewrite: s.anew}
	l.Text, l.Invalid = s.valid(text)
	if bytes.IndexByte(text, 0) >= 0 {
		l.NUL = bytes.Count(text, []byte{0})
	}
	s.told, s.anew = part, false
	emit(l)
}

// cutReturns returns text without the carriage returns at its end, and how
// many they were.
func cutReturns(text []byte) (rest []byte, returns int) {
	n := len(text)
	for n > 0 && text[n-1] == '\r' {
		n--
	}
	return text[:n], len(text) - n
}

// view is b seen as a string, without a copy.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
