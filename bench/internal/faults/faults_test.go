package faults_test

import (
	"cmp"
	"errors"
	"testing"

	"github.com/streamjson/streamjson/bench/internal/faults"
	"github.com/streamjson/streamjson/bench/internal/line"
	"github.com/streamjson/streamjson/bench/internal/ours"
	"github.com/streamjson/streamjson/bench/internal/rival"
	"github.com/streamjson/streamjson/redact"
)

const tried = 400

func TestOursHasNoFaults(t *testing.T) {
	got := faults.Examine(tried, ours.NewEncoder(redact.None()).Encode)
	if got != (faults.Count{Lines: 2 * tried}) {
		t.Errorf("%+v", got)
	}
}

// TestEachFaultIsSeen plants each fault in a line that is right otherwise.
func TestEachFaultIsSeen(t *testing.T) {
	right := `{"event":{"delta":{"text":"x"}}}`
	for name, c := range map[string]struct {
		written string
		err     error
		count   func(faults.Count) int
		want    int // 0: all of them
	}{
		"invalid JSON":    {written: `{"a":}` + "\n", count: func(c faults.Count) int { return c.InvalidJSON }},
		"trailing JSON":   {written: `{"a":1}}` + "\n", count: func(c faults.Count) int { return c.InvalidJSON }},
		"two values":      {written: `{"a":1} {}` + "\n", count: func(c faults.Count) int { return c.InvalidJSON }},
		"nothing":         {written: "", count: func(c faults.Count) int { return c.InvalidJSON }},
		"invalid UTF-8":   {written: "{\"a\":\"\xff\"}\n", count: func(c faults.Count) int { return c.InvalidUTF8 }},
		"broken line":     {written: "{\n\"a\":1}\n", count: func(c faults.Count) int { return c.Broken }},
		"key twice":       {written: `{"a":[{"k":1},{"k":1}],"b":{"c":1,"\u0063":2}}` + "\n", count: func(c faults.Count) int { return c.DuplicateKeys }},
		"raw separator":   {written: "{\"a\":\"\u2028\"}\n", count: func(c faults.Count) int { return c.Unescaped }},
		"raw DEL":         {written: "{\"a\":\"\x7f\"}\n", count: func(c faults.Count) int { return c.Unescaped }},
		"refused":         {err: errors.New("no"), count: func(c faults.Count) int { return c.Refused }},
		"another text":    {written: right + "\n", count: func(c faults.Count) int { return c.Changed }, want: tried},
		"all lines count": {written: right + "\n", count: func(c faults.Count) int { return c.Lines }},
	} {
		got := faults.Examine(tried, func(*line.Line) ([]byte, error) { return []byte(c.written), c.err })
		if want := cmp.Or(c.want, 2*tried); c.count(got) != want {
			t.Errorf("%s: %+v, want it in %d lines", name, got, want)
		}
	}
}

// TestKnownFaultsOfRivals pins what the report says of some of them; should a
// new version do better, the comparison has to be looked at.
func TestKnownFaultsOfRivals(t *testing.T) {
	for _, c := range []struct {
		name string
		want func(faults.Count) bool
	}{
		{"phuslu/log", func(c faults.Count) bool { return c.InvalidJSON > 0 && c.InvalidUTF8 > 0 }},
		{rival.SonicInto, func(c faults.Count) bool { return c.InvalidUTF8 > 0 && c.Broken > 0 }},
		{rival.EncodingJSON, func(c faults.Count) bool { return c.DuplicateKeys > 0 && c.InvalidUTF8 > 0 && c.Changed == 0 }},
		{rival.Zerolog, func(c faults.Count) bool { return c.InvalidJSON > 0 && c.Broken > 0 }},
	} {
		lib, ok := rival.Find(c.name)
		if !ok {
			continue // not on this machine
		}
		if got := faults.Examine(tried, lib.New().Encode); !c.want(got) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}
