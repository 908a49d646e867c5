package envelope_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/streamjson/streamjson/envelope"
)

func TestValidate(t *testing.T) {
	const good = `{"schema_version":1,"ok":true,"data":{},"errors":[],"warnings":[]}` + "\n"
	change := func(old, new string) string {
		if !strings.Contains(good, old) {
			panic(old)
		}
		return strings.Replace(good, old, new, 1)
	}
	for _, c := range []struct {
		rule    string
		doc     string
		lenient string // the pointer and reason that Validate must give; "": none
		strict  string // the same for ValidateStrict, where it differs
	}{
		{"as written", good, "", ""},
		{"a failure", `{"schema_version":1,"ok":false,"data":null,"errors":["x"],"warnings":["y"]}` + "\n", "", ""},

		{"E8: a further member", change(`"data"`, `"took_ms":3,"data"`), "", "/took_ms: the member is not part of version 1"},
		{"E8: a further member with an odd name", change(`"warnings":[]`, `"warnings":[],"a/b~c":0`), "", "/a~1b~0c: "},
		{"section 5: order", change(`"schema_version":1,"ok":true`, `"ok":true,"schema_version":1`), "", "/ok: the member is out of order"},
		{"white space in front", " " + good, "", "white space"},
		{"two newlines", good + "\n", "", "exactly one newline"},
		{"CR LF", strings.ReplaceAll(good, "\n", "\r\n"), "", "exactly one newline"},
		{"no newline", strings.TrimSpace(good), "", "exactly one newline"},
		{"1.0", change(`:1,`, `:1.0,`), "", "/schema_version: it is 1.0, not the integer 1"},
		{"1e0", change(`:1,`, `:1e0,`), "", "/schema_version: it is 1e0"},
		{"a blank warning", change(`"warnings":[]`, `"warnings":[" "]`), "", "/warnings/0: the message is blank"},
		{"F10: an escape sequence in a warning", change(`"warnings":[]`, `"warnings":["a","\u001b[1mx"]`), "", "/warnings/1: the message holds an escape sequence"},

		{"empty", "", "byte 0: ", ""},
		{"no object", "[]\n", "byte 0: the value is not an object", ""},
		{"null", "null", "not an object", ""},
		{"prose", "error: no such file\n", "byte 0: ", ""},
		{"row 50: text behind it", good + "a new version is out\n", "byte 67: ", ""},
		{"row 62: two documents", good + good, "byte 67: ", ""},
		{"a fragment (row 16)", good[:30], "byte ", ""},
		{"a BOM", "\ufeff" + good, "byte 0: ", ""},
		{"UTF-16 (row 106)", "\xff\xfe{\x00}\x00", "byte 0: the bytes are not valid UTF-8", ""},
		{"invalid UTF-8", change(`"data":{}`, `"data":"a`+"\xe2\x80"+`"`), "not valid UTF-8", ""},
		{"E6: a key twice", change(`"data":{}`, `"data":{"a":1,"\u0061":2}`), "/data", ""},
		{"E6: a member twice", change(`"data":{}`, `"data":{},"data":1`), "twice", ""},
		{"an escape character raw", change(`"data":{}`, "\"data\":\"\x1b\""), "/data", ""},
		{"too deep", change(`"data":{}`, `"data":`+strings.Repeat("[", 1001)+strings.Repeat("]", 1001)), "byte ", ""},

		{"no schema_version", change(`"schema_version":1,`, ``), "/schema_version: the member is missing", ""},
		{"no ok", change(`"ok":true,`, ``), "/ok: the member is missing", ""},
		{"no data", change(`"data":{},`, ``), "/data: the member is missing", ""},
		{"no errors", change(`"errors":[],`, ``), "/errors: the member is missing", ""},
		{"no warnings", change(`,"warnings":[]`, ``), "/warnings: the member is missing", ""},
		{"members in another case", change(`"ok"`, `"OK"`), "/ok: the member is missing", ""},
		{"schema_version a string", change(`:1,`, `:"1",`), `/schema_version: it is "1", not the integer 1`, ""},
		{"schema_version 1.5", change(`:1,`, `:1.5,`), "/schema_version: it is 1.5", ""},
		{"schema_version 0", change(`:1,`, `:0,`), "/schema_version: it is 0", ""},
		{"schema_version negative", change(`:1,`, `:-1,`), "/schema_version", ""},
		{"schema_version huge", change(`:1,`, `:1e300,`), "/schema_version", ""},
		{"ok a number", change(`true`, `1`), "/ok: it is 1, not true or false", ""},
		{"ok null", change(`true`, `null`), "/ok: it is null", ""},
		{"errors null (row 121)", change(`"errors":[]`, `"errors":null`), "/errors: it is null, not an array of strings", ""},
		{"errors a string", change(`"errors":[]`, `"errors":"x"`), "/errors: it is ", ""},
		{"errors an object", change(`"errors":[]`, `"errors":{}`), "/errors: it is ", ""},
		{"an error that is no string", `{"schema_version":1,"ok":false,"data":null,"errors":["x",null],"warnings":[]}`, "/errors/1: it is null, not a string", ""},
		{"a warning that is an array", change(`"warnings":[]`, `"warnings":[[]]`), "/warnings/0: ", ""},
		{"a long value is cut in the message", change(`"errors":[]`, `"errors":"`+strings.Repeat("é", 100)+`"`), "...", ""},
		{"E4: ok with errors", change(`"errors":[]`, `"errors":["x"]`), "/errors: ok is true, yet there are errors", ""},
		{"E4: a failure without errors", change(`true`, `false`), "/errors: ok is false, yet no error says why", ""},
		{"E4: a failure with a blank error", `{"schema_version":1,"ok":false,"data":null,"errors":[""],"warnings":[]}`, "/errors: ok is false", ""},
	} {
		t.Run(c.rule, func(t *testing.T) {
			doc := []byte(c.doc)
			check(t, "Validate", envelope.Validate(doc), c.lenient)
			if c.strict == "" {
				c.strict = c.lenient
			}
			check(t, "ValidateStrict", envelope.ValidateStrict(doc), c.strict)
			if envelope.IsEnvelope(doc) != (c.lenient == "") {
				t.Error("IsEnvelope says otherwise than Validate")
			}
			if _, err := envelope.Decode[any](doc); (err == nil) != (c.lenient == "") {
				t.Errorf("Decode says otherwise than Validate: %v", err)
			}
		})
	}
}

