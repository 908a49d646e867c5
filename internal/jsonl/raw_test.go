package jsonl_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/streamjson/streamjson/internal/jsonl"
)

func TestAppendRawTable(t *testing.T) {
	for _, c := range rawCases {
		t.Run(c.rule, func(t *testing.T) {
			const prefix = "prefix"
			out, err := jsonl.AppendRaw([]byte(prefix), []byte(c.in), nil)
			valid := c.want != ""
			if !valid {
				var syntax *jsonl.SyntaxError
				if !errors.As(err, &syntax) || syntax.Offset != int64(c.offset) {
					t.Errorf("%.60q: %v, want a SyntaxError at %d", c.in, err, c.offset)
				}
				if string(out) != prefix {
					t.Errorf("the buffer came back as %.60q", out)
				}
				return
			}
			want := c.want
			if want == same {
				want = c.in
			}
			if err != nil || string(out) != prefix+want {
				t.Errorf("%.60q\n got %.60q, %v\nwant %.60q", c.in, out, err, want)
			}
			checkWire(t, out)
		})
	}
}

// The table itself: encoding/json takes all of what we take, and refuses what
// we refuse but for the rows marked apart.
func TestRawTableAgainstEncodingJSON(t *testing.T) {
	for _, c := range rawCases {
		ours, theirs := c.want != "", json.Valid([]byte(c.in))
		if ours != theirs && !c.apart {
			t.Errorf("%s: ours %v, encoding/json %v", c.rule, ours, theirs)
		}
		if c.apart && (ours || !theirs) {
			t.Errorf("%s: is not apart", c.rule)
		}
	}
}

