package jsonl

import "strings"

// Members calls f for each member of the object that raw holds, in order, with
// the decoded key and the text of the value, which is a part of raw. It stops
// at the first error of f and returns it. What [AppendRaw] refuses is refused
// with a [*SyntaxError], also when raw is not an object; f may have been
// called for members in front of it.
func Members(raw []byte, f func(key string, value []byte) error) error {
	w := walkers.Get().(*walker)
	defer w.release()
	w.lex.Reset(raw)
	w.raw = raw
	tok, err := w.lex.Next()
	if err != nil {
		return err
	}
	if tok.Kind != BeginObject {
		return syntaxErrorAt(w.lex.data, tok.Start, "the value is not an object")
	}
	w.keys.open()
	for {
		tok, err := w.lex.Next()
		if err != nil {
			return err
		}
		switch tok.Kind {
		case End:
			return nil
		case EndObject:
			continue
		}
		key := strings.Clone(w.decode(tok))
		if !w.keys.add(key) {
			return syntaxErrorAt(w.lex.data, tok.Start, "the key stands twice in its object")
		}
		start, end, err := w.skipValue()
		if err != nil {
			return err
		}
		if err := f(key, raw[start:end:end]); err != nil {
			return err
		}
	}
}

// skipValue reads one value and returns where it stands.
func (w *walker) skipValue() (start, end int, err error) {
	depth := w.lex.Depth()
	first := true
	for {
		tok, err := w.lex.Next()
		if err != nil {
			return 0, 0, err
		}
		switch tok.Kind {
		case BeginObject:
			w.keys.open()
		case EndObject:
			w.keys.close()
		case Key:
			if !w.keys.add(w.decode(tok)) {
				return 0, 0, syntaxErrorAt(w.lex.data, tok.Start, "the key stands twice in its object")
			}
		}
		if first {
			start, first = tok.Start, false
		}
		if w.lex.Depth() == depth && tok.Kind != Key {
			return start, tok.End, nil
		}
	}
}
