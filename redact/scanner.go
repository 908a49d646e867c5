package redact

import (
	"strings"

	"github.com/streamjson/streamjson/internal/jsonl"
)

// How String and Stream come to the same result.
//
// A scanner looks at a text from left to right. For each keyword that it meets
// a matcher answers with a verdict: no secret here; a secret from here to
// there; or, as long as more text may follow, wait. A matcher answers wait
// until nothing that could follow changes its mind, so its final answer
// depends on the text alone, not on how much of it was there when it was
// asked first. Everything before the earliest wait is settled and can be
// written. String is one push and a flush of the same scanner.
//
// What holds for a matcher, and what the tests hold it to:
//
//   - it looks back at most lookBack bytes, and never behind the end of the
//     last replacement: what a replacement hides must not decide anything,
//     or a second pass would decide otherwise;
//   - it looks ahead at most window bytes from the place where the secret
//     would start. When it has not come to an end there, it decides on the
//     safe side: the text is taken for a secret, and so is what follows it
//     without a break.

const (
	// window is how far a matcher looks ahead for the end of a secret.
	window = 2048
	// mostHeld bounds what a stream holds back: a secret's window, and that
	// of another one that begins inside of it.
	mostHeld = 4096
	// lookBack is how far a matcher looks back from a keyword.
	lookBack = 256
)

type verdict uint8

const (
	no verdict = iota
	yes
	wait
)

// A finding is what a matcher says about one place.
type finding struct {
	verdict
	// start and end are what is replaced. With wait, nothing from start on
	// can be written yet; start is the end of the text when all of it can.
	start, end int
	kind       string
	// literal replaces a secret that is not replaced by its kind.
	literal string
	// quote is set around the replacement of a bare JSON number.
	quote string
	// verbatim: a replacement that was there before. It stays.
	verbatim bool
	// after says what goes together with what was found.
	after swallower
	// until: the verdict stays wait while the text goes on in this class.
	until class
	// anchor is where the keyword stands, or what its anchor has before it: where
	// to begin the next time.
	anchor int
}

// edge says what stands before the text that may be looked back at.
type edge uint8

const (
	atStart   edge = iota // nothing
	atMarker              // a replacement
	atUser                // a replacement in the place of a URL's user name
	truncated             // text, further back than anyone looks
)

// A scanner goes through a text. It lives on the stack of one call.
type scanner struct {
	r *Redactor
	t *tables
	s string
	// base is where looking back ends; edge is what stands before it.
	base int
	edge edge
	// done is the first byte that was not yet written; from is where to look
	// for keywords.
	done, from int
	// final: nothing follows s.
	final bool
	// eat is what goes without being looked at.
	eat swallower
	// bound is where any look ahead ends while a secret is being extended.
	bound int
	// open is where the earliest keyword stands whose context is not complete yet,
	// or what its anchor has before it.
	open int
	runs runs
	// known restricts the search to known values.
	known bool

	// replaced is told each kind that is replaced; it may be nil.
	replaced func(kind string)
	// until is the class to wait through, when the scanner waits.
	until class
	// changed: something was replaced. calm: nothing is waited for.
	changed, calm bool
}

const unbounded = int(^uint(0) >> 1)

// run appends to dst what can be written of the text from done on, and moves
// done. When all is settled and nothing was replaced, lazy leaves dst as it is.
func (x *scanner) run(dst []byte, lazy bool) []byte {
	copied := x.done
	for {
		if x.eat.mode != eatNothing {
			if !x.swallow() {
				return dst
			}
			copied = x.done
		}
		f := x.next()
		if f.verdict == yes && x.mayGrow(f) {
			f.verdict, f.until = wait, 0
		}
		if f.verdict != yes {
			hold := x.settle(f)
			x.done = hold
			if lazy && !x.changed {
				return dst
			}
			return append(dst, x.s[copied:hold]...)
		}
		if !f.verbatim {
			dst = append(dst, x.s[copied:f.start]...)
			dst = f.appendReplacement(dst)
			copied = f.end
			x.changed = true
			if x.replaced != nil {
				x.replaced(f.kind)
			}
		}
		x.cut(f)
	}
}

// mayGrow reports whether a known value of which too little can be seen begins
// inside of a finding.
func (x *scanner) mayGrow(f finding) bool {
	if x.final || f.verbatim || len(x.s)-f.end >= 3 {
		return false
	}
	n := x.r.partial(x.s[x.base:])
	return n > 0 && len(x.s)-n < f.end
}

// cut starts anew behind a finding.
func (x *scanner) cut(f finding) {
	e := atMarker
	if x.userBefore(f.start) {
		e = atUser
	}
	x.done = max(x.done, f.end)
	x.base, x.from, x.edge = f.end, f.end, e
	x.eat = f.after
}

// settle says how far the text is settled when no secret was found, or the
// first one is not decided, and where to go on.
func (x *scanner) settle(f finding) (hold int) {
	hold = len(x.s)
	x.from = hold
	x.until = 0
	if x.final {
		return hold
	}
	x.from = max(x.base, min(x.open, hold-3))
	if f.verdict == wait {
		x.from = min(x.from, f.anchor)
		x.until = f.until
		return f.start
	}
	x.calm = true
	if n := x.r.partial(x.s[x.base:]); n > 0 {
		hold -= n
	}
	return max(x.done, min(hold, jsonl.CompletePrefix(x.s)))
}

