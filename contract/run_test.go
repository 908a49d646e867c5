package contract_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/streamjson/streamjson/contract"
)

// TestRuns: whole runs back to back are right where they are expected, and only
// whole ones.
func TestRuns(t *testing.T) {
	runs := fixture(t, "good/runs.jsonl")
	lines := strings.SplitAfter(runs, "\n")
	for _, c := range []struct {
		name, text string
		runs       bool
		want       string
		count      int64
	}{
		{"expected", runs, true, "", 2},
		{"not expected", runs, false, "after-result", 1},
		{"the first one is cut", lines[0] + lines[1] + strings.Join(lines[3:], ""), true, "result-missing", 2},
		{"the last one is cut", strings.Join(lines[:5], ""), true, "result-missing", 2},
		{"the second has no init", strings.Join(append(slices.Clone(lines[:3]), lines[4:]...), ""), true, "after-result", 1},
		{"the same run id", strings.ReplaceAll(runs, "0U2W", "0U1V"), true, "run-id", 2},
		{"another session", strings.Join(lines[:3], "") + strings.ReplaceAll(strings.Join(lines[3:], ""), "0u1v", "0u9x"), true, "", 2},
		{"prose between", strings.Join(lines[:3], "") + "next\n" + strings.Join(lines[3:], ""), true, "json", 2},
	} {
		o := both(t, false)
		o.Runs = c.runs
		r := checkText(t, c.text, o)
		if got := strings.Join(ids(r), " "); got != c.want || r.Runs != c.count {
			t.Errorf("%s: %q in %d runs, want %q in %d: %v", c.name, got, r.Runs, c.want, c.count, r.Findings)
		}
	}
}

// TestRunsAndExit: which run an exit status is about is the program's affair.
func TestRunsAndExit(t *testing.T) {
	one := 1
	r := checkText(t, fixture(t, "good/runs.jsonl"), contract.CheckOptions{Runs: true, Exit: &one})
	if len(r.Counts) > 0 || len(r.NotChecked) != 1 || r.NotChecked[0].Rule != "exit-code" {
		t.Errorf("%v, not checked %v", r.Findings, r.NotChecked)
	}
}

