package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/streamjson/streamjson/contract"
	"github.com/streamjson/streamjson/exitcode"
)

// explainFlag is --explain: a flag without a value, whose rules are arguments,
// or --explain=ID.
type explainFlag struct {
	set bool
	id  string
}

func (e *explainFlag) String() string   { return e.id }
func (e *explainFlag) IsBoolFlag() bool { return true }

func (e *explainFlag) Set(value string) error {
	e.set = true
	if value != "true" {
		e.id = value
	}
	return nil
}

// explainRules tells about rules, or lists them.
func (c *checkCall) explainRules(names []string) int {
	if c.explain.id != "" {
		names = append([]string{c.explain.id}, names...)
	}
	rules := contract.Rules()
	if len(names) == 0 {
		for _, r := range rules {
			fmt.Fprintf(c.s.out, "%-19s %-7s  %s\n", r.ID, r.Severity, r.Summary)
		}
		return exitcode.OK
	}
	for i, name := range names {
		at := slices.IndexFunc(rules, func(r contract.Rule) bool { return r.ID == name })
		if at < 0 {
			return c.refuse(fmt.Errorf("no rule %q; streamjson check --explain lists them", name))
		}
		if i > 0 {
			fmt.Fprintln(c.s.out)
		}
		fmt.Fprint(c.s.out, explanation(rules[at]))
	}
	return exitcode.OK
}

// explanation is what there is to say about a rule, as plain text.
func explanation(r contract.Rule) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s; contract %s)\n\n%s\n%s\n", r.ID, severities(r), r.Ref, r.Summary, r.Why)
	bad, good := excerpts(r)
	fmt.Fprintf(&b, "\nwrong:\n%s\nright:\n%s", indent(bad), indent(good))
	return b.String()
}

// severities says what breaking a rule means.
func severities(r contract.Rule) string {
	switch {
	case r.Reader == r.Severity:
		return string(r.Severity)
	case r.Reader == contract.SeverityOff:
		return string(r.Severity) + "; accepted with --reader"
	}
	return string(r.Severity) + "; " + string(r.Reader) + " with --reader"
}

func indent(lines []string) string {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString("    " + line + "\n")
	}
	return b.String()
}

// excerpts returns what differs between the examples of a rule, for people.
func excerpts(r contract.Rule) (bad, good []string) {
	b, g := exampleLines(r.Bad), exampleLines(r.Good)
	for len(b) > 1 && len(g) > 1 && b[0] == g[0] {
		b, g = b[1:], g[1:]
	}
	for len(b) > 1 && len(g) > 1 && b[len(b)-1] == g[len(g)-1] {
		b, g = b[:len(b)-1], g[:len(g)-1]
	}
	return b, g
}

// exampleLines spells an example.
func exampleLines(e contract.Example) []string {
	var lines []string
	for _, line := range strings.SplitAfter(e.Stdout, "\n") {
		if line == "" {
			continue
		}
		text, ended := strings.CutSuffix(line, "\n")
		text = visible(shorten(text))
		if !ended {
			text += "⟨no newline⟩"
		}
		lines = append(lines, text)
	}
	if len(lines) == 0 {
		lines = append(lines, "⟨no output⟩")
	}
	for _, line := range strings.SplitAfter(e.Stderr, "\n") {
		if line != "" {
			lines = append(lines, "stderr: "+visible(strings.TrimSuffix(line, "\n")))
		}
	}
	if e.Exit != nil {
		lines = append(lines, fmt.Sprintf("exit status %d", *e.Exit))
	}
	if e.MaxLine > 0 {
		lines = append(lines, fmt.Sprintf("limit: %d bytes", e.MaxLine))
	}
	return lines
}

// shorten takes the middle out of a long line.
func shorten(line string) string {
	const most, head, tail = 400, 240, 60
	if len(line) <= most {
		return line
	}
	return fmt.Sprintf("%s ⟨%d bytes⟩ %s", line[:head], len(line)-head-tail, line[len(line)-tail:])
}
