package contract_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/streamjson/streamjson/contract"
	"github.com/streamjson/streamjson/contract/schema"
)

// An edit changes a schema document: it sets the value at a pointer, or removes
// it where value is empty. A pointer that ends in "/-" appends to an array.
type edit struct {
	name     string
	breaking bool // the verdict on the edit as a whole
	reason   string
	steps    []string // pointer, value, pointer, value, …
}

const (
	event   = "/$defs/stream_event/properties/event"
	started = "/$defs/system_task_started"
)

// edits is the table of contract section 4.
var edits = []edit{
	{"a new optional member", false, "a new member", []string{"/$defs/system_heartbeat/properties/rss_bytes", `{"type":"integer"}`}},
	{"a new optional member of a nested object", false, "a new member", []string{"/$defs/agent/properties/region", `{"type":"string"}`}},
	{"a new optional member of the envelope of all lines", false, "a new member", []string{"/properties/trace_id", `{"type":"string"}`}},
	{"a new member by pattern", false, "a new member", []string{"/$defs/system_memory/patternProperties", `{"^x_":{"type":"string"}}`}},
	{"a new system subtype", false, "a new case", []string{"/$defs/system/allOf/-", `{"if":{"properties":{"subtype":{"const":"plan"}}},"then":{"required":["steps"],"properties":{"steps":{"type":"array"}}}}`}},
	{"a new event type", false, "a new case", []string{event + "/allOf/-", `{"if":{"properties":{"type":{"const":"citation_delta"}},"required":["type"]},"then":{"required":["uri"]}}`}},
	{"a new block type", false, "a new case", []string{"/$defs/assistant_block/allOf/-", `{"if":{"properties":{"type":{"const":"image"}}},"then":{"required":["source"]}}`}},
	{"a new result subtype", false, "a new case", []string{"/$defs/result/allOf/-", `{"if":{"properties":{"subtype":{"const":"error_max_budget"}}},"then":{"properties":{"is_error":{"const":true}}}}`}},
	{"a new known value", false, "a new known value", []string{"/$defs/task_kind/x-values/-", `"cron"`}},
	{"a new value of a closed enumeration", false, "a new value", []string{"/$defs/system_memory/properties/op/enum", `["record","get"]`, "+", "", "/$defs/system_memory/properties/op/enum", `["record","get","list"]`}},
	{"a constant becomes one of several values", false, "a new value", []string{"/$defs/user/properties/message/properties/role/const", "", "/$defs/user/properties/message/properties/role/enum", `["user","tool"]`}},
	{"a closed enumeration opens", false, "open now", []string{"/$defs/system_memory/properties/subject/enum", `["a"]`, "+", "", "/$defs/system_memory/properties/subject/enum", ""}},
	{"other words", false, "other words", []string{"/$defs/usage/description", `"Counted tokens."`}},
	{"a higher revision", false, "revision 2 after 1", []string{"/x-revision", "2"}},
	{"a forbidden member is allowed", false, "not forbidden any more", []string{"/$defs/system_state/else/properties/stop_reason", ""}},
	{"a definition moves", false, "", []string{"/$defs/label", `{"type":"string","minLength":1}`, "/$defs/agent/properties/name/$ref", `"#/$defs/label"`}},
	{"an annotation of one's own", false, "annotation", []string{"/$defs/usage/x-since", `"1.2"`}},

	{"a new required member", true, "required now", []string{"/$defs/system_heartbeat/properties/rss_bytes", `{"type":"integer"}`, "/$defs/system_heartbeat/required/-", `"rss_bytes"`}},
	{"an optional member becomes required", true, "required now", []string{"/$defs/agent/required/-", `"model"`}},
	{"an envelope member becomes required", true, "required now", []string{"/required/-", `"parent_tool_use_id"`}},
	{"a required member becomes optional", true, "not required any more", []string{"/$defs/result/required/4", ""}},
	{"required goes away", true, "not required any more", []string{"/$defs/usage/required", ""}},
	{"a member is removed", true, "removed: the member reason", []string{"/$defs/route/properties/reason", ""}},
	{"a member is renamed", true, "renamed: cache_read", []string{"/$defs/usage/properties/cache_read", "", "/$defs/usage/properties/cache_read_input_tokens", `{"type":"integer","description":"Tokens read from the provider's cache."}`}},
	{"a member is retyped", true, "retyped", []string{"/$defs/result/properties/duration_ms/type", `"string"`}},
	{"an integer becomes a number", true, "retyped", []string{"/$defs/result/properties/num_turns/type", `"number"`}},
	{"a number becomes an integer", true, "retyped", []string{"/$defs/result/properties/total_cost_usd/type", `"integer"`}},
	{"a type gains null", true, "retyped", []string{"/$defs/result/properties/result/type", `["string","null"]`}},
	{"a type goes away", true, "retyped", []string{"/$defs/route/properties/conclusive/type", ""}},
	{"a free member gets a type", true, "narrowed", []string{"/$defs/tool_use_block/properties/input/type", `"object"`}},
	{"elements are retyped", true, "retyped", []string{"/$defs/result/properties/errors/items/type", `"object"`}},
	{"elements get free", true, "retyped: items is free", []string{"/$defs/result/properties/errors/items", ""}},
	{"a shared definition is retyped", true, "retyped", []string{"/$defs/id/type", `"integer"`}},
	{"a reference leads elsewhere", true, "", []string{started + "/properties/task_id/$ref", `"#/$defs/usage"`}},
	{"another time format", true, "changed", []string{"/properties/ts/pattern", `"^[0-9T:.Z-]+$"`}},
	{"an id may be empty", true, "a promise is gone", []string{"/$defs/id/minLength", ""}},
	{"a string gets a limit", true, "narrowed", []string{"/$defs/result/properties/result/maxLength", "100"}},
	{"a minimum rises", true, "changed", []string{"/properties/seq/minimum", "1"}},
	{"a minimum is new", true, "narrowed", []string{"/$defs/usage/properties/input_tokens/minimum", "0"}},
	{"a constant changes", true, "must stand here", []string{"/$defs/assistant/properties/message/properties/role/const", `"model"`}},
	{"a constant appears", true, "must stand here", []string{"/$defs/system_error/properties/recoverable/const", "false"}},
	{"a constant goes away", true, "must stand here", []string{"/$defs/system_error/properties/is_error/const", ""}},
	{"an enumeration closes", true, "narrowed", []string{"/$defs/task_kind/enum", `["workflow"]`}},
	{"an enumeration loses a value", true, "narrowed: the value", []string{"/$defs/system_memory/properties/op/enum", `["record","get"]`, "+", "", "/$defs/system_memory/properties/op/enum", `["record"]`}},
	{"a known value goes away", true, "narrowed: the known value", []string{"/$defs/system_memory/properties/op/x-values/0", ""}},
	{"a new top-level type", true, "a new top-level type", []string{"/allOf/-", `{"if":{"properties":{"type":{"const":"progress"}},"required":["type"]},"then":{"required":["done"]}}`}},
	{"a new top-level type by its name alone", true, "top-level types", []string{"/properties/type/x-values/-", `"progress"`}},
	{"a system subtype is removed", true, "removed: the case", []string{"/$defs/system/allOf/10", ""}},
	{"an event type is removed", true, "removed: the case", []string{event + "/allOf/2", ""}},
	{"an event type is renamed", true, "removed: the case", []string{event + "/allOf/1/if/properties/type/const", `"input_json_delta"`}},
	{"a new condition on an existing subtype", true, "narrowed: a new condition", []string{"/$defs/system/allOf/-", `{"if":{"properties":{"subtype":{"const":"route"}},"required":["subtype"]},"then":{"required":["_meta"]}}`}},
	{"a condition on another member", true, "narrowed: a new condition", []string{started + "/allOf", `[{"if":{"properties":{"kind":{"const":"workflow"}}},"then":{"required":["task"]}}]`}},
	{"a new case with an else", true, "narrowed: a new condition", []string{"/$defs/system/allOf/-", `{"if":{"properties":{"subtype":{"const":"plan"}}},"else":{"required":["_meta"]}}`}},
	{"a promise in a condition goes away", true, "a promise is gone", []string{"/$defs/result/allOf/0/then", ""}},
	{"a new part of allOf", true, "narrowed: a new part", []string{"/allOf/-", `{"required":["_meta"]}`}},
	{"a choice narrows", true, "anyOf changed", []string{"/$defs/system_background_tasks_changed/anyOf/1", ""}},
	{"what a choice refers to changes", true, "not", []string{"/$defs/result/allOf/2/then/properties/stop_reason/not/enum/0", `"length"`}},
	{"contains changes", true, "contains changed", []string{"/$defs/system_init/properties/capabilities/contains/const", `"stream_v2"`}},
	{"a closed object opens", true, "open now", []string{"/$defs/usage/additionalProperties", ""}},
	{"an open object closes", true, "only the listed members", []string{"/properties/_meta/additionalProperties", "false"}},
	{"a member is forbidden", true, "narrowed", []string{"/$defs/agent/properties/model", "false"}},
	{"a new member is forbidden", true, "forbidden", []string{"/$defs/agent/properties/region", "false"}},
	{"members by name get free", true, "retyped: additionalProperties is free", []string{"/$defs/result/properties/model_usage/additionalProperties", "true"}},
	{"names are asked for", true, "narrowed: propertyNames", []string{"/$defs/result/properties/model_usage/propertyNames", `{"pattern":"^[a-z]"}`}},
	{"a dependency changes", true, "dependentSchemas", []string{"/$defs/user/dependentSchemas", ""}},
	{"a keyword that nobody knows", true, "narrowed: sparkle", []string{"/$defs/usage/sparkle", "true"}},
	{"another name of the contract", true, "another contract", []string{"/$id", `"urn:streamjson:schema:stream-json:stream_v2"`}},
	{"the revision goes back", true, "goes back", []string{"/x-revision", "0"}},
	{"a sibling of a reference narrows", true, "narrowed", []string{started + "/properties/task_id/pattern", `"^task_"`}},
}

