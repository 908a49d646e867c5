package adopt

import "github.com/streamjson/streamjson/internal/jsonl"

// A span is where a JSON token stands in a line; the zero span is none.
type span struct{ start, end int }

func (s span) there() bool { return s.end > 0 }

// An event is a line of the child's, with the places that rules look at. It
// is valid until the next one is read.
type event struct {
	raw     []byte
	typ     string
	subtype string

	seq, session, ts, parent span
	taskID, kind             span // of a task
	isError                  jsonl.Kind

	// Of a stream_event: the piece of text, or of a call's arguments.
	piece     string // event.type
	index     span
	text      span
	thinking  bool
	toolUseID span
	arguments span

	blocks []block
	edits  []edit // in the order of their places
}

// A block is a content block of a message that rules look at.
type block struct {
	typ       string // text, tool_use or tool_result
	id, text  span
	toolUseID span
}

// An edit puts other bytes in place of a token.
type edit struct {
	span
	bytes []byte
}

func (e *event) reset(raw []byte) {
	*e = event{raw: raw, blocks: e.blocks[:0], edits: e.edits[:0]}
}

// isInit, isResult: the lines that begin and end a run.
func (e *event) isInit() bool   { return e.typ == "system" && e.subtype == "init" }
func (e *event) isResult() bool { return e.typ == "result" }

// failed reports whether a result is one of a failure; known is false where it
// does not say so.
func (e *event) failed() (failed, known bool) {
	switch e.isError {
	case jsonl.True:
		return true, true
	case jsonl.False:
		return false, true
	}
	k, known := endOf(e.subtype)
	return k.isError, known
}

// str returns what the string at s stands for, as the child wrote it.
func (e *event) str(s span) string {
	if !s.there() {
		return ""
	}
	return string(jsonl.AppendUnquoted(nil, e.raw[s.start:s.end]))
}

// written returns what the string at s stands for in the line that goes out.
func (e *event) written(s span) []byte {
	for _, ed := range e.edits {
		if ed.start == s.start {
			return jsonl.AppendUnquoted(nil, ed.bytes)
		}
	}
	return jsonl.AppendUnquoted(nil, e.raw[s.start:s.end])
}

// replace puts other bytes in place of the token at s.
func (e *event) replace(s span, bytes []byte) {
	at := len(e.edits)
	for at > 0 && e.edits[at-1].start >= s.start {
		at--
	}
	if at < len(e.edits) && e.edits[at].start == s.start {
		e.edits[at].bytes = bytes
		return
	}
	e.edits = append(e.edits, edit{})
	copy(e.edits[at+1:], e.edits[at:])
	e.edits[at] = edit{s, bytes}
}

// appendTo appends the line as it goes out, with its newline.
func (e *event) appendTo(dst []byte) []byte {
	from := 0
	for _, ed := range e.edits {
		dst = append(dst, e.raw[from:ed.start]...)
		dst = append(dst, ed.bytes...)
		from = ed.end
	}
	dst = append(dst, e.raw[from:]...)
	return append(dst, '\n')
}
