package adopt

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/streamjson/streamjson/internal/jsonl"
	"github.com/streamjson/streamjson/redact"
)

// maxBlocks is how many blocks and calls may be on their way in pieces. In
// those beyond, a secret that is split over pieces is not found.
const maxBlocks = 512

// deltas redacts the messages that come in pieces, so that a secret which is
// split over them is found. What is held back of a block goes out in front of
// its next piece, or in a line of its own at its end.
type deltas struct {
	secrets *redact.Redactor
	actors  map[string]*speaker
	blocks  int // of all actors
	count   uint64
	scratch []byte
	plain   []byte
}

// A speaker is an actor with a message on its way.
type speaker struct {
	order  uint64
	blocks []*spoken
}

// spoken is a block, or the arguments of a call, on its way.
type spoken struct {
	index     int64
	thinking  bool
	toolUseID string
	text      *redact.Stream // of a block
	arguments *arguments     // of a call
}

func newDeltas(r *redact.Redactor) deltas {
	return deltas{secrets: r, actors: map[string]*speaker{}}
}

// find returns a block, new if need be; nil if there is no room for it.
func (d *deltas) find(actor string, is func(*spoken) bool, fresh func() *spoken) *spoken {
	a := d.actors[actor]
	if a != nil {
		if i := slices.IndexFunc(a.blocks, is); i >= 0 {
			return a.blocks[i]
		}
	}
	if d.blocks >= maxBlocks {
		return nil
	}
	if a == nil {
		a = &speaker{order: d.count}
		d.actors[actor] = a
		d.count++
	}
	b := fresh()
	a.blocks = append(a.blocks, b)
	d.blocks++
	return b
}

// drop forgets what an actor has on its way.
func (d *deltas) drop(actor string) {
	if a := d.actors[actor]; a != nil {
		d.blocks -= len(a.blocks)
		delete(d.actors, actor)
	}
}

// delta redacts a piece of a message.
func (f *Filter) delta(e *event, actor string) {
	if d := &f.deltas; cap(d.plain)+cap(d.scratch) > 4*keptBuffer {
		d.plain, d.scratch = nil, nil
	}
	switch e.piece {
	case "content_block_delta":
		f.textDelta(e, actor)
	case "tool_args_delta":
		f.argumentsDelta(e, actor)
	case "deltas_discarded":
		f.deltas.drop(actor)
		if actor == "" {
			f.account.discard()
		}
	}
}

func (f *Filter) textDelta(e *event, actor string) {
	if !e.text.there() {
		return
	}
	d := &f.deltas
	d.plain = jsonl.AppendUnquoted(d.plain[:0], e.raw[e.text.start:e.text.end])
	out := d.plain
	index, err := strconv.ParseInt(string(e.raw[e.index.start:e.index.end]), 10, 64)
	if d.secrets.Enabled() {
		var b *spoken
		if err == nil {
			b = d.find(actor,
				func(b *spoken) bool { return b.text != nil && b.index == index && b.thinking == e.thinking },
				func() *spoken { return &spoken{index: index, thinking: e.thinking, text: d.secrets.Stream()} })
		}
		if b != nil {
			d.scratch = b.text.Append(d.scratch[:0], view(d.plain))
		} else {
			d.scratch = append(d.scratch[:0], d.secrets.String(string(d.plain))...)
		}
		out = d.scratch
		e.edit(e.text, out, d.plain)
	}
	if actor == "" && !e.thinking {
		f.account.say(index, out)
	}
}

func (f *Filter) argumentsDelta(e *event, actor string) {
	d := &f.deltas
	if !d.secrets.Enabled() || !e.arguments.there() {
		return
	}
	d.plain = jsonl.AppendUnquoted(d.plain[:0], e.raw[e.arguments.start:e.arguments.end])
	id := e.str(e.toolUseID)
	b := d.find(actor,
		func(b *spoken) bool { return b.arguments != nil && b.toolUseID == id },
		func() *spoken { return &spoken{toolUseID: id, arguments: newArguments(d.secrets)} })
	if b != nil {
		d.scratch = b.arguments.append(d.scratch[:0], view(d.plain))
	} else {
		d.scratch = append(d.scratch[:0], d.secrets.String(string(d.plain))...)
	}
	e.edit(e.arguments, d.scratch, d.plain)
}

// edit puts a text in place of the string at s, unless it is the same.
func (e *event) edit(s span, text, was []byte) {
	if string(text) != string(was) {
		e.replace(s, jsonl.AppendString(nil, string(text)))
	}
}

// flushDeltas ends the message that an actor has on its way: what is held back
// of it is written.
func (f *Filter) flushDeltas(actor string, next []byte) {
	a := f.deltas.actors[actor]
	if a == nil {
		return
	}
	for _, b := range a.blocks {
		var tail []byte
		if b.arguments != nil {
			tail = b.arguments.flush(nil)
		} else {
			tail = b.text.AppendFlush(nil)
		}
		if len(tail) > 0 {
			f.insert("stream_event", "", actor, f.tailMembers(b, tail), next)
		}
		if len(tail) > 0 && actor == "" && b.text != nil && !b.thinking {
			f.account.say(b.index, tail)
		}
	}
	f.deltas.drop(actor)
}

// flushAllDeltas is flushDeltas for all actors, nested before parent, newest
// first.
func (f *Filter) flushAllDeltas(next []byte) {
	actors := make([]string, 0, len(f.deltas.actors))
	for id := range f.deltas.actors {
		actors = append(actors, id)
	}
	slices.SortFunc(actors, func(x, y string) int {
		return cmp.Or(cmp.Compare(f.opened.depth(y), f.opened.depth(x)), cmp.Compare(f.deltas.actors[y].order, f.deltas.actors[x].order))
	})
	for _, id := range actors {
		f.flushDeltas(id, next)
	}
}

// tailMembers returns the members of a line with the end of a block.
func (f *Filter) tailMembers(b *spoken, tail []byte) []byte {
	l := &jsonl.Builder{} // the text is redacted
	l.Open("event", '{')
	if b.arguments != nil {
		l.ID("type", "tool_args_delta")
		l.ID("tool_use_id", f.id(b.toolUseID))
		l.Text("partial_json", string(tail))
	} else {
		kind, name := "text_delta", "text"
		if b.thinking {
			kind, name = "thinking_delta", "thinking"
		}
		l.ID("type", "content_block_delta")
		l.Int("index", b.index)
		l.Open("delta", '{')
		l.ID("type", kind)
		l.Text(name, string(tail))
		l.Close('}')
	}
	l.Close('}')
	return l.Buf
}
