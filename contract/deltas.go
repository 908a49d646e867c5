package contract

import (
	"hash/maphash"
	"slices"

	"github.com/streamjson/streamjson/contract/internal/treehash"
)

// An actor is one agent with a message that is being written.
type actor struct {
	blocks map[int64]*pieces
	calls  map[uint64]*fragments
}

// pieces are the deltas of a block so far.
type pieces struct {
	kind string // of the block
	hash maphash.Hash
	size int
	line int64 // of the first delta
	told bool
}

// fragments are the argument deltas of a call so far.
type fragments struct {
	text maphash.Hash // as they stand
	tree *treehash.Hasher
	size int
}

// streamEvent judges a delta.
func (c *Checker) streamEvent(v *view) {
	at := v.top[mEvent]
	if !v.is(at, beginObject) {
		return
	}
	kind := v.member(at, mType)
	if !v.is(kind, isString) {
		return
	}
	switch string(v.str(kind)) {
	case "content_block_delta":
		c.announced(v)
		c.blockDelta(v, at)
	case "tool_args_delta":
		c.announced(v)
		c.argsDelta(v, at)
	case "deltas_discarded":
		c.discard(v.parent)
	}
}

// announced judges whether deltas may come at all.
func (c *Checker) announced(v *view) {
	if c.run.initial && !c.run.partial {
		c.run.partial = true // once
		c.find(v, "delta-capability", 0, "/event", "a delta in a run without partial_messages_v1", "")
	}
}

// discard forgets what an actor's open message had.
func (c *Checker) discard(parent uint64) {
	if c.run.lost != 0 && len(c.run.sure) < maxBlocks {
		c.run.sure[parent] = struct{}{}
	}
	if a := c.run.actors[parent]; a != nil {
		c.run.open -= len(a.blocks) + len(a.calls)
		delete(c.run.actors, parent)
	}
}

// room returns the actor of the line, or nil if no more can be remembered.
func (c *Checker) room(v *view) *actor {
	r := &c.run
	if r.open >= maxBlocks {
		for _, rule := range []string{"delta-mismatch", "delta-index", "args-mismatch"} {
			c.skip(rule, v.number, "more than "+count(maxBlocks, "block")+" are being written")
		}
		return nil
	}
	a := r.actors[v.parent]
	if a == nil {
		a = &actor{blocks: map[int64]*pieces{}, calls: map[uint64]*fragments{}}
		r.actors[v.parent] = a
	}
	return a
}

func (c *Checker) blockDelta(v *view, at int) {
	index, ok := v.integer(v.member(at, mIndex))
	d := v.member(at, mDelta)
	if !ok || !v.is(d, beginObject) {
		return
	}
	kind, text := "text", v.member(d, mText)
	if text == 0 {
		kind, text = "thinking", v.member(d, mThinking)
	}
	a := c.room(v)
	if a == nil || !v.is(text, isString) {
		return
	}
	p := a.blocks[index]
	if p == nil {
		p = &pieces{kind: kind, line: v.number}
		p.hash.SetSeed(c.seed)
		a.blocks[index] = p
		c.run.open++
	}
	if p.kind != kind && !p.told && !c.half(v) {
		p.told = true
		c.find(v, "delta-index", v.place(text), "/event/index", "a "+kind+" delta for the "+p.kind+" block that line "+decimal(p.line)+" began", "")
	}
	s := v.str(text)
	p.hash.Write(s)
	p.size += len(s)
}

func (c *Checker) argsDelta(v *view, at int) {
	id, text := v.member(at, mToolUseID), v.member(at, mPartialJSON)
	if !v.is(id, isString) || !v.is(text, isString) {
		return
	}
	a := c.room(v)
	if a == nil {
		return
	}
	key := c.hash(v.str(id))
	f := a.calls[key]
	if f == nil {
		f = &fragments{tree: treehash.New(c.seed)}
		f.text.SetSeed(c.seed)
		a.calls[key] = f
		c.run.open++
	}
	s := v.str(text)
	f.text.Write(s)
	f.tree.Write(s)
	f.size += len(s)
}

