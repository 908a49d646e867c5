package contract

import (
	"hash/maphash"
	"strconv"

	"github.com/streamjson/streamjson/contract/internal/treehash"
)

// toolUse opens a call.
func (c *Checker) toolUse(v *view, n int64, b int, compare bool) {
	r := &c.run
	id := v.member(b, mID)
	if !v.is(id, isString) {
		return
	}
	key := c.hash(v.str(id))
	pointer := "/message/content/" + strconv.FormatInt(n, 10)
	if compare {
		if f := r.actors[v.parent].calls[key]; f != nil && f.size > 0 {
			c.arguments(v, f, v.member(b, mInput), pointer+"/input")
		}
	}
	old, known := r.tools[key]
	if known && old.open {
		c.find(v, "tool-use-open", v.place(id), pointer+"/id", excerpt(v.str(id), 0)+", which is open since line "+decimal(old.line), "")
		return
	}
	if !known && len(r.tools) >= maxIDs && !c.forget(v) {
		return
	}
	if known {
		r.closed-- // the id is used again
	}
	r.tools[key] = toolUse{line: v.number, actor: v.parent, open: true}
}

// forget drops the calls that are closed, to make room, once there are enough
// of them to be worth the walk. It reports whether there is room now.
func (c *Checker) forget(v *view) bool {
	r := &c.run
	r.forgot = true
	if r.closed > maxIDs/8 {
		for key, t := range r.tools {
			if !t.open {
				delete(r.tools, key)
			}
		}
		r.closed = 0
		return true
	}
	for _, rule := range []string{"tool-use-open", "tool-result-orphan", "tool-unclosed"} {
		c.skip(rule, v.number, "more than "+count(maxIDs, "tool call")+" are open")
	}
	r.lose(v.number)
	return false
}

// arguments holds the input of a call against its fragments.
func (c *Checker) arguments(v *view, f *fragments, input int, pointer string) {
	if input == 0 {
		return
	}
	// What is no JSON is written as a string (contract section 6).
	if v.is(input, isString) && maphash.Bytes(c.seed, v.str(input)) == f.text.Sum64() {
		return
	}
	whole := treehash.New(c.seed)
	whole.Write(v.source(input))
	want, _ := whole.Sum()
	got, ok := f.tree.Sum()
	switch {
	case !ok:
		c.find(v, "args-mismatch", v.place(input), pointer, count(f.size, "byte")+" of fragments that are no JSON text", "")
	case got != want:
		c.find(v, "args-mismatch", v.place(input), pointer, "another value than the fragments of the call have", "")
	}
}

// user judges a line with results of tools.
func (c *Checker) user(v *view) {
	if i := v.top[mToolUseResult]; v.is(i, beginObject) {
		c.prose(v, v.member(i, mSummary), "/tool_use_result/summary")
	}
	at := v.top[mMessage]
	if !v.is(at, beginObject) {
		return
	}
	list := v.member(at, mContent)
	if !v.is(list, beginArray) {
		return
	}
	n := -1
	v.children(list, func(b int) bool {
		n++
		kind := v.member(b, mType)
		if v.is(b, beginObject) && v.is(kind, isString) && string(v.str(kind)) == "tool_result" {
			c.toolResult(v, v.member(b, mToolUseID), "/message/content/"+strconv.Itoa(n)+"/tool_use_id")
		}
		return true
	})
}

// toolResult closes a call.
func (c *Checker) toolResult(v *view, id int, pointer string) {
	r := &c.run
	if !v.is(id, isString) {
		return
	}
	key := c.hash(v.str(id))
	t, known := r.tools[key]
	switch {
	case !known:
		if !c.unsure("tool-result-orphan") {
			c.find(v, "tool-result-orphan", v.place(id), pointer, excerpt(v.str(id), 0)+", which no tool_use has", "")
		}
		return
	case !t.open:
		if !c.unsure("tool-result-double") {
			c.find(v, "tool-result-double", v.place(id), pointer, "a second result for the call of line "+decimal(t.line), "")
		}
		return
	case t.actor != v.parent && t.actor == 0:
		c.find(v, "parent-top-level", v.place(v.top[mParent]), "/parent_tool_use_id", "a parent id on the result of a top-level call", "")
	case t.actor != v.parent:
		c.find(v, "tool-result-actor", v.place(id), pointer, "the result of a nested call (line "+decimal(t.line)+") on another actor", "")
	}
	t.open = false
	r.tools[key] = t
	r.closed++
}
