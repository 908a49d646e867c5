package emit

import (
	"cmp"
	"errors"
	"hash/maphash"
	"slices"

	"github.com/streamjson/streamjson/internal/jsonl"
	"github.com/streamjson/streamjson/internal/wire"
)

// Why a step is refused (contract section 3).
var (
	errToolOpen    = errors.New("a tool_use of this id is open already: ids must be new")
	errToolClosed  = errors.New("no tool_use of this id is open: announce it in an assistant message first, and answer it once")
	errTaskRunning = errors.New("a task of this id is running already")
	errTaskUnknown = errors.New("no task of this id is running: start it first")
)

// An opened remembers the tool calls and tasks that were announced and not
// closed yet. It keeps copies of ids in memory that it uses again, so that a
// run that opens and closes allocates nothing for it.
//
// Guarded by the emitter's lock.
type opened struct {
	seed  maphash.Seed
	heads map[uint64]int // by hash of class and id: the first entry of a chain; nil: nothing was ever opened
	all   []openEntry
	free  []int
	count uint64 // how many were ever opened, for their order
}

// The classes of what can be open; ids of different classes never meet.
type openClass uint8

const (
	openTool openClass = iota
	openTask
)

type openEntry struct {
	class openClass
	used  bool
	id    []byte
	kind  []byte // of a task
	actor *Actor
	order uint64
	next  int // in the chain of the same hash; -1: none
}

func (o *opened) hash(class openClass, id []byte) uint64 {
	return maphash.Bytes(o.seed, id) + uint64(class)
}

// find returns the index of an entry, or -1.
func (o *opened) find(class openClass, id []byte) int {
	i, ok := o.heads[o.hash(class, id)]
	if !ok {
		return -1
	}
	for ; i >= 0; i = o.all[i].next {
		if e := &o.all[i]; e.class == class && string(e.id) == string(id) {
			return i
		}
	}
	return -1
}

// isOpen reports whether the id is open.
func (o *opened) isOpen(class openClass, id string) bool {
	return o.find(class, []byte(jsonl.Valid(id))) >= 0
}

func (o *opened) add(class openClass, id, kind []byte, a *Actor) {
	var i int
	if n := len(o.free); n > 0 {
		i, o.free = o.free[n-1], o.free[:n-1]
	} else {
		i = len(o.all)
		o.all = append(o.all, openEntry{})
	}
	h := o.hash(class, id)
	next, ok := o.heads[h]
	if !ok {
		next = -1
	}
	if o.heads == nil {
		o.heads = map[uint64]int{}
	}
	o.heads[h] = i
	e := &o.all[i]
	*e = openEntry{
		class: class, used: true, actor: a, order: o.count, next: next,
		id: append(e.id[:0], id...), kind: append(e.kind[:0], kind...),
	}
	o.count++
}

func (o *opened) remove(class openClass, id []byte) {
	h := o.hash(class, id)
	link, ok := o.heads[h]
	before := -1
	for ; ok && link >= 0; before, link = link, o.all[link].next {
		e := &o.all[link]
		if e.class != class || string(e.id) != string(id) {
			continue
		}
		switch {
		case before >= 0:
			o.all[before].next = e.next
		case e.next >= 0:
			o.heads[h] = e.next
		default:
			delete(o.heads, h)
		}
		e.used, e.actor = false, nil
		o.free = append(o.free, link)
		return
	}
}

// check returns why the steps of a line can't be taken, and the step, or nil.
func (o *opened) check(fx *wire.Effects) (wire.Step, error) {
	for i, s := range fx.Steps {
		class, _ := classOf(s.Kind)
		if s.Kind == wire.Hop {
			continue
		}
		open := o.find(class, fx.ID(s)) >= 0
		// What the line itself opened or closed before counts, too.
		for _, earlier := range fx.Steps[:i] {
			c, opens := classOf(earlier.Kind)
			changes := earlier.Kind != wire.Hop && earlier.Kind != wire.TouchTask
			if changes && c == class && string(fx.ID(earlier)) == string(fx.ID(s)) {
				open = opens
			}
		}
		if err := stepError(s.Kind, open); err != nil {
			return s, err
		}
	}
	return wire.Step{}, nil
}

// classOf returns what a step is about, and whether it opens it.
func classOf(k wire.StepKind) (class openClass, opens bool) {
	switch k {
	case wire.OpenTool:
		return openTool, true
	case wire.CloseTool:
		return openTool, false
	case wire.StartTask:
		return openTask, true
	default:
		return openTask, false
	}
}

// stepError returns why a step is refused, given whether its id is open.
func stepError(k wire.StepKind, open bool) error {
	switch {
	case k == wire.OpenTool && open:
		return errToolOpen
	case k == wire.CloseTool && !open:
		return errToolClosed
	case k == wire.StartTask && open:
		return errTaskRunning
	case (k == wire.TouchTask || k == wire.EndTask) && !open:
		return errTaskUnknown
	default:
		return nil
	}
}

// apply takes the steps of a line that check has let pass.
func (o *opened) apply(fx *wire.Effects, a *Actor) {
	for _, s := range fx.Steps {
		class, opens := classOf(s.Kind)
		switch {
		case s.Kind == wire.Hop || s.Kind == wire.TouchTask:
		case opens:
			o.add(class, fx.ID(s), fx.Label(s), a)
		default:
			o.remove(class, fx.ID(s))
		}
	}
}

// closing returns copies of what is open, in the order in which it is to be
// closed: nested before parent, newest first. Only those of one actor if a is
// not nil.
func (o *opened) closing(a *Actor) []*openEntry {
	var list []*openEntry
	for i := range o.all {
		if e := &o.all[i]; e.used && (a == nil || e.actor == a) {
			open := *e
			open.id, open.kind = slices.Clone(e.id), slices.Clone(e.kind)
			list = append(list, &open)
		}
	}
	slices.SortFunc(list, func(x, y *openEntry) int {
		return cmp.Or(cmp.Compare(y.actor.depth, x.actor.depth), cmp.Compare(y.order, x.order))
	})
	return list
}
