package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestPrunedVerdict: what the decoder leaves out makes no difference: on good
// lines and on 3,000 edited ones, the verdict is that on the whole value.
func TestPrunedVerdict(t *testing.T) {
	files, err := filepath.Glob("../testdata/good/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var lines [][]byte
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, bytes.Split(bytes.TrimSpace(text), []byte("\n"))...)
	}
	rnd := rand.New(rand.NewPCG(7, 7))
	for _, judges := range []func() (*judge, error){lineProducer, lineReader} {
		j, err := judges()
		if err != nil {
			t.Fatal(err)
		}
		refused := 0
		for n := range 3000 {
			line := bytes.Clone(lines[n%len(lines)])
			if n >= len(lines) {
				line = edit(rnd, line)
			}
			var whole any
			if whole, err = jsonschema.UnmarshalJSON(bytes.NewReader(line)); err != nil {
				continue // no JSON any more
			}
			want := j.schema.Validate(whole) == nil
			faults, err := j.verdict(line)
			if err != nil || want != (len(faults) == 0) {
				t.Fatalf("%s\nwhole %v, pruned %v, %v", line, want, faults, err)
			}
			if !want {
				refused++
			}
		}
		if refused == 0 {
			t.Error("no edit was refused: this test can't tell")
		}
	}
}

// edit replaces one value, or one character, of a line.
func edit(rnd *rand.Rand, line []byte) []byte {
	values := []string{`7`, `"x"`, `null`, `[]`, `{}`, `true`, `-1`, `1.5`, `1e2`, `1e-400`, `""`, `[[[[[[1]]]]]]`, `{"a":{"b":{"c":{"d":{"e":1}}}}}`}
	colons := bytes.Count(line, []byte(`":`))
	if rnd.IntN(3) > 0 {
		at := 0
		for range 1 + rnd.IntN(colons) {
			at += bytes.Index(line[at:], []byte(`":`)) + 2
		}
		var old json.RawMessage
		if json.NewDecoder(bytes.NewReader(line[at:])).Decode(&old) == nil {
			return append(append(bytes.Clone(line[:at]), values[rnd.IntN(len(values))]...), line[at+len(old):]...)
		}
	}
	line[rnd.IntN(len(line))] = "abc_7\""[rnd.IntN(6)]
	return line
}

// TestHostileValues: numbers that take for ever to convert, long strings and
// wide values are judged at once, or not at all.
func TestHostileValues(t *testing.T) {
	j, err := lineProducer()
	if err != nil {
		t.Fatal(err)
	}
	line := func(subtype, more string) string {
		return `{"type":"system","subtype":"` + subtype + `","session_id":"s","seq":0,"ts":"2026-01-02T03:04:05.678Z",` + more + `}`
	}
	var wide strings.Builder
	for n := range maxValues + 1 {
		fmt.Fprintf(&wide, `,"k%d":0`, n)
	}
	for _, c := range []struct {
		text string
		ok   bool
	}{
		{line("demo", `"x":[[[{"k":1`+wide.String()+`}]]]`), true},
		{line("heartbeat", `"elapsed_ms":1e999999999`), true},
		{line("heartbeat", `"elapsed_ms":-1e999999999`), true},
		{line("heartbeat", `"elapsed_ms":1e-999999999`), false},
		{line("heartbeat", `"elapsed_ms":1`+strings.Repeat("0", 100_000)), true},
		{line("heartbeat", `"elapsed_ms":0e999999999`), true},
		{line("heartbeat", `"elapsed_ms":0.`+strings.Repeat("0", 100_000)+`1`), false},
		{line("heartbeat", `"elapsed_ms":9223372036854775808`), true},
		{line("heartbeat", `"elapsed_ms":1.0`), true},
		{line("memory", `"op":"`+strings.Repeat(`\u65e5\n`, 100_000)+`"`), true},
		{line("memory", `"op":"`+strings.Repeat("日本", 100_000)+`"`), true},
		{line("memory", `"op":"`+strings.Repeat("x", 3*maxString)+`","subject":`+strings.Repeat("[", 990)+strings.Repeat("]", 990)), false},
		{line("task_started", `"task_id":"k","kind":"x","task":`+strings.Repeat("[", 990)+strings.Repeat("]", 990)), true},
		{line("task_started", `"task_id":"k","kind":"x","task":[`+strings.Repeat("1,", 1_000_000)+`1]`), true},
		{line("demo", `"x":[[[[`+"["+strings.Repeat("1,", 1_000_000)+`1]]]]]`), true},
		{strings.Replace(line("memory", `"op":"x"`), ".678Z", "."+strings.Repeat("6", 5000)+"Z", 1), false},
	} {
		faults, err := j.verdict([]byte(c.text))
		if err != nil || c.ok != (len(faults) == 0) {
			t.Errorf("%.120s: %v, %v, want %v", c.text, faults, err, c.ok)
		}
	}
	if _, err := j.verdict([]byte(line("commands", `"commands":[`+strings.Repeat(`{"name":"x"},`, maxValues)+`{"name":"x"}]`))); err == nil {
		t.Error("more values than are looked at, and a verdict")
	}
	if _, err := j.verdict([]byte(`{"type":`)); err == nil {
		t.Error("no JSON, and a verdict")
	}
	envelope, err := envelopeProducer()
	if err != nil {
		t.Fatal(err)
	}
	data := `[` + strings.Repeat("[1,", 500) + `0` + strings.Repeat("]", 500) + strings.Repeat(",1", 500_000) + `]`
	if faults, err := envelope.verdict(fmt.Appendf(nil, `{"schema_version":1,"ok":true,"data":%s,"errors":[],"warnings":[]}`, data)); err != nil || len(faults) > 0 {
		t.Errorf("%v, %v", faults, err)
	}
}