func check(t *testing.T, what string, err error, want string) {
	t.Helper()
	var format *envelope.FormatError
	switch {
	case want == "" && err != nil:
		t.Errorf("%s: %v", what, err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("%s: %v; want %q", what, err, want)
	case want != "" && !errors.As(err, &format):
		t.Errorf("%s: a %T, want a *FormatError", what, err)
	case want != "" && strings.HasPrefix(want, "/") && !strings.HasPrefix(format.Pointer, strings.SplitN(want, ":", 2)[0]):
		t.Errorf("%s: pointer %q, want %q", what, format.Pointer, want)
	case want != "" && !utf8.ValidString(err.Error()):
		t.Errorf("%s: the message is not UTF-8: %q", what, err)
	}
}

// TestOtherVersion: E8: an envelope of another version is told apart from none.
func TestOtherVersion(t *testing.T) {
	var version *envelope.VersionError
	for doc, is := range map[string]bool{
		`{"schema_version":2,"ok":true,"data":1,"errors":[],"warnings":[]}`:   true,
		`{"schema_version":7,"ok":false,"problems":[{"code":1}]}`:             true,
		`{"schema_version":2,"name":"a config file"}`:                         false,
		`{"schema_version":2,"ok":"yes","data":1,"errors":[],"warnings":[]}`:  false,
		`{"schema_version":"2","ok":true,"data":1,"errors":[],"warnings":[]}`: false,
	} {
		err := envelope.Validate([]byte(doc))
		if errors.As(err, &version) != is || err == nil {
			t.Errorf("%s: %v", doc, err)
		}
		if envelope.IsEnvelope([]byte(doc)) {
			t.Errorf("%s is said to be an envelope that can be trusted", doc)
		}
		e, err := envelope.Decode[any]([]byte(doc))
		if is && (!errors.As(err, &version) || int64(e.SchemaVersion) != version.Version || version.Version == 1) {
			t.Errorf("Decode %s: %+v, %v", doc, e, err)
		}
	}
}

func TestDecode(t *testing.T) {
	type module struct {
		Path string
		ID   any
	}
	e, err := envelope.Decode[module]([]byte(`{"schema_version":1,"ok":true,"data":{"path":"m","id":50000000014435121,"new":1},"errors":[],"warnings":["w"],"new":2}`))
	want := envelope.Envelope[module]{SchemaVersion: 1, OK: true, Data: module{"m", json.Number("50000000014435121")}, Errors: []string{}, Warnings: []string{"w"}}
	if err != nil || !reflect.DeepEqual(e, want) {
		t.Errorf("%+v, %v", e, err)
	}
	if e.ExitCode() != 0 || e.Err() != nil {
		t.Errorf("status %d, error %v", e.ExitCode(), e.Err())
	}

	e, err = envelope.Decode[module]([]byte(`{"schema_version":1,"ok":false,"data":{"path":{"x":1}},"errors":["a","b"],"warnings":[]}`))
	var format *envelope.FormatError
	var typed *json.UnmarshalTypeError
	if !errors.As(err, &format) || format.Pointer != "/data/Path" || !errors.As(err, &typed) {
		t.Errorf("data of another type: %v", err)
	}
	if e.ExitCode() != 1 || len(e.Errors) != 2 || e.Err() == nil || e.Data.Path != "" {
		t.Errorf("%+v, status %d", e, e.ExitCode())
	}
	// What another program said is passed on whole.
	doc, code, err := emit(t, nil, envelope.Err(envelope.Envelope[any]{Errors: e.Errors, Code: 7}.Err()))
	if e := mustParse(t, []byte(doc)); err != nil || code != 7 || fmt.Sprint(e.Errors) != "[a b]" {
		t.Errorf("status %d, %v, %s", code, err, doc)
	}
}

// TestEnvelopeState: E1 and E4 hold for an Envelope that is written by encoding/json.
func TestEnvelopeState(t *testing.T) {
	for _, c := range []struct {
		e    envelope.Envelope[int]
		code int
		want string // "": refused
	}{
		{envelope.Envelope[int]{OK: true, Data: 5}, 0, `{"schema_version":1,"ok":true,"data":5,"errors":[],"warnings":[]}`},
		{envelope.Envelope[int]{Errors: []string{"x"}, Code: 7}, 7, `{"schema_version":1,"ok":false,"data":0,"errors":["x"],"warnings":[]}`},
		{envelope.Envelope[int]{Errors: []string{"x"}, Code: 256}, 1, `{"schema_version":1,"ok":false,"data":0,"errors":["x"],"warnings":[]}`},
		{envelope.Envelope[int]{OK: true, Code: 7}, 0, `{"schema_version":1,"ok":true,"data":0,"errors":[],"warnings":[]}`},
		{envelope.Envelope[int]{OK: true, Errors: []string{"x"}}, 0, ""},
		{envelope.Envelope[int]{}, 1, ""},
		{envelope.Envelope[int]{Errors: []string{" "}}, 1, ""},
		{envelope.Envelope[int]{SchemaVersion: 2, OK: true}, 0, ""},
	} {
		b, err := json.Marshal(c.e)
		if c.e.ExitCode() != c.code || string(b) != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%+v: status %d, %s, %v", c.e, c.e.ExitCode(), b, err)
		}
		if (c.e.Err() == nil) != c.e.OK {
			t.Errorf("%+v: Err %v", c.e, c.e.Err())
		}
	}
}