// tokens is the token stream of encoding/json, with numbers as spelled. It
// fails on a duplicate key and below MaxDepth, as we do and encoding/json doesn't.
func tokens(text []byte) ([]json.Token, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var list []json.Token
	type open struct {
		keys map[string]bool // nil for an array
		key  bool            // a key is next
	}
	var stack []open
	for {
		tok, err := dec.Token()
		if err == io.EOF {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		list = append(list, tok)
		n := len(stack)
		switch d, _ := tok.(json.Delim); {
		case d == '{' || d == '[':
			if n >= jsonl.MaxDepth {
				return nil, errors.New("too deep")
			}
			o := open{}
			if d == '{' {
				o = open{keys: map[string]bool{}, key: true}
			}
			stack = append(stack, o)
			continue
		case d == '}' || d == ']':
			stack = stack[:n-1]
			n--
		case n > 0 && stack[n-1].key:
			name := tok.(string)
			if stack[n-1].keys[name] {
				return nil, fmt.Errorf("key %q twice", name)
			}
			stack[n-1].keys[name] = true
			stack[n-1].key = false
			continue
		}
		if n > 0 && stack[n-1].keys != nil {
			stack[n-1].key = true
		}
	}
}

// checkRaw holds AppendRaw against encoding/json: refused exactly when it is
// no JSON, too deep or has a key twice; else of the same meaning, in the same
// order, on one line, spelled by the rules.
func checkRaw(t *testing.T, in []byte) {
	t.Helper()
	out, err := jsonl.AppendRaw([]byte("#"), in, nil)
	if !json.Valid(in) {
		if err == nil || string(out) != "#" {
			t.Fatalf("took %q, which is not JSON: %q, %v", in, out, err)
		}
		return
	}
	want, oracleErr := tokens(in)
	if (err != nil) != (oracleErr != nil) {
		t.Fatalf("%q: %v, the oracle says %v", in, err, oracleErr)
	}
	if err != nil {
		if string(out) != "#" {
			t.Fatalf("%q: left %q in the buffer", in, out)
		}
		return
	}
	out = out[1:]
	checkWire(t, out)
	got, err := tokens(out)
	if err != nil {
		t.Fatalf("%q became %q: %v", in, out, err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%q changed its meaning to %q", in, out)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, out); err != nil || !bytes.Equal(compact.Bytes(), out) {
		t.Fatalf("%q is not compact (%v)", out, err)
	}
	again, err := jsonl.AppendRaw(nil, out, nil)
	if err != nil || !bytes.Equal(again, out) {
		t.Fatalf("a second pass made %q of %q, %v", again, out, err)
	}
}

func FuzzAppendRaw(f *testing.F) {
	for _, c := range rawCases {
		if len(c.in) < 200 {
			f.Add([]byte(c.in))
		}
	}
	f.Fuzz(func(t *testing.T, in []byte) { checkRaw(t, in) })
}

func TestAppendRawMeansTheSame(t *testing.T) {
	for _, c := range rawCases {
		checkRaw(t, []byte(c.in))
		checkRaw(t, []byte(`{"k":[`+c.in+`,`+c.in+`],"é":`+c.in+`}`))
	}
}

func TestSyntaxErrorPointsToTheMember(t *testing.T) {
	for _, c := range []struct {
		rule, in, pointer string
	}{
		{"the whole text", `x`, ""},
		{"first element", `[x]`, "/0"},
		{"later element", `[1,{"a":2},x]`, "/2"},
		{"member", `{"a":1,"b":x}`, "/b"},
		{"below", `{"a":[[],[{"b":tru}]]}`, "/a/1/0/b"},
		{"behind a member", `{"a":1 x}`, "/a"},
		{"a key twice", `{"a":{"b":1,"c":2,"b":3}}`, "/a/b"},
		{"tilde and slash are escaped", `{"a~b/c":{"~1":x}}`, "/a~0b~1c/~01"},
		{"keys are decoded", `{"\u00e9\n":x}`, "/é\n"},
		{"empty key", `{"":x}`, "/"},
		{"inside a string", `{"a":["b\q"]}`, "/a/0"},
		{"the end of the text", `{"a":[1,2`, "/a/1"},
		{"behind the value", `{"a":1} x`, ""},
	} {
		_, err := jsonl.AppendRaw(nil, []byte(c.in), nil)
		if got := jsonl.ErrorPointer(err); err == nil || got != c.pointer {
			t.Errorf("%s: %v points to %q, want %q", c.rule, err, got, c.pointer)
		}
	}
}

func TestSyntaxErrorTextIsFitForATerminal(t *testing.T) {
	deep := strings.Repeat(`{"\u001b[31m\n\u009b`+strings.Repeat("k", 50)+`":`, 900)
	for _, in := range []string{deep + "\x1b", `["` + "\x1b", "[\u009b", "[\x80", `{"\u001b]0;x\u0007":x}`} {
		_, err := jsonl.AppendRaw(nil, []byte(in), nil)
		if err == nil {
			t.Fatalf("took %q", in)
		}
		checkWire(t, []byte(err.Error()))
		if len(err.Error()) > 500 {
			t.Errorf("an error text of %d bytes helps nobody", len(err.Error()))
		}
	}
}

func TestLexerTokens(t *testing.T) {
	const text = ` {"a" : [1, "x\n", true] , "b":{}, "c": null,"d":false, "e":-1.5e3} `
	want := []struct {
		kind jsonl.Kind
		text string
	}{
		{jsonl.BeginObject, "{"},
		{jsonl.Key, `"a"`},
		{jsonl.BeginArray, "["},
		{jsonl.Number, "1"},
		{jsonl.String, `"x\n"`},
		{jsonl.True, "true"},
		{jsonl.EndArray, "]"},
		{jsonl.Key, `"b"`},
		{jsonl.BeginObject, "{"},
		{jsonl.EndObject, "}"},
		{jsonl.Key, `"c"`},
		{jsonl.Null, "null"},
		{jsonl.Key, `"d"`},
		{jsonl.False, "false"},
		{jsonl.Key, `"e"`},
		{jsonl.Number, "-1.5e3"},
		{jsonl.EndObject, "}"},
		{jsonl.End, ""},
		{jsonl.End, ""},
	}
	var l jsonl.Lexer
	for range 2 { // a lexer can be used again
		l.Reset([]byte(text))
		depth := 0
		for i, w := range want {
			tok, err := l.Next()
			if err != nil {
				t.Fatal(err)
			}
			switch tok.Kind {
			case jsonl.BeginObject, jsonl.BeginArray:
				depth++
			case jsonl.EndObject, jsonl.EndArray:
				depth--
			}
			if tok.Kind != w.kind || text[tok.Start:tok.End] != w.text || l.Depth() != depth {
				t.Fatalf("token %d: kind %d %q at depth %d, want kind %d %q at depth %d", i, tok.Kind, text[tok.Start:tok.End], l.Depth(), w.kind, w.text, depth)
			}
		}
	}
}

func TestLexerErrorStays(t *testing.T) {
	var l jsonl.Lexer
	l.Reset([]byte(`[1,x]`))
	var first error
	for i := range 5 {
		_, err := l.Next()
		switch {
		case i < 2 && err != nil:
			t.Fatal(err)
		case i == 2:
			first = err
		case i > 2 && err != first:
			t.Fatalf("error %v became %v", first, err)
		}
	}
	if first == nil {
		t.Fatal("no error")
	}
}

func TestZeroLexerReadsAnEmptyText(t *testing.T) {
	var l jsonl.Lexer
	if _, err := l.Next(); err == nil {
		t.Error("an empty text is no value")
	}
}

func TestAppendUnquotedIsThatOfEncodingJSON(t *testing.T) {
	for _, c := range rawCases {
		if c.want == "" || c.in[0] != '"' {
			continue
		}
		var want string
		if err := json.Unmarshal([]byte(c.in), &want); err != nil {
			t.Fatal(err)
		}
		if got := jsonl.AppendUnquoted([]byte("#"), []byte(c.in)); string(got) != "#"+want {
			t.Errorf("%s: AppendUnquoted(%q) = %q want %q", c.rule, c.in, got, want)
		}
	}
}

func TestAppendUnquotedAnyRoom(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{strings.Repeat("\xff", 300), strings.Repeat("\ufffd", 300)},
		{strings.Repeat(`\ud800`, 50) + strings.Repeat("\x80\u4e16", 100), strings.Repeat("\ufffd", 50) + strings.Repeat("\ufffd\u4e16", 100)},
		{strings.Repeat("text \\n", 40), strings.Repeat("text \n", 40)},
	} {
		for room := range 400 {
			array := bytes.Repeat([]byte{'#'}, 500)
			out := jsonl.AppendUnquoted(array[:3:3+room], []byte(`"`+c.in+`"`))
			if string(out) != "###"+c.want {
				t.Fatalf("%.20q, room %d: %q", c.in, room, out)
			}
			if rest := array[3+room:]; len(bytes.Trim(rest, "#")) != 0 {
				t.Fatalf("room %d: wrote beyond the capacity: %q", room, rest)
			}
		}
	}
}

func FuzzAppendUnquoted(f *testing.F) {
	for _, s := range []string{`""`, `"\ud83d\ude00 \ud800 \n"`, "\"\xff\\\\\"", `"plain and \u0041"`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, quoted []byte) {
		got := jsonl.AppendUnquoted(nil, quoted) // whatever it is given, no panic
		if !utf8.Valid(got) {
			t.Fatalf("%q became %q", quoted, got)
		}
		var want string
		quoted = bytes.Trim(quoted, " \t\r\n")
		if json.Unmarshal(quoted, &want) != nil || quoted[0] != '"' {
			return
		}
		if got := jsonl.AppendUnquoted(nil, quoted); string(got) != want {
			t.Fatalf("%q: %q want %q", quoted, got, want)
		}
	})
}
