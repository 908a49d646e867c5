package contract_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/streamjson/streamjson/contract"
)

// seen are the kinds of faults that the schema and the rules both see, by the
// place of the schema's fault: where it finds one there, the rules find one on
// the same line.
func seen(typ, pointer string) bool {
	switch pointer {
	case "/type", "/subtype", "/session_id", "/seq", "/ts", "/parent_tool_use_id":
		return true
	case "/is_error", "/stop_reason", "/errors", "/result":
		return typ == "result"
	case "/capabilities":
		return typ == "init"
	}
	return false
}

// TestRandomEdits: 10,000 edits of one byte in good streams never make the
// checker panic or hang, its two verdicts agree on each, and what becomes of
// them is printed.
func TestRandomEdits(t *testing.T) {
	edits := 10_000
	if raceEnabled || testing.Short() {
		edits = 1_000
	}
	seed := uint64(20260304)
	rnd := rand.New(rand.NewPCG(seed, seed))
	streams := []string{}
	for _, name := range []string{"catalog", "story", "failed", "interrupted"} {
		streams = append(streams, fixture(t, "good/"+name+".jsonl"))
	}
	o := both(t, false)
	const spice = "\"\\{}[],:0123456789 \n\r\t\x00\x1b\x7f\xc2\xff"
	clean, bySchema := 0, 0
	byRule := map[string]int{}
	for n := range edits {
		text := []byte(streams[rnd.IntN(len(streams))])
		at := rnd.IntN(len(text))
		what := "changed"
		switch rnd.IntN(4) {
		case 0:
			text, what = slices.Delete(text, at, at+1), "deleted"
		case 1:
			text, what = slices.Insert(text, at, byte(rnd.IntN(256))), "inserted"
		case 2:
			text[at] ^= 1 << rnd.IntN(8)
		default:
			text[at] = spice[rnd.IntN(len(spice))]
		}
		r, err := contract.Check(bytes.NewReader(text), o)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Counts) == 0 {
			clean++
		}
		if r.Counts[contract.SchemaRule] > 0 {
			bySchema++
		}
		for id := range r.Counts {
			byRule[id]++
		}
		disagreement(t, fmt.Sprintf("edit %d (seed %d), byte %d %s", n, seed, at, what), string(text), r)
	}
	t.Logf("%d edits: %d clean, %d with a fault by the schema", edits, clean, bySchema)
	for _, id := range slices.Sorted(func(yield func(string) bool) {
		for id := range byRule {
			if !yield(id) {
				return
			}
		}
	}) {
		t.Logf("%6d  %s", byRule[id], id)
	}
	if clean == 0 || clean > edits/2 {
		t.Errorf("%d of %d edits are clean", clean, edits)
	}
}

// disagreement tells where the schema finds something that the rules see, too,
// and did not find.
func disagreement(t *testing.T, name, text string, r *contract.Report) {
	t.Helper()
	lines := strings.Split(text, "\n")
	for _, f := range r.Findings {
		if f.Rule != contract.SchemaRule {
			continue
		}
		line, typ := lines[f.Line-1], ""
		switch {
		case strings.Contains(line, `"type":"result"`):
			typ = "result"
		case strings.Contains(line, `"subtype":"init"`):
			typ = "init"
		}
		if !seen(typ, f.Pointer) {
			continue
		}
		if !slices.ContainsFunc(r.Findings, func(o contract.Finding) bool { return o.Line == f.Line && o.Rule != contract.SchemaRule }) {
			t.Errorf("%s: only the schema finds %v in %s", name, f, line)
		}
	}
}

