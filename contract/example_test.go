package contract_test

import (
	"fmt"
	"os/exec"
	"strings"

	"github.com/streamjson/streamjson/contract"
	"github.com/streamjson/streamjson/contract/schema"
)

const exampleStream = `{"type":"system","subtype":"init","session_id":"s1","seq":0,"ts":"2026-01-02T03:04:05.000Z","cwd":"/repo","demo_version":"1.0.0","agent":{"name":"demo","provider":"local"},"capabilities":["stream_v1"],"_meta":{"run_id":"01HQ2V8K3M4N5P6Q7R8S9T0U1V"}}
{"type":"assistant","session_id":"s1","seq":1,"ts":"2026-01-02T03:04:05.010Z","message":{"role":"assistant","content":[{"type":"text","text":"Hello."}]}}
{"type":"result","subtype":"success","session_id":"s1","seq":3,"ts":"2026-01-02T03:04:05.020Z","is_error":false,"num_turns":1,"duration_ms":20,"result":"Hello.","stop_reason":"end_turn"}
`

// Both verdicts on a stream: the rules, and the schema beside them.
func ExampleCheck() {
	lines, err := schema.Lines(false)
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := contract.Check(strings.NewReader(exampleStream), contract.CheckOptions{Schema: lines})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range report.Findings {
		fmt.Println(f)
	}
	// Output:
	// line 3 /seq: error seq-gap: seq 3: 1 number left out; seq 2
}

// A Checker judges a program while it runs: its stdout, its stderr, and its
// exit status against the result.
func ExampleChecker() {
	c := contract.NewChecker(contract.CheckOptions{})
	cmd := exec.Command("agent", "--output-format", "stream-json", "hi")
	cmd.Stdout, cmd.Stderr = c, c.Stderr()
	if err := cmd.Run(); cmd.ProcessState == nil {
		fmt.Println("can't run it:", err)
		return
	}
	c.Exit(cmd.ProcessState.ExitCode())
	if report := c.Report(); report.Failed(false) {
		fmt.Println(report.Findings)
	}
}

// A member that was optional is required in the newer revision, and a new one
// came along.
func ExampleCompare() {
	older := `{"properties":{"id":{"type":"string"}}}`
	newer := `{"properties":{"id":{"type":"string"},"note":{"type":"string"}},"required":["id"]}`
	changes, err := contract.Compare([]byte(older), []byte(newer))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range changes {
		fmt.Println(c.Breaking, c.Pointer, c.Reason)
	}
	// Output:
	// false /properties/note a new member: note
	// true /required the member "id" is required now: lines that were right are wrong
}