// TestEvolution: each edit of the table gets its verdict, with a pointer into
// one of the documents and the reason.
func TestEvolution(t *testing.T) {
	if len(edits) < 40 {
		t.Fatalf("%d edits", len(edits))
	}
	for _, e := range edits {
		t.Run(e.name, func(t *testing.T) {
			older, newer := schema.Stream(), schema.Stream()
			for i := 0; i < len(e.steps); i += 2 {
				if e.steps[i] == "+" { // what was done so far is the older document
					older = newer
					continue
				}
				newer = apply(t, newer, e.steps[i], e.steps[i+1])
			}
			changes, err := contract.Compare(older, newer)
			if err != nil {
				t.Fatal(err)
			}
			breaking, said := false, false
			for _, c := range changes {
				breaking = breaking || c.Breaking
				said = said || c.Breaking == e.breaking && strings.Contains(c.Reason, e.reason)
				if !resolves(older, c.Pointer) && !resolves(newer, c.Pointer) {
					t.Errorf("%q leads nowhere", c.Pointer)
				}
			}
			if breaking != e.breaking || !said && e.reason != "" {
				t.Errorf("breaking %v, want %v with %q: %+v", breaking, e.breaking, e.reason, changes)
			}
			if back, err := contract.Compare(newer, newer); err != nil || len(back) > 0 {
				t.Errorf("the new document differs from itself: %v, %v", back, err)
			}
		})
	}
}

