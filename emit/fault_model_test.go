package emit_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/event"
)

// A5: random calls, each foretold by a model of the contract that knows nothing
// of the emitter's code (fault_modelops_test.go). A script is the choices, so
// that a seed or a fuzzer's bytes repeat a run.
func TestModel(t *testing.T) {
	seeds := 250
	if testing.Short() {
		seeds = 40
	}
	for seed := range uint64(seeds) {
		r := rand.New(rand.NewPCG(seed, 5))
		data := make([]byte, 40+r.IntN(400))
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		if !t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { modelRun(t, data) }) {
			t.Fatal("stopped at the first seed that fails")
		}
	}
}

func FuzzModel(f *testing.F) {
	f.Add([]byte{0, 0, 7, 1, 0, 3, 8, 0, 14})
	f.Fuzz(modelRun)
}

// modelRun plays a script in each format.
func modelRun(t *testing.T, data []byte) {
	stream := &world{t: t, format: emit.FormatStreamJSON, script: data}
	defer func() {
		if t.Failed() {
			t.Logf("the calls:\n%s", strings.Join(stream.calls, "\n"))
		}
	}()
	if stream.play(); t.Failed() || stream.w.failed {
		return // the other formats write at another time
	}
	document := &world{t: t, format: emit.FormatJSON, script: data}
	document.play()
	text := &world{t: t, format: emit.FormatText, script: data}
	text.play()
	compareFormats(t, stream, document, text)
}

// A fickle is a writer with faults that the emitter must live through, and one
// that it can't.
type fickle struct {
	tape
	weak   []func(p []byte) (int, error) // for the next calls
	dies   bool
	left   int // bytes until it dies
	failed bool
}

func (w *fickle) Write(p []byte) (int, error) {
	n, err := len(p), error(nil)
	if len(w.weak) > 0 {
		n, err = w.weak[0](p)
		w.weak = w.weak[1:]
	}
	if w.dies && n > w.left {
		n, err, w.failed = w.left, errFault, true
	}
	w.left -= n
	_, _ = w.tape.Write(p[:n])
	return n, err
}

// weaknesses are what a writer may do without ending the stream.
func weaknesses() []func(p []byte) (int, error) {
	return []func(p []byte) (int, error){
		func(p []byte) (int, error) { return len(p) / 2, nil },
		func(p []byte) (int, error) { return 0, nil },
		func(p []byte) (int, error) { return len(p) / 3, syscall.EINTR },
		func([]byte) (int, error) { return 0, syscall.EAGAIN },
	}
}

// compareFormats compares what three formats made of the same calls.
func compareFormats(t *testing.T, stream, document, text *world) {
	t.Helper()
	want := last(whole(t, stream.w.bytes()))
	for _, w := range []*world{document, text} {
		if got, want := w.em.ExitCode(), stream.em.ExitCode(); got != want {
			t.Errorf("%v exits with %d, the stream with %d", w.format, got, want)
		}
	}
	got, err := parse(compact(t, document.w.bytes()))
	must(t, err)
	for _, key := range []string{"seq", "ts", "duration_ms"} {
		delete(got.object, key)
		delete(want.object, key)
	}
	if !reflect.DeepEqual(got.object, want.object) {
		t.Errorf("the document is %s\nthe result line %s", got.raw, want.raw)
	}
	final := want.str("result")
	switch out := text.w.String(); {
	case !text.partial && strings.TrimSuffix(out, "\n") != strings.TrimSuffix(final, "\n"):
		t.Errorf("the text is %q, the result %q", out, final)
	case !strings.HasSuffix(strings.TrimSuffix(out, "\n"), strings.TrimSuffix(final, "\n")):
		t.Errorf("the text %q does not end in the result %q", out, final)
	case out != "" && out[len(out)-1] != '\n':
		t.Errorf("the text %q has no end", out)
	}
}

