package emit

import (
	"github.com/streamjson/streamjson/internal/jsonl"
)

// A textOutput is what FormatText writes: with Options.Partial the text of
// top-level messages as it comes, set apart by a blank line, else the final
// text alone; ended by a newline either way. Guarded by the emitter's lock.
type textOutput struct {
	on    bool
	live  bool
	strip *jsonl.Stripper // on a terminal
	began bool            // anything was written
	fresh bool            // the next piece begins a message
	shown bool            // the current message's text was streamed
	last  []byte          // the newest message's text, as streamed; compared at the end
	end   byte            // the last byte written
}

// piece writes a piece of the text of a message on its way.
func (t *textOutput) piece(s *stream, text string) {
	if !t.on || !t.live || text == "" {
		return
	}
	if t.fresh && t.began {
		t.write(s, apart(t.end))
	}
	if t.fresh {
		t.last = t.last[:0]
	}
	t.fresh, t.shown = false, true
	if len(t.last)+len(text) <= maxOpenText {
		t.last = append(t.last, text...)
	}
	t.write(s, text)
}

// apart is what sets the next message apart, given the last byte before.
func apart(end byte) string {
	if end == '\n' {
		return "\n"
	}
	return "\n\n"
}

// message takes a complete top-level message, which may have been streamed.
func (t *textOutput) message(s *stream, text []byte) {
	if !t.on || !t.live {
		return
	}
	if !t.shown {
		t.fresh = true
		t.piece(s, s.o.Redactor.String(jsonl.Valid(string(text))))
	}
	t.fresh, t.shown = true, false
}

// discard ends the current message, whose text stands there all the same: what
// comes next is set apart from it.
func (t *textOutput) discard() {
	t.fresh, t.shown = true, false
	t.last = t.last[:0]
}

// finish writes the final text, unless it is what stands there, and the
// newline.
func (t *textOutput) finish(s *stream, text string) {
	if !t.on {
		return
	}
	if !t.live || jsonl.Valid(string(t.last)) != jsonl.Valid(text) {
		t.live, t.fresh = true, true
		t.piece(s, text)
	}
	if t.began && t.end != '\n' {
		t.write(s, "\n")
	}
}

func (t *textOutput) write(s *stream, text string) {
	if text == "" || s.out.err != nil {
		return
	}
	buf := s.out.open(s.seq)
	before := len(buf)
	text = jsonl.Valid(text)
	if t.strip != nil {
		buf = t.strip.Append(buf, []byte(text))
	} else {
		buf = append(buf, text...)
	}
	if len(buf) > before {
		t.began, t.end = true, buf[len(buf)-1]
	}
	s.out.close(buf)
}