// TestEnvelopeEvolution: the envelope's schema is held to the same.
func TestEnvelopeEvolution(t *testing.T) {
	for _, e := range []edit{
		{"another version", true, "must stand here", []string{"/properties/schema_version/const", "2"}},
		{"a member is removed", true, "removed", []string{"/properties/warnings", ""}},
		{"errors may be empty", true, "a promise is gone", []string{"/else", ""}},
		{"a new optional member", false, "a new member", []string{"/properties/hint", `{"type":"string"}`}},
	} {
		changes, err := contract.Compare(schema.Envelope(), apply(t, schema.Envelope(), e.steps[0], e.steps[1]))
		if err != nil || len(changes) != 1 || changes[0].Breaking != e.breaking || !strings.Contains(changes[0].Reason, e.reason) {
			t.Errorf("%s: %v, %v", e.name, changes, err)
		}
	}
}

// TestCompareRefuses: what is no schema document is an error, never a verdict.
func TestCompareRefuses(t *testing.T) {
	good := schema.Stream()
	for name, bad := range map[string]string{
		"no JSON":                `{"type":`,
		"an array":               `[]`,
		"nothing":                ``,
		"a reference out":        `{"$ref":"other.json#/x"}`,
		"a dead reference":       `{"$ref":"#/$defs/none"}`,
		"a dead reference below": `{"properties":{"a":{"$ref":"#/$defs/none"}}}`,
	} {
		if _, err := contract.Compare([]byte(bad), good); err == nil || !strings.Contains(err.Error(), "older") && !strings.Contains(err.Error(), "leads nowhere") {
			t.Errorf("%s as the older one: %v", name, err)
		}
		if _, err := contract.Compare(good, []byte(bad)); err == nil {
			t.Errorf("%s as the newer one is taken", name)
		}
	}
}

