package emit

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/streamjson/streamjson/emit/event"
	"github.com/streamjson/streamjson/exitcode"
	"github.com/streamjson/streamjson/internal/wire"
)

// An outcome is what a result's subtype says (contract sections 2 and 1, F13).
type outcome struct {
	subtype    string
	isError    bool
	stopReason string
	code       int
	noError    string // the text of errors where the program gives none
}

// maxTurnsText is what ErrMaxTurns says.
const maxTurnsText = "the turn limit is reached"

// outcomes are the rows of the catalog.
var outcomes = [...]outcome{
	{event.Success, false, "end_turn", exitcode.OK, ""},
	{event.Refused, false, "refusal", exitcode.OK, ""},
	{event.ErrorDuringExecution, true, "error", exitcode.Failure, "the run failed, and the program gave no error"},
	{event.ErrorMaxTurns, true, "max_turns", exitcode.MaxTurns, maxTurnsText},
	{event.Interrupted, true, "cancelled", exitcode.Interrupted, "the run was interrupted"},
}

// outcomeOf returns the row of a result, one of its own for a subtype that is
// not in the catalog.
func outcomeOf(res event.Result) outcome {
	for _, o := range outcomes {
		if o.subtype == res.Subtype || o.subtype == event.Success && res.Subtype == "" {
			return o
		}
	}
	if res.IsError {
		return outcome{res.Subtype, true, "error", exitcode.Failure, "the run ended as " + res.Subtype}
	}
	return outcome{res.Subtype, false, "end_turn", exitcode.OK, ""}
}

var (
	errIsError    = errors.New("is false for this subtype: it follows from the subtype, and only one of the program's own states it")
	errErrors     = errors.New("stand only on a result that is an error")
	errStopReason = errors.New("belongs to another subtype")
	errNegative   = errors.New("must not be negative")
	errExitCode   = errors.New("must be 1 to 255 on an error, and stand on no other result")
)

// checkResult says what is wrong with a result, and fills in what follows
// from its subtype.
func checkResult(res event.Result) (event.Result, outcome, error) {
	o := outcomeOf(res)
	refuse := func(pointer string, err error) (event.Result, outcome, error) {
		return res, o, refusal("result", o.subtype, pointer, err)
	}
	res.Subtype = o.subtype
	res.Errors = slices.DeleteFunc(slices.Clone(res.Errors), func(s string) bool { return s == "" })
	switch {
	case res.IsError && !o.isError:
		return refuse("/is_error", errIsError)
	case len(res.Errors) > 0 && !o.isError:
		return refuse("/errors", errErrors)
	case res.NumTurns < 0:
		return refuse("/num_turns", errNegative)
	case res.DurationMS < 0:
		return refuse("/duration_ms", errNegative)
	case res.ExitCode != 0 && (!o.isError || res.ExitCode < 0 || res.ExitCode > 255):
		return refuse("", fmt.Errorf("ExitCode %d %w", res.ExitCode, errExitCode))
	}
	o.code = cmp.Or(res.ExitCode, o.code)
	for _, other := range outcomes {
		if res.StopReason == other.stopReason && res.StopReason != o.stopReason {
			return refuse("/stop_reason", errStopReason)
		}
	}
	for i, hop := range res.RouteHistory {
		if hop.Target == "" {
			return refuse("/route_history/"+itoa(i)+"/target", wire.ErrEmpty)
		}
	}
	if res.Usage != nil && *res.Usage == (event.Usage{}) && len(res.ModelUsage) == 0 {
		res.Usage = nil // unknown, which is never told as zero
	}
	res.IsError = o.isError
	if res.StopReason == "" {
		res.StopReason = o.stopReason
	}
	if o.isError && len(res.Errors) == 0 {
		res.Errors = []string{o.noError}
	}
	return res, o, nil
}

