package contract

import "sync"

// Severity says what a finding means for the verdict.
type Severity string

// The severities.
const (
	// SeverityError: the contract is broken.
	SeverityError Severity = "error"
	// SeverityWarning: allowed or only probably wrong, and worth a look.
	SeverityWarning Severity = "warning"
	// SeverityOff: not looked for in this reading.
	SeverityOff Severity = "off"
)

// A Rule is one thing that the contract asks for and the checker looks at.
type Rule struct {
	// ID is its stable name, in kebab-case.
	ID string
	// Severity is what breaking it means for a producer.
	Severity Severity
	// Reader is the same in the reader's reading, which only asks whether a
	// reader that keeps to the contract gets along with the stream.
	Reader Severity
	// Ref is where the contract states it, such as "F3" or "section 3, D9".
	Ref string
	// Summary states the rule in one sentence, Why gives its reason.
	Summary, Why string
	// Good keeps the rule, Bad breaks it and no other one.
	Good, Bad Example
}

// An Example is the output of a program, whole, small, and made up.
type Example struct {
	// Stdout and Stderr are what the program wrote.
	Stdout, Stderr string
	// Exit is its exit status; nil where it plays no part.
	Exit *int
	// Envelope: Stdout is an envelope, not a stream.
	Envelope bool
	// MaxLine is the limit of a line's bytes at which to look; 0: the usual one.
	MaxLine int
}

// Rules returns the table of all rules, in the order in which the contract
// states them. The slice is the caller's own.
func Rules() []Rule { return append([]Rule(nil), ruleTable()...) }

// ruleTable is built on first need: a checker that finds nothing needs none of
// its texts.
var ruleTable = sync.OnceValue(func() []Rule {
	var all []Rule
	for _, group := range [][]Rule{
		framingRules(), lineRules(), textRules(), orderRules(), seqRules(), identityRules(),
		deltaRules(), toolRules(), resultRules(), outsideRules(), envelopeRules(),
	} {
		all = append(all, group...)
	}
	return all
})

var ruleIndex = sync.OnceValue(func() map[string]*Rule {
	table := ruleTable()
	index := make(map[string]*Rule, len(table))
	for i := range table {
		index[table[i].ID] = &table[i]
	}
	return index
})

// severityOf returns the severity of a rule in a reading.
func severityOf(id string, reader bool) Severity {
	r := ruleIndex()[id]
	if r == nil {
		return SeverityError
	}
	if reader {
		return r.Reader
	}
	return r.Severity
}
