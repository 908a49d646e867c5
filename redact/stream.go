package redact

import (
	"strings"
	"unsafe"

	"github.com/streamjson/streamjson/internal/jsonl"
)

// A Stream redacts a text that comes in chunks. What it returns, joined, is
// what [Redactor.String] makes of the whole, wherever the chunks begin and end.
//
// It holds back only the shortest tail that could still become a secret, or an
// unfinished character: at most 4096 bytes, for as long as it could. Since the
// public prefix of a token stays in the text, an ordinary text is written as it
// comes: nothing is held for "gh" because it could become ghp_. Known values
// have no prefix; with them, a chunk that ends like one begins is held in part.
//
// A text that could be one secret of more than 2048 bytes is taken for one: it
// is replaced, and what follows without a break is left out. String decides in
// the same way.
//
// A Stream is for one text, and not safe for concurrent use. The zero Stream
// redacts nothing; [Redactor.Stream] makes others.
type Stream struct {
	r *Redactor
	// buf is what may be looked back at, and from done on what is held.
	buf        []byte
	done, from int
	base       int
	edge       edge
	eat        swallower
	until      class
	// busy: a keyword is waiting for what follows it, or something is held or
	// left out because of one.
	busy     bool
	scratch  []byte
	replaced func(kind string)
}

const (
	// keptBack is how much written text a stream keeps, to look back at: a
	// keyword that is open can be as far away as a name, a separator and a
	// type are long, and its matcher looks back from there.
	keptBack = 2 * lookBack
	// fullBuffer is when text that is kept is moved to the front.
	fullBuffer = 8 * lookBack
	// keptBuffer is the largest buffer that is kept for reuse.
	keptBuffer = 256 << 10
)

// Stream returns a stream for a text that comes in chunks.
func (r *Redactor) Stream() *Stream {
	s := new(Stream)
	if r.Enabled() {
		s.r = r
	}
	return s
}

// Reset makes the stream ready for another text. What was held is lost.
func (s *Stream) Reset() {
	*s = Stream{r: s.r, buf: s.buf[:0], scratch: s.scratch[:0], replaced: s.replaced}
}

// Held returns how many bytes are held back.
func (s *Stream) Held() int { return len(s.buf) - s.done }

// Push takes the next chunk, and returns what can be written by now. It
// returns chunk itself, or a part of it, without an allocation when nothing was
// held and nothing was found.
func (s *Stream) Push(chunk string) string {
	out, own := s.next(chunk)
	if own {
		return strings.Clone(out)
	}
	return out
}

// View is Push for a caller that does not keep the result: it is valid until
// the stream is used again, and never costs an allocation once the stream's
// buffers have grown.
func (s *Stream) View(chunk string) string {
	out, _ := s.next(chunk)
	return out
}

// Append is Push that appends to dst.
func (s *Stream) Append(dst []byte, chunk string) []byte {
	out, _ := s.next(chunk)
	return append(dst, out...)
}

// next takes the next chunk. What it returns is a part of the chunk, or lies in
// the stream's own memory.
func (s *Stream) next(chunk string) (out string, own bool) {
	if s.r == nil || chunk == "" {
		return chunk, false
	}
	held, before := s.done, len(s.buf)
	var met bool
	if v := s.r.kernel(0); v != nil && len(chunk) <= sieveMost && cap(s.buf)-before >= len(chunk) {
		stops := s.takeSieved(v, chunk)
		if stops == 0 && held == before && s.passes(chunk) {
			return chunk, false
		}
		met = !s.busy && s.meetsAny(stops, before)
	} else {
		s.buf = append(s.buf, chunk...)
		met = !s.busy && s.r.meetsNext(view(s.buf), chunk, s.base)
	}
	if !s.settled(chunk, met) {
		s.scratch = s.push(s.scratch[:0], before)
		if view(s.scratch) == chunk {
			return chunk, false
		}
		return view(s.scratch), true
	}
	out = chunk[:s.done-before]
	if held < before {
		s.scratch = append(s.scratch[:0], s.buf[held:s.done]...)
		out, own = view(s.scratch), true
	}
	if len(s.buf) >= fullBuffer {
		s.trim()
	}
	return out, own
}

