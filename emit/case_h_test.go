package emit_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/event"
)

// openTool opens the tool call t, so that results can be given to it.
func openTool(em *emit.Emitter) error {
	return em.Emit(event.Assistant{Content: []event.Block{event.ToolUse{ID: "t", Name: "n"}}})
}

// Wherever a limit falls in a text of emoji, joiners and combining marks, what
// is left of it is whole characters, and the beginning of the text.
func TestCase092CutBetweenCharacters(t *testing.T) {
	text := strings.Repeat("👩\u200d👩\u200d👧\u200d👦 e\u0301 \u200f中é🇩🇪\u2028𝄞", 200)
	for limit := 4096; limit < 4096+64; limit++ {
		var w tape
		o := partial(&w)
		o.MaxLineBytes = limit
		em := begin(t, o)
		must(t, em.Text(0, text), openTool(em), em.Emit(event.User{Content: []event.ToolResult{{ToolUseID: "t", Text: text}}}),
			em.Warn("x", text), em.Finish(event.Result{Result: text}))
		checkLimit(t, w.bytes(), limit)
		lacks(t, fmt.Sprint("the stream of limit ", limit), w.bytes(), "\ufffd")
		joined := ""
		for _, r := range whole(t, w.bytes()) {
			joined += r.str("event", "delta", "text")
			for _, kept := range []string{r.str("message", "content", "0", "content"), r.str("message"), r.str("result")} {
				if !strings.HasPrefix(text, kept) || kept != "" && fmt.Sprint(r.at("_meta", "truncated_bytes")) != fmt.Sprint(len(text)-len(kept)) {
					t.Errorf("limit %d: %d of %d bytes kept, _meta %v", limit, len(kept), len(text), r.at("_meta"))
				}
			}
		}
		if joined != text {
			t.Errorf("limit %d: the deltas joined are another text", limit)
		}
	}
}

// A character that comes in two pieces, cut anywhere, goes out as one, by each
// door that takes pieces.
func TestCase094SplitCharacter(t *testing.T) {
	type door func(em *emit.Emitter, piece string) error
	message := func(call func(*emit.Message, string) error) func(*emit.Emitter) door {
		return func(em *emit.Emitter) door {
			m := em.Message("m")
			return func(_ *emit.Emitter, piece string) error { return call(m, piece) }
		}
	}
	low := func(d door) func(*emit.Emitter) door { return func(*emit.Emitter) door { return d } }
	for name, open := range map[string]func(*emit.Emitter) door{
		"Text":             low(func(em *emit.Emitter, s string) error { return em.Text(0, s) }),
		"Thinking":         low(func(em *emit.Emitter, s string) error { return em.Thinking(0, s) }),
		"ToolArgs":         low(func(em *emit.Emitter, s string) error { return em.ToolArgs("t", s) }),
		"TextDelta":        low(func(em *emit.Emitter, s string) error { return em.Emit(event.TextDelta{Text: s}) }),
		"Message.Text":     message(func(m *emit.Message, s string) error { return m.Text(s) }),
		"Message.Thinking": message(func(m *emit.Message, s string) error { return m.Thinking(s) }),
		"Message.ToolArgs": message(func(m *emit.Message, s string) error { return m.ToolArgs("t", s) }),
	} {
		for _, text := range []string{"é", "—", "\u2028", "𝄞", "—𝄞é"} {
			for cut := 1; cut < len(text); cut++ {
				var w tape
				em := begin(t, partial(&w))
				push := open(em)
				must(t, push(em, text[:cut]), em.Flush(), push(em, text[cut:]))
				joined := ""
				records, _ := lines(t, w.bytes())
				for _, r := range records {
					joined += r.str("event", "delta", "text") + r.str("event", "delta", "thinking") + r.str("event", "partial_json")
				}
				if joined != text {
					t.Errorf("%s: %q cut at %d became %q", name, text, cut, joined)
				}
			}
		}
	}
}

