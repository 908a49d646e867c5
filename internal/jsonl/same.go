package jsonl

// Same reports whether x and y are JSON texts of the same value: white space,
// the spelling of strings and the order of members make no difference, the
// spelling of numbers does. Of members with the same name the last one counts.
func Same(x, y []byte) bool {
	a, ok := parse(x)
	if !ok {
		return false
	}
	b, ok := parse(y)
	return ok && a.same(&b)
}

// A node is a value that was read.
type node struct {
	kind    Kind
	text    string // of a scalar; that of a string is decoded
	list    []node // of an array
	members map[string]node
}

func (n *node) same(m *node) bool {
	if n.kind != m.kind || n.text != m.text || len(n.list) != len(m.list) || len(n.members) != len(m.members) {
		return false
	}
	for i := range n.list {
		if !n.list[i].same(&m.list[i]) {
			return false
		}
	}
	for name, a := range n.members {
		if b, ok := m.members[name]; !ok || !a.same(&b) {
			return false
		}
	}
	return true
}

// parse reads a whole text.
func parse(text []byte) (n node, ok bool) {
	var l Lexer
	l.Reset(text)
	tok, err := l.Next()
	if err != nil {
		return node{}, false
	}
	n, err = l.node(tok)
	if err == nil {
		_, err = l.Next()
	}
	return n, err == nil
}

// node reads the value that tok begins.
func (l *Lexer) node(tok Token) (n node, err error) {
	n.kind = tok.Kind
	switch tok.Kind {
	case String:
		n.text = l.unquoted(tok)
		return n, nil
	case BeginArray:
	case BeginObject:
		n.members = map[string]node{}
	default:
		n.text = l.data[tok.Start:tok.End]
		return n, nil
	}
	for {
		tok, err := l.Next()
		if err != nil || tok.Kind == EndArray || tok.Kind == EndObject {
			return n, err
		}
		var name string
		if tok.Kind == Key {
			name = l.unquoted(tok)
			if tok, err = l.Next(); err != nil {
				return n, err
			}
		}
		x, err := l.node(tok)
		if err != nil {
			return n, err
		}
		if n.kind == BeginObject {
			n.members[name] = x
		} else {
			n.list = append(n.list, x)
		}
	}
}

func (l *Lexer) unquoted(tok Token) string {
	return string(AppendUnquoted(nil, []byte(l.data[tok.Start:tok.End])))
}
