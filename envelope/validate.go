package envelope

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/streamjson/streamjson/internal/jsonl"
)

// FormatError says where a document is no valid envelope, and why.
type FormatError struct {
	// Pointer is the RFC 6901 pointer to the member that is wrong, "" for the
	// document as a whole.
	Pointer string
	// Offset is the byte where JSON or UTF-8 breaks off; -1 where the document
	// is JSON, but no envelope.
	Offset int64
	// Reason is what is wrong, in a form that goes behind the pointer.
	Reason string
}

func (e *FormatError) Error() string {
	at := ""
	if e.Pointer != "" {
		at = e.Pointer + ": "
	}
	if e.Offset >= 0 {
		at = fmt.Sprintf("byte %d: %s", e.Offset, at)
	}
	return "envelope: " + at + e.Reason
}

func invalid(pointer, reason string) *FormatError {
	return &FormatError{Pointer: pointer, Offset: -1, Reason: reason}
}

// VersionError says that a document is an envelope of another version, which
// this package can't read: something else than no envelope at all.
type VersionError struct {
	Version int64
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("the envelope has schema_version %d; this package reads and writes version %d", e.Version, SchemaVersion)
}

// IsEnvelope tells whether doc is an envelope of version 1 that can be trusted:
// whether [Validate] has no objection.
func IsEnvelope(doc []byte) bool { return Validate(doc) == nil }

// Validate tells whether doc is an envelope, as a reader needs it (contract E8):
// one JSON value in valid UTF-8, without a key twice in an object, with the five
// members in their types, and with errors if and only if ok is false. White
// space around it, the order of members, and further members don't matter. The
// error is a [*VersionError] for an object with a boolean ok and a
// schema_version above 1, else a [*FormatError].
func Validate(doc []byte) error {
	_, err := parse(doc, false)
	return err
}

// ValidateStrict is [Validate] for those who write envelopes: the members stand
// in their order and there are no others, schema_version is spelled 1, messages
// are not blank and hold no escape sequence (contract F10), and the document
// starts with '{' and ends with exactly one newline.
func ValidateStrict(doc []byte) error {
	_, err := parse(doc, true)
	return err
}

// raw is an envelope before data is decoded.
type raw struct {
	version  int64
	ok       bool
	data     []byte // a part of the document
	errors   []string
	warnings []string
}

// The members of an envelope in their order (contract section 5).
var memberNames = [...]string{"schema_version", "ok", "data", "errors", "warnings"}

// parse reads doc. With a VersionError the version is filled, else nothing
// unless err is nil.
func parse(doc []byte, strict bool) (raw, error) {
	members, names, err := split(doc)
	if err != nil {
		return raw{}, err
	}
	var e raw
	if err := e.readVersion(members, strict); err != nil {
		return raw{}, err
	}
	ok, isBool := members["ok"]
	if e.version != SchemaVersion && isBool && (string(ok) == "true" || string(ok) == "false") {
		return raw{version: e.version}, &VersionError{Version: e.version}
	}
	if err := e.read(members); err != nil {
		return raw{}, err
	}
	if strict {
		if err := e.checkStrict(doc, names); err != nil {
			return raw{}, err
		}
	}
	return e, nil
}

// split reads doc as an object and returns its members, and their names in the
// order of the document.
func split(doc []byte) (members map[string][]byte, names []string, err error) {
	if !utf8.Valid(doc) {
		return nil, nil, &FormatError{Offset: int64(firstInvalid(doc)), Reason: "the bytes are not valid UTF-8"}
	}
	members = make(map[string][]byte, len(memberNames))
	err = jsonl.Members(doc, func(key string, value []byte) error {
		members[key] = value
		names = append(names, key)
		return nil
	})
	var syntax *jsonl.SyntaxError
	if errors.As(err, &syntax) {
		return nil, nil, &FormatError{Pointer: syntax.Pointer, Offset: syntax.Offset, Reason: syntax.Msg}
	}
	return members, names, err
}

