package emit

import (
	"errors"
	"hash/maphash"
	"slices"
	"strconv"
	"unicode/utf8"
	"unsafe"

	"github.com/streamjson/streamjson/internal/jsonl"
	"github.com/streamjson/streamjson/internal/wire"
	"github.com/streamjson/streamjson/redact"
)

var (
	errMessageOpen = errors.New("a Message is open on this actor: end or discard it first, or use its methods")
	errIndex       = errors.New("must not be negative")
	errBlockKind   = errors.New("the block of this index has begun as another kind")
	errHeadTooLong = errors.New("the ids leave no room for a text in a line of MaxLineBytes")
)

// maxOpenText is how much text of an actor's open message is remembered that was
// streamed by the low-level door: for the result, should its message never be completed,
// and to see whether the completed message says the same.
const maxOpenText = 1 << 20

// Text writes a piece of the text of the block at index of the actor's current
// message: a stream_event line where Options.Partial is set, nothing where it
// is not. The text counts for the result either way, until an Assistant event
// of the actor completes the message, or DeltasDiscarded drops it. It does not
// allocate. A character that is split over two pieces is written with the
// second; an empty piece is a no-op.
//
// Message is the comfortable door to the same.
func (a *Actor) Text(index int, text string) error {
	return a.delta(wire.TextBlock, index, text)
}

// Thinking is Text for a thinking block.
func (a *Actor) Thinking(index int, text string) error {
	return a.delta(wire.ThinkingBlock, index, text)
}

// ToolArgs writes a fragment of the JSON text of a tool call's input, before
// the tool_use of that id. It is to a tool_use what Text is to a text block.
func (a *Actor) ToolArgs(toolUseID, fragment string) error {
	s := a.stream
	s.mu.Lock()
	before := s.here()
	if err := a.pushArgs(toolUseID, fragment); err != nil {
		s.mu.Unlock()
		return s.tell(err)
	}
	return s.settle(before)
}

func (a *Actor) delta(kind wire.BlockKind, index int, text string) error {
	s := a.stream
	s.mu.Lock()
	if b := a.usual(kind, index, text); b != nil {
		return a.writeUsual(b, text)
	}
	before := s.here()
	if err := a.pushDelta(kind, index, text); err != nil {
		s.mu.Unlock()
		return s.tell(err)
	}
	return s.settle(before)
}

// discard drops the deltas of the actor's open message.
func (a *Actor) discard() error {
	s := a.stream
	s.mu.Lock()
	before := s.here()
	if err := a.dropOpen(); err != nil {
		s.mu.Unlock()
		return s.tell(err)
	}
	return s.settle(before)
}

// A block is a text or thinking block of a message on its way.
type block struct {
	index  int
	kind   wire.BlockKind
	head   head
	text   []byte         // the first maxOpenText bytes, or all of them for a Message
	rest   maphash.Hash   // of what text does not hold
	size   int            // of the whole text
	tail   tail           // held back without a redactor,
	clean  *redact.Stream // and with one
	cutOff bool           // what was held back was let out before the block's end,
	torn   bool           // and more text came: the deltas can't say what the message does
}

// An argsText is the input of a tool call on its way.
type argsText struct {
	id     []byte
	json   []byte // the id, encoded
	head   head
	text   []byte
	size   int
	tail   tail
	clean  *redact.JSONStream
	cutOff bool
	torn   bool
}

// pushDelta takes a piece of text by the low-level door. The lock is held.
func (a *Actor) pushDelta(kind wire.BlockKind, index int, text string) error {
	if err := a.stream.ready(a); err != nil {
		return err
	}
	switch {
	case a.message != nil:
		return refusal("stream_event", "", "", errMessageOpen)
	case index < 0:
		return refusal("stream_event", "", "/event/index", errIndex)
	case text == "":
		return nil
	}
	b, err := a.block(kind, index)
	if err != nil {
		return err
	}
	a.remember(b, text)
	a.pushText(b, text)
	return nil
}

// remember keeps what of b's text there is room for, in whole characters.
func (a *Actor) remember(b *block, text string) {
	room := maxOpenText - a.kept
	switch {
	case len(b.text) < b.size: // something was left out before
		_, _ = b.rest.WriteString(text) // never fails
	case len(text) <= room:
		a.kept += len(text)
		b.text = appendText(b.text, text)
	default:
		before := len(b.text)
		all := append(b.text, text[:room]...)
		b.text = all[:jsonl.CompletePrefix(view(all))]
		_, _ = b.rest.Write(all[len(b.text):])
		_, _ = b.rest.WriteString(text[room:])
		a.kept += len(b.text) - before
	}
}

// appendText appends s to a text that grows by small pieces: append would give a
// long one a quarter more room each time, and copy it four times over.
func appendText(text []byte, s string) []byte {
	if cap(text)-len(text) < len(s) {
		text = slices.Grow(text, len(text)+len(s))
	}
	return append(text, s...)
}

// block returns the block at index, which may be new.
func (a *Actor) block(kind wire.BlockKind, index int) (*block, error) {
	for i := len(a.blocks) - 1; i >= 0; i-- {
		if b := &a.blocks[i]; b.index == index {
			if b.kind != kind {
				return nil, refusal("stream_event", "", "/event/delta/type", errBlockKind)
			}
			return b, nil
		}
	}
	if a.stream.tooLong(a, 0) {
		return nil, refusal("stream_event", "", "", errHeadTooLong)
	}
	a.stream.streaming[a] = struct{}{}
	a.blocks = grow(a.blocks)
	b := &a.blocks[len(a.blocks)-1]
	fresh := block{index: index, kind: kind, text: b.text[:0], clean: b.clean, head: b.head}
	if b.index != index || b.kind != kind {
		fresh.head = head{text: b.head.text[:0]}
	}
	*b = fresh
	if a.stream.filter != nil && b.clean == nil {
		b.clean = a.stream.o.Redactor.Stream()
	}
	return b, nil
}

// grow extends list by one element, whose memory may be that of an older one.
func grow[T any](list []T) []T {
	if len(list) < cap(list) {
		return list[:len(list)+1]
	}
	var zero T
	return append(list, zero)
}

// tooLong reports whether the line of a delta has no room for a text.
func (s *stream) tooLong(a *Actor, idLen int) bool {
	const rest = 256 // the members around the text, and some text
	return s.o.MaxLineBytes > 0 && s.headRoom(a, "stream_event", "")+6*idLen+rest > s.o.MaxLineBytes
}

// pushText writes a piece of b's text, or holds it back. The lock is held.
func (a *Actor) pushText(b *block, text string) {
	s := a.stream
	b.size += len(text)
	if !s.o.Partial {
		return
	}
	b.torn = b.torn || b.cutOff
	s.begin()
	if b.clean != nil {
		a.writeText(b, b.clean.View(text))
		return
	}
	first, n, rest := b.tail.join(text)
	a.writeText(b, string(first[:n]))
	n = jsonl.CompletePrefix(rest)
	b.tail.hold(rest[n:])
	a.writeText(b, rest[:n])
}

// writeText writes whole characters of b's text.
func (a *Actor) writeText(b *block, text string) {
	s := a.stream
	if text != "" && a.top() && b.kind == wire.TextBlock {
		s.text.piece(s, text)
	}
	for text != "" {
		s.tick()
		if !b.head.fits(s.seq) {
			b.buildHead(a)
		}
		text = text[s.putText(&b.head, text, deltaEnd):]
	}
}

// deltaEnd is what stands behind the text of a delta.
const deltaEnd = "\"}}}\n"

// buildHead builds the head of a's lines for b.
func (b *block) buildHead(a *Actor) {
	delta := `,"delta":{"type":"text_delta","text":"`
	if b.kind == wire.ThinkingBlock {
		delta = `,"delta":{"type":"thinking_delta","thinking":"`
	}
	b.head.build(a.stream, a, `,"event":{"type":"content_block_delta","index":`, strconv.Itoa(b.index), delta)
}

