package adopt

import (
	"bytes"
	"strconv"

	"github.com/streamjson/streamjson/internal/jsonl"
	"github.com/streamjson/streamjson/redact"
)

// A shape is what an object or an array of a line is to the rules.
type shape uint8

const (
	opaque  shape = iota // somebody else's value
	topLine              // the line itself
	aMessage
	someContent // an array
	aBlock
	anEvent
	aDelta
)

// inside returns what the value of a member of a shape is.
func inside(s shape, m member) shape {
	switch {
	case s == topLine && m == mMessage:
		return aMessage
	case s == topLine && m == mEvent:
		return anEvent
	case s == aMessage && m == mContent:
		return someContent
	case s == someContent:
		return aBlock
	case s == anEvent && m == mDelta:
		return aDelta
	}
	return opaque
}

// A member is a name that the rules know.
type member uint8

const (
	mOther member = iota
	mType
	mSubtype
	mSessionID
	mSeq
	mTS
	mParent
	mIsError
	mTaskID
	mKind
	mMessage
	mContent
	mID
	mToolUseID
	mText
	mThinking
	mEvent
	mIndex
	mDelta
	mPartial
)

func memberOf(name []byte) member {
	switch string(name) {
	case "type":
		return mType
	case "subtype":
		return mSubtype
	case "session_id":
		return mSessionID
	case "seq":
		return mSeq
	case "ts":
		return mTS
	case "parent_tool_use_id":
		return mParent
	case "is_error":
		return mIsError
	case "task_id":
		return mTaskID
	case "kind":
		return mKind
	case "message":
		return mMessage
	case "content":
		return mContent
	case "id":
		return mID
	case "tool_use_id":
		return mToolUseID
	case "text":
		return mText
	case "thinking":
		return mThinking
	case "event":
		return mEvent
	case "index":
		return mIndex
	case "delta":
		return mDelta
	case "partial_json":
		return mPartial
	}
	return mOther
}

// isID reports whether the string of a member is an id or a word of the wire,
// which redaction leaves alone unless a known value stands in it.
func (m member) isID() bool {
	switch m {
	case mType, mSubtype, mSessionID, mTS, mParent, mTaskID, mKind, mID, mToolUseID:
		return true
	}
	return false
}

// A reader reads one line after the other, in one pass: it enforces the
// grammar, compares keys, finds the places that rules look at, and redacts.
type reader struct {
	secrets *redact.Redactor // nil: nothing is redacted
	filter  jsonl.Filter
	deltas  bool // the texts of deltas are redacted by others

	lex     jsonl.Lexer
	keys    keySet
	frames  []frame
	event   event
	scratch []byte
	covered bool // the value at hand is below a key that makes it secret
}

// A frame is an open container.
type frame struct {
	shape   shape
	object  bool
	covered bool
	member  member // at hand
	keys    int    // where its keys begin
}

// A reading is what stands at the front of a text.
type reading struct {
	whole bool   // an object, up to end
	end   int    // of it
	next  int    // where another object could begin, if this one is not whole
	fault string // why it is no event; "": it is one
	alike bool   // it looks like an event all the same
}

// The faults of an object that is no event.
const (
	faultKeys    = "a key stands twice in an object"
	faultType    = "it has no type"
	faultSession = "it has no session_id"
	faultSeq     = "it has no seq that is an integer"
	faultResult  = "it is a result that does not say whether it is an error"
)

// read reads the object at the front of src, which begins with a brace.
func (r *reader) read(src []byte) reading {
	r.frames = r.frames[:0]
	r.keys.reset()
	r.event.reset(src)
	r.covered = false
	r.lex.ResetLine(src)
	if cap(r.scratch) > keptBuffer {
		r.scratch = nil
	}
	last, fault := 0, ""
	for {
		tok, err := r.lex.Next()
		if err != nil {
			return reading{next: last, fault: fault, alike: r.alike()}
		}
		last = tok.Start
		switch tok.Kind {
		case jsonl.Key:
			if !r.key(tok) {
				fault = faultKeys
			}
			continue
		case jsonl.EndObject, jsonl.EndArray:
			r.leave()
		default:
			r.value(tok)
		}
		if len(r.frames) == 0 {
			r.event.raw = src[:tok.End]
			if fault == "" {
				fault = r.fault()
			}
			return reading{whole: true, end: tok.End, fault: fault, alike: r.alike()}
		}
	}
}

// fault says why the object that was read is no event.
func (r *reader) fault() string {
	e := &r.event
	switch {
	case e.typ == "":
		return faultType
	case e.session.end-e.session.start <= len(`""`):
		return faultSession
	case !e.seq.there() || !isInteger(e.raw[e.seq.start:e.seq.end]):
		return faultSeq
	}
	if _, known := e.failed(); e.isResult() && (e.subtype == "" || !known) {
		return faultResult
	}
	return ""
}

// alike reports whether what was read is a line of the catalog, or meant to be
// one: on stderr it must not stand as it is (contract F11).
func (r *reader) alike() bool {
	switch r.event.typ {
	case "system", "stream_event", "assistant", "user", "result":
		return r.event.session.there() || r.event.seq.there()
	}
	return false
}

