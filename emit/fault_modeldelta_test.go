package emit_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/streamjson/streamjson/emit/event"
)

// valid is s as it stands on the wire (contract F8).
func valid(s string) string { return string([]rune(s)) }

// push adds a fragment to a block that may be new.
func push[K comparable](w *world, blocks map[K]*modelBlock, key K, kind, fragment string) {
	if blocks[key] == nil {
		blocks[key] = &modelBlock{kind: kind}
	}
	blocks[key].raw += fragment
	blocks[key].torn = blocks[key].cut
	if w.partial {
		w.begin()
	}
}

// lowLevel is a delta by the low-level door, as a call or as an event.
func (w *world) lowLevel() {
	a := w.actor()
	piece, index := w.piece(), w.pick(4)-1
	kind := []string{"text", "thinking", "args"}[w.pick(3)]
	if kind == "args" {
		w.lowLevelArgs(a)
		return
	}
	well := a.msg == nil && index >= 0
	if well && piece != "" && a.blocks[index] != nil && a.blocks[index].kind != kind {
		well = false
	}
	want := w.state(a, well)
	if want == taken && piece != "" {
		push(w, a.blocks, index, kind, piece)
	}
	asEvent := w.pick(2) == 0
	w.call(fmt.Sprintf("%s@%s %d %q", kind, a.parent, index, piece), want, func() error {
		switch {
		case kind == "text" && asEvent:
			return a.a.Emit(event.TextDelta{Index: index, Text: piece})
		case kind == "text":
			return a.a.Text(index, piece)
		case asEvent:
			return a.a.EmitAll(event.ThinkingDelta{Index: index, Thinking: piece})
		default:
			return a.a.Thinking(index, piece)
		}
	})
}

// fragment is a piece of a tool's input; joined they may be JSON.
func (w *world) fragment() string {
	list := []string{`{"a":`, `1}`, `{}`, "\"\xe2", "\x80\x94\"", "", `{"a":1}`}
	return list[w.pick(len(list))]
}

func (w *world) lowLevelArgs(a *modelActor) {
	id, fragment := w.id(), w.fragment()
	want := w.state(a, a.msg == nil && (fragment == "" || a.args[id] != nil || !w.toolOpen(id)))
	if want == taken && fragment != "" {
		push(w, a.args, id, "args", fragment)
	}
	asEvent := w.pick(3)
	w.call(fmt.Sprintf("ToolArgs@%s %s %q", a.parent, id, fragment), want, func() error {
		switch e := (event.ToolArgsDelta{ToolUseID: id, PartialJSON: fragment}); asEvent {
		case 0:
			return a.a.Emit(e)
		case 1:
			return a.a.EmitAll(e)
		default:
			return a.a.ToolArgs(id, fragment)
		}
	})
}

func (w *world) toolOpen(id string) bool {
	return slices.ContainsFunc(w.opened, func(o modelOpened) bool { return !o.task && o.id == id })
}

// complete is an assistant event: what the deltas said, or something else.
func (w *world) complete() {
	a := w.actor()
	if w.pick(8) == 0 {
		want := w.state(a, a.msg == nil)
		if want == taken {
			w.discard(a)
		}
		w.call("DeltasDiscarded@"+a.parent, want, func() error { return a.a.Emit(event.DeltasDiscarded{}) })
		return
	}
	same := w.pick(3) > 0
	var content []event.Block
	for i := range 3 {
		b := a.blocks[i]
		if b == nil {
			if len(a.blocks) > 0 && w.pick(2) == 0 {
				content = append(content, event.Text{Text: "not streamed"})
			}
			continue
		}
		content = append(content, b.block(!same && w.pick(2) == 0))
	}
	for _, id := range slices.Sorted(maps.Keys(a.args)) {
		if same || w.pick(2) == 0 {
			content = append(content, event.ToolUse{ID: id, Name: "n", Input: w.input(a.args[id].raw)})
		}
	}
	if w.pick(3) == 0 {
		content = append(content, event.ToolUse{ID: w.id(), Name: "n", Input: w.input("[1]")})
	}
	want := w.assistant(a, content, a.msg == nil)
	w.call(fmt.Sprintf("Assistant@%s %q", a.parent, content), want, func() error { return a.a.Emit(event.Assistant{Content: content}) })
}

// input is the text as a tool's input, or another one.
func (w *world) input(text string) any {
	switch w.pick(5) {
	case 0:
		return json.RawMessage(`{broken`)
	case 1:
		return map[string]any{"other": true}
	default:
		return json.RawMessage(text)
	}
}