// putText writes a line with as much of text as there is room for, and returns
// how much that was. head is that of the line, after what follows the text.
func (s *stream) putText(head *head, text, after string) int {
	buf, wanted := s.buffer()
	n := len(text)
	if wanted {
		buf = head.append(buf, s.seq, &s.stamp)
		buf, n = s.escape(buf, text, len(after))
		buf = append(buf, after...)
	}
	s.place(buf)
	return n
}

// escape appends as much of text as the line has room for before its last
// after bytes, and returns how much that was.
func (s *stream) escape(buf []byte, text string, after int) ([]byte, int) {
	if s.o.MaxLineBytes == 0 {
		return jsonl.AppendEscaped(buf, text), len(text)
	}
	return jsonl.AppendEscapedMax(buf, text, s.o.MaxLineBytes-(len(buf)-s.mark)-after)
}

// pushArgs takes a fragment of a tool call's input. The lock is held.
func (a *Actor) pushArgs(id, fragment string) error {
	s := a.stream
	if err := s.ready(a); err != nil {
		return err
	}
	if a.message != nil {
		return refusal("stream_event", "", "", errMessageOpen)
	}
	return a.pushFragment(id, fragment)
}

// pushFragment is pushArgs for the low-level door and for messages.
func (a *Actor) pushFragment(id, fragment string) error {
	s := a.stream
	switch {
	case id == "":
		return refusal("stream_event", "", "/event/tool_use_id", wire.ErrEmpty)
	case fragment == "":
		return nil
	}
	t, err := a.argsOf(jsonl.Valid(id))
	if err != nil {
		return err
	}
	t.size += len(fragment)
	kept := fragment
	if a.message == nil {
		kept = fragment[:min(max(maxOpenText-len(t.text), 0), len(fragment))]
	}
	t.text = append(t.text, kept...)
	if !s.o.Partial {
		return nil
	}
	t.torn = t.torn || t.cutOff
	s.begin()
	if t.clean != nil {
		s.held = t.clean.Append(s.held[:0], fragment)
		a.writeArgs(t, view(s.held))
		return nil
	}
	first, n, rest := t.tail.join(fragment)
	a.writeArgs(t, string(first[:n]))
	n = jsonl.CompletePrefix(rest)
	t.tail.hold(rest[n:])
	a.writeArgs(t, rest[:n])
	return nil
}

// argsOf returns the fragments of the tool call id, which may be new.
func (a *Actor) argsOf(id string) (*argsText, error) {
	for i := range a.args {
		if t := &a.args[i]; string(t.id) == id {
			return t, nil
		}
	}
	s := a.stream
	if s.opened.isOpen(openTool, id) {
		return nil, refusal("stream_event", "", "/event/tool_use_id", errToolOpen)
	}
	if s.filter != nil && s.o.Redactor.Contains(id) {
		return nil, refusal("stream_event", "", "/event/tool_use_id", wire.ErrSecret)
	}
	if s.tooLong(a, len(id)) {
		return nil, refusal("stream_event", "", "/event/tool_use_id", errHeadTooLong)
	}
	s.streaming[a] = struct{}{}
	a.args = grow(a.args)
	t := &a.args[len(a.args)-1]
	*t = argsText{
		id: append(t.id[:0], id...), json: jsonl.AppendString(t.json[:0], id), text: t.text[:0], clean: t.clean,
		head: head{text: t.head.text[:0]},
	}
	if s.filter != nil && t.clean == nil {
		t.clean = s.o.Redactor.JSONStream()
	}
	return t, nil
}

// writeArgs writes whole characters of a tool call's input.
func (a *Actor) writeArgs(t *argsText, text string) {
	s := a.stream
	for text != "" {
		s.tick()
		if !t.head.fits(s.seq) {
			t.head.build(s, a, `,"event":{"type":"tool_args_delta","tool_use_id":`, view(t.json), `,"partial_json":"`)
		}
		text = text[s.putText(&t.head, text, "\"}}\n"):]
	}
}

