package emit_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/streamjson/streamjson/clock"
	"github.com/streamjson/streamjson/emit"
)

// The lines of deltas are what a whole encoding of them would be, over the
// growth of seq's digits, with other lines and other actors' in between, over
// second and day, and with blocks of other indexes and kinds.
func TestDeltaLinesArePatchedRight(t *testing.T) {
	start := time.Date(2026, 12, 31, 23, 59, 55, 0, time.UTC)
	em, stream, _ := prosed(t, func(o *emit.Options) {
		o.Partial = true
		o.SessionID = "s"
		o.Clock = clock.Stepping(start, 700*time.Microsecond)
	})
	nested := em.Nested("tu_1", "sub")
	must(t, em.Text(0, "first"))
	var want []string
	line := func(parent, event string) {
		want = append(want, fmt.Sprintf(`{"type":"stream_event","session_id":"s","seq":%d,"ts":"@"%s,"event":{%s}}`, len(want)+1, parent, event))
	}
	line("", `"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"first"}`)
	for i := range 11_000 {
		switch {
		case i%7 == 3:
			must(t, nested.Thinking(i%3, "t\n"))
			line(`,"parent_tool_use_id":"tu_1"`, fmt.Sprintf(`"type":"content_block_delta","index":%d,"delta":{"type":"thinking_delta","thinking":"t\n"}`, i%3))
		case i%11 == 5:
			must(t, em.ToolArgs("c", "1"))
			line("", `"type":"tool_args_delta","tool_use_id":"c","partial_json":"1"`)
		case i%2000 == 1999:
			must(t, em.Message("").Discard(), em.Text(1, "x"))
			line("", `"type":"deltas_discarded"`)
			line("", `"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"x"}`)
		default:
			must(t, em.Text(0, "abc"))
			line("", `"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"abc"}`)
		}
	}
	lines := strings.Split(strings.TrimSuffix(string(stream.bytes()), "\n"), "\n")[1:]
	if len(lines) != len(want) {
		t.Fatalf("%d lines, want %d", len(lines), len(want))
	}
	stamp := func(line string) (at int, ts time.Time) {
		at = strings.Index(line, `"ts":"`) + len(`"ts":"`)
		ts, err := time.Parse("2006-01-02T15:04:05.000Z", line[at:at+clock.StampLen])
		must(t, err)
		return at, ts
	}
	_, first := stamp(lines[0])
	for i, got := range lines {
		at, ts := stamp(got)
		// init and the emitter itself have read the clock, too, so the time
		// of a line is known by its distance to the first one.
		if off := ts.Sub(first) - time.Duration(i)*700*time.Microsecond; off.Abs() > time.Millisecond {
			t.Fatalf("line %d is %v off: %s", i, off, got)
		}
		if got = got[:at] + "@" + got[at+clock.StampLen:]; got != want[i] {
			t.Fatalf("line %d:\n%s\nwant\n%s", i, got, want[i])
		}
	}
}
