package adopt

import (
	"bytes"
	"strconv"

	"github.com/streamjson/streamjson/clock"
	"github.com/streamjson/streamjson/internal/jsonl"
)

// closedToolText is the content of the tool result that closes a call.
const closedToolText = "The run ended before this tool call returned."

// insert gives a line of the filter's own its place. Members come as a Builder
// leaves them, with a comma in front. Its ts is now, but not before the last
// line's and not behind next, which is the next line's if that is known.
func (f *Filter) insert(typ, subtype, actor string, members, next []byte) {
	if f.session == nil {
		f.session = jsonl.AppendString(nil, f.id(f.o.SessionID))
	}
	buf := append(f.out, `{"type":"`...)
	buf = append(append(buf, typ...), '"')
	if subtype != "" {
		buf = append(append(buf, `,"subtype":`...), jsonl.AppendString(nil, subtype)...)
	}
	buf = append(append(buf, `,"session_id":`...), f.session...)
	buf = strconv.AppendUint(append(buf, `,"seq":`...), f.seq, 10)
	f.tick(next)
	buf = append(append(append(buf, `,"ts":"`...), f.ts...), '"')
	if actor != "" {
		buf = append(append(buf, `,"parent_tool_use_id":`...), jsonl.AppendString(nil, f.id(actor))...)
	}
	buf = append(buf, members...)
	f.out = append(buf, '}', '\n')
	f.seq++
}

// tick moves f.ts to now, between its neighbours.
func (f *Filter) tick(next []byte) {
	var text [clock.StampLen]byte
	now := f.stamp.Append(text[:0], f.o.Clock.Now())
	if next != nil && bytes.Compare(now, next) > 0 {
		now = next
	}
	if bytes.Compare(now, f.ts) > 0 {
		f.ts = append(f.ts[:0], now...)
	}
}

// id returns an id as it is written: only a known secret in it is replaced, in
// the same way wherever the id stands.
func (f *Filter) id(s string) string {
	if f.reader.secrets.Contains(s) {
		return f.reader.secrets.String(s)
	}
	return s
}

// supplyInit writes the init line that the child has not written. A child that
// has written an event may go on with whatever the contract has; one that has
// not will write nothing any more.
func (f *Filter) supplyInit(next []byte, more bool) {
	f.inited = true
	b := f.builder()
	b.Text("cwd", f.o.CWD)
	b.Text(productName(f.o.Name)+"_version", f.o.Version)
	b.Open("agent", '{')
	b.Text("name", f.o.Name)
	b.ID("provider", "local")
	b.ID("role", "primary")
	b.Close('}')
	if list := f.early(); len(list) > 0 {
		b.Proses("warnings", list)
	}
	capabilities := []string{"stream_v1"}
	if more {
		capabilities = append(capabilities, "partial_messages_v1", "tasks_v1")
	}
	b.IDs("capabilities", capabilities)
	b.Open("_meta", '{')
	b.ID("run_id", f.o.RunID)
	b.Close('}')
	f.insert("system", "init", "", b.Buf, next)
}

func (f *Filter) toolClosed(id string) []byte {
	b := f.builder()
	b.Open("message", '{')
	b.ID("role", "user")
	b.Open("content", '[')
	b.Element('{')
	b.ID("type", "tool_result")
	b.ID("tool_use_id", f.id(id))
	b.ID("content", closedToolText)
	b.Bool("is_error", true)
	b.Close('}')
	b.Close(']')
	b.Close('}')
	return b.Buf
}

func (f *Filter) taskClosed(id, kind string) []byte {
	b := f.builder()
	b.ID("task_id", f.id(id))
	b.ID("kind", f.id(kind))
	b.ID("status", "cancelled")
	return b.Buf
}

// supplyResult writes the result that the child has not written.
func (f *Filter) supplyResult(o Outcome) {
	subtype := endFailed
	if o.Interrupted {
		subtype = endInterrupted
	}
	errs := o.Errors
	if len(errs) == 0 {
		errs = []string{"the program ended without a result"}
	}
	if !f.inited {
		f.supplyInit(nil, false)
	}
	f.warnDue(true, nil)
	f.close(nil)
	f.result(subtype, true, errs, 0, nil)
}

// shortResult writes a result in place of the child's, which is length bytes
// long and can't be taken whole: it says what that said, with the newest text
// that is known.
func (f *Filter) shortResult(e *event, failed bool, length int) {
	f.identify(e)
	stamp := e.stampOf()
	subtype := e.subtype
	if !f.inited {
		f.supplyInit(stamp, false)
	}
	f.warnDue(true, stamp)
	f.close(stamp)
	var errs []string
	if failed {
		errs = []string{"the program's own result was over the limit of a line: its errors are not known"}
	}
	f.result(subtype, failed, errs, length, stamp)
}

// result writes a result, and ends the run.
func (f *Filter) result(subtype string, failed bool, errs []string, dropped int, next []byte) {
	text, lost := f.account.text()
	k, known := endOf(subtype)
	if !known {
		k.stopReason = "end_turn"
		if failed {
			k.stopReason = "error"
		}
	}
	b := f.builder()
	b.Bool("is_error", failed)
	b.Int("num_turns", int64(f.account.turns))
	b.Int("duration_ms", f.elapsed())
	b.Text("result", string(text))
	if failed {
		b.Proses("errors", errs)
	}
	b.ID("stop_reason", k.stopReason)
	if lost+dropped > 0 {
		b.Open("_meta", '{')
		b.Int("truncated_bytes", int64(lost+dropped))
		b.Close('}')
	}
	f.insert("result", subtype, "", b.Buf, next)
	f.finish(subtype, failed)
}

// deny tells that the exit status denies the result, which stands.
func (f *Filter) deny(o Outcome) {
	f.o.Notice("the program's result is a success, but it ended with exit status " + strconv.Itoa(o.Status) + ", which is passed on")
}