// flushTails writes what is held back. The lock is held.
func (a *Actor) flushTails() {
	s := a.stream
	for i := range a.blocks {
		b := &a.blocks[i]
		b.cutOff = b.cutOff || b.tail.n > 0 || b.clean != nil && b.clean.Held() > 0
		if b.clean != nil {
			s.held = b.clean.AppendFlush(s.held[:0])
			a.writeText(b, view(s.held))
			continue
		}
		a.writeText(b, b.tail.take())
	}
	for i := range a.args {
		t := &a.args[i]
		t.cutOff = t.cutOff || t.tail.n > 0 || t.clean != nil
		if t.clean != nil {
			s.held = t.clean.AppendFlush(s.held[:0])
			a.writeArgs(t, view(s.held))
			continue
		}
		a.writeArgs(t, t.tail.take())
	}
}

// view is b seen as a string, for a callee that does not keep it.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// pins reports whether the memory of a message's text is not to be kept for the
// next one: it is large, and the message did not need it, or it is of a size
// that few have. Where all messages are large, each would have to get it anew.
func pins(text []byte) bool {
	c := cap(text)
	return c > keptBuffer && (c > 4*len(text) || c >= maxOpenText)
}

// forget drops the state of the actor's open message.
func (a *Actor) forget() {
	for i := range a.blocks {
		b := &a.blocks[i]
		if pins(b.text) {
			b.text = nil
		}
		if b.clean != nil {
			b.clean.Reset()
		}
	}
	for i := range a.args {
		t := &a.args[i]
		if cap(t.text) > keptBuffer {
			t.text = nil
		}
		if t.clean != nil {
			t.clean.Flush()
		}
	}
	all := a.blocks[:cap(a.blocks)]
	for i := len(a.blocks); i < len(all); i++ { // of messages that had more blocks
		if cap(all[i].text) > keptBuffer {
			all[i].text = nil
		}
	}
	a.blocks, a.args, a.kept = a.blocks[:0], a.args[:0], 0
	delete(a.stream.streaming, a)
}

// dropOpen discards the actor's open message, if there is one. The lock is
// held.
func (a *Actor) dropOpen() error {
	s := a.stream
	if err := s.ready(a); err != nil {
		return err
	}
	if a.message != nil {
		return refusal("stream_event", "", "", errMessageOpen)
	}
	a.writeDiscard()
	return nil
}

// writeDiscard forgets the open message, and tells that it is void.
func (a *Actor) writeDiscard() {
	if len(a.blocks)+len(a.args) == 0 {
		return
	}
	if a.stream.o.Partial {
		a.stream.put(a, "stream_event", "", []byte(`,"event":{"type":"deltas_discarded"}`))
	}
	if a.top() {
		a.stream.text.discard()
	}
	a.forget()
}

// A tail is the beginning of a character whose rest is still to come.
type tail struct {
	b [utf8.UTFMax]byte
	n int
}

// hold keeps s, which is shorter than a character.
func (t *tail) hold(s string) { t.n += copy(t.b[t.n:], s) }

// take returns what is held, and holds it no more.
func (t *tail) take() string {
	s := string(t.b[:t.n])
	t.n = 0
	return s
}

// join completes what is held with the beginning of s. It returns the
// characters that were completed by that, n bytes of first, and the rest of s.
func (t *tail) join(s string) (first [2 * utf8.UTFMax]byte, n int, rest string) {
	if t.n == 0 {
		return first, 0, s
	}
	end := copy(first[:], t.b[:t.n])
	end += copy(first[end:end+min(utf8.UTFMax, len(s))], s)
	for n < t.n {
		if !utf8.FullRune(first[n:end]) {
			t.n = copy(t.b[:], first[n:end]) // s is at its end
			return first, n, ""
		}
		_, size := utf8.DecodeRune(first[n:end])
		n += size
	}
	rest = s[n-t.n:]
	t.n = 0
	return first, n, rest
}
