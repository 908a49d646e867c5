package adopt

import (
	"bytes"
	"strconv"

	"github.com/streamjson/streamjson/internal/jsonl"
)

// A count follows the child's own numbers.
type count struct {
	next   uint64
	unread int // lines since the last event that may have been one
}

// take takes the number of an event, and reports whether it is right: the next
// one, or further by no more than there were lines that could not be read.
func (c *count) take(number []byte) bool {
	n, err := strconv.ParseUint(string(number), 10, 64)
	right := err == nil && n >= c.next && n-c.next <= uint64(c.unread)
	if err != nil {
		n = c.next
	}
	c.next, c.unread = n+1, 0
	return right
}

// event takes an event of the child's.
func (f *Filter) event(e *event) {
	number := e.raw[e.seq.start:e.seq.end]
	switch {
	case f.ended:
		f.note(behindResult, e.typ+" seq "+string(number))
		return
	case e.isInit() && f.inited && f.isOther(e):
		f.note(otherRun, "session_id "+e.str(e.session))
		return
	case e.isInit() && f.inited:
		f.begun = true
		f.count.take(number) // it begins anew
		f.note(secondInit, "session_id "+e.str(e.session))
		return
	case f.others != nil && f.isOther(e):
		f.note(otherRun, "")
		return
	}
	if want := f.count.next; !f.count.take(number) {
		f.note(numbering, "seq "+string(number)+" where "+strconv.FormatUint(want, 10)+" was due")
	}
	f.identify(e)
	stamp := e.stampOf()
	switch {
	case e.isInit():
		f.inited, f.begun = true, true
		f.put(e, stamp)
		f.warnDue(false, stamp)
		return
	case !f.inited:
		f.supplyInit(stamp, true)
	}
	actor := e.str(e.parent)
	switch {
	case e.isResult():
		f.warnDue(true, stamp)
		f.close(stamp)
		f.put(e, stamp)
		failed, _ := e.failed()
		f.finish(e.subtype, failed)
		return
	case e.typ == "assistant":
		f.flushDeltas(actor, stamp)
	case e.typ == "stream_event":
		f.delta(e, actor)
	}
	f.warnDue(false, stamp)
	f.put(e, stamp)
	f.effects(e, actor)
}

// maxOthers is how many other runs are told apart.
const maxOthers = 1000

// isOther reports whether an event is of another run: one with a session of its
// own, which has begun with an init while this one was not over. That is a
// program beside this one on the same stdout, or behind it, and its result is
// not this one's.
func (f *Filter) isOther(e *event) bool {
	if bytes.Equal(e.raw[e.session.start:e.session.end], f.session) {
		return false
	}
	id := e.str(e.session)
	if f.id(id) == string(jsonl.AppendUnquoted(nil, f.session)) {
		return false
	}
	_, known := f.others[id]
	if e.isInit() && f.begun && !known && len(f.others) < maxOthers {
		if f.others == nil {
			f.others = map[string]struct{}{}
		}
		f.others[id] = struct{}{}
		known = true
	}
	return known
}

// identify holds the session id of an event against that of the run.
func (f *Filter) identify(e *event) {
	if f.session != nil && bytes.Equal(e.raw[e.session.start:e.session.end], f.session) {
		return
	}
	own := e.written(e.session)
	if f.session == nil {
		f.session = jsonl.AppendString(nil, string(own))
		return
	}
	if first := jsonl.AppendUnquoted(nil, f.session); string(own) != string(first) {
		f.note(sessionChange, string(own))
		e.replace(e.session, f.session)
	}
}

// stampOf returns the ts of an event, if it is one of contract F4.
func (e *event) stampOf() []byte {
	const layout = "dddd-dd-ddTdd:dd:dd.dddZ"
	if e.ts.end-e.ts.start != len(layout)+2 {
		return nil
	}
	text := e.raw[e.ts.start+1 : e.ts.end-1]
	for i, c := range []byte(layout) {
		if digit := '0' <= text[i] && text[i] <= '9'; digit != (c == 'd') || !digit && text[i] != c {
			return nil
		}
	}
	return text
}

// put gives an event its place.
func (f *Filter) put(e *event, stamp []byte) {
	var digits [20]byte
	number := strconv.AppendUint(digits[:0], f.seq, 10)
	if string(number) != string(e.raw[e.seq.start:e.seq.end]) {
		e.replace(e.seq, number)
	}
	f.out = e.appendTo(f.out)
	f.seq++
	if stamp != nil {
		f.ts = append(f.ts[:0], stamp...)
	}
}

// effects applies what an event begins and ends.
func (f *Filter) effects(e *event, actor string) {
	room := true
	switch e.typ {
	case "assistant":
		if actor == "" {
			f.account.message(e)
		}
		for _, b := range e.blocks {
			if b.typ == "tool_use" && b.id.there() {
				room = f.opened.add(aTool, e.str(b.id), "", actor) && room
			}
		}
	case "user":
		for _, b := range e.blocks {
			if b.typ == "tool_result" && b.toolUseID.there() {
				f.opened.remove(aTool, e.str(b.toolUseID))
			}
		}
	case "system":
		switch {
		case !e.taskID.there():
		case e.subtype == "task_started":
			room = f.opened.add(aTask, e.str(e.taskID), e.str(e.kind), actor)
		case e.subtype == "task_notification":
			f.opened.remove(aTask, e.str(e.taskID))
		}
	}
	if !room {
		f.note(untracked, "")
	}
}

// close ends what is open: held-back text is written, tool calls and tasks are
// closed (contract section 3).
func (f *Filter) close(next []byte) {
	f.flushAllDeltas(next)
	for _, o := range f.opened.close() {
		if o.class == aTool {
			f.insert("user", "", o.actor, f.toolClosed(o.id), next)
		} else {
			f.insert("system", "task_notification", o.actor, f.taskClosed(o.id, o.kind), next)
		}
	}
}
