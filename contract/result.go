package contract

import (
	"cmp"
	"math/bits"
	"slices"
)

// An outcome is how a run ended, as its result says.
type outcome struct {
	line    int64
	subtype string
	isError bool
	known   bool // is_error was there
}

// A kindOfEnd is a row of the table of results (contract section 2).
type kindOfEnd struct {
	subtype    string
	isError    bool
	stopReason string // by default
}

// kindsOfEnd are the rows of the table.
var kindsOfEnd = [...]kindOfEnd{
	{"success", false, "end_turn"},
	{"refused", false, "refusal"},
	{"error_during_execution", true, "error"},
	{"error_max_turns", true, "max_turns"},
	{"interrupted", true, "cancelled"},
}

// resultLine judges the last line of a run, and ends the run.
func (c *Checker) resultLine(v *view, sub string) {
	c.outcome(v, sub)
	c.stopReason(v, sub)
	c.errors(v)
	if !v.is(v.top[mResult], isString) {
		c.find(v, "result-text", v.place(v.top[mResult]), "/result", v.name(v.top[mResult]), "")
	}
	c.usage(v)
	c.proses(v, mErrors)
	c.unclosed(v)
}

// outcome takes what the result says about the run.
func (c *Checker) outcome(v *view, sub string) {
	r := &c.run
	r.ended = true
	i := v.top[mIsError]
	isError, known := v.boolean(i)
	r.result = outcome{line: v.number, subtype: sub, isError: isError, known: known}
	switch {
	case !known && i == 0 && v.partial:
	case !known:
		c.find(v, "result-flag", v.place(i), "/is_error", v.name(i), "is_error, true or false")
	default:
		for _, k := range kindsOfEnd {
			if k.subtype == sub && k.isError != isError {
				c.find(v, "result-flag", v.place(i), "/is_error", string(v.source(i))+" for "+sub, "")
			}
		}
	}
}

func (c *Checker) stopReason(v *view, sub string) {
	i := v.top[mStopReason]
	if !v.is(i, isString) {
		c.find(v, "stop-reason", v.place(i), "/stop_reason", v.name(i), "")
		return
	}
	known := slices.ContainsFunc(kindsOfEnd[:], func(k kindOfEnd) bool { return k.subtype == sub })
	reason := string(v.str(i))
	for _, k := range kindsOfEnd {
		if known && k.stopReason == reason && k.subtype != sub {
			c.find(v, "stop-reason", v.place(i), "/stop_reason", reason+", which belongs to "+k.subtype, "")
		}
	}
}

func (c *Checker) errors(v *view) {
	i := v.top[mErrors]
	switch {
	case !c.run.result.known:
	case c.run.result.isError && !v.is(i, beginArray):
		c.find(v, "errors-missing", v.place(i), "/errors", v.name(i), "")
	case !c.run.result.isError && i != 0:
		c.find(v, "errors-unexpected", v.place(i), "/errors", "errors beside is_error false", "")
	}
}

// tokens is one usage.
type tokens [4]uint64

// usageMembers are the members of a usage.
var usageMembers = [...]member{mInputTokens, mOutputTokens, mCacheRead, mCacheCreation}

// usage judges the sums.
func (c *Checker) usage(v *view) {
	at, by := v.top[mUsage], v.top[mModelUsage]
	total, ok := v.tokens(at)
	if !ok {
		return
	}
	if by == 0 {
		if total == (tokens{}) {
			c.find(v, "usage-zero", v.place(at), "/usage", "no token at all", "")
		}
		return
	}
	if !v.is(by, beginObject) {
		return
	}
	var sum tokens
	v.children(by, func(i int) bool {
		var one tokens
		if one, ok = v.tokens(i); !ok {
			return false
		}
		for n := range sum {
			var carry uint64
			if sum[n], carry = bits.Add64(sum[n], one[n], 0); carry != 0 {
				ok = false
			}
		}
		return ok
	})
	if !ok {
		return // no integers: for the schema
	}
	for n, m := range usageMembers {
		if sum[n] != total[n] {
			c.find(v, "usage-sum", v.place(at), "/usage/"+spelling[m],
				decimal(int64(total[n]))+", where model_usage adds up to "+decimal(int64(sum[n])), "")
		}
	}
}

// tokens reads the usage at item i.
func (v *view) tokens(i int) (t tokens, ok bool) {
	if !v.is(i, beginObject) {
		return t, false
	}
	for n, m := range usageMembers {
		value, ok := v.integer(v.member(i, m))
		if !ok || value < 0 {
			return t, false
		}
		t[n] = uint64(value)
	}
	return t, true
}

// unclosed tells what the run has opened and not closed.
func (c *Checker) unclosed(v *view) {
	r := &c.run
	tools := []int64{}
	for _, t := range r.tools {
		if t.open {
			tools = append(tools, t.line)
		}
	}
	tasks := make([]int64, 0, len(r.tasks))
	for _, started := range r.tasks {
		tasks = append(tasks, started)
	}
	c.openAtEnd(v, "tool-unclosed", "the tool_use", tools)
	c.openAtEnd(v, "task-unclosed", "the task", tasks)
}

func (c *Checker) openAtEnd(v *view, rule, what string, lines []int64) {
	if len(lines) == 0 || c.unsure(rule) {
		return
	}
	slices.SortFunc(lines, cmp.Compare[int64])
	for _, n := range lines {
		c.find(v, rule, 0, "", what+" of line "+decimal(n)+" is open", "")
	}
}