// TestHostileInput: what is no stream at all gets a clear finding.
func TestHostileInput(t *testing.T) {
	deep := strings.Repeat(`{"a":[`, 200_000)
	for _, in := range []struct{ name, text, rule string }{
		{"empty", "", "stream-empty"},
		{"one newline", "\n", "blank-line"},
		{"white space", "  \t ", "blank-line"},
		{"binary", "\x7fELF\x02\x01\x01\x00\x00\x00\x00\n\x00\x00\x00\x90\n\xff\xfe\x00", "json"},
		{"gzip", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff", "json"},
		{"NULs", strings.Repeat("\x00", 100_000), "json"},
		{"UTF-16", "\xff\xfe{\x00\"\x00", "bom"},
		{"a number", "42\n", "not-object"},
		{"null", "null\n", "not-object"},
		{"an empty object", "{}\n", "envelope-member"},
		{"deep", deep + "\n", "depth"},
		{"deep and torn", deep, "depth"},
		{"an array of arrays", strings.Repeat("[", 1<<20), "depth"},
		{"half a line", `{"type":"system","sub`, "torn-tail"},
		{"half a character", "{\"type\":\"system\",\"subtype\":\"\xe2\x82", "torn-tail"},
		{"prose", "Error: no such file\n", "json"},
		{"only a brace", "{", "torn-tail"},
		{"an open string", "{\"a\":\"" + strings.Repeat("x", 1<<20) + "\n", "json"},
	} {
		r := checkText(t, in.text, both(t, false))
		if r.Counts[in.rule] == 0 || r.Errors == 0 {
			t.Errorf("%s: %v, want %s", in.name, r.Findings, in.rule)
		}
		for _, f := range r.Findings {
			if f.Offset > int64(len(in.text)) || len(f.Found)+len(f.Want) > 2000 || strings.ContainsAny(f.Found+f.Want, "\x00\x1b\n") {
				t.Errorf("%s: %+v", in.name, f)
			}
		}
	}
}

// A repeated reader repeats a text until n bytes are out.
type repeated struct {
	text string
	n    int64
	at   int
}

func (r *repeated) Read(p []byte) (int, error) {
	if r.n == 0 {
		return 0, io.EOF
	}
	p = p[:min(int64(len(p)), r.n)]
	for done := 0; done < len(p); {
		k := copy(p[done:], r.text[r.at:])
		done, r.at = done+k, (r.at+k)%len(r.text)
	}
	r.n -= int64(len(p))
	return len(p), nil
}

// heapOf returns how much the heap grew, at most, while f read in.
func heapOf(t *testing.T, f func()) uint64 {
	t.Helper()
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.HeapSys - min(after.HeapSys, before.HeapSys)
}

// TestHugeLine: a line far over the limit is told once and skipped, its memory
// is bounded by the limit, and the run goes on behind it.
func TestHugeLine(t *testing.T) {
	const limit, size = 1 << 20, 200 << 20
	good := fixture(t, "good/failed.jsonl")
	first, last, _ := strings.Cut(good, "\n")
	long := `{"type":"assistant","session_id":"sess_01hq2v8k3m4n5p6q7r8s9t0u1v","seq":1,"ts":"2026-03-04T05:06:00.010Z","message":{"role":"assistant","content":[{"type":"text","text":"`
	in := io.MultiReader(
		strings.NewReader(first+"\n"+long),
		&repeated{text: "all work and no play makes a dull line ", n: size},
		strings.NewReader("\"}]}}\n"+strings.Replace(last, `"seq":1`, `"seq":2`, 1)))
	var r *contract.Report
	grown := heapOf(t, func() {
		o := both(t, false)
		o.MaxLine = limit
		var err error
		if r, err = contract.Check(in, o); err != nil {
			t.Fatal(err)
		}
	})
	if got := ids(r); !slices.Equal(got, []string{"line-too-long"}) || r.Errors != 1 || r.Lines != 3 {
		t.Errorf("%v: %v", got, r.Findings)
	}
	if grown > 64<<20 {
		t.Errorf("the heap grew by %d MiB", grown>>20)
	}
}

// TestNoNewlineAtAll: a stream without a newline is skipped in bounded memory.
func TestNoNewlineAtAll(t *testing.T) {
	var r *contract.Report
	grown := heapOf(t, func() {
		var err error
		if r, err = contract.Check(&repeated{text: strings.Repeat("\x00", 64<<10), n: 500 << 20}, contract.CheckOptions{MaxLine: 1 << 20}); err != nil {
			t.Fatal(err)
		}
	})
	if got := ids(r); !slices.Equal(got, []string{"line-too-long", "result-missing"}) {
		t.Errorf("%v: %v", got, r.Findings)
	}
	if grown > 64<<20 {
		t.Errorf("the heap grew by %d MiB", grown>>20)
	}
}

// TestBoundedState: runs that open more than fits are judged in bounded memory,
// and the report says what it leaves open.
func TestBoundedState(t *testing.T) {
	first, _, _ := strings.Cut(fixture(t, "good/story.jsonl"), "\n")
	for _, c := range []struct {
		name, line string // with %[1]d for seq
		count      int
		rule       string // that is not checked
	}{
		{"open calls", `{"type":"assistant","session_id":"sess_01hq2v8k3m4n5p6q7r8s9t0u1v","seq":%[1]d,"ts":"2026-03-04T05:06:00.010Z","message":{"role":"assistant","content":[{"type":"tool_use","id":"t%[1]d","name":"x","input":{}}]}}`, 200_000, "tool-unclosed"},
		{"running tasks", `{"type":"system","subtype":"task_started","session_id":"sess_01hq2v8k3m4n5p6q7r8s9t0u1v","seq":%[1]d,"ts":"2026-03-04T05:06:00.010Z","task_id":"k%[1]d","kind":"workflow"}`, 200_000, "task-unclosed"},
		{"open blocks", `{"type":"stream_event","session_id":"sess_01hq2v8k3m4n5p6q7r8s9t0u1v","seq":%[1]d,"ts":"2026-03-04T05:06:00.010Z","event":{"type":"content_block_delta","index":%[1]d,"delta":{"type":"text_delta","text":"x"}}}`, 100_000, "delta-mismatch"},
		{"open arguments", `{"type":"stream_event","session_id":"sess_01hq2v8k3m4n5p6q7r8s9t0u1v","seq":%[1]d,"ts":"2026-03-04T05:06:00.010Z","event":{"type":"tool_args_delta","tool_use_id":"t%[1]d","partial_json":"[[[["}}`, 100_000, "args-mismatch"},
		{"nested actors", `{"type":"stream_event","session_id":"sess_01hq2v8k3m4n5p6q7r8s9t0u1v","seq":%[1]d,"ts":"2026-03-04T05:06:00.010Z","parent_tool_use_id":"p%[1]d","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}}}`, 200_000, "parent-unknown"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var r *contract.Report
			grown := heapOf(t, func() {
				k := contract.NewChecker(contract.CheckOptions{})
				fmt.Fprintln(k, first)
				for seq := 1; seq <= c.count; seq++ {
					fmt.Fprintf(k, c.line+"\n", seq)
				}
				fmt.Fprintf(k, `{"type":"result","subtype":"success","session_id":"sess_01hq2v8k3m4n5p6q7r8s9t0u1v","seq":%d,"ts":"2026-03-04T05:06:00.010Z","is_error":false,"num_turns":1,"duration_ms":5,"result":"","stop_reason":"end_turn"}`+"\n", c.count+1)
				r = k.Report()
			})
			if !slices.ContainsFunc(r.NotChecked, func(n contract.NotChecked) bool { return n.Rule == c.rule }) {
				t.Errorf("%s is not among %v", c.rule, r.NotChecked)
			}
			if grown > 96<<20 {
				t.Errorf("the heap grew by %d MiB", grown>>20)
			}
			if len(r.Findings) > 100 {
				t.Errorf("%d findings are listed", len(r.Findings))
			}
		})
	}
}

