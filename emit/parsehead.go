package emit

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"github.com/streamjson/streamjson/internal/jsonl"
)

// A Head is what a line begins with (contract F7).
type Head struct {
	Type      string
	Subtype   string // of system and result lines
	SessionID string
	Seq       uint64
}

// ParseHead reads the head of a line without parsing the rest of it, for
// programs that route lines and do not look into them. It reports false for a
// line that does not begin as the contract says: type, subtype if there is
// one, session_id, seq, in this order and without white space, as every stream
// of this module does.
func ParseHead(line []byte) (Head, bool) {
	var h Head
	p := headParser{rest: line}
	p.literal(`{"type":`)
	h.Type = p.str()
	if p.opt(`,"subtype":`) {
		h.Subtype = p.str()
	}
	p.literal(`,"session_id":`)
	h.SessionID = p.str()
	p.literal(`,"seq":`)
	h.Seq = p.number()
	if p.failed || h.Type == "" {
		return Head{}, false
	}
	return h, true
}

// A headParser takes known pieces from the front of a line.
type headParser struct {
	rest   []byte
	failed bool
}

func (p *headParser) opt(s string) bool {
	if p.failed || !bytes.HasPrefix(p.rest, []byte(s)) {
		return false
	}
	p.rest = p.rest[len(s):]
	return true
}

func (p *headParser) literal(s string) { p.failed = !p.opt(s) || p.failed }

// str takes a JSON string.
func (p *headParser) str() string {
	if p.failed || len(p.rest) == 0 || p.rest[0] != '"' {
		p.failed = true
		return ""
	}
	for i := 1; i < len(p.rest); i++ {
		switch c := p.rest[i]; {
		case c == '\\':
			i++
		case c < ' ':
			p.failed = true
			return ""
		case c == '"':
			quoted := p.rest[:i+1]
			p.rest = p.rest[i+1:]
			if bytes.IndexByte(quoted, '\\') < 0 && utf8.Valid(quoted) {
				return string(quoted[1:i])
			}
			return string(jsonl.AppendUnquoted(nil, quoted))
		}
	}
	p.failed = true
	return ""
}

// number takes an integer that something follows.
func (p *headParser) number() uint64 {
	n := 0
	for n < len(p.rest) && p.rest[n] >= '0' && p.rest[n] <= '9' {
		n++
	}
	seq, err := strconv.ParseUint(string(p.rest[:n]), 10, 64)
	if err != nil || n == len(p.rest) || n > 1 && p.rest[0] == '0' || p.rest[n] != ',' && p.rest[n] != '}' {
		p.failed = true
	}
	return seq
}
