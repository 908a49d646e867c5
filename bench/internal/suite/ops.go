package suite

import (
	"io"

	"github.com/streamjson/streamjson/bench/internal/corpus"
	"github.com/streamjson/streamjson/bench/internal/line"
	"github.com/streamjson/streamjson/bench/internal/measure"
	"github.com/streamjson/streamjson/bench/internal/ours"
	"github.com/streamjson/streamjson/bench/internal/rival"
	"github.com/streamjson/streamjson/redact"
)

// inputText is the length of the one fresh text in a tool call's input.
const inputText = 300

// op returns what a contender does once, or nil if it can't.
type op = func() (int, error)

func (b *Builder) op(k Key, name string) (op, error) {
	pool, err := b.pool(k)
	if err != nil {
		return nil, err
	}
	next := feed(k, pool)
	r := redact.None()
	switch name {
	case Redacted:
		r = redact.Default()
		fallthrough
	case Ours:
		return oursOp(k, r, next)
	case Floor:
		return floorOp(k, next), nil
	}
	lib, ok := rival.Find(name)
	if !ok || !lib.Writes(k.Shape) {
		return nil, nil
	}
	if !k.Whole || k.Shape == line.Envelope {
		return encodeOp(lib.New(), next), nil
	}
	var out counter
	return emitOp(k, rival.NewEmitter(lib, &out), &out, next), nil
}

// feed returns a function that returns a line with the next payload.
func feed(k Key, pool *corpus.Pool) func() *line.Line {
	l := &line.Line{Shape: k.Shape, Seq: 123_456, TS: line.Stamp}
	switch k.Shape {
	case line.ToolUse:
		inputs := make([]map[string]any, min(pool.Len(), 1024))
		for i := range inputs {
			inputs[i] = line.Input(pool.Next())
		}
		i := 0
		return func() *line.Line {
			l.Input = inputs[i%len(inputs)]
			i++
			return l
		}
	case line.Envelope:
		const record, texts = 250, 2 * 60
		documents := make([]any, min(64, max(4, FreshSize/k.Size)))
		pieces := pool.Clone(0, 1)
		for i := range documents {
			documents[i] = line.Records(max(k.Size/record, 1), func() string {
				text := pieces.Next()
				return text[:min(len(text), texts/2)]
			})
		}
		i := 0
		return func() *line.Line {
			l.Data = documents[i%len(documents)]
			i++
			return l
		}
	default:
		return func() *line.Line {
			l.Text = pool.Next()
			return l
		}
	}
}

// counter is a writer that counts; it is not safe for concurrent use.
type counter struct{ n int }

func (c *counter) Write(p []byte) (int, error) {
	c.n += len(p)
	return len(p), nil
}

func (c *counter) take() int {
	n := c.n
	c.n = 0
	return n
}

func encodeOp(e line.Encoder, next func() *line.Line) op {
	return func() (int, error) {
		b, err := e.Encode(next())
		return len(b), err
	}
}

// emitOp emits a line; what has to go with it goes with it: a tool call and
// its result are a pair, since ours keeps account of what is open.
func emitOp(k Key, em line.Emitter, out *counter, next func() *line.Line) op {
	use := &line.Line{Shape: line.ToolUse, Input: map[string]any{"path": "go.mod"}}
	done := &line.Line{Shape: line.ToolResult, Text: "done"}
	switch k.Shape {
	case line.ToolUse:
		return func() (int, error) {
			if err := em.Emit(next()); err != nil {
				return 0, err
			}
			err := em.Emit(done)
			return out.take(), err
		}
	case line.ToolResult:
		return func() (int, error) {
			if err := em.Emit(use); err != nil {
				return 0, err
			}
			err := em.Emit(next())
			return out.take(), err
		}
	default:
		return func() (int, error) {
			err := em.Emit(next())
			return out.take(), err
		}
	}
}

func oursOp(k Key, r *redact.Redactor, next func() *line.Line) (op, error) {
	switch {
	case k.Shape == line.Result:
		door, err := ours.NewResult(r)
		if err != nil {
			return nil, err
		}
		example, err := ours.FinishLine("")
		if err != nil {
			return nil, err
		}
		return func() (int, error) {
			l := next()
			return len(example) + len(l.Text), door.Encode(l.Text)
		}, nil
	case !k.Whole || k.Shape == line.Envelope:
		return encodeOp(ours.NewEncoder(r), next), nil
	}
	var out counter
	em, err := ours.NewEmitter(&out, r, false)
	if err != nil {
		return nil, err
	}
	return emitOp(k, em, &out, next), nil
}

// floorOp returns nil for shapes that have no floor.
func floorOp(k Key, next func() *line.Line) op {
	switch {
	case k.Shape != line.TextDelta && k.Shape != line.ThinkingDelta && k.Shape != line.ToolArgs:
		return nil
	case k.Whole:
		var none counter
		return emitOp(k, ours.NewFloor(), &none, next)
	default:
		return encodeOp(new(ours.Copy), next)
	}
}

// Parts returns a case of the parts of the floor, each by itself.
func (b *Builder) Parts() (measure.Case, error) {
	k := Key{false, line.TextDelta, corpus.ASCII, corpus.Delta}
	pool, err := b.pool(k)
	if err != nil {
		return measure.Case{}, err
	}
	floor := ours.NewFloor()
	return measure.Case{Name: "floor", Contenders: []measure.Contender{
		{Name: "reading of the monotonic clock", Op: func() (int, error) { floor.Clock(); return 0, nil }},
		{Name: "uncontended lock", Op: func() (int, error) { floor.Lock(); return 0, nil }},
		{Name: "copy of a line of a delta", Op: encodeOp(new(ours.Copy), feed(k, pool))},
		{Name: "Write to a discarding writer", Op: func() (int, error) { return io.Discard.Write(nil) }},
	}}, nil
}
