package schema_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/streamjson/streamjson/contract/schema"
)

// A sample is a whole line, or an envelope, with every member that the tables
// list for it.
type sample struct {
	row
	doc  map[string]any
	base []string // where in doc the row's members stand
	// needed are optional members that this sample can't be without.
	needed []string
}

// values are what stands in members whose value matters.
var values = map[string]any{
	"capabilities": []any{"stream_v1"},
	"run_id":       "01HQ2V8K3M4N5P6Q7R8S9T0U1V",
	"index":        json.Number("0"),

	"schema_version": json.Number("1"),
}

// fill makes a value of a field.
func fill(f field) any {
	if v, ok := values[f.name]; ok {
		return v
	}
	switch f.kind {
	case "string":
		return "x"
	case "int":
		return json.Number("7")
	case "number":
		return json.Number("0.5")
	case "bool":
		return true
	case "any":
		return map[string]any{"free": []any{nil}}
	case "string[]":
		return []any{"x"}
	case "object[]":
		return []any{fillAll(f.members)}
	case "map":
		return map[string]any{"any name": fillAll(f.members)}
	}
	return fillAll(f.members)
}

func fillAll(fields []field) map[string]any {
	m := map[string]any{}
	for _, f := range fields {
		m[strings.ReplaceAll(f.name, "<product>", "demo")] = fill(f)
	}
	return m
}

// samples makes one line of each row of the tables.
func samples(t *testing.T) []sample {
	var list []sample
	for _, r := range readTables(t) {
		s := sample{row: r, doc: map[string]any{
			"session_id": "s", "seq": json.Number("0"), "ts": "2026-01-02T03:04:05.678Z",
			"parent_tool_use_id": "t1", "extension": map[string]any{}, "_meta": map[string]any{},
		}}
		own := fillAll(r.fields)
		switch r.table {
		case "subtype":
			s.doc["type"], s.doc["subtype"] = "system", r.name
			maps.Copy(s.doc, own)
			s.special(r.name)
		case "`event.type`":
			own["type"] = r.name
			if d, ok := own["delta"].(map[string]any); ok {
				d["type"], d["text"] = "text_delta", "x"
			}
			s.doc["type"], s.doc["event"] = "stream_event", own
			s.base = []string{"event"}
		case "`delta.type`":
			own["type"] = r.name
			s.doc["type"] = "stream_event"
			s.doc["event"] = map[string]any{"type": "content_block_delta", "index": json.Number("0"), "delta": own}
			s.base = []string{"event", "delta"}
		case "block":
			role := "assistant"
			if r.name == "tool_result" {
				role = "user"
			}
			own["type"] = r.name
			s.doc["type"] = role
			s.doc["message"] = map[string]any{"role": role, "content": []any{own}}
			s.base = []string{"message", "content", "0"}
		case "line":
			s.doc["type"] = r.name
			maps.Copy(s.doc, own)
			s.special(r.name)
		case "member":
			s.doc = own
			s.doc["ok"] = false
		default:
			t.Fatalf("a table under %q", r.table)
		}
		list = append(list, s)
	}
	return list
}

// special sets what goes together in some lines.
func (s *sample) special(name string) {
	switch name {
	case "state":
		s.doc["session_state"], s.needed = "idle", []string{"stop_reason"}
	case "assistant", "user":
		m := s.doc["message"].(map[string]any)
		m["role"] = name
		m["content"].([]any)[0].(map[string]any)["type"] = "x"
		if name == "user" {
			m["content"] = []any{map[string]any{"type": "tool_result", "tool_use_id": "t1"}}
		}
	case "result":
		s.doc["subtype"], s.doc["stop_reason"], s.needed = "error_during_execution", "error", []string{"errors"}
	}
}

// fails reports whether a document is refused, by the verdict of one reading.
func (s sample) fails(t *testing.T, reader bool) bool {
	t.Helper()
	get := schema.Lines
	if s.table == "member" {
		get = schema.Envelopes
	}
	verdict, err := get(reader)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(s.doc)
	if err != nil {
		t.Fatal(err)
	}
	faults, err := verdict(text)
	if err != nil {
		t.Fatal(err)
	}
	return len(faults) > 0
}

// TestTablesAgreeWithSchema: the tables of the contract and the schemas list
// the same members, with the same types, required and optional alike.
func TestTablesAgreeWithSchema(t *testing.T) {
	list := samples(t)
	if len(list) != 16+3+2+2+4+1+1 {
		t.Fatalf("%d rows in the tables", len(list))
	}
	for _, s := range list {
		t.Run(s.name, func(t *testing.T) {
			if s.fails(t, false) || s.fails(t, true) {
				t.Fatalf("a line with all members is refused: %v", s.doc)
			}
			s.walk(t, s.fields, s.base)
			s.unknown(t)
		})
	}
	for _, s := range list[:1] { // the members that every line has
		for _, name := range []string{"type", "subtype", "session_id", "seq", "ts"} {
			s.change(t, []string{name}, nil, func() {
				if !s.fails(t, false) || s.fails(t, true) == (name == "ts") {
					t.Errorf("a line without %s: refused %v, by a reader %v", name, s.fails(t, false), s.fails(t, true))
				}
			})
		}
		for _, name := range []string{"parent_tool_use_id", "extension"} {
			s.change(t, []string{name}, nil, func() {
				if s.fails(t, false) {
					t.Errorf("a line without %s is refused", name)
				}
			})
		}
	}
}