// next returns the first finding from x.from on: yes, wait, or no if there is
// none. Findings that overlap are one.
func (x *scanner) next() finding {
	var best finding
	x.bound, x.open = unbounded, len(x.s)
	x.runs.reset()
	if x.edge == atUser {
		best = x.afterUser()
	}
	for p, step := x.scan(x.from); p >= 0; p, step = x.scan(p + step) {
		// No matcher finds anything that starts before its keyword's
		// anchor; known values start at it, which may be the byte before.
		if best.verdict == wait && p-1 > best.start || best.verdict == yes && p-1 >= best.end {
			break
		}
		group := load24(x.s, p)
		best = x.place(best, &x.t.index, x.t.index.lookup(group), p)
		if own := x.r.own; own != nil {
			best = x.place(best, own, own.lookup(group), p)
		}
	}
	return best
}

// scan is the search for the next place where an anchor can be. As long as more
// text may follow, the last group is looked at in any case: a keyword of three
// bytes is a half of its anchor, and must not be missed until the fourth byte,
// which would be the first one of the secret.
func (x *scanner) scan(from int) (p, step int) {
	p, step = x.r.next(x.s, from)
	if last := len(x.s) - 3; p < 0 && !x.final && last > from && x.r.filter.has(load24(x.s, last)) {
		p = last
	}
	return p, step
}

// place asks the matchers of all keywords that have their anchor at p.
func (x *scanner) place(best finding, in *index, first int32, p int) finding {
	for i := first; i >= 0; i = in.places[i].next {
		at := in.places[i]
		k := &in.keywords[at.keyword]
		a := p - int(at.offset)
		if a < x.base || !k.stands(x.s, a) || x.known && k.do != doKnown {
			continue
		}
		f := x.try(k, a)
		switch {
		case f.verdict == no:
			continue
		case f.verdict == wait && f.start >= len(x.s):
			x.open = min(x.open, a-k.pre)
			continue
		case f.start < x.done && !f.verbatim:
			continue // settled before
		}
		f.anchor = a - k.pre
		best = join(best, f)
		if best.verdict == yes {
			x.bound = best.start + mostHeld
		}
	}
	return best
}

// join makes one finding of two: the earlier one, longer by the other one if
// that begins inside of it.
func join(a, b finding) finding {
	if a.verdict == no {
		return b
	}
	if b.start < a.start || b.start == a.start && a.verdict == yes && (b.verdict == wait || b.longer(a)) {
		a, b = b, a
	}
	anchor := min(a.anchor, b.anchor)
	switch {
	case a.verdict == wait:
		a.anchor = anchor
	case b.start >= a.end, a.verbatim:
	case b.verdict == wait:
		b.start, b.anchor = a.start, anchor
		return b
	default:
		a.grow(b)
		a.anchor = anchor
	}
	return a
}

// grow adds a finding that begins inside of f.
func (f *finding) grow(g finding) {
	switch {
	case g.end > f.end:
		f.end, f.quote = g.end, ""
		if f.after.mode == eatKnown {
			f.after = swallower{}
		}
		if g.after.mode != eatNothing {
			f.after = g.after
		}
	case g.after.mode == eatPEM, g.end == f.end && g.after.mode != eatNothing:
		f.after = g.after
	}
}

// longer: of two findings that start at one place the longer one gives its
// kind, of two of one length a known value.
func (f finding) longer(g finding) bool {
	return f.end > g.end || f.end == g.end && f.kind == kindKnown
}

// stands reports whether the keyword stands at a, as far as the text goes.
func (k *keyword) stands(s string, a int) bool {
	s = s[a:min(a+len(k.text), len(s))]
	if k.fold {
		return foldedPrefix(s, k.text[:len(s)])
	}
	return s == k.text[:len(s)]
}

// try asks the matcher of a keyword that stands at a.
func (x *scanner) try(k *keyword, a int) finding {
	if k.do == doKnown {
		return x.knownAt(k.n, a)
	}
	z := a + len(k.text)
	if z > len(x.s) {
		return x.later()
	}
	if k.pre+k.post > 0 && !x.anchored(k, a, z) {
		return finding{}
	}
	switch k.do {
	case doToken:
		return x.token(&rules[k.n], a, z)
	case doCustom:
		return x.token(&x.r.tokens[k.n], a, z)
	case doName:
		return x.named(a, z)
	case doMarker:
		return x.marker(a)
	case doPEM:
		return x.pem(z)
	case doPEM64:
		return x.pem64(z)
	case doJWT:
		return x.jwt(z)
	case doURL:
		return x.url(a, z)
	case doBearer:
		return x.bearer(a, z)
	case doBasic:
		return x.basic(a, z)
	case doWebhook:
		return x.webhook(z)
	case doSAS:
		return x.sas(a, z)
	case doTelegram:
		return x.telegram(a, z)
	}
	return finding{}
}

// anchored reports whether what stands next to a keyword belongs to its anchor.
// The text alone can be met by the half of an anchor, in every other place.
func (x *scanner) anchored(k *keyword, a, z int) bool {
	if k.pre > 0 && (a == x.base || strings.IndexByte(k.before, x.s[a-1]) < 0) {
		return false
	}
	for i := z; i < z+k.post && i < len(x.s); i++ {
		if strings.IndexByte(k.after, x.s[i]) < 0 {
			return false
		}
	}
	return true
}

// later is the answer when the text ends before a secret could begin.
func (x *scanner) later() finding {
	if x.final {
		return finding{}
	}
	return finding{verdict: wait, start: len(x.s)}
}
