package adopt

import (
	"strings"

	"github.com/streamjson/streamjson/internal/jsonl"
	"github.com/streamjson/streamjson/redact"
)

// maxName is how much of a member's name is looked at, and maxSecret how much
// of a covered value is kept: one that is longer is replaced without a look.
const (
	maxName   = 4 << 10
	maxSecret = 4 << 10
)

// arguments redacts the JSON text of a tool call's input, which comes in
// fragments, as redact.JSONStream does, and leaves every byte as it is that
// is no part of a secret: blanks and the spelling of strings as well. What it
// holds back is what could still become a secret, a value below a name that
// makes it one, and an escape that is cut in two.
type arguments struct {
	filter jsonl.Filter
	text   *redact.Stream // of the string at hand, or of what is no JSON
	levels []level
	state  argState
	name   []byte // the name at hand, decoded
	held   []byte // an escape or a number that is not whole, or a covered string, decoded
	secret []byte
	cover  bool // the value at hand is secret
	isName bool // the string at hand is a name
}

type level struct{ object, cover bool }

type argState uint8

const (
	argToken  argState = iota // between tokens
	argString                 // in a string
	argScalar                 // in a number or a literal
	argBroken                 // what is no JSON is text
)

func newArguments(r *redact.Redactor) *arguments {
	return &arguments{filter: r.Filter(), text: r.Stream()}
}

// append appends what can be written of the next fragment.
func (a *arguments) append(dst []byte, fragment string) []byte {
	for fragment != "" {
		n := 0
		switch a.state {
		case argToken:
			dst, n = a.token(dst, fragment)
		case argString:
			dst, n = a.str(dst, fragment)
		case argScalar:
			dst, n = a.scalar(dst, fragment)
		default:
			return a.text.Append(dst, fragment)
		}
		fragment = fragment[n:]
	}
	return dst
}

// flush appends what is held back at the end of the text.
func (a *arguments) flush(dst []byte) []byte {
	switch {
	case a.state == argScalar:
		dst = a.endScalar(dst)
	case a.state == argString && a.cover && !a.isName:
		dst = a.endCovered(dst)
		dst = dst[:len(dst)-1] // no quote ends it
	case a.state == argString:
		dst = a.put(dst, string(a.held))
		dst = jsonl.AppendEscaped(dst, a.text.Flush())
	default:
		dst = a.text.AppendFlush(dst)
	}
	a.held = a.held[:0]
	return dst
}

// token reads what stands between strings and scalars.
func (a *arguments) token(dst []byte, in string) ([]byte, int) {
	c := in[0]
	switch {
	case c == ' ', c == '\t', c == '\n', c == '\r', c == ':':
	case c == '"':
		a.state = argString
		a.name, a.secret = a.name[:0], a.secret[:0]
		if a.cover && !a.isName {
			return dst, 1
		}
	case c == '{', c == '[':
		if len(a.levels) == jsonl.MaxDepth {
			a.state = argBroken
			return dst, 0
		}
		a.levels = append(a.levels, level{c == '{', a.cover})
		a.isName = c == '{'
	case c == '}', c == ']', c == ',':
		n := len(a.levels)
		if n == 0 || c != ',' && a.levels[n-1].object != (c == '}') {
			a.state = argBroken
			return dst, 0
		}
		a.cover = a.levels[n-1].cover
		a.isName = c == ',' && a.levels[n-1].object
		if c != ',' {
			a.levels = a.levels[:n-1]
		}
	case c == '-', '0' <= c && c <= '9', c == 't', c == 'f', c == 'n':
		a.state = argScalar
		return dst, 0
	default:
		a.state = argBroken
		return dst, 0
	}
	return append(dst, c), 1
}

// scalar reads a number or a literal.
func (a *arguments) scalar(dst []byte, in string) ([]byte, int) {
	n := strings.IndexFunc(in, func(r rune) bool { return !strings.ContainsRune("+-.0123456789Eaeflnrstu", r) })
	if n == 0 {
		return a.endScalar(dst), 0
	}
	if n < 0 {
		n = len(in)
	}
	if room := maxSecret - len(a.held); a.cover {
		a.held = append(a.held, in[:min(n, room)]...)
		return dst, n
	}
	return append(dst, in[:n]...), n
}

