package rival_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/streamjson/streamjson/bench/internal/line"
	"github.com/streamjson/streamjson/bench/internal/rival"
)

// texts are plain enough for every library to write them right.
var texts = []string{
	"plain words", "a \"quote\", a \\ and\n\ta tab", "naïve — 日本 🙂", "<b>&amp;</b>", "",
}

func exampleLine(s line.Shape, text string) line.Line {
	next := func() string { return text }
	return line.Line{
		Shape: s, Seq: 7, TS: line.Stamp, Text: text, Input: line.Input(text), Data: line.Records(3, next),
	}
}

// want is the line that the contract asks for, by encoding/json alone.
func want(t *testing.T, l *line.Line) map[string]any {
	t.Helper()
	var s line.Structs
	v, err := line.ToAny(s.Value(l))
	if err != nil {
		t.Fatal(err)
	}
	return v.(map[string]any)
}

// sameMembers compares what a library has written with what it should have,
// but for the names that it is known to insist on.
func sameMembers(t *testing.T, lib rival.Library, got []byte, l *line.Line) {
	t.Helper()
	if !json.Valid(got) || !utf8.Valid(got) || !bytes.HasSuffix(got, []byte("\n")) {
		t.Fatalf("%s: %v: no line of JSON in UTF-8: %q", lib.Name, l.Shape, got)
	}
	if l.Shape != line.Envelope && bytes.Count(got, []byte("\n")) != 1 {
		t.Fatalf("%s: %v: more than one line: %q", lib.Name, l.Shape, got)
	}
	have, err := line.Decode(got)
	if err != nil {
		t.Fatalf("%s: %v", lib.Name, err)
	}
	for ours, theirs := range lib.Renamed {
		if have[ours] = have[theirs]; ours != theirs {
			delete(have, theirs)
		}
	}
	for _, name := range lib.Extra {
		if _, ok := have[name]; !ok {
			t.Errorf("%s: %v: %q is said to be written, and is not", lib.Name, l.Shape, name)
		}
		delete(have, name)
	}
	if wanted := want(t, l); !reflect.DeepEqual(have, wanted) {
		t.Errorf("%s: %v:\n got %s\nwant %v", lib.Name, l.Shape, got, wanted)
	}
}

func TestRivalsWriteTheSameMembers(t *testing.T) {
	for _, lib := range rival.Libraries() {
		encoder := lib.New()
		for _, s := range line.Shapes() {
			if !lib.Writes(s) {
				continue
			}
			// Twice each, for encoders keep state.
			for _, text := range append(slices.Clone(texts), texts...) {
				l := exampleLine(s, text)
				got, err := encoder.Encode(&l)
				if err != nil {
					t.Errorf("%s: %v: %v", lib.Name, s, err)
					continue
				}
				sameMembers(t, lib, got, &l)
			}
		}
	}
}

func TestEmittersNumberAndStampEachLine(t *testing.T) {
	for _, lib := range rival.Libraries() {
		var out bytes.Buffer
		em := rival.NewEmitter(lib, &out)
		for _, text := range texts {
			l := line.Line{Shape: line.TextDelta, Text: text}
			if err := em.Emit(&l); err != nil {
				t.Fatalf("%s: %v", lib.Name, err)
			}
		}
		if err := em.Close(); err != nil {
			t.Fatalf("%s: %v", lib.Name, err)
		}
		for i, got := range bytes.SplitAfter(bytes.TrimSuffix(out.Bytes(), []byte("\n")), []byte("\n")) {
			members, err := line.Decode(got)
			if err != nil {
				t.Fatalf("%s: %v", lib.Name, err)
			}
			ts, _ := members["ts"].(string)
			if len(ts) != len(line.Stamp) || ts[len(ts)-1] != 'Z' || ts < "2026" {
				t.Errorf("%s: ts is %q", lib.Name, ts)
			}
			l := line.Line{Shape: line.TextDelta, Seq: uint64(i), TS: ts, Text: texts[i]}
			sameMembers(t, lib, append(bytes.TrimSpace(got), '\n'), &l)
		}
	}
}

// TestComparisonIsComplete holds the list of rivals to what the report claims.
func TestComparisonIsComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, lib := range rival.Libraries() {
		if seen[lib.Name] {
			t.Errorf("two libraries are called %q", lib.Name)
		}
		seen[lib.Name] = true
		found, ok := rival.Find(lib.Name)
		if !ok || found.Name != lib.Name {
			t.Errorf("Find(%q) = %q, %v", lib.Name, found.Name, ok)
		}
	}
	for _, name := range []string{rival.EncodingJSON, rival.Zerolog, rival.Slog, "zap", "phuslu/log", "goccy/go-json", "segmentio/encoding"} {
		if !seen[name] {
			t.Errorf("%q is missing", name)
		}
	}
	if _, ok := rival.Find("cobol"); ok {
		t.Error("Find knows a library that is none")
	}
}
