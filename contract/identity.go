package contract

import (
	"hash/maphash"
	"strconv"
)

// envelope judges the members that every line has and returns the type.
func (c *Checker) envelope(v *view) (typ string) {
	typ = v.word(v.top[mType])
	c.mustText(v, mType)
	c.mustText(v, mSessionID)
	if typ == "system" || typ == "result" {
		c.mustText(v, mSubtype)
	}
	if v.top[mParent] != 0 {
		c.mustText(v, mParent)
	}
	if i := v.top[mSeq]; i != 0 || !v.partial {
		if n, ok := v.integer(i); !ok || n < 0 {
			c.find(v, "envelope-member", v.place(i), "/seq", v.name(i), "seq, an integer in decimal, from 0")
		}
	}
	if !v.partial {
		c.order(v)
	}
	return typ
}

// mustText tells a member that is no filled string.
func (c *Checker) mustText(v *view, m member) {
	i := v.top[m]
	if i == 0 && v.partial || v.filled(i) {
		return
	}
	c.find(v, "envelope-member", v.place(i), "/"+spelling[m], v.name(i), spelling[m]+", a string that is not empty")
}

// name says what stands at an item that should be something else.
func (v *view) name(i int) string {
	switch {
	case i == 0:
		return "no such member"
	case v.is(i, isString), v.is(i, isNumber):
		return excerpt(v.source(i), 0)
	}
	return kindName(v.items[i].kind)
}

// order judges where the members of the envelope stand.
func (c *Checker) order(v *view) {
	last, lastName := 0, mOther
	v.children(0, func(i int) bool {
		m := v.items[i].member
		rank := int(mParent) + 1 // the payload
		if mType <= m && m <= mMeta {
			rank = int(m)
			if m > mParent {
				rank++
			}
		}
		if rank >= last {
			last, lastName = rank, m
			return true
		}
		name := string(v.text(v.items[i].keyStart, v.items[i].keyEnd))
		behind := spelling[lastName]
		if lastName == mOther {
			behind = "the payload"
		}
		c.find(v, "member-order", v.items[i].keyStart, string(appendToken(nil, []byte(name))), name+" behind "+behind, "")
		return false
	})
}

// session judges the session id.
func (c *Checker) session(v *view) {
	i := v.top[mSessionID]
	if !v.filled(i) {
		return
	}
	r := &c.run
	id := v.str(i)
	switch h := c.hash(id); {
	case r.session == 0:
		r.session = h
	case h != r.session && h != r.stranger:
		r.stranger = h
		c.find(v, "session-change", v.place(i), "/session_id", excerpt(id, 0), "the session id that the run began with")
	}
}

// actor judges the parent id, and sets the view's.
func (c *Checker) actor(v *view) {
	i := v.top[mParent]
	if !v.filled(i) {
		return
	}
	r := &c.run
	v.parent = c.hash(v.str(i))
	if _, known := r.tools[v.parent]; known {
		return
	}
	if _, told := r.strange[v.parent]; told || c.unsure("parent-unknown") {
		return
	}
	if r.forgot || len(r.strange) >= maxIDs {
		c.skip("parent-unknown", v.number, "the run has more than "+count(maxIDs, "tool call"))
		return
	}
	r.strange[v.parent] = struct{}{}
	c.find(v, "parent-unknown", v.place(i), "/parent_tool_use_id", excerpt(v.str(i), 0)+", which no tool_use has announced", "")
}

// hash is the hash of an id or a text; 0 is kept for none.
func (c *Checker) hash(p []byte) uint64 {
	return max(1, maphash.Bytes(c.seed, p))
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }
