package adopt

import (
	"strings"
	"unicode/utf8"

	"github.com/streamjson/streamjson/internal/jsonl"
	"github.com/streamjson/streamjson/redact"
)

const (
	// wholeText is how long a line of text may be to be shown whole; of a
	// longer one shownText bytes are.
	wholeText = 8 << 10
	shownText = 4 << 10
	// excerptText is how much of a text stands in a warning.
	excerptText = 200
)

// foreign is the way of what is no event to stderr: stripped of escape
// sequences, redacted, control characters spelled. A secret of several lines,
// such as a PEM block, is found across them.
type foreign struct {
	secrets *redact.Redactor
	stream  *redact.Stream
	out     func([]byte)
	line    []byte
	buf     []byte
	ready   []byte // lines that out is to be given
	fresh   []byte // the beginning of what was shown last, for a warning
}

func newForeign(r *redact.Redactor, out func([]byte)) foreign {
	return foreign{secrets: r, stream: r.Stream(), out: out}
}

// take shows a piece of text, as a line of its own behind prefix. A long one is
// shown in part.
func (f *foreign) take(piece []byte, long bool, prefix string) {
	if long || len(piece) > wholeText {
		f.end()
		head := view(piece[:min(len(piece), headSize)])
		text := f.secrets.String(plain(head))
		if n := cut(text, shownText); n < len(text) || len(head) < len(piece) || long {
			text = text[:n] + " [cut]"
		}
		f.show(append([]byte(prefix+text), '\n'))
		return
	}
	f.line = append(append(f.line[:0], prefix...), plain(view(piece))...)
	f.line = append(f.line, '\n')
	f.buf = f.stream.Append(f.buf[:0], view(f.line))
	f.show(f.buf)
}

// end lets out what is held, for nothing can follow that it belongs to.
func (f *foreign) end() {
	if f.stream.Held() > 0 {
		f.show(f.stream.AppendFlush(f.buf[:0]))
		return
	}
	f.stream.Reset()
}

func (f *foreign) show(text []byte) {
	if len(text) == 0 {
		return
	}
	f.fresh = append(f.fresh[:0], text[:min(len(text), 2*excerptText)]...)
	f.ready = append(f.ready, text...)
	if len(f.ready) >= keptBuffer {
		f.flush()
	}
}

// flush hands out the lines that are ready, all at once: a write for each line
// of a flood would be slow.
func (f *foreign) flush() {
	if len(f.ready) == 0 {
		return
	}
	f.out(f.ready)
	if cap(f.ready) > 4*keptBuffer {
		f.ready = nil
	}
	f.ready = f.ready[:0]
}

// excerpt returns the beginning of the first line of what was shown last.
func (f *foreign) excerpt() string {
	line, _, _ := strings.Cut(string(f.fresh), "\n")
	if n := cut(line, excerptText); n < len(line) {
		line = line[:n] + "..."
	}
	f.fresh = f.fresh[:0]
	return line
}

// plain returns text as it can stand on a terminal's line: text itself, where
// that is nothing special.
func plain(text string) string {
	text = jsonl.StripANSI(text)
	if !strings.ContainsFunc(text, unprintable) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if unprintable(r) && r != utf8.RuneError {
			b.Write(jsonl.AppendEscaped(nil, string(r)))
		} else {
			b.WriteRune(r) // other bytes become U+FFFD
		}
	}
	return b.String()
}

func unprintable(r rune) bool { return r != '\t' && mustEscape(r) || r == utf8.RuneError }

// cut returns how many bytes of text are at most n and whole characters.
func cut(text string, n int) int {
	if len(text) <= n {
		return len(text)
	}
	return jsonl.CompletePrefix(text[:n])
}
