package emit_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/event"
)

// result returns the result of a run with that body.
func result(t *testing.T, change func(*emit.Options), body func(*emit.Emitter) error, res event.Result) record {
	t.Helper()
	em, stream, _ := prosed(t, change)
	must(t, body(em), em.Finish(res))
	return last(whole(t, stream.bytes()))
}

func nothing(*emit.Emitter) error { return nil }

// Each subtype has its is_error, stop reason and exit code; errors are told
// where the run failed, also where the program tells none.
func TestResultBySubtype(t *testing.T) {
	for _, c := range []struct {
		res     event.Result
		subtype string
		isError bool
		stop    string
		code    int
	}{
		{event.Result{}, "success", false, "end_turn", 0},
		{event.Result{Subtype: "success", StopReason: "max_tokens"}, "success", false, "max_tokens", 0},
		{event.Result{Subtype: "refused"}, "refused", false, "refusal", 0},
		{event.Result{Subtype: "error_during_execution"}, "error_during_execution", true, "error", 1},
		{event.Result{Subtype: "error_during_execution", IsError: true, StopReason: "error"}, "error_during_execution", true, "error", 1},
		{event.Result{Subtype: "error_max_turns"}, "error_max_turns", true, "max_turns", 3},
		{event.Result{Subtype: "interrupted", Errors: []string{"", "by hand", ""}}, "interrupted", true, "cancelled", 130},
		{event.Result{Subtype: "paused"}, "paused", false, "end_turn", 0},
		{event.Result{Subtype: "error_budget", IsError: true}, "error_budget", true, "error", 1},
		{event.Result{Subtype: "error_during_execution", ExitCode: 7}, "error_during_execution", true, "error", 7},
		{event.Result{Subtype: "interrupted", ExitCode: 255}, "interrupted", true, "cancelled", 255},
	} {
		em, stream, _ := prosed(t, nil)
		must(t, em.Finish(c.res))
		r := last(whole(t, stream.bytes()))
		if r.str("subtype") != c.subtype || r.at("is_error") != c.isError || r.str("stop_reason") != c.stop || em.ExitCode() != c.code {
			t.Errorf("%+v: exit code %d, %s", c.res, em.ExitCode(), r.raw)
		}
		if c.res.Errors != nil && errorsOf(r) != "by hand" {
			t.Errorf("errors %q", errorsOf(r))
		}
	}
}

// A result that contradicts itself is refused with the member's name, and the
// stream goes on.
func TestResultRefused(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		pointer string
		res     event.Result
	}{
		{"/is_error", event.Result{IsError: true}},
		{"/is_error", event.Result{Subtype: "refused", IsError: true}},
		{"/errors", event.Result{Errors: []string{"x"}}},
		{"/errors", event.Result{Subtype: "paused", Errors: []string{"x"}}},
		{"/num_turns", event.Result{NumTurns: -1}},
		{"/duration_ms", event.Result{DurationMS: -1}},
		{"/stop_reason", event.Result{StopReason: "cancelled"}},
		{"/stop_reason", event.Result{Subtype: "interrupted", StopReason: "end_turn"}},
		{"/stop_reason", event.Result{Subtype: "error_max_turns", StopReason: "error"}},
		{"/route_history/1/target", event.Result{RouteHistory: []event.Hop{{Target: "a"}, {Turn: 1}}}},
		{"", event.Result{ExitCode: 1}},
		{"", event.Result{Subtype: "error_during_execution", ExitCode: -1}},
		{"", event.Result{Subtype: "error_during_execution", ExitCode: 256}},
		{"/total_cost_usd", event.Result{TotalCostUSD: &nan}},
		{"/_meta/x", event.Result{Extra: &event.Extra{Meta: map[string]any{"x": nan}}}},
		{"/extension/x", event.Result{Extra: &event.Extra{Extension: map[string]any{"x": make(chan int)}}}},
	} {
		em, stream, prose := prosed(t, nil)
		must(t, em.Init(event.Init{}))
		var refused *emit.EventError
		if err := em.Finish(c.res); !errors.As(err, &refused) || refused.Type != "result" || refused.Pointer != c.pointer {
			t.Errorf("%+v: %v", c.res, err)
		}
		holds(t, "stderr", prose.bytes(), "refused: "+c.pointer)
		must(t, em.Emit(event.State{SessionState: "running"}), em.Finish(event.Result{}))
		if s := kinds(whole(t, stream.bytes())); s != "init state result/success" {
			t.Errorf("%+v: %s", c.res, s)
		}
	}
}

