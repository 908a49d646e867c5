package emit_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/event"
	"github.com/streamjson/streamjson/internal/jsonl"
)

var stateRunning = event.State{SessionState: event.StateRunning}

func TestParseHead(t *testing.T) {
	for _, c := range []struct {
		rule, line string
		want       emit.Head
		ok         bool
	}{
		{"with a subtype", `{"type":"system","subtype":"init","session_id":"s","seq":0,"ts":"x"}`, emit.Head{"system", "init", "s", 0}, true},
		{"without", `{"type":"assistant","session_id":"s","seq":17,"ts":"x"}` + "\n", emit.Head{"assistant", "", "s", 17}, true},
		{"the largest seq", `{"type":"user","session_id":"s","seq":18446744073709551615}`, emit.Head{"user", "", "s", 1<<64 - 1}, true},
		{"escapes", `{"type":"system","subtype":"a\"b\u00e9","session_id":"s\\1","seq":1,`, emit.Head{"system", `a"bé`, `s\1`, 1}, true},
		{"the rest is not looked at", `{"type":"user","session_id":"s","seq":1,garbage`, emit.Head{"user", "", "s", 1}, true},
		{"a seq beyond 64 bits", `{"type":"user","session_id":"s","seq":18446744073709551616}`, emit.Head{}, false},
		{"a seq that goes on", `{"type":"user","session_id":"s","seq":1.5}`, emit.Head{}, false},
		{"a leading zero", `{"type":"user","session_id":"s","seq":01}`, emit.Head{}, false},
		{"a seq that is cut", `{"type":"user","session_id":"s","seq":1`, emit.Head{}, false},
		{"no seq", `{"type":"user","session_id":"s","seq":,`, emit.Head{}, false},
		{"a negative seq", `{"type":"user","session_id":"s","seq":-1}`, emit.Head{}, false},
		{"another order", `{"session_id":"s","type":"user","seq":1}`, emit.Head{}, false},
		{"white space", `{ "type":"user","session_id":"s","seq":1}`, emit.Head{}, false},
		{"an empty type", `{"type":"","session_id":"s","seq":1}`, emit.Head{}, false},
		{"a string without an end", `{"type":"user`, emit.Head{}, false},
		{"a string that ends in an escape", `{"type":"user\`, emit.Head{}, false},
		{"a control character", "{\"type\":\"us\ner\",\"session_id\":\"s\",\"seq\":1}", emit.Head{}, false},
		{"nothing", ``, emit.Head{}, false},
		{"prose", `warning: no JSON here`, emit.Head{}, false},
	} {
		t.Run(c.rule, func(t *testing.T) {
			if got, ok := emit.ParseHead([]byte(c.line)); got != c.want || ok != c.ok {
				t.Errorf("ParseHead = %+v, %v; want %+v, %v", got, ok, c.want, c.ok)
			}
		})
	}
}

// FuzzParseHead holds ParseHead to a full parse wherever both see a line.
func FuzzParseHead(f *testing.F) {
	files, err := filepath.Glob(filepath.Join(goldenDir, "*.jsonl"))
	if err != nil || len(files) == 0 {
		f.Fatal("no golden runs:", err)
	}
	for _, path := range files {
		run, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for line := range strings.Lines(string(run)) {
			f.Add([]byte(line))
		}
	}
	f.Add([]byte("{\"type\":\"0\",\"session_id\":\"\x95\",\"seq\":0}"))
	f.Fuzz(func(t *testing.T, line []byte) {
		head, ok := emit.ParseHead(line)
		first := map[string]string{} // the value of each key where it stands first
		err := jsonl.Members(line, func(key string, value []byte) error {
			if _, later := first[key]; !later {
				first[key] = string(value)
			}
			return nil
		})
		if !ok || err != nil {
			return
		}
		text := func(key string) string {
			if first[key] == "" {
				return ""
			}
			return string(jsonl.AppendUnquoted(nil, []byte(first[key])))
		}
		if head.Type != text("type") || head.SessionID != text("session_id") || strconv.FormatUint(head.Seq, 10) != first["seq"] ||
			head.Subtype != "" && head.Subtype != text("subtype") {
			t.Errorf("ParseHead(%q) = %+v, a full parse says %v", line, head, first)
		}
	})
}