// passes is settled for most chunks: nothing is held before one or of it.
func (s *Stream) passes(chunk string) bool {
	n := len(s.buf)
	if s.busy || n >= fullBuffer || n-s.base < 3 || chunk[len(chunk)-1] >= 0x80 {
		return false
	}
	if s.r.known != nil && (len(chunk) < 3 || s.r.partial(chunk) > 0) {
		return false
	}
	s.done, s.from = n, n-3
	return true
}

// settled reports whether what was taken can be written, for no keyword stands
// in it, and what was held before it, too, but for a few bytes at its end. This
// is the way of nearly all chunks.
func (s *Stream) settled(chunk string, met bool) bool {
	if s.busy || met {
		return false
	}
	text := view(s.buf)
	n := len(text)
	end := n
	if s.r.known != nil {
		end -= s.r.partial(text[s.base:])
	}
	if chunk[len(chunk)-1] >= 0x80 {
		end = min(end, jsonl.CompletePrefix(text))
	}
	if end < n-len(chunk) {
		return false
	}
	s.done = end
	s.from = max(s.base, n-3)
	return true
}

// Flush ends the text, and returns what was held of it. The stream is then
// ready for another text.
func (s *Stream) Flush() string {
	s.scratch = s.AppendFlush(s.scratch[:0])
	return string(s.scratch)
}

// AppendFlush is Flush that appends to dst.
func (s *Stream) AppendFlush(dst []byte) []byte {
	if s.r != nil && (s.busy || s.done < len(s.buf)) {
		dst = s.run(dst, true)
	}
	s.Reset()
	return dst
}

// trim keeps the buffer small.
func (s *Stream) trim() {
	if len(s.buf) < fullBuffer {
		return
	}
	if keep := min(s.done, s.from) - keptBack; keep > 0 {
		s.cutBack(keep)
		if cap(s.buf) > keptBuffer {
			s.buf = append(make([]byte, 0, fullBuffer), s.buf...)
		}
	}
}

// cutBack forgets n bytes of what was written.
func (s *Stream) cutBack(n int) {
	s.buf = s.buf[:copy(s.buf, s.buf[n:])]
	s.done -= n
	s.from = max(0, s.from-n)
	if s.base -= n; s.base < 0 {
		s.base, s.edge = 0, truncated
	}
}

// push looks at what was taken from before on.
func (s *Stream) push(dst []byte, before int) []byte {
	if s.until != 0 && len(s.buf)-s.done < window && s.goesOn(before) {
		return dst
	}
	return s.run(dst, false)
}

// goesOn reports whether what follows from i on only continues what is waited
// for.
func (s *Stream) goesOn(i int) bool {
	classes := &sharedTables().classes
	for ; i < len(s.buf); i++ {
		if classes[s.buf[i]]&s.until == 0 {
			return false
		}
	}
	return true
}

func (s *Stream) run(dst []byte, final bool) []byte {
	x := scanner{
		r: s.r, t: sharedTables(), s: view(s.buf), final: final, replaced: s.replaced,
		base: s.base, edge: s.edge, done: s.done, from: s.from, eat: s.eat,
	}
	dst = x.run(dst, false)
	s.base, s.edge, s.done, s.from, s.eat = x.base, x.edge, x.done, x.from, x.eat
	s.until = x.until
	s.busy = !x.calm || x.open < len(s.buf) || x.edge == atUser && x.base == len(s.buf)
	s.trim()
	return dst
}

// view is b seen as a string, without a copy. The scanner keeps nothing of it,
// and the buffer is not changed before the scanner is done.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