// What the program does not count is counted: top-level messages, and the time
// since New.
func TestTurnsAndDuration(t *testing.T) {
	c := &handClock{now: time.Unix(1000, 0)}
	body := func(em *emit.Emitter) error {
		c.move(1234567 * time.Microsecond)
		return errors.Join(em.Emit(assistant("one")), em.Nested("p", "r").Emit(assistant("inner")), say(em.Actor, "two"), em.Text(0, "thr"))
	}
	withClock := func(o *emit.Options) { o.Clock = c }
	if r := result(t, withClock, body, event.Result{}); fmt.Sprint(r.at("num_turns"), " ", r.at("duration_ms")) != "2 1234" {
		t.Errorf("%s", r.raw)
	}
	if r := result(t, withClock, body, event.Result{NumTurns: 7, DurationMS: 8}); fmt.Sprint(r.at("num_turns"), " ", r.at("duration_ms")) != "7 8" {
		t.Errorf("%s", r.raw)
	}
	back := func(*emit.Emitter) error { c.move(-time.Hour); return nil }
	if r := result(t, withClock, back, event.Result{}); fmt.Sprint(r.at("duration_ms")) != "0" {
		t.Errorf("a clock that runs backwards: %s", r.raw)
	}
}

// Usage is the sum of what was added, by model and in all; what makes no sense
// adds nothing, and no sum runs over.
func TestUsage(t *testing.T) {
	for _, c := range []struct {
		name string
		add  func(*emit.Emitter)
		res  event.Result
		want string
	}{
		{"none", func(*emit.Emitter) {}, event.Result{}, `"route_history":[{"turn":0,"target":"primary"}],"_meta"`},
		{"sums", func(em *emit.Emitter) {
			em.AddUsage("m2", event.Usage{InputTokens: 1, OutputTokens: 2, CacheRead: 3, CacheCreation: 4})
			em.AddUsage("m1", event.Usage{InputTokens: 10})
			em.AddUsage("m2", event.Usage{InputTokens: 100, OutputTokens: 200})
			em.AddUsage("", event.Usage{OutputTokens: 1000})
		}, event.Result{}, `"usage":{"input_tokens":111,"output_tokens":1202,"cache_read":3,"cache_creation":4},"model_usage":{` +
			`"m1":{"input_tokens":10,"output_tokens":0,"cache_read":0,"cache_creation":0},` +
			`"m2":{"input_tokens":101,"output_tokens":202,"cache_read":3,"cache_creation":4},` +
			`"unknown":{"input_tokens":0,"output_tokens":1000,"cache_read":0,"cache_creation":0}}`},
		{"negative", func(em *emit.Emitter) {
			em.AddUsage("m", event.Usage{InputTokens: 5})
			em.AddUsage("m", event.Usage{InputTokens: -3, OutputTokens: math.MinInt64})
		}, event.Result{}, `"usage":{"input_tokens":5,"output_tokens":0,"cache_read":0,"cache_creation":0}`},
		{"overflow", func(em *emit.Emitter) {
			em.AddUsage("m", event.Usage{InputTokens: math.MaxInt64})
			em.AddUsage("n", event.Usage{InputTokens: math.MaxInt64})
			em.AddUsage("m", event.Usage{InputTokens: 1})
		}, event.Result{}, `"usage":{"input_tokens":9223372036854775807,"output_tokens":0,"cache_read":0,"cache_creation":0},` +
			`"model_usage":{"m":{"input_tokens":9223372036854775807,`},
		{"a model's name", func(em *emit.Emitter) { em.AddUsage("a\"\n\xff", event.Usage{}) }, event.Result{}, `"model_usage":{"a\"\n` + "\ufffd" + `":{`},
		{
			"given", func(em *emit.Emitter) { em.AddUsage("m", event.Usage{InputTokens: 5}) },
			event.Result{Usage: &event.Usage{OutputTokens: 7}},
			`"usage":{"input_tokens":0,"output_tokens":7,"cache_read":0,"cache_creation":0}`,
		},
		{
			"given by model", func(em *emit.Emitter) { em.AddUsage("m", event.Usage{InputTokens: 5}) },
			event.Result{ModelUsage: map[string]event.Usage{"a": {InputTokens: 1}, "b": {InputTokens: 2}}},
			`"usage":{"input_tokens":3,`,
		},
		{"given as none", func(em *emit.Emitter) { em.AddUsage("m", event.Usage{InputTokens: 5}) }, // unknown, and not zero
			event.Result{ModelUsage: map[string]event.Usage{}}, `"route_history":[{"turn":0,"target":"primary"}],"_meta"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := result(t, nil, func(em *emit.Emitter) error { c.add(em); return nil }, c.res)
			holds(t, "the result", r.raw, c.want)
		})
	}
}

// The cost is a sum, too, and absent where none was added.
func TestCost(t *testing.T) {
	given := 0.5
	for _, c := range []struct {
		add  []float64
		res  event.Result
		want any
	}{
		{nil, event.Result{}, nil},
		{[]float64{0.25, 0.5}, event.Result{}, "0.75"},
		{[]float64{0}, event.Result{}, "0"},
		{[]float64{math.NaN(), math.Inf(1), math.Inf(-1), -1}, event.Result{}, nil},
		{[]float64{1, math.NaN(), -1, math.Inf(1)}, event.Result{}, "1"},
		{[]float64{math.MaxFloat64, math.MaxFloat64}, event.Result{}, "1.7976931348623157e+308"},
		{[]float64{1}, event.Result{TotalCostUSD: &given}, "0.5"},
	} {
		r := result(t, nil, func(em *emit.Emitter) error {
			for _, usd := range c.add {
				em.AddCost(usd)
			}
			return nil
		}, c.res)
		if got := r.at("total_cost_usd"); got != nil && fmt.Sprint(got) != c.want || (got == nil) != (c.want == nil) {
			t.Errorf("%v: %v, want %v", c.add, got, c.want)
		}
	}
}

// The route begins with the target of init, else the role; each route and
// switch is a hop at its turn. A thousand are kept.
func TestRouteHistory(t *testing.T) {
	for _, c := range []struct {
		name string
		body func(*emit.Emitter) error
		res  event.Result
		want string
	}{
		{"no init", nothing, event.Result{}, "0 primary"},
		{"a role", func(em *emit.Emitter) error { return em.Init(event.Init{Agent: event.Agent{Role: "planner"}}) }, event.Result{}, "0 planner"},
		{"a target", func(em *emit.Emitter) error {
			return em.Init(event.Init{Agent: event.Agent{Role: "planner"}, Route: &event.RouteDecision{Target: "cheap"}})
		}, event.Result{}, "0 cheap"},
		{"hops", func(em *emit.Emitter) error {
			return errors.Join(em.Emit(event.Route{Target: "a"}), em.Emit(assistant("one")), em.Emit(event.AgentSwitch{From: "a", To: "b"}),
				em.Emit(assistant("two")), em.Nested("p", "r").Emit(assistant("inner")), em.EmitAll(event.Route{Target: "c"}, event.Route{Target: "c"}))
		}, event.Result{}, "0 primary, 0 a, 1 b, 2 c, 2 c"},
		{"a refused hop", func(em *emit.Emitter) error {
			_ = em.Emit(event.AgentSwitch{To: "b"})
			return nil
		}, event.Result{}, "0 primary"},
		{"given", func(em *emit.Emitter) error { return em.Emit(event.Route{Target: "a"}) }, event.Result{RouteHistory: []event.Hop{{Turn: 3, Target: "z"}}}, "3 z"},
		{"given as none", func(em *emit.Emitter) error { return em.Emit(event.Route{Target: "a"}) }, event.Result{RouteHistory: []event.Hop{}}, ""},
	} {
		r := result(t, nil, c.body, c.res)
		var hops []string
		list, _ := r.at("route_history").([]any)
		for _, h := range list {
			hop := h.(map[string]any)
			hops = append(hops, fmt.Sprint(hop["turn"], " ", hop["target"]))
		}
		if got := strings.Join(hops, ", "); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	r := result(t, nil, func(em *emit.Emitter) error {
		for i := range 1500 {
			if err := em.Emit(event.Route{Target: fmt.Sprint("r", i)}); err != nil {
				return err
			}
		}
		return nil
	}, event.Result{})
	list, _ := r.at("route_history").([]any)
	if len(list) != 1000 || list[999].(map[string]any)["target"] != "r998" {
		t.Errorf("%d hops, the last %v", len(list), list[len(list)-1])
	}
}

// A success with nothing to show for it says so: a run that lost its output
// looks like that.
func TestEmptySuccessIsMarked(t *testing.T) {
	for _, c := range []struct {
		name  string
		body  func(*emit.Emitter) error
		res   event.Result
		empty bool
	}{
		{"nothing", nothing, event.Result{}, true},
		{"init alone", func(em *emit.Emitter) error { return em.Init(event.Init{}) }, event.Result{}, true},
		{"a refused event", func(em *emit.Emitter) error { _ = em.Emit(event.Warning{}); return nil }, event.Result{}, true},
		{"empty pieces", func(em *emit.Emitter) error { return em.Text(0, "") }, event.Result{}, true},
		{"refused by the model", nothing, event.Result{Subtype: "refused"}, true},
		{"text", func(em *emit.Emitter) error { return em.Text(0, "x") }, event.Result{}, false},
		{"a result", nothing, event.Result{Result: "x"}, false},
		{"an event", func(em *emit.Emitter) error { return em.Emit(event.State{SessionState: "running"}) }, event.Result{}, false},
		{"a tool", openTool, event.Result{}, false},
		{"usage", func(em *emit.Emitter) error { em.AddUsage("m", event.Usage{}); return nil }, event.Result{}, false},
		{"an error", nothing, event.Result{Subtype: "error_during_execution"}, false},
	} {
		for _, partial := range []bool{false, true} {
			res := c.res
			res.Extra = &event.Extra{Meta: map[string]any{"host": "h", "empty": "mine"}}
			r := result(t, func(o *emit.Options) { o.Partial = partial }, c.body, res)
			if got := r.at("_meta", "empty"); (got == true) != c.empty || r.str("_meta", "host") != "h" {
				t.Errorf("%s, partial %v: %s", c.name, partial, r.raw)
			}
			if res.Extra.Meta["empty"] != "mine" {
				t.Error("the caller's map was changed")
			}
		}
	}
}
