package schema_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/streamjson/streamjson/contract"
	"github.com/streamjson/streamjson/contract/schema"
)

var update = flag.Bool("update", false, "write the working schemas as the revision that they state, unless it is released")

// documents are the four printed documents by their file names.
func documents() map[string][]byte {
	return map[string][]byte{
		"stream-json.schema.json":        schema.Stream(),
		"stream-json.reader.schema.json": schema.StreamReader(),
		"envelope.schema.json":           schema.Envelope(),
		"envelope.reader.schema.json":    schema.EnvelopeReader(),
	}
}

// TestDocuments: each printed document is an ordinary one, names itself, refers
// to nothing outside of itself, and states its revision.
func TestDocuments(t *testing.T) {
	ids := map[any]bool{}
	for name, text := range documents() {
		var doc map[string]any
		if err := json.Unmarshal(text, &doc); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if doc["$schema"] != "https://json-schema.org/draft/2020-12/schema" {
			t.Errorf("%s is of the draft %v", name, doc["$schema"])
		}
		id, _ := doc["$id"].(string)
		if !strings.HasPrefix(id, "urn:streamjson:schema:") || ids[id] {
			t.Errorf("%s calls itself %q", name, id)
		}
		ids[id] = true
		if r, _ := doc["x-revision"].(float64); r < 1 {
			t.Errorf("%s states the revision %v", name, doc["x-revision"])
		}
		if bytes.Contains(text, []byte("x-reader\":")) {
			t.Errorf("%s is printed with x-reader", name)
		}
		for _, line := range strings.Split(string(text), "\n") {
			if strings.Contains(line, "\"$ref\"") && !strings.Contains(line, "\"$ref\": \"#/$defs/") {
				t.Errorf("%s refers out of itself: %s", name, line)
			}
		}
		if changes, err := contract.Compare(text, text); err != nil || len(changes) > 0 {
			t.Errorf("%s can't be compared: %v, %v", name, changes, err)
		}
	}
}

// TestDescribed: every member has words, in place or where it refers to.
func TestDescribed(t *testing.T) {
	for name, text := range documents() {
		var root map[string]any
		if err := json.Unmarshal(text, &root); err != nil {
			t.Fatal(err)
		}
		count := 0
		eachSchema(root, "", func(at string, s map[string]any) {
			count++
			d, _ := s["description"].(string)
			if ref, ok := s["$ref"].(string); ok && d == "" {
				d, _ = root["$defs"].(map[string]any)[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)["description"].(string)
			}
			if !strings.HasSuffix(d, ".") {
				t.Errorf("%s: %s is described as %q", name, at, d)
			}
		})
		if count < 5 {
			t.Errorf("%s has %d members", name, count)
		}
	}
}

// eachSchema calls f for the schema of each member and each definition.
func eachSchema(v any, at string, f func(string, map[string]any)) {
	m, ok := v.(map[string]any)
	if !ok {
		return
	}
	for _, keyword := range []string{"properties", "patternProperties", "$defs"} {
		all, _ := m[keyword].(map[string]any)
		for name, below := range all {
			if s, ok := below.(map[string]any); ok {
				f(at+"/"+keyword+"/"+name, s)
				eachSchema(s, at+"/"+keyword+"/"+name, f)
			}
		}
	}
	for _, keyword := range []string{"items", "additionalProperties"} {
		eachSchema(m[keyword], at+"/"+keyword, f)
	}
}

// TestReleased: nothing of what was released is broken, and whoever adds to the
// schemas raises their revision.
func TestReleased(t *testing.T) {
	for name, now := range documents() {
		revision := revisionOf(t, now)
		path := filepath.Join("released", strings.Replace(name, ".schema", "."+revision, 1))
		if _, err := os.Stat(path); *update && os.IsNotExist(err) {
			if err := os.WriteFile(path, now, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		files, err := filepath.Glob(filepath.Join("released", strings.Replace(name, ".schema", ".[0-9]*", 1)))
		if err != nil || len(files) == 0 {
			t.Fatalf("no released revision of %s: %v", name, err)
		}
		for _, file := range files {
			before, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			changes, err := contract.Compare(before, now)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range changes {
				if c.Breaking {
					t.Errorf("%s breaks %s: %s: %s", name, file, c.Pointer, c.Reason)
				}
			}
			if revisionOf(t, before) == revision && !bytes.Equal(before, now) {
				t.Errorf("%s differs from %s, which is released: raise x-revision, then go test -update", name, file)
			}
		}
	}
}

func revisionOf(t *testing.T, document []byte) string {
	t.Helper()
	var head struct {
		Revision json.Number `json:"x-revision"`
	}
	if err := json.Unmarshal(document, &head); err != nil {
		t.Fatal(err)
	}
	return head.Revision.String()
}

// TestCopies: what a caller does to a document stays with the caller.
func TestCopies(t *testing.T) {
	clear(schema.Stream())
	if !json.Valid(schema.Stream()) {
		t.Error("the document was changed")
	}
}