func isInteger(number []byte) bool {
	for _, c := range number {
		if c != '-' && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// key reads the name of a member, and reports false if it stands twice.
func (r *reader) key(tok jsonl.Token) bool {
	f := &r.frames[len(r.frames)-1]
	name := r.decode(tok)
	f.member = mOther
	if f.shape != opaque {
		f.member = memberOf(name)
	}
	single := r.keys.add(f.keys, name)
	// A name that redaction came to before is no repeat of the child's.
	made := !single && r.keys.wasMade(f.keys, name)
	if r.filter == nil || f.member != mOther {
		r.covered = f.covered // a name of the wire hides nothing
		return single
	}
	out, covered := r.filter.Key(jsonl.Hide(view(name)))
	r.covered = f.covered || covered
	if made || out != view(name) {
		r.event.replace(span{tok.Start, tok.End}, jsonl.AppendString(nil, r.rename(f, out)))
	}
	return single || made
}

// rename returns the name to write where redaction has changed it: two that
// are alike are told apart.
func (r *reader) rename(f *frame, out string) string {
	name := out
	for n := 2; !r.keys.make(f.keys, name); n++ {
		name = out + "#" + strconv.Itoa(n)
	}
	return name
}

// value reads a scalar, or the start of a container.
func (r *reader) value(tok jsonl.Token) {
	in, m := topLine, mOther
	if n := len(r.frames); n > 0 {
		in, m = r.frames[n-1].shape, r.frames[n-1].member
		if !r.frames[n-1].object {
			r.covered = r.frames[n-1].covered
		}
	}
	switch tok.Kind {
	case jsonl.BeginObject, jsonl.BeginArray:
		r.enter(tok.Kind == jsonl.BeginObject, in, m)
		return
	case jsonl.True, jsonl.False:
		if in == topLine && m == mIsError {
			r.event.isError = tok.Kind
		}
		return
	case jsonl.Null:
		return
	}
	taken := r.take(tok, in, m)
	if r.filter != nil {
		r.redact(tok, in, m, taken)
	}
}

// enter opens a container.
func (r *reader) enter(object bool, in shape, m member) {
	f := frame{object: object, covered: r.covered}
	if len(r.frames) == 0 {
		f.shape = topLine
	} else if f.shape = inside(in, m); (f.shape == someContent) == object {
		f.shape = opaque
	}
	if object {
		f.keys = r.keys.open()
	}
	if f.shape == aBlock {
		r.event.blocks = append(r.event.blocks, block{})
	}
	r.frames = append(r.frames, f)
}

// leave closes the innermost container.
func (r *reader) leave() {
	f := r.frames[len(r.frames)-1]
	r.frames = r.frames[:len(r.frames)-1]
	if f.object {
		r.keys.close(f.keys)
	}
	r.covered = f.covered
}

// take notes a string or a number that rules look at, and reports whether it
// is a piece of a delta.
func (r *reader) take(tok jsonl.Token, in shape, m member) (delta bool) {
	e, at, isString := &r.event, span{tok.Start, tok.End}, tok.Kind == jsonl.String
	switch {
	case in == topLine && m == mSeq && !isString:
		e.seq = at
	case in == anEvent && m == mIndex && !isString:
		e.index = at
	case !isString:
	case in == topLine:
		r.takeTop(tok, at, m)
	case in == aBlock:
		b := &e.blocks[len(e.blocks)-1]
		switch m {
		case mType:
			b.typ = r.word(tok)
		case mID:
			b.id = at
		case mToolUseID:
			b.toolUseID = at
		case mText:
			b.text = at
		}
	case in == anEvent && m == mType:
		e.piece = r.word(tok)
	case in == anEvent && m == mToolUseID:
		e.toolUseID = at
	case in == anEvent && m == mPartial:
		e.arguments = at
		return true
	case in == aDelta && (m == mText || m == mThinking):
		e.text, e.thinking = at, m == mThinking
		return true
	}
	return false
}

func (r *reader) takeTop(tok jsonl.Token, at span, m member) {
	e := &r.event
	switch m {
	case mType:
		e.typ = r.word(tok)
	case mSubtype:
		e.subtype = r.word(tok)
	case mSessionID:
		e.session = at
	case mTS:
		e.ts = at
	case mParent:
		if at.end-at.start > len(`""`) {
			e.parent = at
		}
	case mTaskID:
		e.taskID = at
	case mKind:
		e.kind = at
	}
}

// redact replaces a string or a number that holds a secret.
func (r *reader) redact(tok jsonl.Token, in shape, m member, delta bool) {
	at := span{tok.Start, tok.End}
	if tok.Kind == jsonl.Number {
		if r.covered {
			r.event.replace(at, jsonl.AppendString(nil, r.filter.Covered(string(r.event.raw[tok.Start:tok.End]))))
		}
		return
	}
	s := view(r.decode(tok))
	var out string
	switch {
	case delta && r.deltas:
		return
	case in != opaque && in != someContent && m.isID():
		if !r.secrets.Contains(s) {
			return
		}
		out = r.secrets.String(s)
	case r.covered:
		out = r.filter.Covered(s)
	default:
		out = r.filter.Text(s)
	}
	if out != s {
		r.event.replace(at, jsonl.AppendString(nil, out))
	}
}

// decode is what a string token stands for, valid until the next call.
func (r *reader) decode(tok jsonl.Token) []byte {
	quoted := r.event.raw[tok.Start:tok.End]
	if inner := quoted[1 : len(quoted)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return inner
	}
	r.scratch = jsonl.AppendUnquoted(r.scratch[:0], quoted)
	return r.scratch
}

// word is a string token; the usual words cost no allocation.
func (r *reader) word(tok jsonl.Token) string {
	switch text := r.decode(tok); string(text) {
	case "stream_event":
		return "stream_event"
	case "content_block_delta":
		return "content_block_delta"
	case "tool_args_delta":
		return "tool_args_delta"
	case "assistant":
		return "assistant"
	case "user":
		return "user"
	case "system":
		return "system"
	case "text":
		return "text"
	case "tool_use":
		return "tool_use"
	case "tool_result":
		return "tool_result"
	default:
		return string(text)
	}
}