// walk leaves out each member in turn, and gives it another type.
func (s sample) walk(t *testing.T, fields []field, at []string) {
	for _, f := range fields {
		path := append(slices.Clone(at), strings.ReplaceAll(f.name, "<product>", "demo"))
		must := f.required || slices.Contains(s.needed, f.name) && len(at) == len(s.base)
		s.change(t, path, nil, func() {
			if got := s.fails(t, false); got != must {
				t.Errorf("without %s: refused %v, want %v", strings.Join(path, "/"), got, must)
			}
			if got, want := s.fails(t, true), s.table == "member"; got != want { // E8 needs all five
				t.Errorf("without %s: refused by a reader %v, want %v", strings.Join(path, "/"), got, want)
			}
		})
		if f.kind != "any" {
			wrong := any(json.Number("7"))
			if f.kind == "int" || f.kind == "number" {
				wrong = "7"
			}
			s.change(t, path, wrong, func() {
				if !s.fails(t, false) || !s.fails(t, true) {
					t.Errorf("%s of another type: refused %v, by a reader %v", strings.Join(path, "/"), s.fails(t, false), s.fails(t, true))
				}
			})
		}
		switch f.kind {
		case "object":
			s.walk(t, f.members, path)
		case "object[]":
			if f.name != "content" { // blocks have a table of their own
				s.walk(t, f.members, append(path, "0"))
			}
		case "map":
			s.walk(t, f.members, append(path, "any name"))
		}
	}
}

// unknown adds a member to each object of the line that the contract describes.
func (s sample) unknown(t *testing.T) {
	places := [][]string{nil, s.base}
	for _, f := range s.fields {
		path := append(slices.Clone(s.base), f.name)
		switch {
		case f.name == "_meta":
		case f.kind == "object":
			places = append(places, path)
		case f.kind == "object[]":
			places = append(places, append(path, "0"))
		case f.kind == "map":
			places = append(places, append(path, "any name"))
		}
	}
	for _, at := range places {
		if s.name == "assistant" && len(at) > 0 && at[len(at)-1] == "0" {
			continue // the sample's block is of an unknown type, which is free
		}
		path := append(slices.Clone(at), "sparkle")
		s.change(t, path, "x", func() {
			if !s.fails(t, false) {
				t.Errorf("the unknown member %s passes", strings.Join(path, "/"))
			}
			if s.fails(t, true) {
				t.Errorf("a reader refuses the unknown member %s", strings.Join(path, "/"))
			}
		})
	}
}

// change sets a member, or removes it where v is nil, for the time of a call.
func (s sample) change(t *testing.T, path []string, v any, do func()) {
	t.Helper()
	at := any(s.doc)
	for _, name := range path[:len(path)-1] {
		switch c := at.(type) {
		case map[string]any:
			at = c[name]
		case []any:
			at = c[0]
		}
	}
	m, ok := at.(map[string]any)
	if !ok {
		t.Fatalf("%s leads nowhere", strings.Join(path, "/"))
	}
	name := path[len(path)-1]
	old, there := m[name]
	if v == nil {
		delete(m, name)
	} else {
		m[name] = v
	}
	do()
	delete(m, name)
	if there {
		m[name] = old
	}
}

// TestSchemaAgreesWithTables is the other direction: every member that the
// schemas describe stands in the tables.
func TestSchemaAgreesWithTables(t *testing.T) {
	for _, r := range readTables(t) {
		definition := r.name
		source := schema.Stream()
		switch r.table {
		case "subtype":
			definition = "system_" + r.name
		case "block":
			definition = r.name + "_block"
		case "member":
			source, definition = schema.Envelope(), ""
		}
		var root map[string]any
		if err := json.Unmarshal(source, &root); err != nil {
			t.Fatal(err)
		}
		at := root
		if definition != "" {
			at = root["$defs"].(map[string]any)[definition].(map[string]any)
		}
		got, want := described(root, at, ""), listed(r.fields, "")
		if r.table == "line" && r.name == "result" {
			want = append(want, "/subtype") // has a table of its own
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: the schema has %q, the table %q", r.name, got, want)
		}
	}
}

// described lists the members that a schema describes, as paths. A member that
// is only let through (true) is described elsewhere.
func described(root, s map[string]any, path string) []string {
	if ref, ok := s["$ref"].(string); ok {
		return described(root, root["$defs"].(map[string]any)[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any), path)
	}
	var list []string
	for _, keyword := range []string{"properties", "patternProperties"} {
		properties, _ := s[keyword].(map[string]any)
		for name, v := range properties {
			below, ok := v.(map[string]any)
			if !ok {
				continue
			}
			if keyword == "patternProperties" {
				name = "<product>_version"
			}
			list = append(list, path+"/"+name)
			list = append(list, described(root, below, path+"/"+name)...)
		}
	}
	for _, keyword := range []string{"items", "additionalProperties"} {
		if below, ok := s[keyword].(map[string]any); ok {
			list = append(list, described(root, below, path)...)
		}
	}
	return list
}

func listed(fields []field, path string) []string {
	var list []string
	for _, f := range fields {
		list = append(list, path+"/"+f.name)
		list = append(list, listed(f.members, path+"/"+f.name)...)
	}
	return list
}
