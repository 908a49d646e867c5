package contract

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A Change is one difference between two revisions of a schema.
type Change struct {
	// Pointer leads to the place (RFC 6901): in the newer document, or in the
	// older one if it is gone.
	Pointer string `json:"pointer"`
	// Breaking: contract section 4 does not allow it inside of one version.
	Breaking bool `json:"breaking"`
	// Reason says what changed, and why it is allowed or not.
	Reason string `json:"reason"`
}

// Compare classifies every difference between two revisions of a JSON Schema
// (draft 2020-12) by contract section 4. Allowed are new optional members, new
// cases of a subtype or of a type below the top level, new values of an
// enumeration, and other words; everything else is breaking, also what this
// function does not understand, and also what merely loosens: readers rely on
// what was promised. The changes are in the order of their pointers.
//
// References are followed inside of the documents; one that leads out of its
// document, and a document that is no JSON object, is an error. That the
// meaning of a member has changed while its description stayed is beyond any
// program.
func Compare(older, newer []byte) ([]Change, error) {
	o, err := readDocument(older)
	if err != nil {
		return nil, fmt.Errorf("the older schema: %w", err)
	}
	n, err := readDocument(newer)
	if err != nil {
		return nil, fmt.Errorf("the newer schema: %w", err)
	}
	c := &comparison{seen: map[[2]string]bool{}}
	c.schemas(o.root(), n.root())
	if err := cmp.Or(o.err, n.err); err != nil {
		return nil, err
	}
	slices.SortStableFunc(c.changes, func(a, b Change) int { return cmp.Compare(a.Pointer, b.Pointer) })
	return slices.Compact(c.changes), nil
}

// A comparison walks two documents side by side.
type comparison struct {
	changes []Change
	seen    map[[2]string]bool // pairs of places that were compared
}

func (c *comparison) allow(at, reason string, args ...any) {
	c.changes = append(c.changes, Change{at, false, fmt.Sprintf(reason, args...)})
}

func (c *comparison) deny(at, reason string, args ...any) {
	c.changes = append(c.changes, Change{at, true, fmt.Sprintf(reason, args...)})
}

// schemas compares two schemas.
func (c *comparison) schemas(o, n location) {
	pair := [2]string{o.at, n.at}
	if c.seen[pair] {
		return
	}
	c.seen[pair] = true
	ok, nk := o.keywords(), n.keywords()
	oBool, oIsBool := o.value.(bool)
	nBool, nIsBool := n.value.(bool)
	switch {
	case oIsBool && nIsBool && oBool == nBool:
		return
	case oIsBool && !oBool:
		c.allow(n.at, "what was forbidden here is allowed now: a new optional member")
		return
	case nIsBool && !nBool:
		c.deny(n.at, "narrowed: nothing is allowed here any more")
		return
	}
	for _, name := range union(ok, nk) {
		c.keyword(name, ok, nk, n.at)
	}
	c.conditions(o, n)
}

// keyword compares one keyword of two schemas.
func (c *comparison) keyword(name string, ok, nk map[string]location, at string) {
	o, had := ok[name]
	n, has := nk[name]
	if !has {
		n.at = o.at
	}
	switch name {
	case "$defs", "$ref", "if", "then", "else", "allOf":
		// Reached by references, or by conditions.
	case "title", "description", "$comment", "examples", "default":
		if !same(o, n) {
			c.allow(n.at, "other words; that they mean the same is for people to see")
		}
	case "x-revision":
		c.revision(o, n)
	case "x-values":
		if n.at == "/properties/type/x-values" && !same(o, n) {
			c.deny(n.at, "the top-level types changed: a reader of a version knows them all")
		} else {
			c.values(o, n, "known value")
		}
	case "enum":
		c.enum(ok, nk, o, n, had, has)
	case "const":
		c.constant(nk, o, n, has)
	case "required":
		c.required(o, n)
	case "properties", "patternProperties":
		c.members(name, o, n)
	case "items", "additionalProperties":
		c.below(name, o, n, had, has)
	default:
		c.constraint(name, o, n, had, has)
	}
}

func (c *comparison) revision(o, n location) {
	before, _ := o.value.(float64)
	after, _ := n.value.(float64)
	switch {
	case after < before:
		c.deny(n.at, "the revision goes back from %v to %v", before, after)
	case after > before:
		c.allow(n.at, "revision %v after %v", after, before)
	}
}

// values compares two lists of values that may grow.
func (c *comparison) values(o, n location, what string) {
	before, after := o.texts(), n.texts()
	for _, v := range before {
		if !slices.Contains(after, v) {
			c.deny(n.at, "narrowed: the %s %s is gone", what, v)
		}
	}
	for _, v := range after {
		if !slices.Contains(before, v) {
			c.allow(n.at, "a new %s: %s", what, v)
		}
	}
}

