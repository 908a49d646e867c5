package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/streamjson/streamjson/emit"
)

// A scripted is a model that plays its part of a script.
type scripted struct {
	file   string // the script's, for errors
	part   part
	prefix string // of the ids of its calls
	pace   time.Duration

	turn, step int // what comes next
	calls      int // so far
}

// reply plays a turn, or what is left of it after a retry.
func (m *scripted) reply(ctx context.Context, msg *emit.Message, seen results) (reply, error) {
	p := playing{scripted: m, ctx: ctx, msg: msg, seen: seen}
	for t := m.part.turns[m.turn]; m.step < len(t); {
		s := t[m.step]
		m.step++
		if err := p.play(s); err != nil {
			return p.out, err
		}
	}
	m.step = 0
	m.turn++
	if m.part.loops {
		m.turn %= len(m.part.turns)
	}
	return p.out, nil
}

// A playing is one reply on its way.
type playing struct {
	*scripted
	ctx  context.Context
	msg  *emit.Message
	seen results
	out  reply
}

func (p *playing) play(s step) error {
	if s.verb == verbCall {
		return p.call(s)
	}
	text, err := expand(s.text, p.seen.value)
	if err != nil {
		return &scriptError{p.file, s.line, err}
	}
	switch s.verb {
	case verbThink:
		return p.stream(p.msg.Thinking, words(text))
	case verbSay:
		return p.say(text)
	case verbWait:
		return sleep(p.ctx, s.wait)
	case verbUsage:
		p.out.usage = &s.usage
	case verbWarn:
		// By the actor, so that a sub-agent's warning is marked as its own.
		return emit.FromContext(p.ctx).Warn("notice", text)
	case verbRetry:
		return &retryError{text}
	case verbRefuse:
		p.out.stop = stopRefusal
		return p.say(text)
	case verbCut:
		p.out.stop = stopMaxTokens
	case verbFail:
		return fmt.Errorf("the model call failed: %s", text)
	default:
		return p.misbehave(s.verb, text)
	}
	return nil
}

// misbehave does what no program should.
func (p *playing) misbehave(v verb, text string) error {
	switch v {
	case verbPanic:
		panic(text)
	case verbPanicGo:
		emit.FromContext(p.ctx).Go(func(context.Context) error { panic(text) })
		<-p.ctx.Done()
		return context.Cause(p.ctx)
	default:
		select {} // hang: ctx is ignored, and that is the point
	}
}

func (p *playing) say(text string) error {
	p.out.text += text
	return p.stream(p.msg.Text, words(text))
}

// call streams a tool call: its arguments in fragments, then the whole.
func (p *playing) call(s step) error {
	args, err := expandAll(s.args, p.seen.value)
	if err != nil {
		return &scriptError{p.file, s.line, err}
	}
	input, err := encode(args)
	if err != nil {
		return &scriptError{p.file, s.line, err}
	}
	p.calls++
	id := fmt.Sprintf("call_%s%d", p.prefix, p.calls)
	put := func(fragment string) error { return p.msg.ToolArgs(id, fragment) }
	if err := p.stream(put, chunks(string(input))); err != nil {
		return err
	}
	p.out.calls = append(p.out.calls, call{id, s.name, s.tool, input})
	return p.msg.ToolUse(id, s.tool, nil)
}

// encode returns v as JSON in the spelling of a model, where < is <.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// stream puts out pieces at the pace that was asked for.
func (p *playing) stream(put func(string) error, pieces iter.Seq[string]) error {
	for piece := range pieces {
		if err := sleep(p.ctx, p.pace); err != nil {
			return err // before the piece: a cancelled run says nothing more
		}
		if err := put(piece); err != nil {
			return err
		}
	}
	return nil
}

// sleep waits, and no longer than the run lasts.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 || ctx.Err() != nil {
		return context.Cause(ctx)
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// words cuts a text as models stream it: by words. A token can end in the
// midst of a character, so a word is cut in its characters of several bytes.
func words(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for text != "" {
			n := len(text)
			if i := strings.IndexAny(text[1:], " \n"); i >= 0 {
				n = 1 + i
			}
			if i := leadByte(text[:n]); i >= 0 {
				n = i + 1
			}
			if !yield(text[:n]) {
				return
			}
			text = text[n:]
		}
	}
}

// leadByte returns where the first character of several bytes begins, or -1.
func leadByte(s string) int {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf && utf8.RuneStart(s[i]) {
			return i
		}
	}
	return -1
}

// chunks cuts a text every few bytes, as models stream arguments.
func chunks(text string) iter.Seq[string] {
	const length = 12
	return func(yield func(string) bool) {
		for text != "" {
			n := min(length, len(text))
			if !yield(text[:n]) {
				return
			}
			text = text[n:]
		}
	}
}
