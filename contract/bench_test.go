package contract_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/streamjson/streamjson/contract"
)

// session is the run that the benchmark's lines stand in.
const benchSession = `"session_id":"sess_01hq2v8k3m4n5p6q7r8s9t0u1v","seq":%d,"ts":"2026-03-04T05:06:07.890Z"`

// corpora are the kinds of lines that a stream is made of, as formats for seq.
func corpora() map[string]string {
	prose := strings.Repeat("The parser reads one token after the other and keeps what it needs. ", 60)
	code := strings.Repeat(`func (p *parser) next() token {\n\tif p.err != nil {\n\t\treturn token{kind: "end"}\n\t}\n}\n`, 45)
	code = strings.ReplaceAll(code, `"`, `\"`)
	cjk := strings.Repeat("構文解析器は一つずつ字句を読みます。", 80)
	assistant := `{"type":"assistant",` + benchSession + `,"agent":"primary","message":{"id":"m%[1]d","role":"assistant","content":[{"type":"text","text":"` // and the text
	return map[string]string{
		"prose":  assistant + prose + `"}]}}`,
		"code":   assistant + code + `"}]}}`,
		"cjk":    assistant + cjk + `"}]}}`,
		"deltas": `{"type":"stream_event",` + benchSession + `,"event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"reads one token after the other and keeps"}}}`,
		"tasks":  `{"type":"system","subtype":"demo_progress",` + benchSession + `,"task_id":"k1","kind":"tool_agent","task":{"stream":"stdout","text":"ok  example.com/parse 0.312s","n":[1,2,3],"more":{"a":true,"b":null}}}`,
	}
}

// benchRun makes a run of lines of one kind, of about size bytes.
func benchRun(tb testing.TB, format string, size int) []byte {
	tb.Helper()
	first, _, _ := strings.Cut(fixture(tb, "good/story.jsonl"), "\n")
	var b bytes.Buffer
	b.WriteString(strings.Replace(first, "05:06:00.000Z", "05:06:07.890Z", 1) + "\n")
	seq := 1
	for ; b.Len() < size; seq++ {
		fmt.Fprintf(&b, format+"\n", seq)
	}
	fmt.Fprintf(&b, `{"type":"result","subtype":"success",`+benchSession+`,"is_error":false,"num_turns":1,"duration_ms":5,"result":"","stop_reason":"end_turn"}`+"\n", seq)
	return b.Bytes()
}

// BenchmarkCheck is the speed of the rules verdict; the issue asks for 100 MB/s
// on text-heavy lines.
func BenchmarkCheck(b *testing.B) {
	for name, format := range corpora() {
		b.Run(name, func(b *testing.B) { benchmark(b, benchRun(b, format, 4<<20), contract.CheckOptions{}) })
	}
}

// BenchmarkCheckWithSchema is the speed of both verdicts.
func BenchmarkCheckWithSchema(b *testing.B) {
	for name, format := range corpora() {
		b.Run(name, func(b *testing.B) { benchmark(b, benchRun(b, format, 1<<20), both(b, false)) })
	}
}

func benchmark(b *testing.B, text []byte, o contract.CheckOptions) {
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		r, err := contract.Check(io.MultiReader(bytes.NewReader(text)), o)
		if err != nil || r.Failed(true) {
			b.Fatalf("%v, %v", r.Findings, err)
		}
	}
}
