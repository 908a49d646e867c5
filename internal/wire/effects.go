package wire

import "unicode/utf8"

// Effects is what a line does to the state of its run. The emitter applies
// it, or refuses the line because of it, at the moment at which the line gets
// its place in the stream. Strings are kept in one arena that belongs to the
// line, so that nothing of the caller's event is remembered.
type Effects struct {
	// Steps in the order in which they apply.
	Steps []Step
	// Blocks of an assistant line; their texts only if WantText is set.
	Blocks []Block
	// WantText asks for the texts of an assistant line's blocks.
	WantText bool

	arena []byte
}

// reset forgets everything but the memory.
func (e *Effects) reset() {
	*e = Effects{Steps: e.Steps[:0], Blocks: e.Blocks[:0], arena: e.arena[:0]}
}

// Size returns how many bytes of memory the strings take.
func (e *Effects) Size() int { return cap(e.arena) }

// StepKind says what a Step does.
type StepKind uint8

// The kinds of steps.
const (
	OpenTool  StepKind = iota // a tool_use: the id must not be open yet
	CloseTool                 // a tool_result: the id must be open
	StartTask                 // the task must not be running yet
	TouchTask                 // progress: it must be running
	EndTask                   // notification: it must be running
	Hop                       // the run is routed to the id
)

// A Step is one change of state.
type Step struct {
	Kind StepKind
	// Block is the index of the content block that caused it, or -1.
	Block int
	id    span
	label span // a task's kind
}

// BlockKind is the kind of a content block.
type BlockKind uint8

// The kinds of content blocks of an assistant line.
const (
	TextBlock BlockKind = iota
	ThinkingBlock
	ToolBlock
)

// A Block is one content block of an assistant line.
type Block struct {
	Kind BlockKind
	// From and To delimit the encoded input of a ToolBlock in the line's Buf.
	From, To int
	text     span // the text, or the id of a ToolBlock
}

type span struct{ from, to int }

func (e *Effects) keep(s string) span {
	from := len(e.arena)
	e.arena = append(e.arena, s...)
	return span{from, len(e.arena)}
}

// Step adds a step about id.
func (e *Effects) Step(kind StepKind, block int, id string) {
	e.Steps = append(e.Steps, Step{Kind: kind, Block: block, id: e.keepID(id)})
}

// keepID keeps an id as it stands on the wire: what is one there is one id.
func (e *Effects) keepID(id string) span {
	if utf8.ValidString(id) {
		return e.keep(id)
	}
	from := len(e.arena)
	for _, r := range id {
		e.arena = utf8.AppendRune(e.arena, r)
	}
	return span{from, len(e.arena)}
}

// Task adds a step about the task id of the given kind.
func (e *Effects) Task(kind StepKind, id, label string) {
	e.Steps = append(e.Steps, Step{Kind: kind, Block: -1, id: e.keepID(id), label: e.keep(label)})
}

// ID returns what s is about. It is valid until the line is reset.
func (e *Effects) ID(s Step) []byte { return e.arena[s.id.from:s.id.to] }

// Label returns the kind of the task that s is about.
func (e *Effects) Label(s Step) []byte { return e.arena[s.label.from:s.label.to] }

// TextBlock adds a text or thinking block.
func (e *Effects) TextBlock(kind BlockKind, text string) {
	b := Block{Kind: kind}
	if e.WantText {
		b.text = e.keep(text)
	}
	e.Blocks = append(e.Blocks, b)
}

// ToolBlock adds a tool_use block whose encoded input is Buf[from:to].
func (e *Effects) ToolBlock(id string, from, to int) {
	e.Blocks = append(e.Blocks, Block{Kind: ToolBlock, From: from, To: to, text: e.keepID(id)})
}

// Text returns the text of a text or thinking block, the id of a ToolBlock.
func (e *Effects) Text(b Block) []byte { return e.arena[b.text.from:b.text.to] }
