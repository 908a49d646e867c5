package emit_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/streamjson/streamjson/clock"
	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/event"
)

// own is an event of the program's own with one member.
func own(name string, v any) event.System {
	return event.System{Subtype: "own", Fields: map[string]any{name: v}}
}

// A number that JSON has not refuses its own event, with the member's name,
// and none of its neighbours.
func TestCase112NaNCostsOneEvent(t *testing.T) {
	type gauge struct {
		Load float64 `json:"load"`
	}
	for name, bad := range map[string]event.Event{
		"NaN":       own("load", math.NaN()),
		"infinity":  own("load", math.Inf(1)),
		"-infinity": own("load", math.Inf(-1)),
		"a float32": own("load", float32(math.Inf(1))),
		"a struct":  event.System{Subtype: "own", Fields: gauge{math.NaN()}},
		"deep":      own("load", []any{map[string]any{"x": math.NaN()}}),
	} {
		t.Run(name, func(t *testing.T) {
			var w tape
			em := begin(t, quiet(&w))
			err := em.EmitAll(own("n", 1), bad, own("n", 2))
			var refused *emit.EventError
			if !errors.As(err, &refused) || refused.Type != "system" || refused.Subtype != "own" {
				t.Fatalf("%v", err)
			}
			if _, isStruct := bad.(event.System).Fields.(gauge); !isStruct && !strings.HasPrefix(refused.Pointer, "/load") {
				t.Errorf("the member is %q: %v", refused.Pointer, err)
			}
			must(t, em.Emit(own("n", 3)), em.Finish(event.Result{}))
			got := ""
			for _, r := range ofKind(whole(t, w.bytes()), "system/own") {
				got += fmt.Sprint(r.at("n"))
			}
			if got != "123" {
				t.Errorf("the events %s arrived", got)
			}
		})
	}
	var w tape
	em := begin(t, quiet(&w))
	cost := math.NaN()
	if err := em.Finish(event.Result{TotalCostUSD: &cost}); err == nil {
		t.Error("a result with the cost NaN was taken")
	}
	must(t, em.Finish(event.Result{}))
	whole(t, w.bytes())
}

// Integers keep all digits, however they come, and ids are strings, which no
// reader rounds.
func TestCase113Integers(t *testing.T) {
	for digits, values := range map[string][]any{
		"50000000014435121":      {int64(50000000014435121), uint64(50000000014435121), json.Number("50000000014435121"), json.RawMessage("50000000014435121")},
		"50000000014435122":      {int64(50000000014435122), json.RawMessage(" 50000000014435122 ")},
		"9223372036854775807":    {int64(math.MaxInt64), json.Number("9223372036854775807")},
		"-9223372036854775808":   {int64(math.MinInt64)},
		"18446744073709551615":   {uint64(math.MaxUint64), json.RawMessage("18446744073709551615")},
		"1234567890123456789012": {json.RawMessage("1234567890123456789012")},
	} {
		for _, v := range values {
			type row struct {
				N any `json:"n"`
			}
			for _, e := range []event.Event{own("n", v), event.System{Subtype: "own", Fields: row{v}}} {
				var w tape
				em := begin(t, quiet(&w))
				must(t, em.Emit(e), em.Finish(event.Result{}))
				whole(t, w.bytes())
				holds(t, fmt.Sprintf("the line of the %T", v), w.bytes(), `"n":`+digits+`}`)
			}
		}
	}
	var w tape
	em := begin(t, quiet(&w))
	em.AddUsage("m", event.Usage{InputTokens: math.MaxInt64})
	must(t, em.Emit(event.Assistant{Content: []event.Block{event.ToolUse{ID: "50000000014435121", Name: "n", Input: map[string]any{"id": int64(50000000014435122)}}}}), em.Finish(event.Result{}))
	records := whole(t, w.bytes())
	holds(t, "the call", records[1].raw, `"id":"50000000014435121"`, `"id":50000000014435122`)
	holds(t, "the result", last(records).raw, `"input_tokens":9223372036854775807`)
}

