package emit

import (
	"unicode/utf8"

	"github.com/streamjson/streamjson/internal/jsonl"
	"github.com/streamjson/streamjson/internal/wire"
)

// usual returns the block of a delta if there is nothing unusual about it: a
// further piece of the newest block, in whole characters, on a stream that has
// begun and whose lines go to one writer as they are.
func (a *Actor) usual(kind wire.BlockKind, index int, text string) *block {
	s := a.stream
	n := len(a.blocks)
	if n == 0 || text == "" || !s.plain || s.phase != phaseOpen || s.beat != nil || s.out.err != nil || a.ended || a.message != nil {
		return nil
	}
	b := &a.blocks[n-1]
	if b.index != index || b.kind != kind || b.cutOff || b.tail.n > 0 || text[len(text)-1] >= utf8.RuneSelf {
		return nil
	}
	return b
}

// writeUsual is the short way of what pushDelta, writeText and settle do. The
// lock is held, and released.
func (a *Actor) writeUsual(b *block, text string) error {
	s := a.stream
	a.remember(b, text)
	b.size += len(text)
	if b.clean != nil {
		if text = b.clean.View(text); text == "" {
			s.mu.Unlock()
			return nil
		}
	}
	s.stamp.SetNow(s.o.Clock)
	seq := s.seq
	if !b.head.fits(seq) {
		b.buildHead(a)
	}
	buf := b.head.append(s.out.open(seq), seq, &s.stamp)
	buf = jsonl.AppendEscaped(buf, text)
	s.out.close(append(buf, deltaEnd...))
	s.seq++
	s.ledger.events = true
	end := s.out.end
	if s.out.burst != nil {
		return s.out.leave(end, seq)
	}
	if s.out.idle() {
		batch, first := s.out.take()
		s.mu.Unlock()
		if s.out.write(batch, first) == nil {
			return nil
		}
		s.mu.Lock()
	}
	return s.out.wait(end, seq)
}
