package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/streamjson/streamjson/internal/jsonl"
)

const (
	// maxValues is how many values of a text are looked at.
	maxValues = 1 << 17
	// maxString is how much of a string is looked at: no keyword of our
	// schemas tells longer strings apart.
	maxString = 1 << 10
	// maxNumber is the same for a number; longer ones, and those with a large
	// exponent, take time to convert.
	maxNumber = 100
	// maxModel is how deep the values stand that our schemas describe; what is
	// nested deeper is free in form.
	maxModel = 4
)

var errLarge = errors.New("more than " + strconv.Itoa(maxValues) + " values")

// A decoder makes the values that the schema library looks at. Its memory is
// bounded, other than encoding/json's: what the schemas leave free is not
// built.
type decoder struct {
	lex  jsonl.Lexer
	text []byte
	left int
}

// decode returns the value of a text, as far as a schema of ours looks at it.
func decode(text []byte) (any, error) {
	d := &decoder{text: text, left: maxValues}
	d.lex.Reset(text)
	tok, err := d.lex.Next()
	if err != nil {
		return nil, err
	}
	return d.value(tok, 1)
}

// value builds the value that begins with tok, whose members stand depth deep.
func (d *decoder) value(tok jsonl.Token, depth int) (any, error) {
	if d.left--; d.left < 0 {
		return nil, errLarge
	}
	switch tok.Kind {
	case jsonl.BeginObject:
		return d.object(depth)
	case jsonl.BeginArray:
		return d.array(depth)
	case jsonl.String:
		return d.str(tok), nil
	case jsonl.Number:
		return number(d.text[tok.Start:tok.End]), nil
	case jsonl.True:
		return true, nil
	case jsonl.False:
		return false, nil
	}
	return nil, nil
}

func (d *decoder) object(depth int) (any, error) {
	m := map[string]any{}
	for {
		tok, err := d.lex.Next()
		if err != nil {
			return nil, err
		}
		if tok.Kind == jsonl.EndObject {
			return m, nil
		}
		name := d.str(tok)
		if tok, err = d.lex.Next(); err != nil {
			return nil, err
		}
		var v any
		_, twice := m[name] // then the first one counts, as for the rules
		if twice || depth > maxModel || depth == 1 && free(name) {
			v, err = d.skip(tok)
		} else {
			v, err = d.value(tok, depth+1)
		}
		if err != nil {
			return nil, err
		}
		if !twice && depth <= maxModel {
			m[name] = v
		}
	}
}

func (d *decoder) array(depth int) (any, error) {
	list := []any{}
	for {
		tok, err := d.lex.Next()
		if err != nil {
			return nil, err
		}
		if tok.Kind == jsonl.EndArray {
			return list, nil
		}
		if depth > maxModel {
			if _, err := d.skip(tok); err != nil {
				return nil, err
			}
			continue
		}
		v, err := d.value(tok, depth+1)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
}

// skip reads a value and returns one of its type.
func (d *decoder) skip(tok jsonl.Token) (any, error) {
	var like any
	switch tok.Kind {
	case jsonl.BeginObject:
		like = map[string]any{}
	case jsonl.BeginArray:
		like = []any{}
	case jsonl.String:
		return "", nil
	case jsonl.Number:
		return int64(0), nil
	case jsonl.True, jsonl.False:
		return true, nil
	default:
		return nil, nil
	}
	for outside := d.lex.Depth() - 1; d.lex.Depth() > outside; {
		if _, err := d.lex.Next(); err != nil {
			return nil, err
		}
	}
	return like, nil
}

// free reports whether nothing is said about what stands inside of a member at
// the top of a line or an envelope.
func free(name string) bool { return name == "task" || name == "extension" || name == "data" }

// str is the head of what a string stands for.
func (d *decoder) str(tok jsonl.Token) string {
	quoted := d.text[tok.Start:tok.End]
	if len(quoted) > 2*maxString {
		return headOf(quoted)
	}
	return string(jsonl.AppendUnquoted(nil, quoted))
}

// headOf decodes the head of a long string token, cut between escapes.
func headOf(quoted []byte) string {
	end := 1
	for end < maxString {
		switch {
		case quoted[end] != '\\':
			end++
		case quoted[end+1] == 'u':
			end += 6
		default:
			end += 2
		}
	}
	for end < len(quoted)-1 && !utf8.RuneStart(quoted[end]) {
		end++
	}
	head := append(append([]byte(nil), quoted[:end]...), '"')
	return string(jsonl.AppendUnquoted(nil, head))
}

// number is the value of a number, or one that is alike to a schema if that
// would take long: of the same sign, an integer or none.
func number(text []byte) any {
	if n, err := strconv.ParseInt(string(text), 10, 64); err == nil {
		return n
	}
	if len(text) <= maxNumber && !bytes.ContainsAny(text, "eE") {
		return json.Number(text)
	}
	f, err := strconv.ParseFloat(string(text), 64)
	mantissa, _, _ := bytes.Cut(bytes.ToLower(text), []byte("e"))
	switch {
	case err != nil && f > 0:
		return math.MaxFloat64
	case err != nil:
		return -math.MaxFloat64
	case f == 0 && bytes.ContainsAny(mantissa, "123456789"):
		return 0.5 // too small for a float64, so no integer
	}
	return f
}