// block is the completed block, or one that says something else.
func (b *modelBlock) block(other bool) event.Block {
	text := b.raw
	if other {
		text += "!"
	}
	if b.kind == "text" {
		return event.Text{Text: text}
	}
	return event.Thinking{Thinking: text}
}

// assistant says what becomes of a completed message, and takes it.
func (w *world) assistant(a *modelActor, content []event.Block, well bool) string {
	seen := map[string]bool{}
	for _, b := range content {
		if tool, ok := b.(event.ToolUse); ok {
			well = well && !w.toolOpen(tool.ID) && !seen[tool.ID]
			seen[tool.ID] = true
		}
	}
	want := w.state(a, well)
	if want != taken {
		return want
	}
	w.begin()
	w.foretellMessage(a, content)
	text := ""
	for _, b := range content {
		switch b := b.(type) {
		case event.ToolUse:
			w.opened = append(w.opened, modelOpened{false, b.ID, a})
		case event.Text:
			text += b.Text
		}
	}
	if a.depth == 0 {
		w.turns++
		if text != "" {
			w.text = text
		}
	}
	clear(a.blocks)
	clear(a.args)
	return taken
}

// foretellMessage is the message, and deltas_discarded before it where it does
// not say what the deltas said.
func (w *world) foretellMessage(a *modelActor, content []event.Block) {
	var spelled []any
	for _, b := range content {
		spelled = append(spelled, spellBlock(b))
	}
	who := "assistant@" + a.parent + " deltas "
	without, with := who+"false "+spellBlocks(spelled...), who+"true "+spellBlocks(spelled...)
	discarded := "stream_event/deltas_discarded@" + a.parent
	same, torn := a.saysTheSame(content)
	switch {
	case !w.partial || len(a.blocks)+len(a.args) == 0:
		w.foretell(without)
	case torn: // what a reader joins says whether they must be discarded
		w.foretell(discarded, "")
		w.foretell(without, with)
	case same:
		w.foretell(with)
	default:
		w.foretell(discarded)
		w.foretell(without)
	}
}

func spellBlock(b event.Block) any {
	switch b := b.(type) {
	case event.Text:
		return map[string]any{"type": "text", "text": valid(b.Text)}
	case event.Thinking:
		return map[string]any{"type": "thinking", "thinking": valid(b.Thinking)}
	case event.ToolUse:
		input, ok := decoded(b.Input)
		if !ok {
			input = valid(string(b.Input.(json.RawMessage)))
		}
		return map[string]any{"type": "tool_use", "id": b.ID, "name": b.Name, "input": input}
	}
	return nil
}

// decoded is a tool's input as a reader sees it, and false if it is no JSON.
func decoded(input any) (any, bool) {
	text, isRaw := input.(json.RawMessage)
	if !isRaw {
		text, _ = json.Marshal(input)
	}
	if input == nil {
		text = json.RawMessage("{}")
	}
	r, err := parse([]byte(`{"input":` + valid(string(text)) + `}`))
	return r.object["input"], err == nil
}

// saysTheSame compares a message with the deltas; torn: the deltas may
// differ from what the program said.
func (a *modelActor) saysTheSame(content []event.Block) (same, torn bool) {
	same = true
	for i, b := range a.blocks {
		torn = torn || b.torn
		same = same && i < len(content) && reflect.DeepEqual(content[i], b.block(false))
	}
	for id, b := range a.args {
		torn = torn || b.torn
		i := slices.IndexFunc(content, func(c event.Block) bool {
			tool, ok := c.(event.ToolUse)
			return ok && tool.ID == id
		})
		if i < 0 {
			return false, torn
		}
		input := content[i].(event.ToolUse).Input
		fragments, isJSON := decoded(json.RawMessage(b.raw))
		value, ok := decoded(input)
		raw, isRaw := input.(json.RawMessage)
		same = same && (isJSON && ok && reflect.DeepEqual(fragments, value) || !isJSON && isRaw && !ok && string(raw) == b.raw)
	}
	return same, torn
}

// openText is the text of an actor's open message.
func (a *modelActor) openText() (text string) {
	for _, i := range slices.Sorted(maps.Keys(a.blocks)) {
		if b := a.blocks[i]; b.kind == "text" {
			text += b.raw
		}
	}
	return text
}

// discard is the end of an open message that is not completed.
func (w *world) discard(a *modelActor) {
	if w.partial && len(a.blocks)+len(a.args) > 0 {
		w.foretell("stream_event/deltas_discarded@" + a.parent)
	}
	clear(a.blocks)
	clear(a.args)
}

