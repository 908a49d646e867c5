package redact

import "github.com/streamjson/streamjson/internal/jsonl"

// A JSONStream redacts one JSON value that comes in fragments, cut anywhere:
// the arguments of a tool call as a model writes them. For valid JSON, what it
// returns, joined, is what [Redactor.AppendJSON] makes of the whole, so that
// the joined fragments stay the JSON text of the redacted value.
//
// It holds back what a [Stream] holds of a string, a member's name until it
// ends, and a value below a sensitive name until it ends (of which it keeps no
// more than 2048 bytes); blanks between tokens are left out. From the first
// byte on that can't be JSON, or that makes a name longer than 4096 bytes, the
// rest is redacted as text.
//
// A JSONStream is for one value, and not safe for concurrent use.
type JSONStream struct {
	r      *Redactor
	text   Stream // of the string at hand, or of what is no JSON
	levels []jsonLevel
	state  jsonState
	// raw is the part of the token at hand that is not settled: an escape, a
	// character, a name, a number.
	raw []byte
	// secret is the covered string at hand, decoded; no more of it than
	// matters.
	secret  []byte
	scratch []byte
	out     []byte
	covered bool // the value at hand is below a sensitive name
}

type jsonState uint8

const (
	jsonValue  jsonState = iota // a value must follow
	jsonFirst                   // a value, or the end of an array
	jsonMember                  // a name, or the end of an object
	jsonName                    // a name
	jsonColon
	jsonMore // a comma, or the end of what is open
	jsonInName
	jsonInText
	jsonInSecret // in a covered string
	jsonInScalar
	jsonEnd    // nothing but blanks
	jsonBroken // no JSON
)

type jsonLevel struct {
	object, covered, renamed bool
	names                    []string // as written
}

// mostNames bounds how many names of an object are remembered; beyond it, names
// that a replacement makes alike stay alike.
const mostNames = 1024

// JSONStream returns a stream for a JSON value that comes in fragments.
func (r *Redactor) JSONStream() *JSONStream {
	s := new(JSONStream)
	if r.Enabled() {
		s.r = r
		s.text = *r.Stream()
	}
	return s
}

// Push takes the next fragment, and returns what can be written by now.
func (s *JSONStream) Push(fragment string) string {
	s.out = s.Append(s.out[:0], fragment)
	return string(s.out)
}

// Flush ends the value, and returns what was held of it. The stream is then
// ready for another value.
func (s *JSONStream) Flush() string {
	s.out = s.AppendFlush(s.out[:0])
	return string(s.out)
}

// Append is Push that appends to dst.
func (s *JSONStream) Append(dst []byte, fragment string) []byte {
	if s.r == nil {
		return append(dst, fragment...)
	}
	for fragment != "" {
		var n int
		switch s.state {
		case jsonInName, jsonInText, jsonInSecret:
			dst, n = s.str(dst, fragment)
		case jsonInScalar:
			dst, n = s.scalar(dst, fragment)
		case jsonBroken:
			return s.text.Append(dst, fragment)
		default:
			dst, n = s.token(dst, fragment)
		}
		fragment = fragment[n:]
	}
	return dst
}

// AppendFlush is Flush that appends to dst.
func (s *JSONStream) AppendFlush(dst []byte) []byte {
	if s.r == nil {
		return dst
	}
	switch s.state {
	case jsonInScalar:
		dst = s.endScalar(dst)
	case jsonInText:
		dst = s.piece(dst, len(s.raw))
		dst = jsonl.AppendEscaped(dst, s.text.Flush())
	case jsonInSecret:
		dst = s.piece(dst, len(s.raw))
		dst = s.cover(dst)
		dst = dst[:len(dst)-1] // no quote closes it
	case jsonInName, jsonBroken:
		dst = s.text.Append(dst, view(s.raw))
		dst = s.text.AppendFlush(dst)
	}
	s.text.Reset()
	*s = JSONStream{r: s.r, text: s.text, levels: s.levels[:0], raw: s.raw[:0], secret: s.secret[:0], scratch: s.scratch[:0], out: s.out}
	return dst
}

// fail gives up on JSON: what was held of the token, and all that follows, is
// text.
func (s *JSONStream) fail(dst []byte) []byte {
	switch s.state {
	case jsonInText:
		dst = jsonl.AppendEscaped(dst, s.text.Flush())
	case jsonInSecret:
		s.raw = s.raw[:0]
		dst = s.cover(dst)
	}
	s.state = jsonBroken
	s.text.Reset()
	dst = s.text.Append(dst, view(s.raw))
	s.raw = s.raw[:0]
	return dst
}

// token reads the start of a token, or blanks, and returns how much it took.
func (s *JSONStream) token(dst []byte, in string) ([]byte, int) {
	c := in[0]
	switch c {
	case ' ', '\t', '\n', '\r':
		return dst, 1
	}
	wantsValue := s.state == jsonValue || s.state == jsonFirst
	switch {
	case c == '"' && wantsValue:
		s.state = jsonInText
		if s.covered {
			s.state = jsonInSecret
			return dst, 1
		}
		return append(dst, c), 1
	case c == '"' && (s.state == jsonMember || s.state == jsonName):
		s.state = jsonInName
		return dst, 1
	case (c == '{' || c == '[') && wantsValue && len(s.levels) < jsonl.MaxDepth:
		s.open(c == '{')
	case c == '}' && (s.state == jsonMember || s.state == jsonMore && s.inObject()),
		c == ']' && (s.state == jsonFirst || s.state == jsonMore && !s.inObject()):
		s.close()
	case c == ',' && s.state == jsonMore:
		s.state = jsonValue
		if s.inObject() {
			s.state = jsonName
		}
	case c == ':' && s.state == jsonColon:
		s.state = jsonValue
	case wantsValue && (isLower(c) || isDigit(c) || c == '-'):
		s.state = jsonInScalar
		return dst, 0
	default:
		return s.fail(dst), 0
	}
	return append(dst, c), 1
}

func (s *JSONStream) inObject() bool {
	return len(s.levels) > 0 && s.levels[len(s.levels)-1].object
}

func (s *JSONStream) open(object bool) {
	s.levels = append(s.levels, jsonLevel{object: object, covered: s.covered})
	s.state = jsonFirst
	if object {
		s.state = jsonMember
	}
}

func (s *JSONStream) close() {
	s.covered = s.levels[len(s.levels)-1].covered
	s.levels = s.levels[:len(s.levels)-1]
	s.valueEnds()
}

func (s *JSONStream) valueEnds() {
	s.state = jsonMore
	if len(s.levels) == 0 {
		s.state = jsonEnd
	}
}