func (c *comparison) enum(ok, nk map[string]location, o, n location, had, has bool) {
	constant, wasConst := ok["const"]
	switch {
	case had && has:
		c.values(o, n, "value")
	case has && wasConst && slices.Contains(n.texts(), canonical(constant.value)):
		c.values(location{value: []any{constant.value}}, n, "value")
	case has:
		c.deny(n.at, "narrowed: only some values are allowed now")
	default:
		if _, typed := nk["type"]; typed {
			c.allow(n.at, "the enumeration is open now: new values")
		} else {
			c.deny(n.at, "retyped: any value is allowed now")
		}
	}
}

func (c *comparison) constant(nk map[string]location, o, n location, has bool) {
	if enum, ok := nk["enum"]; ok && !has && slices.Contains(enum.texts(), canonical(o.value)) {
		return // told by enum
	}
	if !same(o, n) {
		c.deny(n.at, "the value that must stand here changed from %s to %s", canonical(o.value), canonical(n.value))
	}
}

func (c *comparison) required(o, n location) {
	before, after := o.texts(), n.texts()
	for _, name := range after {
		if !slices.Contains(before, name) {
			c.deny(n.at, "the member %s is required now: lines that were right are wrong", name)
		}
	}
	for _, name := range before {
		if !slices.Contains(after, name) {
			c.deny(n.at, "the member %s is not required any more, and readers rely on it", name)
		}
	}
}

// members compares the schemas of members.
func (c *comparison) members(name string, o, n location) {
	before, after := o.children(), n.children()
	for _, m := range union(before, after) {
		old, had := before[m]
		now, has := after[m]
		switch {
		case had && has:
			c.schemas(old, now)
		case has:
			if forbidden, ok := now.value.(bool); ok && !forbidden {
				c.deny(now.at, "narrowed: the member %s is forbidden now", m)
			} else {
				c.allow(now.at, "a new member: %s", m)
			}
		default:
			c.gone(m, old, before, after)
		}
	}
}

// gone tells a member that is not there any more.
func (c *comparison) gone(m string, old location, before, after map[string]location) {
	if forbidden, ok := old.value.(bool); ok && !forbidden {
		c.allow(old.at, "the member %s is not forbidden any more: a new optional member", m)
		return
	}
	for name, now := range after {
		if _, had := before[name]; !had && canonical(old.expand()) == canonical(now.expand()) {
			c.deny(old.at, "renamed: %s is gone and %s looks like it", m, name)
			return
		}
	}
	c.deny(old.at, "removed: the member %s", m)
}

// below compares the schemas of elements or of further members.
func (c *comparison) below(name string, o, n location, had, has bool) {
	closed := func(p location, there bool) bool {
		b, ok := p.value.(bool)
		return there && ok && !b
	}
	open := func(p location, there bool) bool {
		b, ok := p.value.(bool)
		return !there || ok && b
	}
	switch {
	case open(o, had) && open(n, has):
	case closed(o, had) && closed(n, has):
	case closed(o, had):
		c.deny(n.at, "the object was closed and is open now: additions would not show in the schema any more")
	case closed(n, has):
		c.deny(n.at, "narrowed: only the listed members are allowed now")
	case open(o, had):
		c.deny(n.at, "narrowed: %s was free", name)
	case open(n, has):
		c.deny(n.at, "retyped: %s is free now", name)
	default:
		c.schemas(o, n)
	}
}

// constraint compares a keyword that allows some values and not others.
func (c *comparison) constraint(name string, o, n location, had, has bool) {
	if strings.HasPrefix(name, "x-") {
		if !same(o, n) {
			c.allow(n.at, "an annotation of one's own changed")
		}
		return
	}
	if canonical(o.expand()) == canonical(n.expand()) && had == has {
		return
	}
	switch {
	case name == "type" && had:
		c.deny(n.at, "retyped: %s was %s", orAny(n, has), orAny(o, had))
	case name == "$id" || name == "$schema":
		c.deny(n.at, "%s names another contract", name)
	case !had:
		c.deny(n.at, "narrowed: %s was not asked for", name)
	case !has:
		c.deny(n.at, "a promise is gone: %s %s", name, canonical(o.value))
	default:
		c.deny(n.at, "%s changed from %s to %s: values that were right are wrong, or new ones come that readers don't expect", name, canonical(o.value), canonical(n.value))
	}
}

func orAny(p location, there bool) string {
	if !there {
		return "any value"
	}
	return canonical(p.value)
}