// Nothing in a line ends a line for Python's splitlines, a terminal, or a
// reader that takes U+2028 for a newline.
func TestCase097LineSeparators(t *testing.T) {
	const separators = "a\nb\rc\vd\fe\x1cf\x1dg\x1eh\u0085i\u2028j\u2029k"
	var w tape
	em := begin(t, partial(&w))
	must(t, em.Text(0, separators), openTool(em),
		em.Emit(event.User{Content: []event.ToolResult{{ToolUseID: "t", Content: map[string]any{separators: []any{separators}}}}}),
		em.Emit(event.System{Subtype: "own", Fields: json.RawMessage("{\"\u2028\":\"\u2029\u0085\"}")}),
		em.Finish(event.Result{Result: separators}))
	records := whole(t, w.bytes())
	split := strings.FieldsFunc(w.String(), func(r rune) bool { return strings.ContainsRune("\n\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029", r) })
	if len(split) != len(records) {
		t.Errorf("%d lines are %d for a reader with more line ends", len(records), len(split))
	}
	if got := last(records).str("result"); got != separators {
		t.Errorf("%q", got)
	}
}

// Each control character of ASCII is escaped, and comes back.
func TestCase100RawControlCharacters(t *testing.T) {
	for c := range rune(0x80) {
		if c >= 0x20 && c != 0x7f && c != '"' && c != '\\' {
			continue
		}
		text := "<" + string(c) + ">"
		want := fmt.Sprintf(`<\u%04x>`, c)
		if short, ok := map[rune]string{'"': `<\">`, '\\': `<\\>`, '\b': `<\b>`, '\t': `<\t>`, '\n': `<\n>`, '\f': `<\f>`, '\r': `<\r>`}[c]; ok {
			want = short
		}
		var w tape
		em := begin(t, partial(&w))
		must(t, em.Text(0, text), em.Emit(event.System{Subtype: "own", Fields: map[string]any{"k" + text: text}}), em.Finish(event.Result{}))
		records := whole(t, w.bytes())
		if records[1].str("event", "delta", "text") != text || records[2].str("k"+text) != text || last(records).str("result") != text {
			t.Errorf("%U does not come back: %s", c, w.String())
		}
		if n := strings.Count(w.String(), want); n != 4 {
			t.Errorf("%U is spelled %s %d times of 4: %s", c, want, n, w.String())
		}
	}
}

// A badly encoded text has one spelling, whatever encodes it: one replacement
// character for each bad byte, as itself. Encoders differ by version.
func TestCase101BytesOfBadText(t *testing.T) {
	const bad, want = "\xff\xfe\n", `"` + "\xef\xbf\xbd\xef\xbf\xbd" + `\n"`
	type named struct {
		S string `json:"s"`
	}
	for name, e := range map[string]event.Event{
		"text":              event.Warning{Category: "x", Message: bad},
		"a map":             event.System{Subtype: "own", Fields: map[string]any{"s": bad}},
		"a map of strings":  event.System{Subtype: "own", Fields: map[string]string{"s": bad}},
		"a struct":          event.System{Subtype: "own", Fields: named{bad}},
		"raw":               event.System{Subtype: "own", Fields: json.RawMessage("{\"s\":\"\xff\xfe\\n\"}")},
		"raw, with escapes": event.System{Subtype: "own", Fields: json.RawMessage(`{"s":"\ufffd\udead\n"}`)},
		"a marshaller":      event.System{Subtype: "own", Fields: map[string]any{"s": verbatim("\"\xff\xfe\\n\"")}},
		"a text marshaller": event.System{Subtype: "own", Fields: map[string]any{"s": verbatimText(bad)}},
		"a key":             event.System{Subtype: "own", Fields: map[string]any{bad: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			var w tape
			em := begin(t, quiet(&w))
			must(t, em.Emit(e), em.Finish(event.Result{}))
			whole(t, w.bytes())
			holds(t, "the stream", w.bytes(), want)
		})
	}
}

type verbatim string

func (v verbatim) MarshalJSON() ([]byte, error) { return []byte(v), nil }

type verbatimText string

func (v verbatimText) MarshalText() ([]byte, error) { return []byte(v), nil }

// A text is a string under its own member whatever its bytes; bytes are
// base64 whatever theirs.
func TestCase103ShapeDoesNotDependOnBytes(t *testing.T) {
	for _, text := range []string{"plain", "caf\xe9", "\x00\xff\xfe", "\xed\xa0\x80", strings.Repeat("\x80", 100)} {
		var w tape
		em := begin(t, quiet(&w))
		must(t, openTool(em), em.Emit(event.User{Content: []event.ToolResult{{ToolUseID: "t", Text: text}}}),
			em.Emit(event.System{Subtype: "own", Fields: map[string]any{"bytes": []byte(text)}}), em.Finish(event.Result{Result: text}))
		records := whole(t, w.bytes())
		want := string([]rune(text)) // a replacement character for each bad byte
		result := records[2]
		if got, ok := result.at("message", "content", "0", "content").(string); !ok || got != want || !utf8.ValidString(got) {
			t.Errorf("%q became %s", text, result.raw)
		}
		if content, _ := result.at("message", "content", "0").(map[string]any); len(content) != 3 {
			t.Errorf("other members: %s", result.raw)
		}
		var bytes []byte
		encoded, err := json.Marshal(records[3].str("bytes"))
		must(t, err, json.Unmarshal(encoded, &bytes))
		if string(bytes) != text {
			t.Errorf("%q as bytes became %s", text, records[3].raw)
		}
	}
}