// FuzzValidate: no panic; strict implies lenient; what is valid is what
// encoding/json reads as such.
func FuzzValidate(f *testing.F) {
	f.Add([]byte(`{"schema_version":1,"ok":true,"data":{},"errors":[],"warnings":[]}` + "\n"))
	f.Add([]byte(`{"schema_version":1,"ok":false,"data":[1,{"a":"\ud800"}],"errors":["x"],"warnings":[""],"z":0}`))
	f.Add([]byte(`{"schema_version":2,"ok":true}`))
	f.Add([]byte(" {\"schema_version\" :1.0}"))
	f.Fuzz(func(t *testing.T, doc []byte) {
		lenient, strict := envelope.Validate(doc), envelope.ValidateStrict(doc)
		if strict == nil && lenient != nil {
			t.Fatalf("strict accepts what lenient refuses: %v", lenient)
		}
		if lenient != nil {
			return
		}
		if !utf8.Valid(doc) || !json.Valid(doc) {
			t.Fatalf("accepted: %q", doc)
		}
		e, err := envelope.Decode[json.RawMessage](doc)
		if err != nil {
			t.Fatal(err)
		}
		// Emitted again, it is the same answer in the writer's own spelling.
		var buf bytes.Buffer
		code, err := envelope.EmitJSON(&buf, e.Data, envelope.Err(e.Err()), envelope.Warn(e.Warnings...))
		if err != nil || code != e.ExitCode() {
			t.Fatalf("status %d and %d, %v", code, e.ExitCode(), err)
		}
		mustParse(t, buf.Bytes())
	})
}
