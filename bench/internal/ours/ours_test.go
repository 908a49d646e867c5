package ours_test

import (
	"bytes"
	"reflect"
	"slices"
	"testing"

	"github.com/streamjson/streamjson/bench/internal/corpus"
	"github.com/streamjson/streamjson/bench/internal/line"
	"github.com/streamjson/streamjson/bench/internal/ours"
	"github.com/streamjson/streamjson/redact"
)

func want(t *testing.T, l *line.Line) map[string]any {
	t.Helper()
	var s line.Structs
	v, err := line.ToAny(s.Value(l))
	if err != nil {
		t.Fatal(err)
	}
	return v.(map[string]any)
}

func decode(t *testing.T, b []byte) map[string]any {
	t.Helper()
	m, err := line.Decode(b)
	if err != nil {
		t.Fatalf("%v: %q", err, b)
	}
	return m
}

func texts(t *testing.T) []string {
	t.Helper()
	list := []string{"\u007f \u2028 \x1b[0m"}
	for _, kind := range corpus.Kinds() {
		c, err := corpus.New(kind, 4<<10)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, c.Pool(corpus.Delta).Next(), c.Text())
	}
	return list
}

// TestEncoderWritesTheMembersThatRivalsWrite also is the proof that what is
// measured as our encoding is a whole line.
func TestEncoderWritesTheMembersThatRivalsWrite(t *testing.T) {
	e := ours.NewEncoder(redact.None())
	for _, s := range line.Shapes() {
		if s == line.Result {
			continue
		}
		for _, text := range texts(t) {
			l := line.Line{
				Shape: s, Seq: 42, TS: line.Stamp, Text: text, Input: line.Input(text),
				Data: line.Records(2, func() string { return text }),
			}
			got, err := e.Encode(&l)
			if err != nil {
				t.Fatalf("%v: %v", s, err)
			}
			if have := decode(t, got); !reflect.DeepEqual(have, want(t, &l)) {
				t.Errorf("%v:\n got %s\nwant %v", s, got, want(t, &l))
			}
		}
	}
}

// TestEmitterWritesWhatTheEncoderDoes compares whole emits with encoding alone,
// byte for byte once number and time are the same.
func TestEmitterWritesWhatTheEncoderDoes(t *testing.T) {
	var out lines
	em, err := ours.NewEmitter(&out, redact.None(), false)
	if err != nil {
		t.Fatal(err)
	}
	e := ours.NewEncoder(redact.None())
	for _, s := range []line.Shape{line.TextDelta, line.ThinkingDelta, line.ToolArgs, line.Assistant, line.ToolUse, line.ToolResult} {
		l := line.Line{Shape: s, Text: "some \"text\"\n", Input: line.Input("x")}
		if s == line.ThinkingDelta {
			discard(t, em) // a block is of one kind
		}
		if err := em.Emit(&l); err != nil {
			t.Fatalf("%v: %v", s, err)
		}
		got := out.last
		head := decode(t, got)
		l.TS = head["ts"].(string)
		l.Seq = uint64(bytes.Count(out.all, []byte("\n"))) - 1
		alone, err := e.Encode(&l)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, alone) {
			t.Errorf("%v:\nemitted %s\nencoded %s", s, got, alone)
		}
	}
	if err := em.Close(); err != nil {
		t.Fatal(err)
	}
}

// discard ends the open message.
func discard(t *testing.T, em *ours.Emitter) {
	t.Helper()
	l := line.Line{Shape: line.TextDelta, Text: "x", Open: 1 << 30}
	if err := em.Emit(&l); err != nil || l.Open != 0 {
		t.Fatalf("%v; %d bytes open", err, l.Open)
	}
}

type lines struct{ all, last []byte }

func (w *lines) Write(p []byte) (int, error) {
	w.all = append(w.all, p...)
	w.last = slices.Clone(p[bytes.LastIndexByte(p[:len(p)-1], '\n')+1:])
	return len(p), nil
}

func TestResultLineHasTheMembersThatRivalsWrite(t *testing.T) {
	got, err := ours.FinishLine("done\n")
	if err != nil {
		t.Fatal(err)
	}
	have := decode(t, got)
	l := line.Line{Shape: line.Result, Seq: 2, TS: have["ts"].(string), Text: "done\n"}
	if !reflect.DeepEqual(have, want(t, &l)) {
		t.Errorf("got %s\nwant %v", got, want(t, &l))
	}
}

func TestResultDoorEncodes(t *testing.T) {
	for _, r := range []*redact.Redactor{redact.None(), redact.Default()} {
		door, err := ours.NewResult(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := door.Encode("text"); err != nil {
			t.Error(err)
		}
	}
}

func TestRedactingEncoderRedacts(t *testing.T) {
	const secret = "ghp_012345678901234567890123456789abcdef"
	e := ours.NewEncoder(redact.Default())
	for _, s := range []line.Shape{line.TextDelta, line.ToolArgs, line.Assistant, line.ToolUse, line.ToolResult, line.Envelope} {
		text := "token " + secret + " and a lot of ordinary text behind it, so that nothing is held back any more"
		l := line.Line{Shape: s, TS: line.Stamp, Text: text, Input: line.Input(text), Data: text}
		got, err := e.Encode(&l)
		if err != nil {
			t.Fatalf("%v: %v", s, err)
		}
		if bytes.Contains(got, []byte(secret)) {
			t.Errorf("%v: the secret is in the line: %s", s, got)
		}
	}
}

func TestFloorsCopyTheWholeLine(t *testing.T) {
	var floor ours.Copy
	l := line.Line{Shape: line.TextDelta, Seq: 1, TS: line.Stamp, Text: "plain"}
	got, err := floor.Encode(&l)
	if err != nil {
		t.Fatal(err)
	}
	if have := decode(t, got); !reflect.DeepEqual(have, want(t, &l)) {
		t.Errorf("got %s", got)
	}
	var out bytes.Buffer
	em := ours.NewLockWrite(&out)
	for range 2 {
		if err := em.Emit(&l); err != nil {
			t.Fatal(err)
		}
	}
	if l.Seq != 1 || bytes.Count(out.Bytes(), []byte("\n")) != 2 {
		t.Errorf("seq %d, wrote %q", l.Seq, out.Bytes())
	}
}
