package main

import (
	"errors"
	"fmt"
	"strings"
)

// A placeholder stands in a script for what a tool has returned, so that what
// the model says is true: ${NAME}, ${NAME.KEY} or ${NAME.KEY|OTHERWISE}.
type placeholder struct {
	name      string
	key       string // "": the whole text
	otherwise string
	optional  bool // otherwise was given
}

// expand replaces the placeholders of text by what value returns.
func expand(text string, value func(placeholder) (string, error)) (string, error) {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "${")
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		if strings.HasSuffix(before, "$") { // $${ is ${ itself
			b.WriteByte('{')
			text = rest
			continue
		}
		inner, after, closed := strings.Cut(rest, "}")
		if !closed {
			return "", errors.New("${ without its }: write $${ for the characters themselves")
		}
		v, err := value(parsePlaceholder(inner))
		if err != nil {
			return "", fmt.Errorf("${%s}: %w", inner, err)
		}
		b.WriteString(v)
		text = after
	}
}

func parsePlaceholder(inner string) placeholder {
	var h placeholder
	inner, h.otherwise, h.optional = strings.Cut(inner, "|")
	h.name, h.key, _ = strings.Cut(inner, ".")
	return h
}

// value returns what h stands for.
func (r results) value(h placeholder) (string, error) {
	out, known := r[h.name]
	v := out.text
	switch h.key {
	case "":
	case "summary":
		v = out.summary
	default:
		v, known = out.values[h.key]
	}
	switch {
	case known:
		return strings.TrimRight(v, "\n"), nil
	case h.optional:
		return h.otherwise, nil
	default:
		return "", fmt.Errorf("the call %s gave no such value: say what to write otherwise, as in ${%s.%s|none}", h.name, h.name, h.key)
	}
}

// expandAll expands the strings in a JSON value.
func expandAll(v any, value func(placeholder) (string, error)) (any, error) {
	var err error
	switch v := v.(type) {
	case string:
		return expand(v, value)
	case []any:
		list := make([]any, len(v))
		for i := range v {
			if list[i], err = expandAll(v[i], value); err != nil {
				return nil, err
			}
		}
		return list, nil
	case map[string]any:
		object := make(map[string]any, len(v))
		for key := range v {
			if object[key], err = expandAll(v[key], value); err != nil {
				return nil, err
			}
		}
		return object, nil
	default:
		return v, nil
	}
}
