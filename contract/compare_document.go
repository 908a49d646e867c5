package contract

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A document is one schema document.
type document struct {
	value map[string]any
	err   error // the first reference that leads nowhere
}

func readDocument(text []byte) (*document, error) {
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		return nil, fmt.Errorf("no JSON: %w", err)
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, errors.New("a schema document is an object")
	}
	return &document{value: m}, nil
}

func (d *document) root() location { return location{d, d.value, ""} }

// A location is a value in a document.
type location struct {
	doc   *document
	value any
	at    string
}

// child returns the value of a member.
func (p location) child(name string) (location, bool) {
	m, _ := p.value.(map[string]any)
	v, ok := m[name]
	return location{p.doc, v, p.at + string(appendToken(nil, []byte(name)))}, ok
}

// children returns the values of all members.
func (p location) children() map[string]location {
	m, _ := p.value.(map[string]any)
	all := make(map[string]location, len(m))
	for name := range m {
		all[name], _ = p.child(name)
	}
	return all
}

// elements returns the elements of an array.
func (p location) elements() []location {
	list, _ := p.value.([]any)
	all := make([]location, len(list))
	for i, v := range list {
		all[i] = location{p.doc, v, p.at + "/" + strconv.Itoa(i)}
	}
	return all
}

// texts returns the elements of an array in canonical form.
func (p location) texts() []string {
	var all []string
	for _, e := range p.elements() {
		all = append(all, canonical(e.value))
	}
	return all
}

// keywords returns the keywords of a schema. Those that it refers to count as
// its own; where both have one, the referred one is kept under another name, so
// that a change of either shows.
func (p location) keywords() map[string]location {
	all := map[string]location{}
	visited := map[string]bool{}
	for {
		for name, k := range p.children() {
			if _, twice := all[name]; !twice {
				all[name] = k
			} else if !isWords(name) && name != "$ref" {
				all[name+"@"+p.at] = k
			}
		}
		target, ok := p.target()
		if !ok || visited[target.at] {
			return all
		}
		visited[target.at] = true
		p = target
	}
}

// isWords reports whether a keyword is for people.
func isWords(keyword string) bool {
	switch keyword {
	case "title", "description", "$comment", "examples", "default":
		return true
	}
	return false
}

// target follows the reference of a schema.
func (p location) target() (location, bool) {
	m, _ := p.value.(map[string]any)
	ref, ok := m["$ref"].(string)
	if !ok {
		return location{}, false
	}
	to := p.doc.root()
	path, inside := strings.CutPrefix(ref, "#")
	if inside && path != "" {
		for _, token := range strings.Split(strings.TrimPrefix(path, "/"), "/") {
			token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
			to, inside = to.step(token)
			if !inside {
				break
			}
		}
	}
	if !inside {
		if p.doc.err == nil {
			p.doc.err = fmt.Errorf("the reference %q at %s leads nowhere in the document", ref, p.at)
		}
		return location{}, false
	}
	return to, true
}

// step goes to a member or an element.
func (p location) step(token string) (location, bool) {
	if list := p.elements(); len(list) > 0 {
		i, err := strconv.Atoi(token)
		if err != nil || i < 0 || i >= len(list) {
			return location{}, false
		}
		return list[i], true
	}
	return p.child(token)
}

// expand returns a schema with references replaced by what they lead to and
// without words, for keywords that are compared as a whole.
func (p location) expand() any { return p.expandBelow(nil) }

func (p location) expandBelow(trail []string) any {
	switch v := p.value.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, k := range p.children() {
			switch {
			case isWords(name) || strings.HasPrefix(name, "x-"):
			case name == "const" || name == "enum":
				out[name] = k.value
			case name == "properties" || name == "patternProperties" || name == "dependentSchemas":
				out[name] = k.expandMembers(trail)
			default:
				out[name] = k.expandBelow(trail)
			}
		}
		if target, ok := p.target(); ok {
			out["$ref"] = "a schema around this one"
			if !slices.Contains(trail, target.at) {
				out["$ref"] = target.expandBelow(append(slices.Clone(trail), target.at))
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range p.elements() {
			out[i] = e.expandBelow(trail)
		}
		return out
	}
	return p.value
}

// expandMembers expands an object of schemas.
func (p location) expandMembers(trail []string) any {
	out := map[string]any{}
	for name, s := range p.children() {
		out[name] = s.expandBelow(trail)
	}
	return out
}

// canonical is one spelling of a value; alike values have the same.
func canonical(v any) string {
	text, err := json.Marshal(v) // sorts the members
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}

func same(o, n location) bool { return canonical(o.value) == canonical(n.value) }

// union returns the names in either map, sorted.
func union[V any](a, b map[string]V) []string {
	var names []string
	for name := range a {
		names = append(names, name)
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
