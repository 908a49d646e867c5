package redact

import (
	"strconv"

	"github.com/streamjson/streamjson/internal/jsonl"
)

// str reads a part of a string or a name.
func (s *JSONStream) str(dst []byte, in string) ([]byte, int) {
	n := 0
	for escaped := s.escaping(); n < len(in); n++ {
		c := in[n]
		switch {
		case escaped:
			escaped = false
		case c == '\\':
			escaped = true
		case c == '"':
			s.raw = append(s.raw, in[:n]...)
			return s.endString(dst), n + 1
		case c < ' ':
			s.raw = append(s.raw, in[:n]...)
			return s.fail(dst), n
		}
	}
	s.raw = append(s.raw, in...)
	if s.state != jsonInName {
		dst = s.piece(dst, settledJSON(s.raw))
	} else if len(s.raw) > mostHeld {
		return s.fail(dst), n
	}
	return dst, n
}

// escaping reports whether the last byte of raw is a backslash that escapes
// what follows it.
func (s *JSONStream) escaping() bool {
	n := 0
	for i := len(s.raw) - 1; i >= 0 && s.raw[i] == '\\'; i-- {
		n++
	}
	return n%2 == 1
}

// settledJSON returns how much of the raw text of a string can be decoded: all
// but an escape, or a character, that is not complete. An escape is two bytes
// or six, twelve when it is the first half of a pair.
func settledJSON(raw []byte) int {
	end := jsonl.CompletePrefix(view(raw))
	for i := max(0, end-12); i < end; i++ {
		if raw[i] != '\\' || backslashesBefore(raw, i)%2 == 1 {
			continue
		}
		rest := raw[i:end]
		switch {
		case len(rest) == 1, rest[1] == 'u' && len(rest) < 6:
			return i
		case rest[1] == 'u' && highSurrogate(rest) && len(rest) < 12:
			if len(rest) == 6 || rest[6] == '\\' && (len(rest) == 7 || rest[7] == 'u') {
				return i
			}
		}
	}
	return end
}

func backslashesBefore(raw []byte, i int) (n int) {
	for i--; i >= 0 && raw[i] == '\\'; i-- {
		n++
	}
	return n
}

// highSurrogate reports whether \uXXXX is the first half of a pair.
func highSurrogate(escape []byte) bool {
	if escape[2] != 'd' && escape[2] != 'D' {
		return false
	}
	c := toLower(escape[3])
	return c == '8' || c == '9' || c == 'a' || c == 'b'
}

// piece decodes the first n bytes of raw, which end no escape in its middle,
// and sends them through the stream of the string, or keeps them if they are
// secret.
func (s *JSONStream) piece(dst []byte, n int) []byte {
	if n == 0 {
		return dst
	}
	text := s.decode(s.raw[:n])
	s.raw = append(s.raw[:0], s.raw[n:]...)
	if s.state == jsonInText {
		return jsonl.AppendEscaped(dst, s.text.Push(text))
	}
	if len(s.secret) <= window {
		s.secret = append(s.secret, text...)
	}
	return dst
}

// decode returns what the inside of a JSON string stands for. It is valid
// until the next call.
func (s *JSONStream) decode(raw []byte) string {
	quoted := append(append(append(s.scratch[:0], '"'), raw...), '"')
	start := len(quoted)
	s.scratch = jsonl.AppendUnquoted(quoted, quoted)
	return view(s.scratch[start:])
}

// endString is what is done at a closing quote.
func (s *JSONStream) endString(dst []byte) []byte {
	switch s.state {
	case jsonInText:
		dst = s.piece(dst, len(s.raw))
		dst = append(jsonl.AppendEscaped(dst, s.text.Flush()), '"')
		s.valueEnds()
	case jsonInSecret:
		dst = s.cover(s.piece(dst, len(s.raw)))
		s.valueEnds()
	default:
		dst = s.name(dst)
		s.raw = s.raw[:0]
		s.state = jsonColon
	}
	return dst
}

// cover appends what is written for a covered string.
func (s *JSONStream) cover(dst []byte) []byte {
	dst = jsonl.AppendString(dst, s.r.cover(view(s.secret), nil))
	s.secret = s.secret[:0]
	return dst
}

// name appends the member's name in raw, and says whether it is sensitive.
func (s *JSONStream) name(dst []byte) []byte {
	name := s.decode(s.raw)
	top := &s.levels[len(s.levels)-1]
	out, covered := (*jsonFilter)(s.r).Key(name)
	s.covered = top.covered || covered
	if out != name {
		top.renamed = true
	}
	if top.renamed {
		out = top.unique(out)
	}
	if len(top.names) < mostNames {
		top.names = append(top.names, string(append([]byte(nil), out...)))
	}
	return jsonl.AppendString(dst, out)
}

// unique returns name, or the first of name#2, name#3 and so on that its
// object does not have yet.
func (l *jsonLevel) unique(name string) string {
	out := name
	for n := 2; l.has(out); n++ {
		out = name + "#" + strconv.Itoa(n)
	}
	return out
}

func (l *jsonLevel) has(name string) bool {
	for _, n := range l.names {
		if n == name {
			return true
		}
	}
	return false
}

// scalar reads a part of a number, or of true, false and null.
func (s *JSONStream) scalar(dst []byte, in string) ([]byte, int) {
	n := 0
	for n < len(in) && (isAlnum(in[n]) || in[n] == '-' || in[n] == '+' || in[n] == '.') {
		n++
	}
	first := in[0]
	if len(s.raw) > 0 {
		first = s.raw[0]
	}
	number := s.covered && !isLower(first)
	if !number {
		dst = append(dst, in[:n]...)
		if len(s.raw) == 0 && n > 0 {
			s.raw = append(s.raw, first)
		}
	} else if len(s.raw) <= window {
		s.raw = append(s.raw, in[:n]...)
	}
	if n < len(in) {
		dst = s.endScalar(dst)
	}
	return dst, n
}

func (s *JSONStream) endScalar(dst []byte) []byte {
	if len(s.raw) > 0 && s.covered && !isLower(s.raw[0]) {
		dst = jsonl.AppendString(dst, s.r.cover(string(s.raw), nil))
	}
	s.raw = s.raw[:0]
	s.valueEnds()
	return dst
}
