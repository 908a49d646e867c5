package adopt

import (
	"cmp"
	"slices"
)

const (
	// maxOpen is how many open tool calls and running tasks are remembered,
	// and how many nested actors; maxOpenBytes how long their ids may be in
	// sum.
	maxOpen      = 1 << 16
	maxOpenBytes = 8 << 20
)

// The classes of what can be open; ids of different classes never meet.
type class uint8

const (
	aTool class = iota
	aTask
)

type openKey struct {
	class class
	id    string
}

// An openEntry is a tool call or a task that was begun.
type openEntry struct {
	openKey
	kind  string // of a task
	actor string // that has begun it; "": the top-level one
	depth int    // of the actor
	order uint64
}

// opened remembers what was begun and not ended.
type opened struct {
	all    map[openKey]openEntry
	depths map[string]int // of nested actors
	bytes  int            // of all ids
	count  uint64
}

func newOpened() opened {
	return opened{all: map[openKey]openEntry{}, depths: map[string]int{}}
}

// add remembers something, and reports false if there is no room for it. What
// is open already stays with the actor that has begun it.
func (o *opened) add(c class, id, kind, actor string) bool {
	key := openKey{c, id}
	if _, there := o.all[key]; there {
		return true
	}
	size := len(id) + len(kind) + len(actor)
	if len(o.all) >= maxOpen || o.bytes+size > maxOpenBytes {
		return false
	}
	o.all[key] = openEntry{key, kind, actor, o.depth(actor), o.count}
	o.count++
	o.bytes += size
	return true
}

func (o *opened) remove(c class, id string) {
	key := openKey{c, id}
	e, there := o.all[key]
	if !there {
		return
	}
	delete(o.all, key)
	o.bytes -= len(e.id) + len(e.kind) + len(e.actor)
}

// depth returns how deep an actor is nested: one deeper than the one that has
// made the tool call that started it.
func (o *opened) depth(actor string) int {
	if actor == "" {
		return 0
	}
	if d, known := o.depths[actor]; known {
		return d
	}
	d := 1
	if started, ok := o.all[openKey{aTool, actor}]; ok {
		d = started.depth + 1
	}
	if len(o.depths) < maxOpen && o.bytes+len(actor) <= maxOpenBytes {
		o.depths[actor] = d
		o.bytes += len(actor)
	}
	return d
}

// close returns what is open in the order in which it is to be closed, nested
// before parent, newest first, and forgets it.
func (o *opened) close() []openEntry {
	list := make([]openEntry, 0, len(o.all))
	for _, e := range o.all {
		list = append(list, e)
	}
	slices.SortFunc(list, func(x, y openEntry) int {
		return cmp.Or(cmp.Compare(y.depth, x.depth), cmp.Compare(y.order, x.order))
	})
	*o = newOpened()
	return list
}
