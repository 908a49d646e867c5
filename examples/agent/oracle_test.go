package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"
)

// A line is one line of a stream, as far as these tests look at it.
type line struct {
	Type      string    `json:"type"`
	Subtype   string    `json:"subtype"`
	SessionID string    `json:"session_id"`
	Seq       *int      `json:"seq"`
	TS        string    `json:"ts"`
	Parent    *string   `json:"parent_tool_use_id"`
	TaskID    string    `json:"task_id"`
	Status    string    `json:"status"`
	Tools     []string  `json:"tools"`
	Event     delta     `json:"event"`
	Message   message   `json:"message"`
	Result    *string   `json:"result"`
	IsError   bool      `json:"is_error"`
	Errors    []string  `json:"errors"`
	Stop      string    `json:"stop_reason"`
	Turns     int       `json:"num_turns"`
	Usage     *usageDoc `json:"usage"`
	Sum       *struct {
		Summary string `json:"summary"`
	} `json:"tool_use_result"`
}

type usageDoc struct {
	Input  int64 `json:"input_tokens"`
	Output int64 `json:"output_tokens"`
	Read   int64 `json:"cache_read"`
}

type delta struct {
	Type  string `json:"type"`
	Index int    `json:"index"`
	Delta struct {
		Text     string `json:"text"`
		Thinking string `json:"thinking"`
	} `json:"delta"`
	ToolUseID string `json:"tool_use_id"`
	Partial   string `json:"partial_json"`
}

// A message may be a string: that of a warning.
type message struct {
	text    string
	Content []block `json:"content"`
}

func (m *message) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		return json.Unmarshal(data, &m.text)
	}
	type plain message
	return json.Unmarshal(data, (*plain)(m))
}

type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   string          `json:"content"` // of a tool result; this program's are all text
}

// An oracle reads a stream and holds it against the contract, with nothing of
// the emitter's in it.
type oracle struct {
	lines   []line
	tools   map[string]string // open tool calls: the actor that announced them
	known   map[string]bool   // ids of all tool calls so far
	tasks   map[string]string // running tasks: their actor
	actors  map[string]*saying
	deltas  int // stream_event lines
	turns   int // top-level assistant lines
	usedIDs map[string]string
}

// A saying is an actor's message on its way.
type saying struct {
	blocks map[int]string
	args   map[string]string
	last   string // the text of its newest message
}

// checkStream returns what a stream holds, or the first rule that it breaks.
func checkStream(data []byte) (*oracle, error) {
	o := &oracle{
		tools: map[string]string{}, known: map[string]bool{}, tasks: map[string]string{},
		actors: map[string]*saying{}, usedIDs: map[string]string{},
	}
	switch {
	case !utf8.Valid(data):
		return o, fmt.Errorf("not UTF-8")
	case !bytes.HasSuffix(data, []byte("\n")):
		return o, fmt.Errorf("the last line has no end: %q", data[max(0, len(data)-80):])
	}
	for text := range bytes.Lines(data) {
		text = text[:len(text)-1]
		if err := o.take(text); err != nil {
			return o, fmt.Errorf("line %d: %w\n%s", len(o.lines)-1, err, text)
		}
	}
	return o, o.end()
}

func (o *oracle) take(text []byte) error {
	if i := bytes.IndexFunc(text, func(r rune) bool { return r < 0x20 || r >= 0x7f && r <= 0x9f || r == '\u2028' || r == '\u2029' }); i >= 0 {
		return fmt.Errorf("a raw control character at %d", i)
	}
	if len(text) == 0 || text[0] != '{' {
		return fmt.Errorf("no object")
	}
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return err
	}
	n := len(o.lines)
	o.lines = append(o.lines, l)
	first := o.lines[0]
	switch {
	case l.Seq == nil || *l.Seq != n:
		return fmt.Errorf("seq is not %d", n)
	case l.SessionID == "" || l.SessionID != first.SessionID:
		return fmt.Errorf("session_id differs")
	case (n == 0) != (l.Type == "system" && l.Subtype == "init"):
		return fmt.Errorf("init is the first line and no other")
	case n > 0 && o.lines[n-1].Type == "result":
		return fmt.Errorf("something follows the result")
	case n > 0 && l.TS < o.lines[n-1].TS:
		return fmt.Errorf("ts runs backwards")
	case l.Parent != nil && !o.known[*l.Parent]:
		return fmt.Errorf("nested in a call that nobody has announced")
	}
	if _, err := time.Parse("2006-01-02T15:04:05.000Z", l.TS); err != nil {
		return err
	}
	return o.payload(l)
}

// actor names the actor of a line.
func (l line) actor() string {
	if l.Parent == nil {
		return ""
	}
	return *l.Parent
}

func (o *oracle) payload(l line) error {
	a := o.actors[l.actor()]
	if a == nil {
		a = &saying{blocks: map[int]string{}, args: map[string]string{}}
		o.actors[l.actor()] = a
	}
	switch l.Type {
	case "stream_event":
		o.deltas++
		return a.delta(l.Event)
	case "assistant":
		return o.assistant(l, a)
	case "user":
		return o.user(l)
	case "system":
		return o.system(l)
	case "result":
		return nil
	default:
		return fmt.Errorf("unknown type %q", l.Type)
	}
}