// assistant judges a completed message.
func (c *Checker) assistant(v *view) {
	defer c.discard(v.parent)
	at := v.top[mMessage]
	if !v.is(at, beginObject) {
		return
	}
	list := v.member(at, mContent)
	if !v.is(list, beginArray) {
		return
	}
	compare := c.comparable(v)
	var missed []completed
	n := int64(-1)
	v.children(list, func(b int) bool {
		n++
		kind := v.member(b, mType)
		if !v.is(b, beginObject) || !v.is(kind, isString) {
			return true
		}
		switch string(v.str(kind)) {
		case "text":
			missed = c.block(v, n, "text", v.member(b, mText), compare, missed)
		case "thinking":
			missed = c.block(v, n, "thinking", v.member(b, mThinking), compare, missed)
		case "tool_use":
			c.toolUse(v, n, b, compare)
		}
		return true
	})
	c.leftOver(v, missed, compare)
}

// comparable reports whether the line's blocks can be held against its deltas.
func (c *Checker) comparable(v *view) bool {
	if c.run.actors[v.parent] == nil {
		return false
	}
	if i := v.top[mMeta]; v.is(i, beginObject) && v.member(i, mTruncatedBytes) != 0 {
		for _, rule := range []string{"delta-mismatch", "delta-index"} {
			c.skip(rule, v.number, "the message was cut (_meta.truncated_bytes)")
		}
		return false
	}
	return !c.half(v)
}

// half reports whether a line was lost since the actor's message began, so that
// its deltas may be, too.
func (c *Checker) half(v *view) bool {
	if _, sure := c.run.sure[v.parent]; sure || c.run.lost == 0 {
		return false
	}
	for _, rule := range []string{"delta-mismatch", "delta-index", "args-mismatch"} {
		c.unsure(rule)
	}
	return true
}

// A completed block whose text is not that of the deltas with its index.
type completed struct {
	index int64
	kind  string
	sum   uint64
	at    int  // its text
	had   bool // there were deltas with its index
}

// block holds a completed text against its deltas.
func (c *Checker) block(v *view, n int64, kind string, text int, compare bool, missed []completed) []completed {
	if !compare || !v.is(text, isString) {
		return missed
	}
	blocks := c.run.actors[v.parent].blocks
	if len(blocks) == 0 {
		return missed
	}
	m := completed{index: n, kind: kind, sum: maphash.Bytes(c.seed, v.str(text)), at: text}
	if p := blocks[n]; p != nil && p.kind == kind {
		if p.hash.Sum64() == m.sum {
			delete(blocks, n)
			c.run.open--
			return missed
		}
		m.had = true
	}
	return append(missed, m)
}

// leftOver tells the deltas that no block was completed for, and the blocks
// that differ from their deltas.
func (c *Checker) leftOver(v *view, missed []completed, compare bool) {
	if !compare {
		return
	}
	blocks := c.run.actors[v.parent].blocks
	indexes := make([]int64, 0, len(blocks))
	for n := range blocks {
		indexes = append(indexes, n)
	}
	slices.Sort(indexes)
	for _, n := range indexes {
		p := blocks[n]
		moved := slices.IndexFunc(missed, func(m completed) bool { return m.kind == p.kind && m.sum == p.hash.Sum64() })
		own := slices.IndexFunc(missed, func(m completed) bool { return m.index == n && m.had })
		switch {
		case p.told:
		case moved < 0 && own >= 0:
			m := missed[own]
			c.find(v, "delta-mismatch", v.place(m.at), "/message/content/"+decimal(n)+"/"+m.kind,
				count(v.items[m.at].end-v.items[m.at].start-2, "byte")+" as written, where the deltas from line "+decimal(p.line)+" on have "+count(p.size, "byte")+" of another text", "")
		default:
			found := "deltas for block " + decimal(n) + " (from line " + decimal(p.line) + " on), which is no " + p.kind + " block of the message"
			if moved >= 0 {
				found = "the text of block " + decimal(missed[moved].index) + " under index " + decimal(n)
			}
			c.find(v, "delta-index", v.place(v.top[mMessage]), "/message/content", found, "")
		}
	}
}