// message is a call of a Message.
func (w *world) message() {
	if len(w.messages) == 0 || w.pick(8) == 0 {
		w.newMessage()
		return
	}
	m := w.messages[len(w.messages)-1-w.pick(min(len(w.messages), 2))]
	a := m.owner
	switch w.pick(8) {
	case 0, 1, 2:
		w.messageText(m)
	case 3:
		id, fragment := w.id(), w.fragment()
		well := !m.dead && !m.hasTool(id) && (fragment == "" || a.args[id] != nil || !w.toolOpen(id))
		want := w.state(a, well)
		if want == taken && fragment != "" {
			push(w, a.args, id, "args", fragment)
		}
		w.call(fmt.Sprintf("m@%s.ToolArgs %s %q", a.parent, id, fragment), want, func() error { return m.m.ToolArgs(id, fragment) })
	case 4, 5:
		w.messageTool(m)
	case 6:
		w.messageEnd(m)
	default:
		if w.pick(3) > 0 {
			return
		}
		want := w.state(a, !m.dead)
		if want == taken {
			w.discard(a)
			m.dead, a.msg = true, nil
		}
		w.call("m@"+a.parent+".Discard", want, m.m.Discard)
	}
}

func (w *world) newMessage() {
	a := w.actor()
	m := &modelMessage{owner: a, dead: a.msg != nil}
	if !m.dead {
		a.msg = m
		if w.state(a, true) == taken {
			w.discard(a)
		}
	}
	w.calls = append(w.calls, "Message@"+a.parent)
	m.m = a.a.Message("")
	w.messages = append(w.messages, m)
}

func (w *world) messageText(m *modelMessage) {
	kind, piece := []string{"text", "thinking"}[w.pick(2)], w.piece()
	want := w.state(m.owner, !m.dead)
	if want == taken && piece != "" {
		b := (&modelBlock{kind: kind}).block(false)
		if n := len(m.parts); n == 0 || reflect.TypeOf(m.parts[n-1]) != reflect.TypeOf(b) {
			m.parts = append(m.parts, b)
		}
		push(w, m.owner.blocks, len(m.parts)-1, kind, piece)
	}
	w.call(fmt.Sprintf("m@%s.%s %q", m.owner.parent, kind, piece), want, func() error {
		if kind == "text" {
			return m.m.Text(piece)
		}
		return m.m.Thinking(piece)
	})
}

func (m *modelMessage) hasTool(id string) bool {
	return slices.ContainsFunc(m.parts, func(b event.Block) bool {
		tool, ok := b.(event.ToolUse)
		return ok && tool.ID == id
	})
}

func (w *world) messageTool(m *modelMessage) {
	id, input := w.id(), any(nil)
	if w.pick(4) == 0 {
		input = w.input("[2]")
	}
	want := w.state(m.owner, !m.dead && !m.hasTool(id) && !w.toolOpen(id))
	if want == taken {
		m.parts = append(m.parts, event.ToolUse{ID: id, Name: "n", Input: input})
	}
	w.call(fmt.Sprintf("m@%s.ToolUse %s %v", m.owner.parent, id, input), want, func() error { return m.m.ToolUse(id, "n", input) })
}

func (w *world) messageEnd(m *modelMessage) {
	a := m.owner
	if w.pick(3) == 0 {
		w.steal(m)
	}
	want := w.state(a, !m.dead)
	if want == taken {
		var content []event.Block
		for i, b := range m.parts {
			switch tool, ok := b.(event.ToolUse); {
			case !ok:
				b = a.blocks[i].block(false)
			case tool.Input == nil && a.args[tool.ID] != nil:
				tool.Input = json.RawMessage(a.args[tool.ID].raw)
				b = tool
			}
			content = append(content, b)
		}
		m.dead, a.msg = true, nil
		if want = w.assistant(a, content, true); want == refused {
			w.discard(a)
		}
	}
	w.call("m@"+a.parent+".End", want, m.m.End)
}

// steal opens a tool call of the message's on another actor, before its end.
func (w *world) steal(m *modelMessage) {
	for _, b := range m.parts {
		tool, ok := b.(event.ToolUse)
		if !ok {
			continue
		}
		a := w.actor()
		content := []event.Block{event.ToolUse{ID: tool.ID, Name: "thief"}}
		want := w.assistant(a, content, a.msg == nil)
		w.call("steal@"+a.parent+" "+tool.ID, want, func() error { return a.a.Emit(event.Assistant{Content: content}) })
		return
	}
}
