package contract

import "strings"

// A condition is an if with what follows from it.
type condition struct {
	at              string
	test            location
	then, otherwise location
	hasThen         bool
	hasElse         bool
}

// conditions returns the conditions of a schema, its own and those in its
// allOf, by what they test; rest are the other schemas of allOf.
func (p location) conditions() (list map[string]condition, rest map[string]location) {
	list, rest = map[string]condition{}, map[string]location{}
	add := func(at string, k map[string]location) bool {
		test, ok := k["if"]
		if !ok {
			return false
		}
		c := condition{at: at, test: test}
		c.then, c.hasThen = k["then"]
		c.otherwise, c.hasElse = k["else"]
		key := canonical(test.expand())
		for _, twice := list[key]; twice; _, twice = list[key] {
			key += " again"
		}
		list[key] = c
		return true
	}
	k := p.keywords()
	add(p.at, k)
	all := k["allOf"]
	for _, s := range all.elements() {
		if own := s.keywords(); !add(s.at, own) || !onlyCondition(own) {
			rest[canonical(s.expand())] = s
		}
	}
	return list, rest
}

// onlyCondition reports whether a schema says nothing beside its condition.
func onlyCondition(k map[string]location) bool {
	for name := range k {
		switch name {
		case "if", "then", "else", "description", "$comment":
		default:
			return false
		}
	}
	return true
}

// conditions compares what two schemas ask of some values only.
func (c *comparison) conditions(o, n location) {
	before, plainBefore := o.conditions()
	after, plainAfter := n.conditions()
	for _, test := range union(before, after) {
		old, had := before[test]
		now, has := after[test]
		switch {
		case had && has:
			c.branch(old.then, now.then, old.hasThen, now.hasThen, now.at)
			c.branch(old.otherwise, now.otherwise, old.hasElse, now.hasElse, now.at)
		case had:
			c.deny(old.at, "removed: the case %s", test)
		default:
			c.newCase(now, before, n.at == "")
		}
	}
	for _, s := range union(plainBefore, plainAfter) {
		if now, has := plainAfter[s]; !has {
			c.deny(plainBefore[s].at, "a promise is gone: a part of allOf")
		} else if _, had := plainBefore[s]; !had {
			c.deny(now.at, "narrowed: a new part of allOf")
		}
	}
}

func (c *comparison) branch(o, n location, had, has bool, at string) {
	switch {
	case had && has:
		c.schemas(o, n)
	case had:
		c.deny(at, "a promise is gone: a branch of a condition")
	case has:
		c.deny(n.at, "narrowed: a new branch of a condition")
	}
}

// newCase judges a condition that was not there: allowed where it describes
// lines that did not exist.
func (c *comparison) newCase(now condition, before map[string]condition, top bool) {
	name, value, ok := now.discriminates()
	switch {
	case !ok || now.hasElse:
		c.deny(now.at, "narrowed: a new condition on what exists: %s", canonical(now.test.value))
	case top && name == "type":
		c.deny(now.at, "a new top-level type: %s", value)
	case knows(before, value):
		c.deny(now.at, "narrowed: a new condition on the case %s, which exists", value)
	default:
		c.allow(now.at, "a new case: %s %s", name, value)
	}
}

// knows reports whether one of the conditions is about a value.
func knows(conditions map[string]condition, value string) bool {
	for test, c := range conditions {
		_, other, ok := c.discriminates()
		if other == value || !ok && strings.Contains(test, value) {
			return true
		}
	}
	return false
}

// discriminates returns the one member, a type or a subtype, whose value the
// condition tests, and that value.
func (c condition) discriminates() (name, value string, ok bool) {
	test, isObject := c.test.value.(map[string]any)
	if !isObject {
		return "", "", false
	}
	for keyword := range test {
		if keyword != "properties" && keyword != "required" {
			return "", "", false
		}
	}
	properties, _ := test["properties"].(map[string]any)
	for name, s := range properties {
		s, _ := s.(map[string]any)
		constant, has := s["const"]
		if len(properties) == 1 && len(s) == 1 && has && (name == "type" || name == "subtype") {
			return name, canonical(constant), true
		}
	}
	return "", "", false
}
