package contract

import (
	"bytes"
	"time"
)

const (
	// maxIDs is how many ids of tool calls and how many running tasks are
	// remembered, maxBlocks how many blocks and calls may be open in pieces.
	maxIDs    = 1 << 17
	maxBlocks = 1 << 14
	tsWidth   = len("2006-01-02T15:04:05.000Z")
)

// A run is what is remembered of the run at hand.
type run struct {
	begun   bool // an event was read
	ended   bool // by its result
	told    bool // that something follows the result
	initial bool // its init was read
	partial bool // it announces partial_messages_v1

	lastSeq, nextSeq  int64  // of the last line; of the next one if all are right
	session, stranger uint64 // hashes of the id of the run, and of another one that was told
	ts                [tsWidth]byte
	hasTS             bool
	unreadable        int64 // lines that could not be read since the last event
	unreadLine        int64 // the first of them
	lost              int64 // the first line from which on not all is known

	tools   map[uint64]toolUse  // by the hash of the id; closed ones too
	closed  int                 // how many of them are closed
	forgot  bool                // closed ones were dropped
	tasks   map[uint64]int64    // running ones: the line that started it
	strange map[uint64]struct{} // parent ids that were told
	actors  map[uint64]*actor
	open    int                 // blocks and calls in pieces, of all actors
	sure    map[uint64]struct{} // actors that have completed a message since a line was lost

	result outcome
}

// A toolUse is a call.
type toolUse struct {
	line  int64
	actor uint64
	open  bool
}

func (r *run) reset() {
	*r = run{
		tools: map[uint64]toolUse{}, tasks: map[uint64]int64{},
		strange: map[uint64]struct{}{}, actors: map[uint64]*actor{},
		sure:    map[uint64]struct{}{},
		lastSeq: -1,
	}
}

// unread notes that a line, or a part of one, could not be read. Whether an
// event was lost with it, the next seq will show.
func (r *run) unread(number int64) {
	r.nextSeq++
	if r.unreadable++; r.unreadable == 1 {
		r.unreadLine = number
	}
}

// settle decides, by the seq of the next event, what became of lines that could
// not be read.
func (r *run) settle(n int64) {
	if r.unreadable > 0 && n > r.lastSeq+1 {
		r.lose(r.unreadLine)
	}
	r.unreadable = 0
}

// lose notes that from this line on not all is known.
func (r *run) lose(number int64) {
	clear(r.sure)
	if r.lost == 0 {
		r.lost = number
	}
}

// unsure reports whether a rule about the past can't be held up, and notes it.
func (c *Checker) unsure(rule string) bool {
	if c.run.lost == 0 {
		return false
	}
	c.skip(rule, c.run.lost, "not all of the run up to there could be read or remembered")
	return true
}

// event judges an object by its place in the run.
func (c *Checker) event(v *view) {
	v.typ = c.envelope(v)
	sub := ""
	if v.typ == "system" || v.typ == "result" {
		sub = v.word(v.top[mSubtype])
	}
	if n, ok := v.integer(v.top[mSeq]); ok && n >= 0 {
		c.run.settle(n)
	}
	isInit := v.typ == "system" && sub == "init"
	if !c.begin(v, isInit) {
		return
	}
	c.seq(v)
	c.ts(v)
	c.session(v)
	if v.partial {
		c.headOnly(v, sub)
		return
	}
	c.actor(v)
	switch v.typ {
	case "system":
		c.system(v, sub)
	case "stream_event":
		c.streamEvent(v)
	case "assistant":
		c.assistant(v)
	case "user":
		c.user(v)
	case "result":
		c.resultLine(v, sub)
	case "":
	default:
		c.find(v, "unknown-type", v.place(v.top[mType]), "/type", "the type "+excerpt([]byte(v.typ), 0), "")
	}
}