// TestCompareEnds: schemas that refer to themselves are compared, too.
func TestCompareEnds(t *testing.T) {
	const loop = `{"$ref":"#/$defs/a","$defs":{"a":{"properties":{"a":{"$ref":"#/$defs/a"}},"anyOf":[{"$ref":"#/$defs/a"},{"$ref":"#"}]}}}`
	if changes, err := contract.Compare([]byte(loop), []byte(loop)); err != nil || len(changes) != 0 {
		t.Errorf("%v, %v", changes, err)
	}
}

// apply sets or removes a value in a document.
func apply(t *testing.T, doc []byte, pointer, value string) []byte {
	t.Helper()
	var root any
	if err := json.Unmarshal(doc, &root); err != nil {
		t.Fatal(err)
	}
	var v any
	if value != "" {
		if err := json.Unmarshal([]byte(value), &v); err != nil {
			t.Fatalf("%s: %v", value, err)
		}
	}
	root, err := edited(root, strings.Split(pointer, "/")[1:], v, value == "")
	if err != nil {
		t.Fatalf("%s: %v", pointer, err)
	}
	out, err := json.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func edited(at any, path []string, v any, remove bool) (any, error) {
	if len(path) == 0 {
		return v, nil
	}
	switch at := at.(type) {
	case map[string]any:
		below, there := at[path[0]]
		switch {
		case remove && len(path) == 1:
			if !there {
				return nil, fmt.Errorf("%s is not there", path[0])
			}
			delete(at, path[0])
			return at, nil
		case !there && len(path) > 1:
			return nil, fmt.Errorf("%s is not there", path[0])
		}
		below, err := edited(below, path[1:], v, remove)
		at[path[0]] = below
		return at, err
	case []any:
		if path[0] == "-" {
			return append(at, v), nil
		}
		var i int
		if _, err := fmt.Sscan(path[0], &i); err != nil || i >= len(at) {
			return nil, fmt.Errorf("no element %s", path[0])
		}
		if remove && len(path) == 1 {
			return append(at[:i], at[i+1:]...), nil
		}
		below, err := edited(at[i], path[1:], v, remove)
		at[i] = below
		return at, err
	}
	return nil, fmt.Errorf("%s is below a scalar", path[0])
}

// resolves reports whether a pointer leads to something.
func resolves(doc []byte, pointer string) bool {
	var at any
	if json.Unmarshal(doc, &at) != nil {
		return false
	}
	if pointer == "" {
		return true
	}
	for _, token := range strings.Split(pointer, "/")[1:] {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		switch v := at.(type) {
		case map[string]any:
			below, there := v[token]
			if !there {
				return false
			}
			at = below
		case []any:
			var i int
			if _, err := fmt.Sscan(token, &i); err != nil || i >= len(v) {
				return false
			}
			at = v[i]
		default:
			return false
		}
	}
	return true
}
