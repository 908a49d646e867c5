package line

import (
	"bytes"
	"encoding/json"
)

func decoder(b []byte) *json.Decoder {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	return d
}

// Structs turns lines into values that an encoder by reflection takes. It
// keeps one value of each type and fills it in, so that no rival pays for the
// value's memory. The zero Structs is ready for use; it is not safe for
// concurrent use.
type Structs struct {
	delta    deltaLine
	thinking thinkingLine
	args     argsLine
	text     messageLine[textBlock]
	use      messageLine[useBlock]
	user     messageLine[resultBlock]
	result   resultLine
	document document
}

// Value returns l as a pointer to a struct, valid until the next call.
func (s *Structs) Value(l *Line) any {
	switch l.Shape {
	case TextDelta:
		s.delta.fill(l)
		return &s.delta
	case ThinkingDelta:
		s.thinking.fill(l)
		return &s.thinking
	case ToolArgs:
		s.args.fill(l)
		return &s.args
	case Assistant:
		s.text.fill("assistant", MessageID, l)
		s.text.Message.Content[0] = textBlock{"text", l.Text}
		return &s.text
	case ToolUse:
		s.use.fill("assistant", MessageID, l)
		s.use.Message.Content[0] = useBlock{"tool_use", ToolID, ToolName, l.Input}
		return &s.use
	case ToolResult:
		s.user.fill("user", "", l)
		s.user.Message.Content[0] = resultBlock{"tool_result", ToolID, l.Text}
		return &s.user
	case Result:
		s.result.fill(l)
		return &s.result
	default:
		s.document = document{SchemaVersion: 1, OK: true, Data: l.Data, Errors: []string{}, Warnings: []string{}}
		return &s.document
	}
}

type deltaLine struct {
	Type      string `json:"type"`
	SessionID string `json:"session_id"`
	Seq       uint64 `json:"seq"`
	TS        string `json:"ts"`
	Event     struct {
		Type  string `json:"type"`
		Index int    `json:"index"`
		Delta struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"delta"`
	} `json:"event"`
}

func (v *deltaLine) fill(l *Line) {
	v.Type, v.SessionID, v.Seq, v.TS = "stream_event", Session, l.Seq, l.TS
	v.Event.Type = "content_block_delta"
	v.Event.Delta.Type = "text_delta"
	v.Event.Delta.Text = l.Text
}

type thinkingLine struct {
	Type      string `json:"type"`
	SessionID string `json:"session_id"`
	Seq       uint64 `json:"seq"`
	TS        string `json:"ts"`
	Event     struct {
		Type  string `json:"type"`
		Index int    `json:"index"`
		Delta struct {
			Type     string `json:"type"`
			Thinking string `json:"thinking"`
		} `json:"delta"`
	} `json:"event"`
}

func (v *thinkingLine) fill(l *Line) {
	v.Type, v.SessionID, v.Seq, v.TS = "stream_event", Session, l.Seq, l.TS
	v.Event.Type = "content_block_delta"
	v.Event.Delta.Type = "thinking_delta"
	v.Event.Delta.Thinking = l.Text
}

type argsLine struct {
	Type      string `json:"type"`
	SessionID string `json:"session_id"`
	Seq       uint64 `json:"seq"`
	TS        string `json:"ts"`
	Event     struct {
		Type        string `json:"type"`
		ToolUseID   string `json:"tool_use_id"`
		PartialJSON string `json:"partial_json"`
	} `json:"event"`
}

func (v *argsLine) fill(l *Line) {
	v.Type, v.SessionID, v.Seq, v.TS = "stream_event", Session, l.Seq, l.TS
	v.Event.Type = "tool_args_delta"
	v.Event.ToolUseID = ToolID
	v.Event.PartialJSON = l.Text
}

type messageLine[B any] struct {
	Type      string `json:"type"`
	SessionID string `json:"session_id"`
	Seq       uint64 `json:"seq"`
	TS        string `json:"ts"`
	Message   struct {
		ID      string `json:"id,omitempty"`
		Role    string `json:"role"`
		Content []B    `json:"content"`
	} `json:"message"`
}

func (v *messageLine[B]) fill(typ, id string, l *Line) {
	v.Type, v.SessionID, v.Seq, v.TS = typ, Session, l.Seq, l.TS
	v.Message.ID, v.Message.Role = id, typ
	if v.Message.Content == nil {
		v.Message.Content = make([]B, 1)
	}
}

type textBlock struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type useBlock struct {
	Type  string `json:"type"`
	ID    string `json:"id"`
	Name  string `json:"name"`
	Input any    `json:"input"`
}

type resultBlock struct {
	Type      string `json:"type"`
	ToolUseID string `json:"tool_use_id"`
	Content   string `json:"content"`
}

type hop struct {
	Turn   int    `json:"turn"`
	Target string `json:"target"`
}

type resultLine struct {
	Type         string           `json:"type"`
	Subtype      string           `json:"subtype"`
	SessionID    string           `json:"session_id"`
	Seq          uint64           `json:"seq"`
	TS           string           `json:"ts"`
	IsError      bool             `json:"is_error"`
	NumTurns     int              `json:"num_turns"`
	DurationMS   int64            `json:"duration_ms"`
	Result       string           `json:"result"`
	StopReason   string           `json:"stop_reason"`
	RouteHistory []hop            `json:"route_history"`
	Usage        Usage            `json:"usage"`
	ModelUsage   map[string]Usage `json:"model_usage"`
	TotalCostUSD float64          `json:"total_cost_usd"`
}

func (v *resultLine) fill(l *Line) {
	if v.ModelUsage == nil {
		*v = resultLine{
			Type: "result", Subtype: "success", SessionID: Session, NumTurns: Turns, DurationMS: Duration,
			StopReason: "end_turn", RouteHistory: []hop{{0, Target}},
			Usage: Total(), ModelUsage: Models(), TotalCostUSD: Cost,
		}
	}
	v.Seq, v.TS, v.Result = l.Seq, l.TS, l.Text
}

type document struct {
	SchemaVersion int      `json:"schema_version"`
	OK            bool     `json:"ok"`
	Data          any      `json:"data"`
	Errors        []string `json:"errors"`
	Warnings      []string `json:"warnings"`
}
