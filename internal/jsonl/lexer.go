package jsonl

import (
	"fmt"
	"unicode/utf8"
)

// MaxDepth is the deepest nesting of arrays and objects that is read or
// written (contract F9). A scalar has depth 0, [[]] has depth 2.
const MaxDepth = 1000

// MaxLineDepth is the deepest nesting of a line that holds such a value: the
// content of a message is four levels down, and an envelope's data one.
const MaxLineDepth = MaxDepth + 8

// Kind is the kind of a [Token].
type Kind uint8

// The kinds of tokens. Key is a string that names a member; the colon behind it
// and all commas belong to no token. End is the end of the text, behind one
// whole value.
const (
	BeginObject Kind = iota + 1
	EndObject
	BeginArray
	EndArray
	Key
	String
	Number
	True
	False
	Null
	End
)

// Token is a piece of a JSON text: bytes Start to End of it, with the quotes
// of a string or a key.
type Token struct {
	Kind       Kind
	Start, End int

	form form // of a string or a key
}

// form is what a string needs before it can be used or written.
type form uint8

const (
	checked   form = 1 << iota // holds bytes from 0x7f up, which may have to be escaped or repaired
	escaped                    // holds a backslash: must be decoded to be read
	respelled                  // holds an escape that contract F8 spells otherwise
)

// verbatim reports whether a string can be copied as it stands.
func (f form) verbatim() bool { return f&(checked|respelled) == 0 }

// decoded reports whether a string stands for the bytes between its quotes.
func (f form) decoded() bool { return f&(checked|escaped) == 0 }

// state is what the grammar allows next.
type state uint8

const (
	wantValue   state = iota // a value
	wantElement              // a value or the end of the array just opened
	wantKey                  // a key
	wantMember               // a key or the end of the object just opened
	wantMore                 // a comma or an end; outside of all, the end of the text
)

// Lexer reads one JSON text (RFC 8259) token by token and enforces the whole
// grammar. Nesting is at most [MaxDepth] deep. Left to the caller are duplicate
// keys, and strings that are not valid UTF-8, which [AppendUnquoted] repairs.
// It copies nothing, and allocates for an error only. The zero value reads an
// empty text; call Reset first.
type Lexer struct {
	data   string // the text, seen without a copy
	pos    int
	depth  int
	limit  int
	state  state
	arrays [(MaxDepth + 63) / 64]uint64 // one bit for each open container: it is an array
	err    error
}

// Reset starts to read data, which must not change until the last call of Next.
func (l *Lexer) Reset(data []byte) {
	l.data = view(data)
	l.pos, l.depth, l.limit = 0, 0, MaxDepth
	l.state = wantValue
	l.err = nil
}

// ResetLine is Reset for a whole line, in which a value of MaxDepth may stand
// some levels down: a line may be MaxLineDepth deep.
func (l *Lexer) ResetLine(data []byte) {
	l.Reset(data)
	l.limit = MaxLineDepth
}

// Depth returns the number of arrays and objects that are open after the last
// token.
func (l *Lexer) Depth() int { return l.depth }

// Next returns the next token, one of kind [End] (for ever) after the value,
// or a [*SyntaxError] (for ever) where the text is not JSON.
func (l *Lexer) Next() (Token, error) {
	if l.err != nil {
		return Token{}, l.err
	}
	tok, problem := l.next()
	if problem != "" {
		l.err = syntaxErrorAt(l.data, l.pos, problem)
		return Token{}, l.err
	}
	return tok, nil
}

// next is Next without the price of an error: the reason alone, found at l.pos.
func (l *Lexer) next() (Token, string) {
	l.skipSpace()
	if l.state == wantMore {
		if l.depth == 0 {
			if l.pos < len(l.data) {
				return Token{}, l.unexpected("nothing after the value")
			}
			return Token{Kind: End, Start: l.pos, End: l.pos}, ""
		}
		if l.peek() != ',' {
			return l.close()
		}
		l.pos++
		l.skipSpace()
		l.state = wantKey
		if l.inArray() {
			l.state = wantValue
		}
	}
	switch {
	case l.state == wantKey, l.state == wantMember && l.peek() == '"':
		return l.key()
	case l.state == wantMember, l.state == wantElement && l.peek() == ']':
		return l.close()
	}
	return l.value()
}

