package cli

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/streamjson/streamjson/contract"
)

var update = flag.Bool("update", false, "rewrite docs/check.md")

// TestRulesReference: docs/check.md has every rule, in the words of the table
// and with the examples that --explain prints.
func TestRulesReference(t *testing.T) {
	path := filepath.Join("..", "..", "..", "..", "docs", "check.md")
	want := rulesReference()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("docs/check.md is not what go test ./cmd/streamjson/internal/cli -update writes:\n%s", diff)
	}
}

// rulesReference is docs/check.md, made from the table of rules.
func rulesReference() string {
	var b strings.Builder
	b.WriteString(referenceHead)
	b.WriteString("\n| rule | producer | reader | contract | |\n| --- | --- | --- | --- | --- |\n")
	for _, r := range contract.Rules() {
		fmt.Fprintf(&b, "| [`%s`](#%s) | %s | %s | %s | %s |\n", r.ID, r.ID, r.Severity, r.Reader, r.Ref, cell(r.Summary))
	}
	b.WriteString("\n## Each rule\n")
	for _, r := range contract.Rules() {
		bad, good := excerpts(r)
		fmt.Fprintf(&b, "\n### `%s`\n\n%s %s (%s; contract %s)\n\nwrong:\n\n%s\nright:\n\n%s", r.ID, r.Summary, r.Why, severities(r), r.Ref, fence(bad), fence(good))
	}
	return b.String()
}

// cell spells a text for a table.
func cell(text string) string {
	return strings.NewReplacer("|", "\\|", "<", "&lt;").Replace(text)
}

func fence(lines []string) string {
	return "```text\n" + strings.Join(lines, "\n") + "\n```\n"
}

const referenceHead = `# streamjson check

Holds what a program wrote to the [contract](contract.md), whatever language the program is written in.

` + "```sh" + `
streamjson check run.jsonl other.jsonl        # files
agent --output-format stream-json hi | streamjson check -   # stdin
streamjson check -- agent --output-format stream-json hi    # a command: stdout, stderr and exit status
streamjson check --envelope --exit 1 out.json # the envelope of a command with --json
` + "```" + `

Exit status: 0 clean, 1 the contract is broken (with ` + "`--strict`" + ` also by a warning), 2 wrong usage or an input that can't be
read, 74 or 141 if its own stdout can't be written or has no reader.

**Two verdicts.** The *rules* below look at the bytes and at the run as a whole: order, numbers, what was opened and closed. The
*schema* looks at the shape of each line: unknown, missing and retyped members. It is reported under the rule ` + "`schema`" + `, is printed
by ` + "`streamjson schema stream`" + `, and is left out by ` + "`--no-schema`" + `, which makes the check many times faster. Where both can see a
fault, both report it.

**Two readings.** A producer must keep every rule. With ` + "`--reader`" + ` the question is only whether a reader that keeps to the contract
gets along: what recorded streams are known to do is a warning or accepted, and the schema is open to members and values of
later revisions.

**A command.** ` + "`check -- CMD`" + ` gives the command its own stdin, takes its stdout, and passes its stderr on. It waits for the command to
end, and then at most two seconds for what the command left behind to let go of the pipe. A first SIGINT or SIGTERM is handed
to the command, so that its end is checked, too; a second one kills it. A command that a signal ended has the exit status 128+n.

**What is not checked.** The state of a run is kept in bounded memory: texts as hashes and lengths, ids as hashes, at most 131,072 tool
calls and as many running tasks, 16,384 blocks being written at once, 65,536 values of a line. Where a run goes beyond, and
where a line could not be read, the report says which rules it leaves open, and from which line on. A line over ` + "`--max-line`" + ` is
told and skipped; its head is still read. At most ten findings of a rule are listed, and ` + "`--max-findings`" + ` in all; the counts
are complete.

**Output.** A table for people, in colour on a terminal (` + "`NO_COLOR`" + ` and ` + "`FORCE_COLOR`" + ` are heeded); ` + "`--format github`" + ` for annotations of a
workflow; ` + "`--json`" + ` for an envelope whose ` + "`data.inputs[].report`" + ` has the findings: rule, severity, line, byte offset, JSON pointer, what
was found and what is right. ` + "`--explain ID`" + ` prints what is below.

## The rules

This part is written by ` + "`go test ./cmd/streamjson/internal/cli -update`" + `.
`
