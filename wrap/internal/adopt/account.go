package adopt

import "github.com/streamjson/streamjson/internal/jsonl"

// maxText is how much of a text is remembered for the result.
const maxText = 1 << 20

// An account is what a result tells where the child does not write one: turns,
// and the newest text of the top-level actor.
type account struct {
	turns  int
	answer kept   // the text of the last message that has any
	open   []said // the texts of a message on its way, by index
	room   int    // that open has used up
}

// said is a text block on its way.
type said struct {
	index int64
	kept
}

// kept is a text, or its beginning.
type kept struct {
	text []byte
	lost int // bytes that are not kept
}

// add keeps as much of text as there is room for, in whole characters.
func (k *kept) add(text []byte, room int) (used int) {
	if k.lost > 0 {
		room = 0
	}
	n := len(text)
	if n > room {
		n = jsonl.CompletePrefix(view(text[:room]))
	}
	k.text = append(k.text, text[:n]...)
	k.lost += len(text) - n
	return n
}

// say takes a piece of a text block.
func (a *account) say(index int64, text []byte) {
	at := len(a.open)
	for i := range a.open {
		if a.open[i].index == index {
			at = i
			break
		}
	}
	if at == len(a.open) {
		if len(a.open) == maxBlocks {
			return
		}
		a.open = append(a.open, said{index: index})
		for at > 0 && a.open[at-1].index > index {
			a.open[at], a.open[at-1] = a.open[at-1], a.open[at]
			at--
		}
	}
	a.room += a.open[at].add(text, maxText-a.room)
}

// discard forgets a message on its way.
func (a *account) discard() { a.open, a.room = nil, 0 }

// message takes a completed message: one without text does not replace the
// answer before it.
func (a *account) message(e *event) {
	a.turns++
	a.discard()
	first := true
	for _, b := range e.blocks {
		if b.typ != "text" || b.text.end-b.text.start <= len(`""`) {
			continue
		}
		if first {
			a.answer = kept{text: a.answer.text[:0]}
			first = false
		}
		a.answer.add(e.written(b.text), maxText-len(a.answer.text))
	}
}

// text returns the newest text, and how many bytes of it were not kept.
func (a *account) text() (text []byte, lost int) {
	for _, s := range a.open {
		text = append(text, s.text...)
		lost += s.lost
	}
	if len(text) > 0 {
		return text, lost
	}
	return a.answer.text, a.answer.lost
}