func (a *saying) delta(d delta) error {
	switch d.Type {
	case "content_block_delta":
		a.blocks[d.Index] += d.Delta.Text + d.Delta.Thinking
	case "tool_args_delta":
		a.args[d.ToolUseID] += d.Partial
	case "deltas_discarded":
		a.forget()
	default:
		return fmt.Errorf("unknown event %q", d.Type)
	}
	return nil
}

func (a *saying) forget() {
	clear(a.blocks)
	clear(a.args)
}

func (o *oracle) assistant(l line, a *saying) error {
	a.last = ""
	for i, b := range l.Message.Content {
		if streamed, ok := a.blocks[i]; ok && streamed != b.Text+b.Thinking {
			return fmt.Errorf("block %d is not what its deltas said: %q", i, streamed)
		}
		switch b.Type {
		case "text":
			a.last += b.Text
		case "tool_use":
			if _, twice := o.usedIDs[b.ID]; twice {
				return fmt.Errorf("the id %s is used twice", b.ID)
			}
			o.usedIDs[b.ID] = b.Name
			o.known[b.ID] = true
			o.tools[b.ID] = l.actor()
			if text, ok := a.args[b.ID]; ok && !sameJSON(text, string(b.Input)) {
				return fmt.Errorf("the input of %s is not what its fragments said: %s", b.ID, text)
			}
		}
	}
	if l.Parent == nil {
		o.turns++
	}
	a.forget()
	return nil
}

func sameJSON(x, y string) bool {
	var vx, vy any
	return json.Unmarshal([]byte(x), &vx) == nil && json.Unmarshal([]byte(y), &vy) == nil && reflect.DeepEqual(vx, vy)
}

func (o *oracle) user(l line) error {
	for _, b := range l.Message.Content {
		actor, open := o.tools[b.ToolUseID]
		if !open || actor != l.actor() {
			return fmt.Errorf("a result of %s, which is not open on this actor", b.ToolUseID)
		}
		delete(o.tools, b.ToolUseID)
	}
	return nil
}

func (o *oracle) system(l line) error {
	actor, running := o.tasks[l.TaskID]
	switch l.Subtype {
	case "task_started":
		if running {
			return fmt.Errorf("task %s is started twice", l.TaskID)
		}
		o.tasks[l.TaskID] = l.actor()
	case "task_progress", "task_notification":
		if !running || actor != l.actor() {
			return fmt.Errorf("task %s does not run on this actor", l.TaskID)
		}
		if l.Subtype == "task_notification" {
			delete(o.tasks, l.TaskID)
		}
	}
	return nil
}

// end checks what the stream as a whole must hold up.
func (o *oracle) end() error {
	r := o.lines[len(o.lines)-1]
	switch {
	case r.Type != "result":
		return fmt.Errorf("the last line is no result")
	case len(o.tools) > 0 || len(o.tasks) > 0:
		return fmt.Errorf("left open: tool calls %v, tasks %v", o.tools, o.tasks)
	case r.Result == nil:
		return fmt.Errorf("a result without result")
	case r.IsError != (len(r.Errors) > 0):
		return fmt.Errorf("is_error %v with errors %q", r.IsError, r.Errors)
	case r.Turns != o.turns:
		return fmt.Errorf("num_turns is %d after %d assistant lines", r.Turns, o.turns)
	}
	// The text of an unfinished message counts before that of the last one.
	want := ""
	if top := o.actors[""]; top != nil {
		want = top.last
		if open := top.blocks; len(open) > 0 && o.unfinishedText() != "" {
			want = o.unfinishedText()
		}
	}
	if o.deltas > 0 && *r.Result != want {
		return fmt.Errorf("the result is %q and what was said %q", *r.Result, want)
	}
	return nil
}

// unfinishedText returns the text that was streamed at top level since the
// last assistant line.
func (o *oracle) unfinishedText() string {
	text := ""
	for _, l := range o.lines {
		switch {
		case l.Parent != nil:
		case l.Type == "assistant" || l.Event.Type == "deltas_discarded":
			text = ""
		default:
			text += l.Event.Delta.Text
		}
	}
	return text
}

// result returns the last line.
func (o *oracle) result() line { return o.lines[len(o.lines)-1] }

// used returns the names of the tools that were called.
func (o *oracle) used() string {
	var names []string
	for _, l := range o.lines {
		for _, b := range l.Message.Content {
			if b.Type == "tool_use" {
				names = append(names, b.Name)
			}
		}
	}
	return strings.Join(names, " ")
}

// checkDocument returns the result that the format json wrote.
func checkDocument(data []byte) (line, error) {
	var l line
	d := json.NewDecoder(bytes.NewReader(data))
	err := d.Decode(&l)
	switch {
	case err != nil:
		return l, err
	case !utf8.Valid(data):
		return l, fmt.Errorf("not UTF-8")
	case d.InputOffset() != int64(len(data)-1) || data[len(data)-1] != '\n':
		return l, fmt.Errorf("something follows the document")
	case l.Type != "result" || l.Seq == nil || *l.Seq != 0 || l.Result == nil:
		return l, fmt.Errorf("no result object: %s", data)
	}
	return l, nil
}