// TestSeq: one wrong number is one finding, and a line that can't be read costs
// its number only.
func TestSeq(t *testing.T) {
	lines := strings.SplitAfter(fixture(t, "good/catalog.jsonl"), "\n")
	number := func(seqs ...int64) string {
		var b strings.Builder
		b.WriteString(lines[0])
		for _, n := range seqs {
			if n < 0 {
				b.WriteString("garbage\n")
				continue
			}
			fmt.Fprintf(&b, `{"type":"system","subtype":"demo","session_id":"sess_01hq2v8k3m4n5p6q7r8s9t0u1v","seq":%d,"ts":"2026-03-04T05:06:00.000Z"}`+"\n", n)
		}
		return b.String()
	}
	for _, c := range []struct {
		seqs []int64
		want string // the findings about seq, with their lines
	}{
		{[]int64{1, 2, 3}, ""},
		{[]int64{1, 3, 4}, "seq-gap:3"},
		{[]int64{1, 3, 3, 4}, "seq-gap:3 seq-repeat:4"},
		{[]int64{1, 1, 2, 3}, "seq-repeat:3"},
		{[]int64{1, 9, 3, 4}, "seq-gap:3 seq-backwards:4"},
		{[]int64{1, 0, 3, 4}, "seq-backwards:3"},
		{[]int64{2, 1, 3, 4}, "seq-gap:2 seq-backwards:3"},
		{[]int64{1, 1, 1, 1}, "seq-repeat:3 seq-repeat:4 seq-repeat:5"},
		{[]int64{1, -1, 2}, ""},     // prose
		{[]int64{1, -1, 3}, ""},     // an event that can't be read
		{[]int64{1, -1, -1, 4}, ""}, // two of them
		{[]int64{1, -1, 4}, "seq-gap:4"},
		{[]int64{-1, 1}, ""},
		{[]int64{1, 9223372036854775807, 3}, "seq-gap:3 seq-backwards:4"},
	} {
		r := checkText(t, number(c.seqs...), contract.CheckOptions{})
		var got []string
		for _, f := range r.Findings {
			if strings.HasPrefix(f.Rule, "seq-") {
				got = append(got, fmt.Sprintf("%s:%d", f.Rule, f.Line))
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%v: %v, want %s", c.seqs, got, c.want)
		}
	}
}

// TestLostLines: what hangs on a line that could not be read is left open, and
// said to be; prose among the lines loses nothing.
func TestLostLines(t *testing.T) {
	lines := strings.SplitAfter(fixture(t, "good/story.jsonl"), "\n")
	spoil := func(n int, by string) string {
		spoilt := slices.Clone(lines)
		spoilt[n] = by
		return strings.Join(spoilt, "")
	}
	for n := 1; n < len(lines)-2; n++ {
		r := checkText(t, spoil(n, "{\"spoilt\n"), both(t, false))
		if got := ids(r); !slices.Equal(got, []string{"json"}) {
			t.Errorf("line %d spoilt: %v", n+1, r.Findings)
		}
		r = checkText(t, spoil(n, "prose\n"+lines[n]), both(t, false))
		if got := ids(r); !slices.Equal(got, []string{"json"}) || len(r.NotChecked) > 0 {
			t.Errorf("prose in front of line %d: %v, %v", n+1, r.Findings, r.NotChecked)
		}
	}
	r := checkText(t, spoil(8, "{\"spoilt\n"), both(t, false)) // the message with two calls
	if !slices.ContainsFunc(r.NotChecked, func(n contract.NotChecked) bool { return n.Rule == "tool-result-orphan" }) {
		t.Errorf("not checked: %v", r.NotChecked)
	}
	r = checkText(t, "{\"spoilt\n"+strings.Join(lines[1:], ""), both(t, false))
	if got := ids(r); !slices.Equal(got, []string{"json"}) || len(r.NotChecked) == 0 {
		t.Errorf("init spoilt: %v, %v", r.Findings, r.NotChecked)
	}
	r = checkText(t, "prose\n"+strings.Join(lines[1:], ""), both(t, false))
	if got := ids(r); !slices.Contains(got, "init-first") && !slices.Contains(got, "json") {
		t.Errorf("prose in place of init: %v", r.Findings)
	}
}

// TestTooLongLines: a line over the limit keeps its place, its type and, if it
// is the result, its verdict.
func TestTooLongLines(t *testing.T) {
	lines := strings.SplitAfter(fixture(t, "good/story.jsonl"), "\n")
	long := strings.Repeat("long ", 20_000)
	for n, old := range map[int]string{
		8:  `"Let me look — 日本"`,
		9:  `"package parse\n"`,
		22: `"Done."`,
	} {
		spoilt := slices.Clone(lines)
		spoilt[n] = strings.Replace(spoilt[n], old, `"`+long+`"`, 1)
		o := both(t, false)
		o.MaxLine = 10_000
		r := checkText(t, strings.Join(spoilt, ""), o)
		if got := ids(r); !slices.Equal(got, []string{"line-too-long"}) {
			t.Errorf("line %d: %v", n+1, r.Findings)
		}
		for _, code := range []int{0, 1} {
			o.Exit = &code
			r := checkText(t, strings.Join(spoilt, ""), o)
			if (r.Counts["exit-code"] > 0) != (code != 0) {
				t.Errorf("line %d, exit status %d: %v", n+1, code, r.Findings)
			}
		}
	}
}

// TestExitStatus is the table of contract F13: what is an error, what a warning
// and what the program's own affair, for each kind of end.
func TestExitStatus(t *testing.T) {
	catalog := strings.SplitAfter(fixture(t, "good/failed.jsonl"), "\n")[0]
	end := func(subtype string, isError bool, reason string) string {
		errs := ""
		if isError {
			errs = `"errors":["x"],`
		}
		return catalog + fmt.Sprintf(`{"type":"result","subtype":%q,"session_id":"sess_01hq2v8k3m4n5p6q7r8s9t0u1v","seq":1,"ts":"2026-03-04T05:06:00.040Z","is_error":%v,"num_turns":0,"duration_ms":1,"result":"",%s"stop_reason":%q}`+"\n", subtype, isError, errs, reason)
	}
	const bad, odd = "exit-code", "exit-meaning"
	codes := []int{0, 1, 2, 3, 17, 74, 124, 126, 127, 129, 130, 137, 141, 143, 255}
	for _, c := range []struct {
		stream string
		want   string // one letter a status: . fine, E error, w warning
	}{
		{end("success", false, "end_turn"), ".EEEEEEEEEEEEEE"},
		{end("refused", false, "refusal"), ".EEEEEEEEEEEEEE"},
		{end("error_during_execution", true, "error"), "E..w.w...wwwww."},
		{end("error_max_turns", true, "max_turns"), "E....ww..wwwww."},
		{end("interrupted", true, "cancelled"), "E..w.w......w.."},
		{end("budget_spent", true, "budget"), "E.............."},
		{end("partly_done", false, "budget"), ".EEEEEEEEEEEEEE"},
	} {
		var got strings.Builder
		for _, code := range codes {
			o := both(t, false)
			o.Exit = &code
			switch list := ids(checkText(t, c.stream, o)); {
			case len(list) == 0:
				got.WriteByte('.')
			case slices.Equal(list, []string{bad}):
				got.WriteByte('E')
			case slices.Equal(list, []string{odd}):
				got.WriteByte('w')
			default:
				t.Errorf("exit status %d: %v", code, list)
			}
		}
		if got.String() != c.want {
			t.Errorf("%v\n%s\nwant\n%s", codes, got.String(), c.want)
		}
	}
}

// TestStderr: an event on stderr is told, prose and other JSON are not.
func TestStderr(t *testing.T) {
	for text, want := range map[string]bool{
		"":                        false,
		"WARN disk almost full\n": false,
		`{"level":"warn","message":"disk almost full"}` + "\n":             false,
		`{"type":"system","subtype":"warning"}` + "\n":                     false, // no place in a stream
		`{"type":"progress","seq":1}` + "\n":                               false,
		`{"type":"result","session_id":"s","is_error":true}` + "\n":        true,
		`  {"seq":4,"type":"assistant","message":{}}`:                      true,
		`{"type":"system","session_id":"s","subtype":"warning","mess`:      true, // torn
		`{"nested":{"type":"result","seq":1}}` + "\n":                      false,
		"prose\n" + `{"type":"user","seq":1}` + "\nprose\n":                true,
		`{"type":"user","seq":"1"}` + "\n":                                 false,
		"{" + strings.Repeat(" ", 2<<20) + `"type":"user","seq":1}` + "\n": false, // too long to be looked at
	} {
		c := contract.NewChecker(contract.CheckOptions{})
		c.Write([]byte(fixture(t, "good/failed.jsonl")))
		for chunk := range slices.Chunk([]byte(text), 1000) {
			c.Stderr().Write(chunk)
		}
		r := c.Report()
		if got := slices.Contains(ids(r), "stderr-event"); got != want || len(r.Counts) > 1 {
			t.Errorf("%.60q: %v, want %v: %v", text, got, want, r.Findings)
		}
		if want && !r.Findings[0].Stderr {
			t.Errorf("the finding is about stdout: %v", r.Findings)
		}
	}
	c := contract.NewChecker(contract.CheckOptions{})
	c.Write([]byte(fixture(t, "good/failed.jsonl")))
	for range 5000 {
		fmt.Fprintln(c.Stderr(), `{"type":"user","seq":1}`)
	}
	if r := c.Report(); r.Counts["stderr-event"] != 5000 || r.Errors != 5000 || len(r.Findings) != 10 {
		t.Errorf("%v, %d errors, %d listed", r.Counts, r.Errors, len(r.Findings))
	}
}

// TestBesideEachOther: stdout and stderr of a process come from two goroutines.
func TestBesideEachOther(t *testing.T) {
	text := []byte(fixture(t, "good/story.jsonl"))
	c := contract.NewChecker(contract.CheckOptions{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for chunk := range slices.Chunk(text, 100) {
			c.Write(chunk)
		}
	})
	wg.Go(func() {
		for range 1000 {
			fmt.Fprintln(c.Stderr(), "prose", `{"type":"user"}`)
		}
	})
	wg.Wait()
	if r := c.Report(); len(r.Counts) > 0 {
		t.Errorf("%v", r.Findings)
	}
}

// TestReadError: the reader's error comes back with the report on what was read.
func TestReadError(t *testing.T) {
	broken := errors.New("cable cut")
	text := fixture(t, "good/failed.jsonl")
	r, err := contract.Check(io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken)), contract.CheckOptions{})
	if !errors.Is(err, broken) || r == nil || r.Lines != 2 || r.Failed(true) {
		t.Errorf("%v, %v", r, err)
	}
	if _, err := contract.CheckEnvelope(iotest.ErrReader(broken), contract.CheckOptions{}); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}

