package emit

import (
	"bytes"
	"hash/maphash"

	"github.com/streamjson/streamjson/internal/jsonl"
	"github.com/streamjson/streamjson/internal/wire"
)

// complete ends the actor's open deltas, for l completes their message: what
// is held back is written, and where the message does not say what the deltas
// said, deltas_discarded comes before it, so that no reader joins what does
// not belong together. The lock is held.
func (a *Actor) complete(l *wire.Line) {
	if len(a.blocks)+len(a.args) == 0 {
		return
	}
	a.flushTails()
	if a.stream.o.Partial && !a.saysTheSame(l) {
		a.writeDiscard()
	}
	a.forget()
}

// saysTheSame reports whether the blocks of l are what the deltas said.
func (a *Actor) saysTheSame(l *wire.Line) bool {
	blocks := l.Effects.Blocks
	for i := range a.blocks {
		b := &a.blocks[i]
		if b.index >= len(blocks) || blocks[b.index].Kind != b.kind {
			return false
		}
		text := l.Effects.Text(blocks[b.index])
		if b.torn || len(text) != b.size || !bytes.HasPrefix(text, b.text) || !b.endsAs(text) {
			return false
		}
	}
	for i := range a.args {
		if !a.args[i].saysTheSame(l, a.stream.filter) {
			return false
		}
	}
	return true
}

// endsAs reports whether text, which begins as b does, ends as b did.
func (b *block) endsAs(text []byte) bool {
	if len(b.text) == len(text) {
		return true
	}
	return maphash.Bytes(b.rest.Seed(), text[len(b.text):]) == b.rest.Sum64()
}

// saysTheSame reports whether the input of the tool call in l is what its
// fragments said.
func (t *argsText) saysTheSame(l *wire.Line, filter jsonl.Filter) bool {
	for _, b := range l.Effects.Blocks {
		if b.Kind != wire.ToolBlock || !bytes.Equal(l.Effects.Text(b), t.id) {
			continue
		}
		if t.torn || len(t.text) < t.size { // a text that long is not kept
			return false
		}
		return sameInput(t.text, l.Buf[b.From:b.To], filter)
	}
	return false
}

// sameInput reports whether x, filtered, and y are the same JSON value. Most
// often they are the same text but for white space. Where x is no JSON, y is it
// as a string.
func sameInput(x, y []byte, filter jsonl.Filter) bool {
	compact, err := jsonl.AppendRaw(nil, x, filter)
	if err != nil {
		text := string(x)
		if filter != nil {
			text = filter.Text(text)
		}
		return bytes.Equal(jsonl.AppendString(nil, text), y)
	}
	return bytes.Equal(compact, y) || jsonl.Same(compact, y)
}

// openText returns the text of the actor's open message, its text blocks
// joined in the order of their indexes, and how many bytes of it were not
// kept. The lock is held.
func (a *Actor) openText() (text []byte, lost int) {
	last := -1
	for range a.blocks {
		var next *block
		for i := range a.blocks {
			if b := &a.blocks[i]; b.index > last && (next == nil || b.index < next.index) {
				next = b
			}
		}
		if next == nil {
			break
		}
		last = next.index
		if next.kind == wire.TextBlock {
			text = append(text, next.text...)
			lost += next.size - len(next.text)
		}
	}
	return text, lost
}
