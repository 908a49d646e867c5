package suite_test

import (
	"testing"

	"github.com/streamjson/streamjson/bench/internal/line"
	"github.com/streamjson/streamjson/bench/internal/rival"
	"github.com/streamjson/streamjson/bench/internal/suite"
)

// TestEveryContenderWritesWhatItIsMeasuredFor runs each operation once: all of them must write lines of about the same length.
func TestEveryContenderWritesWhatItIsMeasuredFor(t *testing.T) {
	b := suite.NewBuilder(96 << 10) // texts of 1 MiB are shorter here
	for _, k := range append(suite.Emits(), suite.Encodes()...) {
		c, err := b.Case(k, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Contenders) < 5 || c.Contenders[0].Name != suite.Ours || c.Contenders[1].Name != suite.Redacted {
			t.Errorf("%v: contenders %v", k, c.Contenders)
		}
		want := 0
		for _, x := range c.Contenders {
			total, err := x.Op()
			if err != nil {
				t.Fatalf("%v: %s: %v", k, x.Name, err)
			}
			compare(t, k, x.Name, total, &want)
		}
	}
}

func compare(t *testing.T, k suite.Key, name string, total int, want *int) {
	t.Helper()
	switch {
	case name == suite.Floor && k.Whole:
		return // the floor of an emit writes nothing
	case name == suite.Ours:
		*want = total
		return
	case name == suite.Redacted && k.Shape == line.TextDelta,
		name == suite.Redacted && k.Shape == line.ThinkingDelta, name == suite.Redacted && k.Shape == line.ToolArgs:
		return // a delta may be held back until the next one
	case k.Kind == "control":
		// phuslu writes some of them raw, floors all.
		*want = max(*want, total)
		return
	}
	// Rivals spell some members otherwise, and escape less; ours has an init
	// line at first.
	if total < *want*3/4-700 || total > *want*5/4+700 {
		t.Errorf("%v: %s has written %d bytes, ours %d", k, name, total, *want)
	}
}

func TestKeysAreUniqueAndCoreIsPartOfThem(t *testing.T) {
	seen := map[suite.Key]bool{}
	names := map[string]bool{}
	for _, k := range append(suite.Emits(), suite.Encodes()...) {
		if seen[k] || names[k.String()] {
			t.Errorf("%v is there twice", k)
		}
		seen[k], names[k.String()] = true, true
	}
	for _, k := range append(suite.Core(), suite.ToolUse(), suite.Result()) {
		if !seen[k] {
			t.Errorf("%v is checked, but not measured by the report", k)
		}
	}
}

func TestOnlyKeptContendersTakePart(t *testing.T) {
	c, err := suite.NewBuilder(64<<10).Case(suite.ToolUse(), func(name string) bool {
		return name == suite.Ours || name == rival.EncodingJSON
	})
	if err != nil || len(c.Contenders) != 2 {
		t.Errorf("%d contenders, %v", len(c.Contenders), err)
	}
}

func TestSizesAreSpelledAsPeopleDo(t *testing.T) {
	for n, want := range map[int]string{40: "40", 2 << 10: "2K", 64 << 10: "64K", 1 << 20: "1M", 1500: "1500"} {
		if got := suite.SizeName(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
