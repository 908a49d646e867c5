package contract

import (
	"bytes"

	"github.com/streamjson/streamjson/internal/jsonl"
)

// maxStray is how long a line on stderr may be to be looked at.
const maxStray = 1 << 20

// A stray looks for events on stderr. It keeps at most one line.
type stray struct {
	lines    splitter
	lex      jsonl.Lexer
	findings []Finding // the first few
	more     int64     // how many there are beyond
}

// Write takes the next bytes of stderr. It never fails.
func (s *stray) Write(p []byte) (int, error) {
	s.lines.max = maxStray
	s.lines.split(p, s.line)
	return len(p), nil
}

func (s *stray) end() { s.lines.rest(s.line) }

func (s *stray) line(l line) {
	text := bytes.TrimLeft(l.raw, " \t")
	if len(text) == 0 || text[0] != '{' || !s.isEvent(text) {
		return
	}
	if len(s.findings) == perRule {
		s.more++
		return
	}
	s.findings = append(s.findings, Finding{
		Rule: "stderr-event", Line: l.number, Offset: l.offset, Stderr: true,
		Found: "an event: " + excerpt(text, 0), Want: ruleIndex()["stderr-event"].Summary,
	})
}

// isEvent reports whether an object is a line of the catalog, or the head of
// one: a known type, and a session id or a seq beside it.
func (s *stray) isEvent(text []byte) bool {
	s.lex.Reset(text)
	known, placed := false, false
	var name string
	for {
		tok, err := s.lex.Next()
		if err != nil || tok.Kind == jsonl.End {
			return known && placed
		}
		if s.lex.Depth() != 1 {
			continue
		}
		switch tok.Kind {
		case jsonl.Key:
			name = string(jsonl.AppendUnquoted(nil, text[tok.Start:tok.End]))
		case jsonl.String, jsonl.Number:
			switch {
			case name == "type":
				known = isType(jsonl.AppendUnquoted(nil, text[tok.Start:tok.End]))
			case name == "session_id" && tok.Kind == jsonl.String, name == "seq" && tok.Kind == jsonl.Number:
				placed = true
			}
		}
	}
}

// isType reports whether p is one of the five types.
func isType(p []byte) bool {
	switch string(p) {
	case "system", "stream_event", "assistant", "user", "result":
		return true
	}
	return false
}
