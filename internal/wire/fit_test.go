package wire_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"go.uber.org/goleak"

	"github.com/streamjson/streamjson/internal/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// encode encodes until the line fits, as an event does.
func encode(l *wire.Line, maxBytes int, members func(*wire.Line)) string {
	l.Reset("t", "")
	l.Max, l.Measure = maxBytes, maxBytes > 0
	for more := true; more; more = l.Again() {
		members(l)
		l.End(nil, nil, "")
	}
	return "{" + strings.TrimPrefix(string(l.Buf), ",") + "}"
}

func TestAgainCutsNoMoreThanNeeded(t *testing.T) {
	short, long := "a short one", strings.Repeat("é\n", 4000)
	var l wire.Line
	for maxBytes := 120; maxBytes < 9000; maxBytes += 37 {
		got := encode(&l, maxBytes, func(l *wire.Line) {
			l.Text("short", short)
			l.Prose("long", long)
		})
		var members struct {
			Short, Long string
			Meta        struct {
				Cut int `json:"truncated_bytes"`
			} `json:"_meta"`
		}
		if err := json.Unmarshal([]byte(got), &members); err != nil || !utf8.ValidString(got) {
			t.Fatalf("%d: %v: %s", maxBytes, err, got)
		}
		if len(l.Buf) > maxBytes || l.Refused != nil {
			t.Fatalf("%d: a line of %d bytes, refused: %v", maxBytes, len(l.Buf), l.Refused)
		}
		if members.Short != short {
			t.Errorf("%d: the short text was cut to %q", maxBytes, members.Short)
		}
		if !strings.HasPrefix(long, members.Long) || len(long)-len(members.Long) != members.Meta.Cut {
			t.Errorf("%d: %d of %d bytes are there, %d are told as cut", maxBytes, len(members.Long), len(long), members.Meta.Cut)
		}
		// One more character would not have fitted; the count in _meta may
		// take up to what is reserved for it.
		if room := maxBytes - len(l.Buf); room > 60 {
			t.Errorf("%d: %d bytes are left", maxBytes, room)
		}
	}
}

func TestAgainGivesUpOnWhatMayNotBeCut(t *testing.T) {
	var l wire.Line
	encode(&l, 4096, func(l *wire.Line) {
		l.ID("id", strings.Repeat("i", 5000))
		l.Text("text", strings.Repeat("t", 5000))
	})
	var tooLong *wire.TooLongError
	if l.Refused == nil || !errors.As(l.Refused.Err, &tooLong) || tooLong.Max != 4096 {
		t.Errorf("refused: %+v", l.Refused)
	}
	encode(&l, 4096, func(l *wire.Line) { l.Input("input", map[string]any{"a": strings.Repeat("t", 5000)}) })
	if l.Refused == nil {
		t.Error("the input of a tool was cut")
	}
}

func TestAgainCutsInsideValues(t *testing.T) {
	var l wire.Line
	got := encode(&l, 4096, func(l *wire.Line) {
		l.OptValue("task", map[string]any{"log": strings.Repeat("line\n", 5000), "n": 7})
	})
	var members struct {
		Task map[string]any
		Meta map[string]any `json:"_meta"`
	}
	if err := json.Unmarshal([]byte(got), &members); err != nil || l.Refused != nil || len(l.Buf) > 4096 {
		t.Fatalf("%v, refused %v, %d bytes", err, l.Refused, len(l.Buf))
	}
	if log := members.Task["log"].(string); len(log) < 500 || members.Task["n"] != 7.0 || members.Meta["truncated_bytes"] != float64(25000-len(log)) {
		t.Errorf("%d bytes of log, n %v, _meta %v", len(log), members.Task["n"], members.Meta)
	}
}

func TestFinalLinesLeaveOutWhatIsOptional(t *testing.T) {
	var l wire.Line
	members := func(l *wire.Line) {
		l.Final = true
		l.Text("result", "done")
		if l.Optional("tools") {
			l.IDs("tools", []string{strings.Repeat("t", 5000)})
		}
	}
	got := encode(&l, 4096, members)
	if l.Refused != nil || got != `{"result":"done","_meta":{"left_out":["tools"]}}` {
		t.Errorf("refused %v: %s", l.Refused, got)
	}
}