// A URL can be found by its text, whatever it comes in, in both formats.
func TestCase115URLsAreNotEscaped(t *testing.T) {
	const url = "https://x.example/?a=<1>&b=2"
	type link struct {
		URL string `json:"url"`
	}
	for name, e := range map[string]event.Event{
		"text":         event.Assistant{Content: []event.Block{event.Text{Text: url}}},
		"prose":        event.Warning{Category: "x", Message: url},
		"a map":        own("url", url),
		"a struct":     event.System{Subtype: "own", Fields: link{url}},
		"raw":          event.System{Subtype: "own", Fields: json.RawMessage(`{"url":"` + url + `"}`)},
		"raw, escaped": event.System{Subtype: "own", Fields: json.RawMessage(`{"url":"https:\/\/x.example\/?a=\u003c1\u003e\u0026b=2"}`)},
		"a key":        own(url, 1),
		"a marshaller": own("url", verbatim(`"https://x.example/?a=\u003c1\u003E\u0026b=2"`)),
	} {
		var w tape
		em := begin(t, quiet(&w))
		must(t, em.Emit(e), em.Finish(event.Result{}))
		holds(t, name, whole(t, w.bytes())[1].raw, url)
	}
	var doc tape
	em := begin(t, emit.Options{Format: emit.FormatJSON, Stdout: &doc, Stderr: &tape{}})
	must(t, em.Finish(event.Result{Result: url}))
	holds(t, "the document", doc.bytes(), url)
}

// A tagged struct can be read back, whichever codec wrote it, and has the same
// bytes by each that leaves HTML alone; codecs differ in what they escape.
func TestCase116EncodersAgree(t *testing.T) {
	type tagged struct {
		ID   int64             `json:"id,string"`
		Name string            `json:"name,string"`
		HTML string            `json:"html"`
		Map  map[string]string `json:"map"`
		None *int              `json:"none,omitempty"`
	}
	value := tagged{7, `a"<b>&`, "<&>\u2028", map[string]string{"b": "<", "a": ">"}, nil}
	const want = `"v":{"id":"7","name":"\"a\\\"<b>&\"","html":"<&>\u2028","map":{"a":">","b":"<"}}}`
	for name, c := range map[string]struct {
		codec func([]byte, any) ([]byte, error)
		want  string
	}{
		"the default": {nil, want},
		"a newline behind": {func(dst []byte, v any) ([]byte, error) {
			var b strings.Builder
			e := json.NewEncoder(&b)
			e.SetEscapeHTML(false)
			err := e.Encode(v)
			return append(dst, b.String()...), err
		}, want},
		// The string within a string is a value of its own, and stays as it is.
		"HTML escaping": {func(dst []byte, v any) ([]byte, error) {
			text, err := json.Marshal(v)
			return append(dst, text...), err
		}, `"html":"<&>\u2028","map":{"a":">","b":"<"}}}`},
	} {
		var w tape
		o := quiet(&w)
		o.Append = c.codec
		em := begin(t, o)
		must(t, em.Emit(own("v", value)), em.Emit(own("v", &value)), em.Finish(event.Result{}))
		for _, r := range ofKind(whole(t, w.bytes()), "system/own") {
			holds(t, name, r.raw, c.want)
			var back struct{ V tagged }
			if err := json.Unmarshal(r.raw, &back); err != nil || !reflect.DeepEqual(back.V, value) {
				t.Errorf("%s: %v: %s is read as %v", name, err, r.raw, back.V)
			}
		}
	}
}

// One key, two values: in a logger's line both are kept, in the order in which
// they were said; in an event they are refused.
func TestCase118KeyTwice(t *testing.T) {
	var w, prose tape
	o := quiet(&w)
	o.Stderr = &prose
	em := begin(t, o)
	must(t, em.Init(event.Init{}))
	logger := em.Log().With().Int("kind", 1).Logger()
	logger.Warn().Int("kind", 2).Msg("zerolog")
	slog.New(em.SlogHandler()).With("kind", 1).Warn("slog", "kind", 2)
	if err := em.Emit(event.System{Subtype: "own", Fields: json.RawMessage(`{"kind":1,"k\u0069nd":2}`)}); err == nil {
		t.Error("an event with a key twice was taken")
	}
	must(t, em.Finish(event.Result{}))
	var messages []string
	for _, r := range ofKind(whole(t, w.bytes()), "system/warning") {
		messages = append(messages, r.str("message"))
	}
	if got := strings.Join(messages, ", "); got != "zerolog kind=1 kind=2, slog kind=1 kind=2" {
		t.Errorf("mirrored: %s", got)
	}
	holds(t, "stderr", prose.bytes(), "warning: zerolog kind=1 kind=2\n", "warning: slog kind=1 kind=2\n")
}

