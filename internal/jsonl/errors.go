package jsonl

import (
	"errors"
	"fmt"
	"strconv"
)

// SyntaxError says where a JSON text breaks a rule, and which. Its pointer is
// made of keys as they were read: no filter has seen them.
type SyntaxError struct {
	Offset  int64  // bytes of the text before the offending one
	Pointer string // RFC 6901: the value that was being read, "" for the whole text
	Msg     string // what is wrong
}

func (e *SyntaxError) Error() string {
	at := ""
	if e.Pointer != "" {
		at = " in " + quoteShort(e.Pointer)
	}
	return fmt.Sprintf("invalid JSON at byte %d%s: %s", e.Offset, at, e.Msg)
}

// PointerError says which member of a Go value can't be encoded. Its pointer is
// made of keys as they were given: no filter has seen them.
type PointerError struct {
	Pointer string // RFC 6901, from the value that was to be encoded; never ""
	Err     error  // why
}

func (e *PointerError) Error() string {
	return "member " + quoteShort(e.Pointer) + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *PointerError) Unwrap() error { return e.Err }

// ErrorPointer returns the RFC 6901 pointer to the member that err is about,
// "" for the value as a whole. It joins the pointer to a raw member of a Go
// value and the one inside of its text.
func ErrorPointer(err error) string {
	var p string
	var member *PointerError
	if errors.As(err, &member) {
		p, err = member.Pointer, member.Err
	}
	var text *SyntaxError
	if errors.As(err, &text) {
		p += text.Pointer
	}
	return p
}

// atMember puts a reference token in front of the pointer of an error of
// Values. It changes the PointerErrors that Values itself has made only.
func atMember(err error, token string) error {
	ref := string(appendRef(nil, token))
	if e, ok := err.(*PointerError); ok { //nolint:errorlint // ours is never wrapped
		e.Pointer = ref + e.Pointer
		return e
	}
	return &PointerError{Pointer: ref, Err: err}
}

// appendRef appends one reference token of an RFC 6901 pointer.
func appendRef(dst []byte, token string) []byte {
	dst = append(dst, '/')
	for i := range len(token) {
		switch c := token[i]; c {
		case '~':
			dst = append(dst, "~0"...)
		case '/':
			dst = append(dst, "~1"...)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// quoteShort spells foreign text for people: on one line, without control
// characters, and not longer than helps.
func quoteShort(p string) string {
	const head, tail = 100, 100
	if len(p) > head+tail+3 {
		p = p[:boundary(p, head)] + "..." + p[boundary(p, len(p)-tail):]
	}
	return string(AppendString(nil, p))
}

// syntaxErrorAt builds the error for an offset in data. The pointer is found
// by reading data once more: errors are rare, and a track kept on the way
// would cost each token.
func syntaxErrorAt(data string, offset int, msg string) *SyntaxError {
	return &SyntaxError{Offset: int64(offset), Pointer: pointerAt(data, offset), Msg: msg}
}

// pointerAt is the pointer to the innermost value that contains offset.
func pointerAt(data string, offset int) string {
	type step struct {
		key   string // as spelled, with quotes; "" in an array and before the first key
		index int    // in an array
	}
	var steps []step
	l := Lexer{data: data, limit: MaxDepth}
	for {
		tok, problem := l.next()
		if problem != "" || tok.Kind == End || tok.Start > offset {
			if n := len(steps); n > 0 && problem != "" && (l.state == wantValue || l.state == wantElement) && l.inArray() {
				steps[n-1].index++ // it failed in the next element
			}
			break
		}
		switch tok.Kind {
		case EndObject, EndArray:
			steps = steps[:len(steps)-1]
			continue
		case Key:
			steps[len(steps)-1].key = data[tok.Start:tok.End]
			continue
		}
		if n := len(steps); n > 0 && steps[n-1].key == "" {
			steps[n-1].index++
		}
		if tok.Kind == BeginObject || tok.Kind == BeginArray {
			steps = append(steps, step{index: -1})
		}
	}
	var p []byte
	for _, s := range steps {
		switch {
		case s.key != "":
			p = appendRef(p, string(AppendUnquoted(nil, []byte(s.key))))
		case s.index >= 0:
			p = append(p, '/')
			p = strconv.AppendInt(p, int64(s.index), 10)
		}
	}
	return string(p)
}
