package redact

import "sync"

// The tables that all redactors share are made in two steps. The prefilter is
// what every text is held against, so it must be there at once: it is data of
// the program (filter_slots.go), for to build it at the start would touch more
// memory than a short text needs of it. All that is needed behind it, the index
// of keywords and the table of classes, is built when the prefilter first says
// that something may be there; a program that meets no keyword never builds it.

// tables is what matchers look things up in.
type tables struct {
	classes classTable
	index   index
}

var sharedTables = sync.OnceValue(func() *tables {
	t := new(tables)
	t.classes.build()
	b := newBuilder(nil)
	b.addShared()
	t.index = b.index
	return t
})

// addShared adds the keywords of the package.
func (b *builder) addShared() {
	for _, k := range specialKeywords {
		b.add(k, k.rarest())
	}
	for n := range rules {
		for _, p := range rules[n].prefixes {
			b.addPrefix(p, rules[n].chars, doToken, n)
		}
	}
}

// addPrefix adds the keyword for a token's prefix.
func (b *builder) addPrefix(prefix string, chars class, do action, n int) {
	k := keyword{text: prefix, do: do, n: n}
	if len(prefix) < 4 {
		k.after = members(chars)
	}
	b.add(k, k.rarest())
}

// members lists the ASCII bytes of a class.
func members(c class) string {
	var set []byte
	for i := range byte(0x80) {
		if kindsOf(i)&c != 0 {
			set = append(set, i)
		}
	}
	return string(set)
}
