package contract_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/streamjson/streamjson/contract"
	"github.com/streamjson/streamjson/contract/schema"
)

// both returns the options that ask for the rules and the schema.
func both(t testing.TB, reader bool) contract.CheckOptions {
	t.Helper()
	lines, err := schema.Lines(reader)
	if err != nil {
		t.Fatal(err)
	}
	return contract.CheckOptions{Reader: reader, Schema: lines}
}

func checkText(t testing.TB, text string, o contract.CheckOptions) *contract.Report {
	t.Helper()
	r, err := contract.Check(strings.NewReader(text), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func fixture(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A mutation changes one of the good streams.
type mutation struct {
	name   string
	file   string
	old    string // replaced once by changed
	with   string
	rules  string // the ids that the rules verdict names
	schema bool   // the schema's verdict names a fault
}

// mutations holds the two verdicts together: what either sees of a change.
// Where both see the kind of fault, both must say so.
var mutations = []mutation{
	// Both see it: the envelope of a line.
	{"no type", "catalog", `{"type":"system","subtype":"state","session_id"`, `{"subtype":"state","session_id"`, "envelope-member", true},
	{"type is a number", "catalog", `{"type":"system","subtype":"state"`, `{"type":7,"subtype":"state"`, "envelope-member", true},
	{"no subtype", "catalog", `"subtype":"state",`, ``, "envelope-member", true},
	{"an empty subtype", "catalog", `"subtype":"state"`, `"subtype":""`, "envelope-member", true},
	{"no session id", "failed", `"session_id":"sess_01hq2v8k3m4n5p6q7r8s9t0u1v","seq":1`, `"seq":1`, "envelope-member", true},
	{"an empty session id", "failed", `"session_id":"sess_01hq2v8k3m4n5p6q7r8s9t0u1v","seq":1`, `"session_id":"","seq":1`, "envelope-member", true},
	{"session id null", "failed", `"session_id":"sess_01hq2v8k3m4n5p6q7r8s9t0u1v","seq":1`, `"session_id":null,"seq":1`, "envelope-member", true},
	{"no seq", "failed", `"seq":1,`, ``, "envelope-member", true},
	{"seq is a string", "failed", `"seq":1`, `"seq":"1"`, "envelope-member", true},
	{"seq is negative", "failed", `"seq":1`, `"seq":-1`, "envelope-member", true},
	{"seq is a fraction", "failed", `"seq":1`, `"seq":1.5`, "envelope-member", true},
	{"an empty parent id", "story", `"parent_tool_use_id":"t2"`, `"parent_tool_use_id":""`, "envelope-member", true},
	{"parent id null", "story", `"parent_tool_use_id":"t2"`, `"parent_tool_use_id":null`, "envelope-member", true},
	{"no ts", "failed", `,"ts":"2026-03-04T05:06:00.040Z"`, ``, "ts-missing", true},
	{"ts with an offset", "failed", `00.040Z`, `00.040+00:00`, "ts-format", true},
	{"ts with six digits", "failed", `00.040Z`, `00.040000Z`, "ts-format", true},
	{"ts without a fraction", "failed", `00.040Z`, `00Z`, "ts-format", true},
	{"ts in another month", "failed", `2026-03-04T05:06:00.040Z`, `2026-13-04T05:06:00.040Z`, "ts-format", true},
	{"ts on a day that is none", "failed", `2026-03-04T05:06:00.040Z`, `2026-04-31T05:06:00.040Z`, "ts-format", true},
	{"ts in a leap second", "failed", `05:06:00.040Z`, `05:06:60.040Z`, "ts-format", true},
	{"ts is a number", "failed", `"ts":"2026-03-04T05:06:00.040Z"`, `"ts":1772600760`, "ts-format", true},
	// Both see it: init.
	{"no stream_v1", "failed", `["stream_v1"]`, `["stream_v9"]`, "capability-missing", true},
	{"no capabilities", "failed", `"capabilities":["stream_v1"],`, ``, "capability-missing", true},
	{"capabilities is a string", "failed", `["stream_v1"]`, `"stream_v1"`, "capability-missing", true},
	{"no version", "failed", `"demo_version":"2.1.0",`, ``, "version-member", true},
	{"version is a number", "failed", `"demo_version":"2.1.0"`, `"demo_version":2`, "version-member", true},
	{"version in capitals", "failed", `demo_version`, `Demo_version`, "version-member", true},
	{"no run id", "failed", `,"_meta":{"run_id":"01HQ2V8K3M4N5P6Q7R8S9T0U1V"}`, ``, "run-id", true},
	{"a short run id", "failed", `01HQ2V8K3M4N5P6Q7R8S9T0U1V`, `01HQ2V8K`, "run-id", true},
	{"a run id with a hyphen", "failed", `01HQ2V8K3M`, `01HQ2V8K-M`, "run-id", true},
	// Both see it: result.
	{"no is_error", "failed", `"is_error":true,`, ``, "result-flag", true},
	{"is_error null", "failed", `"is_error":true`, `"is_error":null`, "result-flag", true},
	{"a failure without is_error", "failed", `"is_error":true`, `"is_error":false`, "errors-unexpected result-flag", true},
	{"an interrupt without is_error", "interrupted", `"is_error":true,"num_turns"`, `"is_error":false,"num_turns"`, "errors-unexpected result-flag", true},
	{"a success with is_error", "story", `"is_error":false`, `"is_error":true`, "errors-missing result-flag", true},
	{"no errors", "failed", `"errors":["no model: connection refused"],`, ``, "errors-missing", true},
	{"errors is a string", "failed", `["no model: connection refused"]`, `"no model"`, "errors-missing", true},
	{"errors on success", "story", `"num_turns":2`, `"errors":["x"],"num_turns":2`, "errors-unexpected", true},
	{"no stop reason", "failed", `,"stop_reason":"error"`, ``, "stop-reason", true},
	{"stop reason null", "failed", `"stop_reason":"error"`, `"stop_reason":null`, "stop-reason", true},
	{"a stop reason of another row", "failed", `"stop_reason":"error"`, `"stop_reason":"end_turn"`, "stop-reason", true},
	{"a cancelled success", "story", `"stop_reason":"end_turn"`, `"stop_reason":"cancelled"`, "stop-reason", true},
	{"no result text", "story", `"result":"Done.",`, ``, "result-text", true},
	{"the result text is null", "story", `"result":"Done."`, `"result":null`, "result-text", true},
	// Neither minds: what is open stays open.
	{"a stop reason of one's own", "story", `"stop_reason":"end_turn"`, `"stop_reason":"max_tokens"`, "", false},
	{"a result subtype of one's own", "failed", `error_during_execution`, `budget_exhausted`, "", false},
	{"a system subtype of one's own", "catalog", `"subtype":"demo_index","session_id"`, `"subtype":"demo_other","session_id"`, "", false},
	{"another severity", "catalog", `"severity":"info"`, `"severity":"critical"`, "", false},
	{"another event type", "interrupted", `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Half an ans"}}`, `{"type":"citation","uri":"x"}`, "", false},
	{"another block type", "story", `[{"type":"text","text":"Done."}]`, `[{"type":"text","text":"Done."},{"type":"image","source":"x"}]`, "", false},
	{"another top-level type", "catalog", `{"type":"system","subtype":"heartbeat","session_id"`, `{"type":"pulse","session_id"`, "unknown-type", false},
	// Only the schema sees it: shapes.
	{"an unknown member", "story", `"agent":"primary"`, `"agnet":"primary"`, "", true},
	{"an unknown member of a block", "story", `"text":"Done."`, `"text":"Done.","signature":""`, "", true},
	{"a member of the wrong type", "catalog", `"count":3`, `"count":"3"`, "", true},
	{"a required member is missing", "catalog", `"category":"loop",`, ``, "", true},
	{"an id is empty", "catalog", `"id":"n1"`, `"id":""`, "", true},
	{"an idle state without a stop reason", "catalog", `,"stop_reason":"end_turn"}` + "\n" + `{"type":"result"`, "}\n" + `{"type":"result"`, "", true},
	{"a running state with a stop reason", "catalog", `"session_state":"running"`, `"session_state":"running","stop_reason":"x"`, "", true},
	{"a snapshot without its lists", "catalog", `"running_ids":["k1"]`, `"_meta":{}`, "", true},
	{"two results under one summary", "story", `"content":"package parse\n"}`, `"content":"package parse\n"},{"type":"tool_result","tool_use_id":"t2"}`, "tool-result-double", true},
	{"a role of another line", "story", `"role":"user"`, `"role":"assistant"`, "", true},
	// Only the rules see it: the text, and the run as a whole.
	{"a gap", "failed", `"seq":1`, `"seq":2`, "seq-gap", false},
	{"another session", "failed", `1v","seq":1`, `1w","seq":1`, "session-change", false},
	{"the same time twice", "failed", `00.040Z`, `00.000Z`, "", false},
	{"an earlier time", "failed", `2026-03-04T05:06:00.040Z`, `2026-03-04T05:05:00.040Z`, "ts-backwards", false},
	{"two versions", "failed", `"demo_version"`, `"other_version":"1","demo_version"`, "version-member", false},
	{"seq with a fraction of zero", "failed", `"seq":1`, `"seq":1.0`, "envelope-member", false},
	{"a key twice", "failed", `"num_turns":0`, `"num_turns":0,"num_turns":0`, "duplicate-key", false},
	{"a key twice, escaped", "failed", `"num_turns":0`, `"num_turns":0,"num\u005fturns":0`, "duplicate-key needless-escape", false},
	{"a key twice, far down", "catalog", `{"argv":["rm","-r","out"]}`, `{"argv":["rm","-r","out"],"argv":[]}`, "duplicate-key", false},
	{"a lost delta", "story", `"thinking":"the parser? "}}`, `"thinking":""}}`, "delta-mismatch", false},
	{"deltas in the wrong block", "story", `"index":0,"delta":{"type":"text_delta","text":"Sub"}`, `"index":1,"delta":{"type":"text_delta","text":"Sub"}`, "delta-index delta-mismatch", false},
	{"other arguments", "story", `2.50e1`, `2.51e1`, "args-mismatch", false},
	{"torn arguments", "story", `日本","path":"src/parse.go"}},`, `日本","path":"src/parse.go","more":1}},`, "args-mismatch", false},
	{"a result for nobody", "story", `"tool_use_id":"t3"`, `"tool_use_id":"t9"`, "tool-result-orphan tool-unclosed", false},
	{"a task that nobody knows", "catalog", `"task_id":"k1","kind":"background_agent","task":{"chunk"`, `"task_id":"k2","kind":"background_agent","task":{"chunk"`, "task-not-running", false},
	{"tokens don't add up", "catalog", `"input_tokens":30`, `"input_tokens":31`, "usage-sum", false},
	{"ANSI in a warning", "catalog", `the same call again`, `the \u001b[1msame\u001b[0m call again`, "ansi", false},
	{"ANSI in what init warns of", "catalog", `config: unknown`, `\u001b[33mconfig: unknown`, "ansi", false},
	{"ANSI in the help of a command", "catalog", `explain a topic`, `explain \u001b]0;x\u0007a topic`, "ansi", false},
	{"ANSI in an error", "failed", `no model`, `\u009b1mno model`, "ansi", false},
	{"ANSI in a tool's result", "story", `"package parse\n"`, `"\u001b[1mpackage\u001b[0m parse\n"`, "", false},
	{"meta in front", "catalog", `"ts":"2026-03-04T05:06:00.720Z",`, `"ts":"2026-03-04T05:06:00.720Z","_meta":{},`, "member-order", false},
}

// TestVerdictsAgree runs the table.
func TestVerdictsAgree(t *testing.T) {
	for _, m := range mutations {
		t.Run(m.name, func(t *testing.T) {
			text := fixture(t, "good/"+m.file+".jsonl")
			if !strings.Contains(text, m.old) {
				t.Fatalf("%s has no %s", m.file, m.old)
			}
			r := checkText(t, strings.Replace(text, m.old, m.with, 1), both(t, false))
			got := slices.DeleteFunc(ids(r), func(id string) bool { return id == contract.SchemaRule })
			if strings.Join(got, " ") != m.rules {
				t.Errorf("the rules find %q, want %q: %v", got, m.rules, r.Findings)
			}
			if r.Counts[contract.SchemaRule] > 0 != m.schema {
				t.Errorf("the schema finds %v, want a fault: %v", r.Findings, m.schema)
			}
		})
	}
}

// TestCleanStreams: the good streams and every golden run of the project are
// clean by both verdicts, in both readings.
func TestCleanStreams(t *testing.T) {
	files, err := filepath.Glob("testdata/good/*.jsonl")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d good streams, %v", len(files), err)
	}
	golden, err := filepath.Glob("../testdata/events/*.jsonl")
	if err != nil || len(golden) < 20 {
		t.Fatalf("%d golden runs, %v", len(golden), err)
	}
	for _, file := range append(files, golden...) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, reader := range []bool{false, true} {
			o := both(t, reader)
			o.Runs = filepath.Base(file) == "runs.jsonl"
			r := checkText(t, string(text), o)
			if r.Failed(false) || len(r.NotChecked) > 0 {
				t.Errorf("%s (reader %v): %v, not checked %v", file, reader, r.Findings, r.NotChecked)
			}
			for id := range r.Counts { // a stage's own parent id can't be told from a wrong one
				if id != "parent-unknown" {
					t.Errorf("%s (reader %v): %v", file, reader, r.Findings)
				}
			}
		}
	}
}

// TestBadStreams: what really comes out of failing programs is told in few and
// clear words.
func TestBadStreams(t *testing.T) {
	for file, want := range map[string]string{
		"killed":   "result-missing torn-tail",
		"prose":    "blank-line json",
		"spliced":  "json seq-gap",
		"crlf":     "cr",
		"utf16":    "bom",
		"shuffled": "seq-backwards seq-gap ts-backwards",
		"lost":     "delta-mismatch seq-gap",
	} {
		r := checkText(t, fixture(t, "bad/"+file+".jsonl"), both(t, false))
		if got := strings.Join(ids(r), " "); got != want {
			t.Errorf("%s: %s, want %s: %v", file, got, want, r.Findings)
		}
		inPlace(t, contract.Example{Stdout: fixture(t, "bad/"+file+".jsonl")}, r)
		for _, f := range r.Findings {
			if f.Rule == "delta-mismatch" && !strings.Contains(f.Found, "13 bytes") {
				t.Errorf("%s: %v", file, f)
			}
		}
	}
}