// value reads a scalar or the start of a container.
func (l *Lexer) value() (Token, string) {
	switch c := l.peek(); c {
	case '{':
		return l.open(BeginObject, wantMember, 0)
	case '[':
		return l.open(BeginArray, wantElement, 1)
	case '"':
		tok, problem := l.str(String)
		if problem == "" {
			l.state = wantMore
		}
		return tok, problem
	case 't':
		return l.literal(True, "true")
	case 'f':
		return l.literal(False, "false")
	case 'n':
		return l.literal(Null, "null")
	default:
		if c != '-' && !isDigit(c) {
			return Token{}, l.unexpected("a value")
		}
		start := l.pos
		n, problem := scanNumber(l.data[start:])
		l.pos += n
		if problem == "" {
			l.state = wantMore
		}
		return Token{Kind: Number, Start: start, End: l.pos}, problem
	}
}

func (l *Lexer) literal(k Kind, word string) (Token, string) {
	start := l.pos
	for i := range len(word) {
		if l.peek() != word[i] {
			return Token{}, l.unexpected("the rest of " + word)
		}
		l.pos++
	}
	l.state = wantMore
	return Token{Kind: k, Start: start, End: l.pos}, ""
}

func (l *Lexer) open(k Kind, next state, array uint64) (Token, string) {
	if l.depth >= l.limit {
		return Token{}, fmt.Sprintf("nested more than %d deep", l.limit)
	}
	word, bit := &l.arrays[l.depth/64], uint(l.depth%64)
	*word = *word&^(1<<bit) | array<<bit
	l.depth++
	l.pos++
	l.state = next
	return Token{Kind: k, Start: l.pos - 1, End: l.pos}, ""
}

func (l *Lexer) close() (Token, string) {
	k, c, want := EndObject, byte('}'), "a comma or }"
	if l.inArray() {
		k, c, want = EndArray, ']', "a comma or ]"
	} else if l.state == wantMember {
		want = "a key in quotes or }"
	}
	if l.peek() != c {
		return Token{}, l.unexpected(want)
	}
	l.pos++
	l.depth--
	l.state = wantMore
	return Token{Kind: k, Start: l.pos - 1, End: l.pos}, ""
}

// key reads a key and the colon behind it.
func (l *Lexer) key() (Token, string) {
	if l.peek() != '"' {
		return Token{}, l.unexpected("a key in quotes")
	}
	tok, problem := l.str(Key)
	if problem != "" {
		return Token{}, problem
	}
	l.skipSpace()
	if l.peek() != ':' {
		return Token{}, l.unexpected("a colon after the key")
	}
	l.pos++
	l.state = wantValue
	return tok, ""
}

func (l *Lexer) inArray() bool {
	top := l.depth - 1
	return l.arrays[top/64]>>uint(top%64)&1 != 0
}

// peek is the next byte, or 0, which is never a right one, at the end.
func (l *Lexer) peek() byte {
	if l.pos < len(l.data) {
		return l.data[l.pos]
	}
	return 0
}

func (l *Lexer) skipSpace() {
	for l.pos < len(l.data) {
		switch l.data[l.pos] {
		case ' ', '\t', '\n', '\r':
			l.pos++
		default:
			return
		}
	}
}

// unexpected describes what stands at l.pos in place of what was wanted.
func (l *Lexer) unexpected(want string) string {
	if l.pos >= len(l.data) {
		return "the text ends where " + want + " should stand"
	}
	r, w := utf8.DecodeRuneInString(l.data[l.pos:])
	switch {
	case r == '\ufeff':
		return "a byte order mark stands where " + want + " should stand"
	case r == utf8.RuneError && w == 1:
		return fmt.Sprintf("byte 0x%02x stands where %s should stand", l.data[l.pos], want)
	}
	return fmt.Sprintf("%q stands where %s should stand", r, want)
}