// firstInvalid is the offset of the first byte of doc that is not UTF-8.
func firstInvalid(doc []byte) int {
	for i := 0; i < len(doc); {
		r, n := utf8.DecodeRune(doc[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(doc)
}

func (e *raw) readVersion(members map[string][]byte, strict bool) error {
	const pointer = "/schema_version"
	text, ok := members["schema_version"]
	if !ok {
		return invalid(pointer, "the member is missing")
	}
	v, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil && !strict {
		// 1.0 and 1e0 are the integer 1 to a reader in another language.
		var f float64
		if f, err = strconv.ParseFloat(string(text), 64); err == nil {
			if v = int64(f); float64(v) != f {
				err = strconv.ErrSyntax
			}
		}
	}
	if err != nil || v < 1 {
		return invalid(pointer, "it is "+excerpt(text)+", not the integer 1")
	}
	e.version = v
	return nil
}

// read takes the other members, which are those of version 1.
func (e *raw) read(members map[string][]byte) error {
	for _, name := range memberNames {
		if _, ok := members[name]; !ok {
			return invalid("/"+name, "the member is missing")
		}
	}
	switch string(members["ok"]) {
	case "true":
		e.ok = true
	case "false":
	default:
		return invalid("/ok", "it is "+excerpt(members["ok"])+", not true or false")
	}
	var err error
	e.data = members["data"]
	if e.errors, err = stringList("/errors", members["errors"]); err != nil {
		return err
	}
	if e.warnings, err = stringList("/warnings", members["warnings"]); err != nil {
		return err
	}
	switch {
	case e.ok && len(e.errors) > 0:
		return invalid("/errors", "ok is true, yet there are errors")
	case !e.ok && !hasText(e.errors):
		return invalid("/errors", "ok is false, yet no error says why")
	}
	return nil
}

// stringList decodes an array of strings.
func stringList(pointer string, text []byte) ([]string, error) {
	if text[0] != '[' {
		return nil, invalid(pointer, "it is "+excerpt(text)+", not an array of strings")
	}
	var lex jsonl.Lexer
	lex.Reset(text)
	if _, err := lex.Next(); err != nil {
		return nil, err // can't be: it was read before
	}
	list := []string{}
	for {
		tok, err := lex.Next()
		if err != nil {
			return nil, err
		}
		switch tok.Kind {
		case jsonl.EndArray:
			return list, nil
		case jsonl.String:
			list = append(list, string(jsonl.AppendUnquoted(nil, text[tok.Start:tok.End])))
		default: // the array may go deeper, but is not read further
			return nil, invalid(pointer+"/"+strconv.Itoa(len(list)), "it is "+excerpt(text[tok.Start:tok.End])+", not a string")
		}
	}
}

func (e *raw) checkStrict(doc []byte, names []string) error {
	if doc[0] != '{' {
		return invalid("", "white space stands in front of it")
	}
	if n := len(doc); doc[n-1] != '\n' || doc[n-2] != '}' {
		return invalid("", "it doesn't end with '}' and exactly one newline")
	}
	for i, name := range names {
		if i >= len(memberNames) || name != memberNames[i] {
			return invalid(pointerTo(name), misplaced(name))
		}
	}
	for _, list := range [...]struct {
		name string
		list []string
	}{{"errors", e.errors}, {"warnings", e.warnings}} {
		for i, m := range list.list {
			pointer := "/" + list.name + "/" + strconv.Itoa(i)
			if isBlank(m) {
				return invalid(pointer, "the message is blank")
			}
			if jsonl.StripANSI(m) != m {
				return invalid(pointer, "the message holds an escape sequence for terminals")
			}
		}
	}
	return nil
}

func misplaced(name string) string {
	for _, known := range memberNames {
		if name == known {
			return "the member is out of order; the order is " + strings.Join(memberNames[:], ", ")
		}
	}
	return "the member is not part of version 1; a command's own members go into data"
}

func pointerTo(name string) string {
	return "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

// excerpt is the beginning of a JSON value, for a message.
func excerpt(text []byte) string {
	const most = 40
	if len(text) <= most {
		return string(text)
	}
	cut := most
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return string(text[:cut]) + "..."
}