// endScalar writes a scalar that was held back because it is secret.
func (a *arguments) endScalar(dst []byte) []byte {
	a.state = argToken
	switch held := string(a.held); held {
	case "":
	case "true", "false", "null":
		dst = append(dst, held...)
	default:
		dst = jsonl.AppendString(dst, a.filter.Covered(held))
	}
	a.held = a.held[:0]
	return dst
}

// str reads a piece of a string: a run of plain characters, an escape, or the
// quote at the end.
func (a *arguments) str(dst []byte, in string) ([]byte, int) {
	if len(a.held) > 0 || in[0] == '\\' {
		return a.escape(dst, in)
	}
	if in[0] == '"' {
		return a.endString(dst), 1
	}
	n := strings.IndexAny(in, `"\`)
	if n < 0 {
		n = len(in)
	}
	return a.put(dst, in[:n]), n
}

// put writes a piece of the string as it is spelled, unless a secret is in it.
// It is one whole escape, or has none.
func (a *arguments) put(dst []byte, spelled string) []byte {
	plain := spelled
	if strings.HasPrefix(spelled, `\`) {
		plain = string(jsonl.AppendUnquoted(nil, []byte(`"`+spelled+`"`)))
	}
	if a.isName {
		a.name = append(a.name, plain[:min(len(plain), maxName-len(a.name))]...)
	}
	if a.cover && !a.isName {
		a.secret = append(a.secret, plain[:min(len(plain), maxSecret-len(a.secret))]...)
		return dst
	}
	if out := a.text.Push(plain); out != plain {
		return jsonl.AppendEscaped(dst, out)
	}
	return append(dst, spelled...)
}

// escape reads an escape, or as much of it as is there.
func (a *arguments) escape(dst []byte, in string) ([]byte, int) {
	for i := range len(in) {
		if len(a.held) == halfPair && in[i] != '\\' {
			dst = a.put(dst, string(a.held)) // no second half follows
			a.held = a.held[:0]
			return dst, i
		}
		a.held = append(a.held, in[i])
		for n := wholeEscape(a.held); n > 0; n = wholeEscape(a.held) {
			dst = a.put(dst, string(a.held[:n]))
			a.held = a.held[:copy(a.held, a.held[n:])]
		}
		if len(a.held) == 0 {
			return dst, i + 1
		}
	}
	return dst, len(in)
}

// halfPair is the length of an escape, which may be half of a surrogate pair.
const halfPair = len(`\ud83d`)

// wholeEscape returns the length of the escape at the front of p, 0 if it may go
// on. Two that make a surrogate pair are one.
func wholeEscape(p []byte) int {
	switch {
	case len(p) < 2:
		return 0
	case p[1] != 'u':
		return 2
	case len(p) < halfPair:
		return 0
	case !isHalf(p, "89abAB"):
		return halfPair
	case len(p) < halfPair+2:
		return 0
	case p[halfPair+1] != 'u':
		return halfPair
	case len(p) < 2*halfPair:
		return 0
	case isHalf(p[halfPair:], "cdefCDEF"):
		return 2 * halfPair
	}
	return halfPair
}

// isHalf reports whether an escape is half of a surrogate pair: the second
// digit tells which.
func isHalf(p []byte, second string) bool {
	return p[2]|0x20 == 'd' && strings.IndexByte(second, p[3]) >= 0
}

// endString reads the quote that ends a string.
func (a *arguments) endString(dst []byte) []byte {
	a.state = argToken
	switch {
	case a.isName:
		a.isName = false
		_, cover := a.filter.Key(string(a.name))
		a.cover = a.levels[len(a.levels)-1].cover || cover
	case a.cover:
		return a.endCovered(dst)
	}
	dst = jsonl.AppendEscaped(dst, a.text.Flush())
	return append(dst, '"')
}

// endCovered writes a string that was held back because it is secret.
func (a *arguments) endCovered(dst []byte) []byte {
	return jsonl.AppendString(dst, a.filter.Covered(string(a.secret)))
}
