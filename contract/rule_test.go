package contract_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/streamjson/streamjson/contract"
)

// judge checks an example as the rule table describes it.
func judge(t *testing.T, e contract.Example, reader bool) *contract.Report {
	t.Helper()
	o := contract.CheckOptions{Exit: e.Exit, MaxLine: e.MaxLine, Reader: reader}
	if e.Envelope {
		r, err := contract.CheckEnvelope(strings.NewReader(e.Stdout), o)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	c := contract.NewChecker(o)
	c.Write([]byte(e.Stdout))
	c.Stderr().Write([]byte(e.Stderr))
	return c.Report()
}

// ids returns the rules that a report names, in order.
func ids(r *contract.Report) []string {
	list := []string{}
	for id := range r.Counts {
		list = append(list, id)
	}
	slices.Sort(list)
	return list
}

// TestEachRuleAlone: for each rule there is a stream that only this rule finds,
// and one beside it that is clean. The schema's own rule is tested where the
// schemas are.
func TestEachRuleAlone(t *testing.T) {
	for _, rule := range contract.Rules() {
		if rule.ID == contract.SchemaRule {
			continue
		}
		t.Run(rule.ID, func(t *testing.T) {
			if good := judge(t, rule.Good, false); len(good.Counts) > 0 {
				t.Errorf("the good example has findings: %v", good.Findings)
			}
			bad := judge(t, rule.Bad, false)
			if got := ids(bad); !slices.Equal(got, []string{rule.ID}) {
				t.Fatalf("the bad example is found by %q: %v\n%s", got, bad.Findings, rule.Bad.Stdout)
			}
			f := bad.Findings[0]
			if f.Severity != rule.Severity {
				t.Errorf("severity %q, want %q", f.Severity, rule.Severity)
			}
			if f.Found == "" || f.Want == "" {
				t.Errorf("a finding without words: %+v", f)
			}
			inPlace(t, rule.Bad, bad)
			if len(bad.NotChecked) > 0 && !slices.Contains([]string{"two-values", "depth"}, rule.ID) {
				t.Errorf("not checked: %v", bad.NotChecked)
			}
			var seen []string
			for id := range judge(t, rule.Bad, true).Counts {
				seen = append(seen, id)
			}
			if want := rule.Reader != contract.SeverityOff; want != slices.Contains(seen, rule.ID) {
				t.Errorf("the reader's reading finds %q, want %v", seen, want)
			}
		})
	}
}

// inPlace holds the offset of each finding against its line. The end of the
// stream counts to the last line.
func inPlace(t *testing.T, e contract.Example, r *contract.Report) {
	t.Helper()
	for _, f := range r.Findings {
		text := e.Stdout
		if f.Stderr {
			text = e.Stderr
		}
		switch {
		case f.Offset > int64(len(text)):
			t.Errorf("offset %d of %d bytes: %v", f.Offset, len(text), f)
		case f.Line == 0 || f.Offset == int64(len(text)):
		case int64(strings.Count(text[:f.Offset], "\n")+1) != f.Line:
			t.Errorf("offset %d is not on line %d: %v", f.Offset, f.Line, f)
		}
	}
}

// TestPlaces: offset and pointer lead to the very place.
func TestPlaces(t *testing.T) {
	for id, want := range map[string]struct{ at, pointer string }{
		"seq-gap":          {`3,"ts"`, "/seq"},
		"ts-format":        {`"2026-01-02T03:04:05.001+00:00"`, "/ts"},
		"session-change":   {`"sess_2"`, "/session_id"},
		"duplicate-key":    {`"seq":1,"ts"`, "/seq"},
		"utf8":             {"\xff.", ""},
		"raw-control":      {"\u2028", ""},
		"lone-surrogate":   {`\ud83d`, ""},
		"needless-escape":  {`\u0048`, ""},
		"ansi":             {`"\u001b[31m`, "/message"},
		"delta-mismatch":   {`"Hello."}]`, "/message/content/0/text"},
		"args-mismatch":    {`{"path":"go.mod"}}]`, "/message/content/0/input"},
		"tool-use-open":    {`"t1","name"`, "/message/content/0/id"},
		"result-flag":      {`true,"num_turns"`, "/is_error"},
		"usage-sum":        {`{"input_tokens":8`, "/usage/input_tokens"},
		"member-order":     {`"session_id":"sess_1","ts"`, "/session_id"},
		"two-values":       {`{"type":"system","subtype":"state","session_id":"sess_1","seq":2`, ""},
		"cr":               {"\r", ""},
		"stray-space":      {" \n", ""},
		"envelope-unknown": {`"hint"`, "/hint"},
		"envelope-version": {`2,"ok"`, "/schema_version"},
	} {
		at := slices.IndexFunc(contract.Rules(), func(r contract.Rule) bool { return r.ID == id })
		rule := contract.Rules()[at]
		f := judge(t, rule.Bad, false).Findings[0]
		if rest := rule.Bad.Stdout[f.Offset:]; !strings.HasPrefix(rest, want.at) || f.Pointer != want.pointer {
			t.Errorf("%s: %s at %.60q, want %s at %q", id, f.Pointer, rest, want.pointer, want.at)
		}
	}
}

// TestRuleTable: every entry is filled, in the words that --explain prints.
func TestRuleTable(t *testing.T) {
	severities := []contract.Severity{contract.SeverityError, contract.SeverityWarning, contract.SeverityOff}
	seen := map[string]bool{}
	for _, r := range contract.Rules() {
		if seen[r.ID] {
			t.Errorf("%s stands twice", r.ID)
		}
		seen[r.ID] = true
		if strings.Trim(r.ID, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || len(r.ID) > 20 {
			t.Errorf("%q is no short name in kebab-case", r.ID)
		}
		if !slices.Contains(severities[:2], r.Severity) || !slices.Contains(severities, r.Reader) {
			t.Errorf("%s: severities %q, %q", r.ID, r.Severity, r.Reader)
		}
		for _, text := range []string{r.Summary, r.Why} {
			first := []rune(text + " ")[0]
			if !strings.HasSuffix(text, ".") || unicode.IsSpace(first) {
				t.Errorf("%s: %q is no sentence", r.ID, text)
			}
		}
		if r.Ref == "" {
			t.Errorf("%s does not say where the contract states it", r.ID)
		}
		if r.Good == r.Bad && r.Good.Exit == r.Bad.Exit {
			t.Errorf("%s: the examples are the same", r.ID)
		}
	}
}

// TestChunks: the judgement does not depend on how the bytes come in.
func TestChunks(t *testing.T) {
	for _, rule := range contract.Rules() {
		if rule.Bad.Envelope {
			continue
		}
		whole := judge(t, rule.Bad, false)
		for _, size := range []int{1, 2, 7, 100} {
			c := contract.NewChecker(contract.CheckOptions{Exit: rule.Bad.Exit, MaxLine: rule.Bad.MaxLine})
			for chunk := range slices.Chunk([]byte(rule.Bad.Stdout), size) {
				c.Write(bytes.Clone(chunk))
			}
			for chunk := range slices.Chunk([]byte(rule.Bad.Stderr), size) {
				c.Stderr().Write(bytes.Clone(chunk))
			}
			r := c.Report()
			if !slices.Equal(r.Findings, whole.Findings) {
				t.Errorf("%s in pieces of %d: %v, whole: %v", rule.ID, size, r.Findings, whole.Findings)
			}
		}
	}
}