// A payload can't pass for an envelope.
func TestCase119PayloadIsNoEnvelope(t *testing.T) {
	var w tape
	em := begin(t, quiet(&w))
	fake := map[string]any{"type": "result", "is_error": false, "seq": 0, "session_id": "evil"}
	must(t, em.Emit(event.TaskStarted{TaskID: "k", Kind: "workflow", Task: fake}), em.Emit(event.TaskProgress{TaskID: "k", Kind: "workflow", Task: fake}))
	for _, name := range []string{"type", "subtype", "session_id", "seq", "ts", "parent_tool_use_id", "extension", "_meta"} {
		for _, fields := range []any{map[string]any{name: 1}, json.RawMessage(`{"a":1,"` + name + `":null}`), json.RawMessage(`{"` + fmt.Sprintf(`\u%04x`, name[0]) + name[1:] + `":1}`)} {
			var refused *emit.EventError
			if err := em.Emit(event.System{Subtype: "own", Fields: fields}); !errors.As(err, &refused) || refused.Pointer != "/"+name {
				t.Errorf("%v: %v", fields, err)
			}
		}
	}
	must(t, em.Finish(event.Result{}))
	records := whole(t, w.bytes())
	if s := kinds(records); s != "init task_started task_progress task_notification result/success" || records[2].str("task", "type") != "result" {
		t.Errorf("%s: %s", s, records[2].raw)
	}
}

// A list that must be there is [] when it is empty, never null; one that need
// not be there is absent.
func TestCase121EmptyLists(t *testing.T) {
	var w tape
	em := begin(t, quiet(&w))
	must(t, em.Init(event.Init{Tools: []string{}, MCPServers: []event.MCPServer{}, Warnings: []string{}}),
		em.Emit(event.Assistant{}), em.Emit(event.User{}), em.Emit(event.Commands{}),
		em.Emit(event.BackgroundTasksChanged{RunningIDs: []string{}}), em.Emit(event.BackgroundTasksChanged{FinishedIDs: []string{}}),
		em.Emit(own("list", []any{})), em.Finish(event.Result{Errors: []string{}, RouteHistory: []event.Hop{}, ModelUsage: map[string]event.Usage{}}))
	records := whole(t, w.bytes())
	lacks(t, "the stream", w.bytes(), "null")
	for i, want := range []string{
		`"capabilities":["stream_v1"]`, `"content":[]`, `"content":[]`, `"commands":[]`, `"running_ids":[]`, `"finished_ids":[]`, `"list":[]`,
	} {
		holds(t, fmt.Sprint("line ", i), records[i].raw, want)
	}
	lacks(t, "init", records[0].raw, "tools", "mcp_servers", "warnings")
	lacks(t, "the result", last(records).raw, "errors", "route_history", "model_usage")
}

// A run that has nothing to say is a whole stream, or a whole document.
func TestCase122NothingIsADocument(t *testing.T) {
	for _, format := range []emit.Format{emit.FormatStreamJSON, emit.FormatJSON} {
		var w tape
		o := quiet(&w)
		o.Format = format
		em := begin(t, o)
		must(t, em.Finish(event.Result{}))
		if format == emit.FormatStreamJSON {
			whole(t, w.bytes())
			continue
		}
		document(t, w.bytes())
		holds(t, "the document", w.bytes(), `"result": ""`, `"seq": 0,`)
	}
}

// A thousand events of one millisecond can be put in order by what stands in
// them.
func TestCase124OrderWithinAMillisecond(t *testing.T) {
	var w tape
	o := quiet(&w)
	o.Clock = clock.Fixed(time.Unix(1, 0))
	em := begin(t, o)
	for i := range 1000 {
		must(t, em.Emit(own("i", i)))
	}
	must(t, em.Finish(event.Result{}))
	records := ofKind(whole(t, w.bytes()), "system/own")
	rand.Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
	number := func(r record, name string) int {
		n, err := strconv.Atoi(fmt.Sprint(r.at(name)))
		must(t, err)
		return n
	}
	slices.SortFunc(records, func(a, b record) int { return number(a, "seq") - number(b, "seq") })
	for i, r := range records {
		if number(r, "i") != i || r.str("ts") != "1970-01-01T00:00:01.000Z" {
			t.Fatalf("place %d: %s", i, r.raw)
		}
	}
}