// TestLongRun: calls that are closed make room for others, so that a run of any
// length is judged whole.
func TestLongRun(t *testing.T) {
	first, _, _ := strings.Cut(fixture(t, "good/story.jsonl"), "\n")
	head := `"session_id":"sess_01hq2v8k3m4n5p6q7r8s9t0u1v","seq":%d,"ts":"2026-03-04T05:06:00.010Z",`
	c := contract.NewChecker(contract.CheckOptions{})
	fmt.Fprintln(c, first)
	seq := 1
	for ; seq < 300_000; seq += 2 {
		fmt.Fprintf(c, `{"type":"assistant",`+head+`"message":{"role":"assistant","content":[{"type":"tool_use","id":"t%d","name":"x","input":{}}]}}`+"\n", seq, seq)
		fmt.Fprintf(c, `{"type":"user",`+head+`"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d"}]}}`+"\n", seq+1, seq)
	}
	fmt.Fprintf(c, `{"type":"result","subtype":"success",`+head+`"is_error":false,"num_turns":1,"duration_ms":5,"result":"","stop_reason":"end_turn"}`+"\n", seq)
	if r := c.Report(); len(r.Counts) > 0 || len(r.NotChecked) > 0 {
		t.Errorf("%v, not checked %v", r.Findings, r.NotChecked)
	}
}

// TestWideLines: a line of many values or keys is judged in bounded memory.
func TestWideLines(t *testing.T) {
	var keys, blocks strings.Builder
	for i := range 300_000 {
		fmt.Fprintf(&keys, `"k%d":%d,`, i, i)
		blocks.WriteString(`{"type":"text","text":"x"},`)
	}
	head := `{"type":"assistant","session_id":"sess_01hq2v8k3m4n5p6q7r8s9t0u1v","seq":1,"ts":"2026-03-04T05:06:00.010Z","message":{"role":"assistant","content":[`
	good := fixture(t, "good/failed.jsonl")
	first, last, _ := strings.Cut(good, "\n")
	last = strings.Replace(last, `"seq":1`, `"seq":2`, 1)
	for name, c := range map[string]struct{ line, rule string }{
		"keys":   {strings.Replace(head, `"message"`, `"extension":{`+strings.TrimSuffix(keys.String(), ",")+`},"message"`, 1) + `]}}`, "duplicate-key"},
		"blocks": {head + strings.TrimSuffix(blocks.String(), ",") + `]}}`, "delta-mismatch"},
	} {
		r := checkText(t, first+"\n"+c.line+"\n"+last, both(t, false))
		if r.Errors > 0 || !slices.ContainsFunc(r.NotChecked, func(n contract.NotChecked) bool { return n.Rule == c.rule }) {
			t.Errorf("%s: %v, not checked %v", name, r.Findings, r.NotChecked)
		}
	}
}

// TestManyFindings: what is listed is bounded, what is counted is not.
func TestManyFindings(t *testing.T) {
	r := checkText(t, strings.Repeat("no JSON\n", 5000), contract.CheckOptions{MaxFindings: 20})
	if r.Counts["json"] != 5000 || r.Errors != 5001 || len(r.Findings) > 11 {
		t.Errorf("%d counted, %d errors, %d listed", r.Counts["json"], r.Errors, len(r.Findings))
	}
}

// TestFixturesAreRuns keeps the table of streams above honest.
func TestFixturesAreRuns(t *testing.T) {
	files, err := filepath.Glob("testdata/good/*.jsonl")
	if err != nil || len(files) != 5 {
		t.Errorf("%v, %v", files, err)
	}
}