// TestReportOnce: the report stays what it is.
func TestReportOnce(t *testing.T) {
	c := contract.NewChecker(contract.CheckOptions{})
	c.Write([]byte(fixture(t, "good/failed.jsonl")))
	first := c.Report()
	c.Write([]byte("more\n"))
	if again := c.Report(); again != first || again.Failed(true) || again.Lines != 2 {
		t.Errorf("%v, then %v", first, again)
	}
}

// TestManyKeys: keys are compared in objects of any size, each object by itself.
func TestManyKeys(t *testing.T) {
	object := func(n int, more string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `"k%d":{},`, i)
		}
		return "{" + strings.TrimSuffix(b.String()+more, ",") + "}"
	}
	good := fixture(t, "good/failed.jsonl")
	for _, n := range []int{0, 1, 31, 32, 33, 34, 1000} {
		for _, c := range []struct {
			extension string
			twice     int64
		}{
			{object(n, ""), 0},
			{`{"a":` + object(n, "") + `,"b":` + object(n, "") + `}`, 0},
			{object(n, `"x":1,"\u0078":2`), 1},
			{`{"a":` + object(n, `"x":1,"x":2`) + `,"b":` + object(n+9, "") + `}`, 1},
			{`{"a":` + object(n, `"x":{"x":{"x":1,"y":1}},"y":1`) + `,"a":1}`, 1},
		} {
			text := strings.Replace(good, `"_meta"`, `"extension":`+c.extension+`,"_meta"`, 1)
			r := checkText(t, text, contract.CheckOptions{})
			if r.Counts["duplicate-key"] != c.twice || r.Errors != c.twice {
				t.Errorf("%d keys, %.200s: %v, want %d", n, c.extension, r.Findings, c.twice)
			}
		}
	}
}