func compact(t *testing.T, document []byte) []byte {
	t.Helper()
	var line bytes.Buffer
	if err := json.Compact(&line, document); err != nil {
		t.Fatalf("%v: %q", err, document)
	}
	return line.Bytes()
}

// An open is what a reader of the stream knows of an actor's open message.
type openDeltas struct {
	blocks map[string]string // "text 0" and so on: the joined fragments
	args   map[string]string
}

// checkDeltas joins deltas as a reader does, actor by actor, and compares them
// with the completed message (contract section 2): what was not discarded must
// stand in it, letter by letter.
func checkDeltas(t testing.TB, records []record) {
	t.Helper()
	actors := map[string]openDeltas{}
	for i, r := range records {
		id := r.str("parent_tool_use_id")
		o, ok := actors[id]
		if !ok {
			o = openDeltas{map[string]string{}, map[string]string{}}
			actors[id] = o
		}
		switch r.kind() {
		case "stream_event/content_block_delta":
			kind := strings.TrimSuffix(r.str("event", "delta", "type"), "_delta")
			o.blocks[fmt.Sprint(kind, " ", r.at("event", "index"))] += r.str("event", "delta", kind)
		case "stream_event/tool_args_delta":
			o.args[r.str("event", "tool_use_id")] += r.str("event", "partial_json")
		case "stream_event/deltas_discarded":
			delete(actors, id)
		case "assistant":
			if err := o.completedBy(r); err != nil {
				t.Errorf("line %d: %v: %.500s", i, err, r.raw)
			}
			delete(actors, id)
		}
	}
}

// completedBy compares a message with the deltas before it.
func (o openDeltas) completedBy(r record) error {
	said, inputs := map[string]string{}, map[string]any{}
	content, _ := r.at("message", "content").([]any)
	for i, c := range content {
		b, _ := c.(map[string]any)
		switch kind, _ := b["type"].(string); kind {
		case "tool_use":
			inputs[b["id"].(string)] = b["input"]
		default:
			said[fmt.Sprint(kind, " ", i)], _ = b[kind].(string)
		}
	}
	if r.at("_meta", "truncated_bytes") != nil {
		return nil // the message itself says that it is not all
	}
	for block, joined := range o.blocks {
		if text, ok := said[block]; !ok || text != joined {
			return fmt.Errorf("the deltas of %s say %.200q, the message %.200q", block, joined, text)
		}
	}
	invalid := r.at("_meta", "invalid_json") == true
	for id, joined := range o.args {
		input, ok := inputs[id]
		fragments, err := parse([]byte(`{"input":` + joined + `}`))
		asText, isText := input.(string)
		if !ok || !(err == nil && reflect.DeepEqual(fragments.object["input"], input)) && !(invalid && isText && asText == joined) {
			return fmt.Errorf("the fragments for %s say %.200q, the message %.200v", id, joined, input)
		}
	}
	return nil
}

// A foretold is a line that the model expects: one of the spellings. With "",
// it may also be absent.
type foretold []string

// compareLines compares a stream with the model's. Of deltas that is left to
// checkDeltas, but for their being there, which the spelling of a completed
// message tells.
func compareLines(t *testing.T, want []foretold, records []record, complete bool) {
	t.Helper()
	deltas := map[string]int{}
	at := 0
	for i, r := range records {
		got := spell(r, deltas)
		if got == "" {
			continue
		}
		for at < len(want) && !want[at].has(got) && want[at].has("") {
			at++
		}
		if at == len(want) || !want[at].has(got) {
			t.Fatalf("line %d is\n%s\nthe model says\n%v", i, got, want[min(at, len(want)):min(at+1, len(want))])
		}
		at++
	}
	for at < len(want) && want[at].has("") {
		at++
	}
	if complete && at < len(want) {
		t.Fatalf("the stream lacks %v", want[at])
	}
}

func (f foretold) has(spelling string) bool {
	for _, s := range f {
		if s == spelling {
			return true
		}
	}
	return false
}

