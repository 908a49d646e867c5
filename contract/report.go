package contract

import (
	"cmp"
	"slices"
	"strconv"
)

// A Finding is one place at which a rule is broken.
type Finding struct {
	// Rule is the id of the rule, see Rules.
	Rule string `json:"rule"`
	// Severity is the rule's, in the reading that was asked for.
	Severity Severity `json:"severity"`
	// Line counts from 1; 0 where the finding is about no line, such as an
	// exit status.
	Line int64 `json:"line"`
	// Offset is the number of bytes in front of the place.
	Offset int64 `json:"offset"`
	// Pointer leads to the place in the line's JSON value (RFC 6901); empty
	// for the line as a whole.
	Pointer string `json:"pointer,omitempty"`
	// Stderr: line and offset count on stderr, not on stdout.
	Stderr bool `json:"stderr,omitempty"`
	// Found is what stands there, Want what is right.
	Found string `json:"found"`
	Want  string `json:"want"`
}

// String returns the finding on one line.
func (f Finding) String() string {
	where := "line " + strconv.FormatInt(f.Line, 10)
	if f.Stderr {
		where = "stderr " + where
	}
	if f.Pointer != "" {
		where += " " + f.Pointer
	}
	return where + ": " + string(f.Severity) + " " + f.Rule + ": " + f.Found + "; " + f.Want
}

// NotChecked says that a rule could not be held up, since a limit was reached
// or a line could not be read.
type NotChecked struct {
	Rule string `json:"rule"`
	Line int64  `json:"line"` // from which on
	Why  string `json:"why"`
}

// A Report is the judgement of one stream or envelope.
type Report struct {
	// Bytes, Lines and Runs count what was read.
	Bytes int64 `json:"bytes"`
	Lines int64 `json:"lines"`
	Runs  int64 `json:"runs"`
	// Errors and Warnings count all findings, also those that are not listed.
	Errors   int64 `json:"errors"`
	Warnings int64 `json:"warnings"`
	// Findings are in the order of their places, at most
	// CheckOptions.MaxFindings of them and at most ten of a rule.
	Findings []Finding `json:"findings"`
	// Counts has the number of findings by rule.
	Counts map[string]int64 `json:"counts"`
	// NotChecked has what the judgement leaves open.
	NotChecked []NotChecked `json:"not_checked"`
}

// Failed reports whether the contract is broken; strict counts warnings too.
func (r *Report) Failed(strict bool) bool {
	return r.Errors > 0 || strict && r.Warnings > 0
}

// perRule is how many findings of one rule are listed.
const perRule = 10

// recorder collects findings.
type recorder struct {
	reader bool
	max    int
	report Report
}

func newRecorder(o CheckOptions) recorder {
	r := recorder{reader: o.Reader, max: o.MaxFindings}
	if r.max <= 0 {
		r.max = defaultMaxFindings
	}
	r.report = Report{Findings: []Finding{}, Counts: map[string]int64{}, NotChecked: []NotChecked{}}
	return r
}

// add takes a finding, whose severity it sets.
func (r *recorder) add(f Finding) {
	f.Severity = severityOf(f.Rule, r.reader)
	switch f.Severity {
	case SeverityOff:
		return
	case SeverityError:
		r.report.Errors++
	default:
		r.report.Warnings++
	}
	r.report.Counts[f.Rule]++
	if len(r.report.Findings) < r.max && r.report.Counts[f.Rule] <= perRule {
		r.report.Findings = append(r.report.Findings, f)
	}
}

// skip notes once for each rule that it is not held up from line on.
func (r *recorder) skip(rule string, line int64, why string) {
	for _, n := range r.report.NotChecked {
		if n.Rule == rule {
			return
		}
	}
	r.report.NotChecked = append(r.report.NotChecked, NotChecked{rule, line, why})
}

// sorted returns the report with its findings in order: by line, those about
// no line and those about stderr last.
func (r *recorder) sorted() *Report {
	slices.SortStableFunc(r.report.Findings, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(rank(a), rank(b)),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Offset, b.Offset),
		)
	})
	return &r.report
}

func rank(f Finding) int {
	switch {
	case f.Line == 0:
		return 2
	case f.Stderr:
		return 1
	}
	return 0
}