// TestArguments: fragments are held against the input by what they mean.
func TestArguments(t *testing.T) {
	text := fixture(t, "good/story.jsonl")
	lines := strings.SplitAfter(text, "\n")
	with := func(fragment, input, meta string) string {
		out := slices.Clone(lines)
		out[6] = strings.Replace(out[6], `"{\"path\": \"src/"`, fragment, 1)
		out[7] = strings.Replace(out[7], `"{`, `"{`, 1)
		out[7] = strings.Replace(strings.Replace(lines[7], `"partial_json":`, `"partial_json":"","x":`, 1), `,"x":"parse.go\",\n \"lines\": [1, 2.50e1], \"name\": \"\\u65e5本\"}"`, "", 1)
		out[8] = strings.Replace(out[8], `{"lines":[1,25],"name":"日本","path":"src/parse.go"}`, input, 1)
		out[8] = strings.Replace(out[8], "}]}}\n", "}]}"+meta+"}\n", 1)
		return strings.Join(out, "")
	}
	for _, c := range []struct{ name, fragment, input, meta, want string }{
		{"the same", `"{\"a\":1}"`, `{"a":1}`, "", ""},
		{"another order", `"{\"a\":1,\"b\":2}"`, `{"b":2,"a":1}`, "", ""},
		{"another number", `"{\"a\":1}"`, `{"a":2}`, "", "args-mismatch"},
		{"large numbers apart in the last digit", `"50000000014435121"`, `50000000014435122`, "", "args-mismatch"},
		{"no JSON, kept as a string", `"{\"a\":"`, `"{\"a\":"`, `,"_meta":{"invalid_json":true}`, ""},
		{"a key twice, kept as a string", `"{\"a\":1,\"a\":2}"`, `"{\"a\":1,\"a\":2}"`, `,"_meta":{"invalid_json":true}`, ""},
		{"no JSON, and something else", `"{\"a\":"`, `{}`, "", "args-mismatch"},
		{"a string", `"\"x\""`, `"x"`, "", ""},
		{"nothing", `""`, `{}`, "", ""},
		{"half a pair each", `"\"\\ud83d\\ude00\""`, `"😀"`, "", ""},
	} {
		r := checkText(t, with(c.fragment, c.input, c.meta), contract.CheckOptions{})
		if got := strings.Join(ids(r), " "); got != c.want {
			t.Errorf("%s: %q, want %q: %v", c.name, got, c.want, r.Findings)
		}
	}
}