// spell returns a line as the model writes it, and "" for a delta, which is
// counted.
func spell(r record, deltas map[string]int) string {
	id := r.str("parent_tool_use_id")
	who := r.kind() + "@" + id
	switch r.kind() {
	case "stream_event/content_block_delta", "stream_event/tool_args_delta":
		deltas[id]++
		return ""
	case "stream_event/deltas_discarded":
		deltas[id] = 0
		return who
	case "assistant":
		open := deltas[id] > 0
		deltas[id] = 0
		return fmt.Sprint(who, " deltas ", open, " ", blocks(r))
	case "user":
		return who + " " + blocks(r)
	case "result/" + r.str("subtype"):
		return fmt.Sprintf("%s %q turns %v usage %v", who, r.str("result"), r.at("num_turns"), r.at("usage", "input_tokens"))
	}
	for _, key := range []string{"session_id", "seq", "ts", "type", "subtype", "parent_tool_use_id", "_meta", "cwd", "kit_version", "agent", "capabilities"} {
		delete(r.object, key)
	}
	return fmt.Sprint(who, " ", r.object)
}

func blocks(r record) string {
	content, _ := r.at("message", "content").([]any)
	return fmt.Sprintf("%q", content)
}

// A failed call of a broken stream tells of that, or of what else is wrong.
func brokenError(err error) bool {
	var broken *emit.WriteError
	var refused *emit.EventError
	return errors.As(err, &broken) || errors.As(err, &refused) || errors.Is(err, emit.ErrEnded)
}

// What a reader joins and what the message says differ where a character was
// let out in halves meanwhile, so the deltas must be discarded first.
func TestHalfCharacterThatEndLetOut(t *testing.T) {
	for name, complete := range map[string]func(*emit.Emitter) error{
		"low-level door": func(em *emit.Emitter) error {
			return errors.Join(em.Text(0, "\xe2\x80"), em.End(), em.Text(0, "\x94"),
				em.Emit(event.Assistant{Content: []event.Block{event.Text{Text: "\u2014"}}}))
		},
		"Message": func(em *emit.Emitter) error {
			m := em.Message("m")
			return errors.Join(m.Text("\xe2\x80"), em.End(), m.Text("\x94"), m.End())
		},
		"arguments": func(em *emit.Emitter) error {
			m := em.Message("m")
			return errors.Join(m.ToolArgs("t", "{\"a\":\"\xe2\x80"), em.End(), m.ToolArgs("t", "\x94\"}"), m.ToolUse("t", "n", nil), m.End())
		},
	} {
		t.Run(name, func(t *testing.T) {
			var w tape
			em := begin(t, partial(&w))
			must(t, complete(em), em.Finish(event.Result{}))
			checkDeltas(t, whole(t, w.bytes()))
		})
	}
}

// Fragments that the message's input does not repeat are discarded, also where
// that input, or another one of the message, is no JSON.
func TestFragmentsBesideInvalidInput(t *testing.T) {
	broken := json.RawMessage(`{broken`)
	for name, content := range map[string][]event.Block{
		"its own input":     {event.ToolUse{ID: "t", Name: "n", Input: broken}},
		"another one's":     {event.ToolUse{ID: "t", Name: "n", Input: json.RawMessage(`{"a":2}`)}, event.ToolUse{ID: "u", Name: "n", Input: broken}},
		"another one's too": {event.ToolUse{ID: "u", Name: "n", Input: broken}, event.ToolUse{ID: "t", Name: "n"}},
	} {
		t.Run(name, func(t *testing.T) {
			var w tape
			em := begin(t, partial(&w))
			must(t, em.ToolArgs("t", `{"a":1}`), em.Emit(event.Assistant{Content: content}), em.Finish(event.Result{}))
			checkDeltas(t, whole(t, w.bytes()))
		})
	}
}
