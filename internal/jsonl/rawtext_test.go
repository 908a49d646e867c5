package jsonl_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/streamjson/streamjson/internal/jsonl"
)

// seen notes what a filter is shown.
type seen struct{ texts, covered []string }

func (f *seen) Text(s string) string {
	f.texts = append(f.texts, strings.Clone(s))
	return strings.ReplaceAll(s, "secret", "[R]")
}

func (f *seen) Key(name string) (string, bool) { return name, name == "token" }

func (f *seen) Covered(s string) string {
	f.covered = append(f.covered, strings.Clone(s))
	return "[covered]"
}

// A string without escapes is not decoded before it is written; that must not
// be seen on the wire, nor by the filter.
func TestAppendRawTextWithoutEscapes(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	unquoted := strings.NewReplacer("\"", "", "\\", "", "\n", "", "\x00", "", "\x08", "", "\x1b", "", "\x1f", "")
	for range 20_000 {
		s := unquoted.Replace(strings.Repeat("é世secret", r.IntN(20)) + hostileText(r, r.IntN(12)))
		raw := []byte(`{"a":"` + s + `","token":"` + s + `"}`)
		plain, err := jsonl.AppendRaw(nil, raw, nil)
		if want := `{"a":"` + slowEscape(s) + `","token":"` + slowEscape(s) + `"}`; err != nil || string(plain) != want {
			t.Fatalf("%q\n got %q, %v\nwant %q", raw, plain, err, want)
		}
		var f seen
		out, err := jsonl.AppendRaw(make([]byte, 0, r.IntN(400)), raw, &f)
		if want := `{"a":"` + slowEscape(strings.ReplaceAll(s, "secret", "[R]")) + `","token":"[covered]"}`; err != nil || string(out) != want {
			t.Fatalf("%q\n got %q, %v\nwant %q", raw, out, err, want)
		}
		if len(f.texts) != 1 || f.texts[0] != repaired(s) || len(f.covered) != 1 || f.covered[0] != repaired(s) {
			t.Fatalf("%q: the filter was shown %q and %q", raw, f.texts, f.covered)
		}
	}
}