// TestTruncated: a message that was cut to fit is not held against its deltas.
func TestTruncated(t *testing.T) {
	text := strings.Replace(fixture(t, "good/story.jsonl"), `"text":"Done."}]}}`, `"text":"Do"}]},"_meta":{"truncated_bytes":3}}`, 1)
	r := checkText(t, text, both(t, false))
	if len(r.Counts) > 0 || len(r.NotChecked) == 0 {
		t.Errorf("%v, not checked %v", r.Findings, r.NotChecked)
	}
}

// TestAllocations: a line that is fine costs no allocation.
func TestAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	for _, kind := range []string{"deltas", "prose"} {
		text := benchRun(t, corpora()[kind], 1<<20)
		lines := bytes.Count(text, []byte("\n"))
		n := testing.AllocsPerRun(3, func() {
			c := contract.NewChecker(contract.CheckOptions{})
			c.Write(text)
			if c.Report().Failed(true) {
				t.Error("not clean")
			}
		})
		if n > 100 {
			t.Errorf("%s: %v allocations for %d lines", kind, n, lines)
		}
	}
}

// FuzzCheck: any bytes, in any pieces, get the same judgement, which holds
// together.
func FuzzCheck(f *testing.F) {
	for _, r := range contract.Rules() {
		f.Add([]byte(r.Bad.Stdout), uint8(1))
	}
	f.Add([]byte("{\"type\":\"\\u0041\",\"seq\":1e999}\n[[[\n\xff\xfe"), uint8(3))
	o := both(f, false)
	o.MaxLine = 4096
	f.Fuzz(func(t *testing.T, text []byte, size uint8) {
		whole, err := contract.Check(bytes.NewReader(text), o)
		if err != nil {
			t.Fatal(err)
		}
		c := contract.NewChecker(o)
		for chunk := range slices.Chunk(text, 1+int(size)%64) {
			c.Write(bytes.Clone(chunk))
		}
		pieces := c.Report()
		if !slices.Equal(whole.Findings, pieces.Findings) || whole.Lines != pieces.Lines {
			t.Fatalf("whole %v, in pieces %v", whole.Findings, pieces.Findings)
		}
		if len(text) == 0 != (whole.Counts["stream-empty"] > 0) {
			t.Fatalf("%d bytes: %v", len(text), whole.Findings)
		}
		for _, finding := range whole.Findings {
			if finding.Offset < 0 || finding.Offset > int64(len(text)) || finding.Line > whole.Lines+1 || finding.Found == "" || finding.Want == "" {
				t.Fatalf("%+v", finding)
			}
		}
		reader := both(t, true)
		reader.MaxLine = 4096
		loose, err := contract.Check(bytes.NewReader(text), reader)
		if err != nil || loose.Errors > whole.Errors && loose.Counts[contract.SchemaRule] <= whole.Counts[contract.SchemaRule] {
			t.Fatalf("the reader's reading is the stricter one: %v, %v", loose.Findings, whole.Findings)
		}
	})
}

// FuzzEnvelope: the same for envelopes.
func FuzzEnvelope(f *testing.F) {
	for _, r := range contract.Rules() {
		if r.Bad.Envelope {
			f.Add([]byte(r.Bad.Stdout))
			f.Add([]byte(r.Good.Stdout))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		zero := 0
		r, err := contract.CheckEnvelope(bytes.NewReader(text), contract.CheckOptions{Exit: &zero})
		if err != nil {
			t.Fatal(err)
		}
		for _, finding := range r.Findings {
			if finding.Offset < 0 || finding.Offset > int64(len(text)) || finding.Found == "" {
				t.Fatalf("%+v", finding)
			}
		}
	})
}
