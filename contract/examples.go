package contract

import (
	"fmt"
	"strings"
)

// The runs that the examples of the rules are cut from. Each is clean.

// stream writes a stream from the members of its lines: what stands before the
// bar is the type and, if there is one, the subtype; what stands behind it is
// the payload. Session id, seq and ts are filled in.
func stream(lines ...string) string {
	var b strings.Builder
	for seq, line := range lines {
		head, payload, _ := strings.Cut(line, " | ")
		fmt.Fprintf(&b, `{%s,"session_id":"sess_1","seq":%d,"ts":"2026-01-02T03:04:05.%03dZ"`, head, seq, seq)
		if payload != "" {
			b.WriteString("," + payload)
		}
		b.WriteString("}\n")
	}
	return b.String()
}

const (
	initHead    = `"type":"system","subtype":"init" | "cwd":"/repo","demo_version":"1.0.0","agent":{"name":"demo","provider":"local"},`
	initTail    = `,"_meta":{"run_id":"01HQ2V8K3M4N5P6Q7R8S9T0U1V"}`
	initLine    = initHead + `"capabilities":["stream_v1"]` + initTail
	initPartial = initHead + `"capabilities":["stream_v1","partial_messages_v1"]` + initTail
	hello       = `"type":"assistant" | "message":{"role":"assistant","content":[{"type":"text","text":"Hello."}]}`
	success     = `"type":"result","subtype":"success" | "is_error":false,"num_turns":1,"duration_ms":5,"result":"Hello.","stop_reason":"end_turn"`
	failure     = `"type":"result","subtype":"error_during_execution" | "is_error":true,"num_turns":0,"duration_ms":5,"result":"","errors":["no model"],"stop_reason":"error"`
	callLine    = `"type":"assistant" | "message":{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"read","input":{"path":"go.mod"}}]}`
	returnLine  = `"type":"user" | "message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"module demo"}]}`
)

func textRun() string { return stream(initLine, hello, success) }

func failedRun() string {
	return stream(initLine, `"type":"system","subtype":"error" | "is_error":true,"message":"no model","recoverable":false`, failure)
}

func deltaRun() string {
	return stream(initPartial,
		`"type":"stream_event" | "event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hel"}}`,
		`"type":"stream_event" | "event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"lo."}}`,
		hello, success)
}

func argsRun() string {
	return stream(initPartial,
		`"type":"stream_event" | "event":{"type":"tool_args_delta","tool_use_id":"t1","partial_json":"{\"path\":"}`,
		`"type":"stream_event" | "event":{"type":"tool_args_delta","tool_use_id":"t1","partial_json":" \"go.mod\"}"}`,
		callLine, returnLine, success)
}

func toolRun() string { return stream(initLine, callLine, returnLine, success) }

func taskRun() string {
	return stream(initLine,
		`"type":"system","subtype":"task_started" | "task_id":"k1","kind":"workflow"`,
		`"type":"system","subtype":"task_progress" | "task_id":"k1","kind":"workflow"`,
		`"type":"system","subtype":"task_notification" | "task_id":"k1","kind":"workflow","status":"completed"`,
		success)
}

func nestedRun() string {
	return stream(initLine, callLine,
		`"type":"assistant" | "parent_tool_use_id":"t1","message":{"role":"assistant","content":[{"type":"tool_use","id":"t2","name":"list","input":{}}]}`,
		`"type":"user" | "parent_tool_use_id":"t1","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t2"}]}`,
		returnLine, success)
}

func usageRun() string {
	return stream(initLine, hello, success+
		`,"usage":{"input_tokens":9,"output_tokens":2,"cache_read":0,"cache_creation":0}`+
		`,"model_usage":{"m":{"input_tokens":9,"output_tokens":2,"cache_read":0,"cache_creation":0}}`)
}

const goodEnvelope = `{
  "schema_version": 1,
  "ok": true,
  "data": {
    "widgets": 3
  },
  "errors": [],
  "warnings": []
}
`

const badEnvelope = `{
  "schema_version": 1,
  "ok": false,
  "data": null,
  "errors": [
    "no project found"
  ],
  "warnings": []
}
`

// pair returns a clean stream and what becomes of it when old is replaced by
// changed, once. old stands in the stream: the tests make sure of it.
func pair(whole, old, changed string) (good, bad Example) {
	return Example{Stdout: whole}, Example{Stdout: strings.Replace(whole, old, changed, 1)}
}

// withExamples is pair for an entry of the table.
func (r Rule) withExamples(whole, old, changed string) Rule {
	r.Good, r.Bad = pair(whole, old, changed)
	return r
}

func status(code int) *int { return &code }