// headOnly takes what it can of a line whose rest could not be read.
func (c *Checker) headOnly(v *view, sub string) {
	switch {
	case v.typ == "result":
		c.outcome(v, sub)
	case v.typ == "system" && sub == "init":
		c.run.initial, c.run.partial = true, true
	}
	c.run.lose(v.number)
}

// begin places a line before, in or behind the run. It reports false for one
// that belongs to no run.
func (c *Checker) begin(v *view, isInit bool) bool {
	r := &c.run
	if c.options.Runs && isInit && r.begun && (r.ended || r.initial) {
		if !r.ended {
			c.find(v, "result-missing", 0, "", "the next run's init, and no result of the run before it", "")
		}
		r.reset()
	}
	if r.ended {
		if !r.told {
			rule, found := "after-result", "a line behind the result"
			if v.typ == "result" {
				rule, found = "result-twice", "a second result"
			} else if isInit {
				found = "another run behind the result, which is right only where several are expected (--runs)"
			}
			c.find(v, rule, 0, "", found, "")
		}
		r.told = true
		return false
	}
	switch {
	case !r.begun:
		c.report.Runs++
		if !isInit && !c.unsure("init-first") {
			c.find(v, "init-first", 0, "", "another line", "")
		}
	case isInit && r.initial:
		c.find(v, "init-twice", 0, "", "a second init", "")
	}
	return true
}

// seq judges the number of the line.
func (c *Checker) seq(v *view) {
	r := &c.run
	n, ok := v.integer(v.top[mSeq])
	first := !r.begun
	r.begun = true
	if !ok || n < 0 { // told by envelope
		r.nextSeq++
		return
	}
	tell := func(rule, found string) {
		c.find(v, rule, v.place(v.top[mSeq]), "/seq", "seq "+decimal(n)+found, "seq "+decimal(r.nextSeq))
	}
	next := n + 1
	switch {
	case first:
		if n > r.nextSeq { // which is 0, unless lines could not be read
			tell("seq-start", " on the first line")
		}
	case n == r.lastSeq:
		tell("seq-repeat", " again")
		next = r.nextSeq + 1
	case n < r.lastSeq:
		tell("seq-backwards", " behind seq "+decimal(r.lastSeq))
		next = r.nextSeq + 1
	case n > max(r.nextSeq, r.lastSeq+1):
		// What is not told is one more than the last one, or what the place of
		// the line asks for, or in between where lines could not be read: one
		// wrong number must not make the next right one wrong.
		tell("seq-gap", ": "+count(n-r.nextSeq, "number")+" left out")
	}
	r.lastSeq, r.nextSeq = n, next
}

// ts judges the time stamp of the line.
func (c *Checker) ts(v *view) {
	i := v.top[mTS]
	if i == 0 {
		if !v.partial {
			c.find(v, "ts-missing", 0, "", "no ts", "")
		}
		return
	}
	if !v.is(i, isString) {
		c.find(v, "ts-format", v.place(i), "/ts", kindName(v.items[i].kind), "")
		return
	}
	text := v.str(i)
	if !isTimestamp(text) {
		c.find(v, "ts-format", v.place(i), "/ts", excerpt(text, 0), "")
		return
	}
	r := &c.run
	if r.hasTS && bytes.Compare(text, r.ts[:]) < 0 {
		c.find(v, "ts-backwards", v.place(i), "/ts", string(text)+" behind "+string(r.ts[:]), "")
	}
	copy(r.ts[:], text)
	r.hasTS = true
}

// isTimestamp reports whether p is a time as contract F4 writes it.
func isTimestamp(p []byte) bool {
	const layout = "2006-01-02T15:04:05.000Z"
	if len(p) != tsWidth {
		return false
	}
	for i, c := range []byte(layout) {
		digit := '0' <= c && c <= '9'
		if digit != ('0' <= p[i] && p[i] <= '9') || !digit && p[i] != c {
			return false
		}
	}
	_, err := time.Parse(layout, string(p))
	return err == nil
}