// encodeResult returns the result line. What was lost of its text, and that the
// run was empty, is told in _meta.
func (s *stream) encodeResult(res event.Result, lost int, empty bool) *wire.Line {
	l := s.line(s.end.top, "result", res.Subtype)
	l.Final = true
	for more := true; more; more = l.Again() {
		l.Bool("is_error", res.IsError)
		l.Int("num_turns", int64(res.NumTurns))
		l.Int("duration_ms", res.DurationMS)
		l.Text("result", res.Result)
		if res.IsError {
			l.Proses("errors", shorten(l, res.Errors))
		}
		l.ID("stop_reason", res.StopReason)
		if len(res.RouteHistory) > 0 && l.Optional("route_history") {
			appendRoute(l, res.RouteHistory)
		}
		if res.Usage != nil {
			l.Key("usage")
			appendUsage(l, *res.Usage)
		}
		if len(res.ModelUsage) > 0 && l.Optional("model_usage") {
			appendModels(l, res.ModelUsage)
		}
		if res.TotalCostUSD != nil {
			l.Refuse("total_cost_usd", l.Float("total_cost_usd", *res.TotalCostUSD))
		}
		l.Cut += lost
		l.Empty = empty
		endLine(l, res.Extra, "")
	}
	return l
}

// shorten returns the errors, or the first of them where a line of thousands
// would not fit.
func shorten(l *wire.Line, list []string) []string {
	if len(list) > 1 && !l.Optional("errors") {
		return list[:1]
	}
	return list
}

func appendRoute(l *wire.Line, hops []event.Hop) {
	l.Open("route_history", '[')
	for _, hop := range hops {
		l.Element('{')
		l.Int("turn", int64(hop.Turn))
		l.Text("target", hop.Target)
		l.Close('}')
	}
	l.Close(']')
}

func appendModels(l *wire.Line, models map[string]event.Usage) {
	var room [16]string // for the names of as many models as a run has
	names := room[:0]
	for name := range models {
		names = append(names, name)
	}
	slices.Sort(names)
	l.Open("model_usage", '{')
	for _, name := range names {
		l.NextKey(name)
		appendUsage(l, models[name])
	}
	l.Close('}')
}

func appendUsage(l *wire.Line, u event.Usage) {
	b := strconv.AppendInt(append(l.Buf, `{"input_tokens":`...), u.InputTokens, 10)
	b = strconv.AppendInt(append(b, `,"output_tokens":`...), u.OutputTokens, 10)
	b = strconv.AppendInt(append(b, `,"cache_read":`...), u.CacheRead, 10)
	b = strconv.AppendInt(append(b, `,"cache_creation":`...), u.CacheCreation, 10)
	l.Buf = append(b, '}')
}

// isEmpty reports whether a success has nothing to show for it: no text, no tool
// call, no event, no usage. A run that lost its output looks like that.
func isEmpty(res *event.Result, g *ledger) bool {
	return !res.IsError && res.Result == "" && res.Usage == nil && !g.tools && !g.events
}

// resultOf returns the result and the exit code of a run whose body, or a
// goroutine under Go, ended with err; 0 means the code of the subtype.
func resultOf(err error) (res event.Result, code int) {
	if err == nil {
		return event.Result{}, 0
	}
	code = codeOf(err)
	_, thrown := errorAs[*panicError](err)
	switch {
	case thrown:
		return event.Result{Subtype: event.ErrorDuringExecution, Errors: texts(err)}, exitcode.Failure
	case errorIs(err, ErrRefused):
		return event.Result{Subtype: event.Refused}, 0
	case errorIs(err, ErrMaxTurns):
		return event.Result{Subtype: event.ErrorMaxTurns, Errors: texts(err)}, code
	case errorIs(err, ErrTimeout):
		return event.Result{Subtype: event.ErrorDuringExecution, Errors: texts(err)}, cmp.Or(code, exitcode.Timeout)
	default:
		return event.Result{Subtype: event.ErrorDuringExecution, Errors: texts(err)}, code
	}
}

// codeOf returns the exit status that err asks for, or 0.
func codeOf(err error) (code int) {
	defer func() {
		if recover() != nil { // an Unwrap of the program's own
			code = 0
		}
	}()
	code, _ = exitcode.Of(err)
	return code
}
