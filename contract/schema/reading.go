package schema

import (
	"strings"

	"github.com/streamjson/streamjson/internal/jsonl"
)

// readerKeyword holds the keywords of the reader's reading of its node; they
// are put in place of the producer's.
const readerKeyword = "x-reader"

// loosen makes the reader's reading out of a schema in the producer's. What a
// condition asks for stays as it is, since it only tells lines apart; what a
// node asks for is reduced to types, references and the nodes below it; then
// the node's x-reader is laid over it.
func loosen(n node) node {
	if !n.isObject() {
		return node{kind: jsonl.True, scalar: []byte("true")} // false would forbid what a reader tolerates
	}
	out := node{kind: n.kind}
	keep := func(name string, value node) { out = out.set(name, value) }
	for i, name := range n.names {
		value := n.members[i]
		switch name {
		case readerKeyword, "then", "else":
		case "$schema", "$id", "$ref", "title", "description", "$comment", "type":
			keep(name, value)
		case "properties", "patternProperties", "$defs":
			keep(name, loosenAll(value))
		case "items", "additionalProperties":
			if value.isObject() {
				keep(name, loosen(value))
			}
		case "allOf":
			if list := loosenList(value); len(list.members) > 0 {
				keep(name, list)
			}
		case "if":
			out = loosenCondition(out, n)
		default:
			if strings.HasPrefix(name, "x-") {
				keep(name, value)
			}
		}
	}
	if over, ok := n.get(readerKeyword); ok {
		for i, name := range over.names {
			keep(name, over.members[i])
		}
	}
	return out
}

// loosenAll loosens each schema of an object of schemas.
func loosenAll(n node) node {
	out := node{kind: n.kind}
	for i, name := range n.names {
		out = out.set(name, loosen(n.members[i]))
	}
	return out
}

// loosenList loosens each schema of a list, without those that ask for nothing.
func loosenList(n node) node {
	out := node{kind: n.kind}
	for _, m := range n.members {
		if m = loosen(m); !vacuous(m) {
			out.members = append(out.members, m)
		}
	}
	return out
}

// loosenCondition takes over the condition of n, if it leads to anything.
func loosenCondition(out, n node) node {
	condition, _ := n.get("if")
	added := false
	for _, name := range []string{"then", "else"} {
		branch, ok := n.get(name)
		if !ok {
			continue
		}
		if branch = loosen(branch); !vacuous(branch) {
			if !added {
				out, added = out.set("if", condition), true
			}
			out = out.set(name, branch)
		}
	}
	return out
}

// vacuous reports whether a schema asks for nothing.
func vacuous(n node) bool {
	for i, name := range n.names {
		switch {
		case name == "properties" || name == "patternProperties":
			for _, m := range n.members[i].members {
				if !vacuous(m) {
					return false
				}
			}
		case name == "title", name == "description", name == "$comment", strings.HasPrefix(name, "x-"):
		default:
			return false
		}
	}
	return true
}

// withoutReader drops what belongs to the reader's reading.
func withoutReader(n node) node {
	out := node{kind: n.kind, scalar: n.scalar}
	for i, m := range n.members {
		if n.isObject() {
			if n.names[i] == readerKeyword {
				continue
			}
			out.names = append(out.names, n.names[i])
		}
		out.members = append(out.members, withoutReader(m))
	}
	return out
}