// A byte order mark at the start of a text is a character of it; the stream
// has none.
func TestCase104ByteOrderMark(t *testing.T) {
	for text, want := range map[string]string{"\xef\xbb\xbfhello": "\ufeffhello", "\xff\xfeh": "\ufffd\ufffdh"} {
		for _, format := range []emit.Format{emit.FormatStreamJSON, emit.FormatJSON} {
			var w tape
			o := partial(&w)
			o.Format = format
			em := begin(t, o)
			must(t, em.Text(0, text), em.Finish(event.Result{}))
			var r record
			if format == emit.FormatJSON {
				r = document(t, w.bytes())
			} else {
				r = last(whole(t, w.bytes()))
			}
			if w.bytes()[0] != '{' || r.str("result") != want {
				t.Errorf("%v: %q became %q", format, text, w.String())
			}
		}
	}
}

// Raw JSON with newlines is put on one line; what is no JSON is refused, or
// written as a string where it comes from a model or a tool.
func TestCase109RawJSONWithNewlines(t *testing.T) {
	pretty, broken := json.RawMessage("{\n \"a\":1\r\n}\n"), json.RawMessage("{\n \"a\":\n}\n")
	var w tape
	em := begin(t, quiet(&w))
	must(t, em.Emit(event.System{Subtype: "own", Fields: pretty}), em.Emit(event.TaskStarted{TaskID: "k", Kind: "workflow", Task: pretty}))
	for _, e := range []event.Event{
		event.System{Subtype: "own", Fields: broken},
		event.System{Subtype: "own", Fields: map[string]any{"v": broken}},
		event.TaskProgress{TaskID: "k", Kind: "workflow", Task: broken},
	} {
		if err := em.Emit(e); err == nil {
			t.Errorf("%T was taken", e)
		}
	}
	must(t, em.Emit(event.Assistant{Content: []event.Block{event.ToolUse{ID: "t", Name: "n", Input: broken}}}),
		em.Emit(event.User{Content: []event.ToolResult{{ToolUseID: "t", Content: pretty}}}), em.Finish(event.Result{}))
	records := whole(t, w.bytes())
	if s := kinds(records); s != "init own task_started assistant user task_notification result/success" {
		t.Error(s)
	}
	if call := records[3]; call.at("message", "content", "0", "input") != string(broken) || call.at("_meta", "invalid_json") != true {
		t.Errorf("%s", call.raw)
	}
	holds(t, "the result of the tool", records[4].raw, `"content":{"a":1}`)
}

// indented marshals over many lines.
type indented struct{ v any }

func (i indented) MarshalJSON() ([]byte, error) { return json.MarshalIndent(i.v, "\r\n", "\t") }

// A marshaller that indents does not make more lines, nor does a codec.
func TestCase110IndentedMarshaller(t *testing.T) {
	value := map[string]any{"list": []int{1, 2}, "text": "a\nb"}
	indent := func(dst []byte, v any) ([]byte, error) {
		text, err := json.MarshalIndent(v, "", "  ")
		return append(dst, text...), err
	}
	for name, codec := range map[string]func([]byte, any) ([]byte, error){"default": nil, "indenting": indent} {
		var w tape
		o := quiet(&w)
		o.Append = codec
		em := begin(t, o)
		must(t, em.Emit(event.System{Subtype: "own", Fields: indented{value}}),
			em.Emit(event.System{Subtype: "own", Fields: map[string]any{"v": indented{value}}}),
			em.Emit(event.Assistant{Content: []event.Block{event.ToolUse{ID: "t", Name: "n", Input: indented{value}}}}), em.Finish(event.Result{}))
		records := whole(t, w.bytes())
		if s := kinds(records); s != "init own own assistant user result/success" {
			t.Errorf("%s: %s", name, s)
		}
		for _, r := range records[1:4] {
			holds(t, name, r.raw, `{"list":[1,2],"text":"a\nb"}`[1:])
		}
	}
}
