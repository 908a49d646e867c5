package contract

import (
	"strconv"

	"github.com/streamjson/streamjson/exitcode"
)

// finish judges the end of the stream and the exit status.
func (c *Checker) finish() {
	r := &c.run
	end := &view{line: line{number: max(c.lines.number, 1), offset: c.report.Bytes}, scanner: &c.scan}
	switch {
	case c.deaf:
	case c.report.Bytes == 0:
		c.find(end, "stream-empty", 0, "", "no output", "")
	case !r.ended:
		c.find(end, "result-missing", 0, "", "the end of the stream, and no result", "")
	}
	if c.exit == nil || !r.ended || !r.result.known {
		return
	}
	if c.report.Runs > 1 {
		c.skip("exit-code", r.result.line, "the exit status of several runs is the program's own")
		return
	}
	c.exitCode(*c.exit)
}

// exitCode holds the exit status against the result (contract F13). Only that
// zero means no error is a rule for every program; which other status stands
// for what is a table that a program may replace, so that a status of another
// row is a warning.
func (c *Checker) exitCode(code int) {
	res := c.run.result
	found := "exit status " + strconv.Itoa(code)
	if res.isError == (code == exitcode.OK) {
		c.add(Finding{
			Rule: "exit-code", Offset: c.report.Bytes,
			Found: found + " beside is_error " + strconv.FormatBool(res.isError), Want: ruleIndex()["exit-code"].Summary,
		})
		return
	}
	if meant := meaning(code); meant != "" && !res.may(code) {
		c.add(Finding{
			Rule: "exit-meaning", Offset: c.report.Bytes,
			Found: found + ", which says that " + meant + ", beside " + res.subtype,
			Want:  ruleIndex()["exit-meaning"].Summary,
		})
	}
}

// meaning is what the contract takes an exit status for; empty where it leaves
// it to the program.
func meaning(code int) string {
	switch code {
	case exitcode.MaxTurns:
		return "the turn limit was reached"
	case exitcode.IO:
		return "stdout could not be written"
	case exitcode.Timeout:
		return "a time limit ended the run"
	case exitcode.ReaderGone:
		return "the reader of stdout had gone"
	}
	if code > signalBase && code <= signalBase+lastSignal {
		return "signal " + strconv.Itoa(code-signalBase) + " ended the run"
	}
	return ""
}

const (
	signalBase = 128
	lastSignal = 64
)

// may reports whether a run that ended like this may have an exit status that
// has a meaning. Ends of the program's own may have any.
func (o outcome) may(code int) bool {
	switch o.subtype {
	case "error_max_turns":
		return code == exitcode.MaxTurns
	case "interrupted":
		return code == exitcode.Timeout || code > signalBase && code != exitcode.ReaderGone
	case "error_during_execution":
		return code == exitcode.Timeout
	case "success", "refused":
		return false
	}
	return true
}
