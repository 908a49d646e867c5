package cli

import (
	"fmt"
	"strings"

	"github.com/streamjson/streamjson/contract"
)

// show prints the judgement and returns the exit status.
func (c *checkCall) show() int {
	switch {
	case c.json:
		return c.showJSON()
	case c.format == "github":
		c.showGitHub()
	default:
		c.showText()
	}
	return c.status()
}

// showText prints a table for people.
func (c *checkCall) showText() {
	p := newPaint(c.s)
	var errs, warnings int64
	example := ""
	for _, in := range c.inputs {
		if in.Error != "" {
			fmt.Fprintf(c.s.err, "streamjson check: %s\n", visible(in.Error))
		}
		if in.Report == nil {
			continue
		}
		c.table(p, in)
		errs += in.Report.Errors
		warnings += in.Report.Warnings
		if example == "" && len(in.Report.Findings) > 0 {
			example = in.Report.Findings[0].Rule
		}
	}
	if example != "" {
		fmt.Fprintf(c.s.out, "\n%s, %s; what a rule is about: streamjson check --explain %s\n", plural(errs, "error"), plural(warnings, "warning"), example)
	}
}

// table prints what was found in one input.
func (c *checkCall) table(p paint, in input) {
	r := in.Report
	verdict := p.good("clean")
	if r.Failed(false) {
		verdict = p.bad("broken")
	} else if r.Warnings > 0 {
		verdict = p.shady("clean, with warnings")
	}
	fmt.Fprintf(c.s.out, "%s: %s: %s, %s\n", p.bold(visible(in.Name)), verdict, plural(r.Lines, "line"), c.verdictWords(r))
	lines, rules := 4, 4
	for _, f := range r.Findings {
		lines, rules = max(lines, len(lineName(f))), max(rules, len(f.Rule))
	}
	for i, f := range r.Findings {
		severity := p.bad("error  ")
		if f.Severity == contract.SeverityWarning {
			severity = p.shady("warning")
		}
		found := visible(f.Found)
		if f.Pointer != "" {
			found = visible(f.Pointer) + ": " + found
		}
		fmt.Fprintf(c.s.out, "  %*s  %s  %-*s  %s\n", lines, lineName(f), severity, rules, f.Rule, found)
		if i > 0 && r.Findings[i-1].Rule == f.Rule && r.Findings[i-1].Want == f.Want {
			continue
		}
		fmt.Fprintf(c.s.out, "  %s%s\n", strings.Repeat(" ", lines+2+7+2+rules+2), p.faint("right: "+visible(f.Want)))
	}
	if more := r.Errors + r.Warnings - int64(len(r.Findings)); more > 0 {
		fmt.Fprintf(c.s.out, "  and %d more\n", more)
	}
	for _, n := range r.NotChecked {
		fmt.Fprintf(c.s.out, "  not checked from line %d on: %s: %s\n", n.Line, n.Rule, visible(n.Why))
	}
}

// lineName says where a finding is.
func lineName(f contract.Finding) string {
	switch {
	case f.Line == 0:
		return "exit"
	case f.Stderr:
		return fmt.Sprintf("stderr %d", f.Line)
	}
	return fmt.Sprint(f.Line)
}

// verdictWords tells the two verdicts apart.
func (c *checkCall) verdictWords(r *contract.Report) string {
	bySchema := r.Counts[contract.SchemaRule]
	words := fmt.Sprintf("rules: %s, %s", plural(r.Errors-bySchema, "error"), plural(r.Warnings, "warning"))
	if c.noSchema {
		return words + "; schema: left out"
	}
	return words + fmt.Sprintf("; schema: %s", plural(bySchema, "error"))
}

// showGitHub prints annotations.
func (c *checkCall) showGitHub() {
	value := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	for _, in := range c.inputs {
		if in.Error != "" {
			fmt.Fprintf(c.s.out, "::error::%s\n", value.Replace(visible(in.Error)))
		}
		if in.Report == nil {
			continue
		}
		for _, f := range in.Report.Findings {
			place := ""
			if in.file && f.Line > 0 {
				place = fmt.Sprintf("file=%s,line=%d,", property.Replace(in.Name), f.Line)
			}
			where := ""
			if f.Pointer != "" {
				where = f.Pointer + ": "
			}
			fmt.Fprintf(c.s.out, "::%s %stitle=%s::%s\n", f.Severity, place, property.Replace(f.Rule), value.Replace(visible(where+f.Found)+"; right: "+visible(f.Want)))
		}
	}
}

// showJSON prints an envelope.
func (c *checkCall) showJSON() int {
	code := c.status()
	var errs, warnings []string
	for _, in := range c.inputs {
		if in.Error != "" {
			errs = append(errs, in.Error)
		}
		if in.Report == nil {
			continue
		}
		for _, f := range in.Report.Findings {
			text := in.Name + ": " + f.String()
			if f.Severity == contract.SeverityError || c.strict {
				errs = append(errs, text)
			} else {
				warnings = append(warnings, text)
			}
		}
	}
	reading := "producer"
	if c.options.Reader {
		reading = "reader"
	}
	data := map[string]any{"reading": reading, "strict": c.strict, "schema": !c.noSchema, "inputs": c.inputs}
	return document(c.s, data, errs, warnings, code)
}
