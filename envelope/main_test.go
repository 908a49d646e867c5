package envelope_test

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
	"unicode/utf8"

	"go.uber.org/goleak"

	"github.com/streamjson/streamjson/envelope"
)

// TestMain also is the programs that the tests start: see process_test.go.
func TestMain(m *testing.M) {
	if name := os.Getenv(programEnv); name != "" {
		os.Exit(programs()[name]())
	}
	goleak.VerifyTestMain(m)
}

// mustParse is the oracle of most tests: doc is exactly one strict envelope by
// this package, and the same by encoding/json.
func mustParse(t testing.TB, doc []byte) envelope.Envelope[json.RawMessage] {
	t.Helper()
	if err := envelope.ValidateStrict(doc); err != nil {
		t.Fatalf("not one strict envelope: %v\n%s", err, head(doc))
	}
	if !utf8.Valid(doc) {
		t.Fatalf("not valid UTF-8: %q", head(doc))
	}
	var e struct {
		Version  int              `json:"schema_version"`
		OK       *bool            `json:"ok"`
		Data     *json.RawMessage `json:"data"`
		Errors   []string         `json:"errors"`
		Warnings []string         `json:"warnings"`
	}
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&e); err != nil {
		t.Fatalf("encoding/json: %v\n%s", err, head(doc))
	}
	if dec.More() || e.Version != 1 || e.OK == nil || e.Errors == nil || e.Warnings == nil || *e.OK == (len(e.Errors) > 0) {
		t.Fatalf("not an envelope by encoding/json:\n%s", head(doc))
	}
	env, err := envelope.Decode[json.RawMessage](doc)
	if err != nil {
		t.Fatalf("Decode: %v", err)
	}
	return env
}

func head(b []byte) []byte {
	if len(b) > 2000 {
		return append(b[:2000:2000], "..."...)
	}
	return b
}
