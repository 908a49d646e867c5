package schema

import (
	"bytes"
	"errors"

	"github.com/streamjson/streamjson/internal/jsonl"
)

// A node is a JSON value whose members keep their order.
type node struct {
	kind    jsonl.Kind // of the token that begins it
	scalar  []byte     // as spelled
	names   []string   // of an object's members
	members []node     // an object's members, an array's elements
}

// parse reads a schema, which is trusted not to have a key twice.
func parse(text []byte) (node, error) {
	var lex jsonl.Lexer
	lex.Reset(text)
	n, err := parseValue(&lex, text)
	if err == nil && n.kind != jsonl.BeginObject {
		err = errors.New("a schema document is an object")
	}
	return n, err
}

func parseValue(lex *jsonl.Lexer, text []byte) (node, error) {
	tok, err := lex.Next()
	if err != nil {
		return node{}, err
	}
	return parseToken(lex, text, tok)
}

func parseToken(lex *jsonl.Lexer, text []byte, tok jsonl.Token) (node, error) {
	n := node{kind: tok.Kind}
	if tok.Kind != jsonl.BeginObject && tok.Kind != jsonl.BeginArray {
		n.scalar = text[tok.Start:tok.End]
		return n, nil
	}
	for {
		tok, err := lex.Next()
		switch {
		case err != nil:
			return node{}, err
		case tok.Kind == jsonl.EndObject || tok.Kind == jsonl.EndArray:
			return n, nil
		case tok.Kind == jsonl.Key:
			n.names = append(n.names, string(jsonl.AppendUnquoted(nil, text[tok.Start:tok.End])))
			if tok, err = lex.Next(); err != nil {
				return node{}, err
			}
		}
		member, err := parseToken(lex, text, tok)
		if err != nil {
			return node{}, err
		}
		n.members = append(n.members, member)
	}
}

// isObject reports whether n is an object.
func (n node) isObject() bool { return n.kind == jsonl.BeginObject }

// get returns the member called name.
func (n node) get(name string) (node, bool) {
	for i, other := range n.names {
		if other == name {
			return n.members[i], true
		}
	}
	return node{}, false
}

// set returns n with a member added or replaced in its place.
func (n node) set(name string, value node) node {
	out := node{kind: n.kind}
	found := false
	for i, other := range n.names {
		out.names = append(out.names, other)
		if other == name {
			found = true
			out.members = append(out.members, value)
			continue
		}
		out.members = append(out.members, n.members[i])
	}
	if !found {
		out.names, out.members = append(out.names, name), append(out.members, value)
	}
	return out
}

// width is how long a value may be to stand on one line.
const width = 150

// layout prints a document: values that are short stand on one line.
func layout(n node) []byte {
	out := appendNode(nil, n, 0, true)
	return append(out, '\n')
}

func appendNode(dst []byte, n node, depth int, broken bool) []byte {
	if n.kind != jsonl.BeginObject && n.kind != jsonl.BeginArray {
		return append(dst, n.scalar...)
	}
	if !broken || len(n.members) == 0 {
		return appendFlat(dst, n)
	}
	begin, end := byte('['), byte(']')
	if n.isObject() {
		begin, end = '{', '}'
	}
	dst = append(dst, begin)
	for i, m := range n.members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(dst, '\n'), bytes.Repeat([]byte("  "), depth+1)...)
		head := len(dst)
		if n.isObject() {
			dst = append(jsonl.AppendString(dst, n.names[i]), ": "...)
		}
		flat := appendFlat(nil, m)
		dst = appendNode(dst, m, depth+1, len(flat)+len(dst)-head+2*depth > width)
	}
	dst = append(append(dst, '\n'), bytes.Repeat([]byte("  "), depth)...)
	return append(dst, end)
}

func appendFlat(dst []byte, n node) []byte {
	switch n.kind {
	case jsonl.BeginObject:
		dst = append(dst, '{')
	case jsonl.BeginArray:
		dst = append(dst, '[')
	default:
		return append(dst, n.scalar...)
	}
	for i, m := range n.members {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		if n.isObject() {
			dst = append(jsonl.AppendString(dst, n.names[i]), ": "...)
		}
		dst = appendFlat(dst, m)
	}
	if n.isObject() {
		return append(dst, '}')
	}
	return append(dst, ']')
}
