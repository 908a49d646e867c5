// Package deps reads what a Go module depends on: its go.mod, and the module
// graph by the go command. It prints nothing; whoever calls it decides how to
// answer.
package deps

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
)

// List is what a module depends on.
type List struct {
	Module       string   `json:"module"`     // the module itself
	GoVersion    string   `json:"go_version"` // of its go directive
	Dependencies []Module `json:"dependencies"`
}

// Module is one dependency.
type Module struct {
	Path       string `json:"path"`
	Version    string `json:"version"`
	Direct     bool   `json:"direct"`
	ReplacedBy string `json:"replaced_by,omitempty"`
}

// Detail is a dependency with its neighbours.
type Detail struct {
	Module
	Requires   []string `json:"requires"`    // path@version
	RequiredBy []string `json:"required_by"` // path@version; the main module without one
}

// Chain is the shortest way from the main module to a dependency.
type Chain struct {
	Path  string   `json:"path"`
	Chain []string `json:"chain"` // path@version, the main module first
}

// Edges are the edges of the module graph.
type Edges [][2]string

// UnknownError says that a module is not among the dependencies.
type UnknownError struct{ Path string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("the build doesn't use a module %q", e.Path)
}

// Read reads the module in dir. Where the go command can't load the module
// graph, offline say, go.mod alone is the answer, and warn is told so.
func Read(ctx context.Context, dir string, warn func(string)) (List, error) {
	file, err := readGoMod(ctx, dir)
	if err != nil {
		return List{}, err
	}
	l := List{Module: file.Module.Path, GoVersion: file.Go, Dependencies: []Module{}}
	resolved, err := listModules(ctx, dir)
	if err != nil {
		if ctx.Err() != nil {
			return List{}, err
		}
		warn("versions are those of go.mod, indirect ones may be missing: " + err.Error())
		resolved = file.modules()
	}
	for _, m := range resolved {
		if m.Path != l.Module {
			l.Dependencies = append(l.Dependencies, m)
		}
	}
	return l, nil
}

// Filter returns the list with those dependencies alone that are direct, if
// direct is set, and whose path matches the glob, if there is one.
func (l List) Filter(direct bool, glob string) (List, error) {
	if _, err := path.Match(glob, ""); err != nil {
		return List{}, fmt.Errorf("the pattern %q: %w", glob, err)
	}
	kept := []Module{}
	for _, m := range l.Dependencies {
		matches, _ := path.Match(glob, m.Path)
		if (m.Direct || !direct) && (matches || glob == "") {
			kept = append(kept, m)
		}
	}
	l.Dependencies = kept
	return l, nil
}

// Show tells about one dependency.
func Show(ctx context.Context, dir, modulePath string, warn func(string)) (*Detail, error) {
	l, err := Read(ctx, dir, warn)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(l.Dependencies, func(m Module) bool { return m.Path == modulePath })
	if at < 0 {
		return nil, &UnknownError{modulePath}
	}
	d := &Detail{Module: l.Dependencies[at], Requires: []string{}, RequiredBy: []string{}}
	edges, err := Graph(ctx, dir)
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		warn("its neighbours are not known: " + err.Error())
		return d, nil
	}
	node := d.Path + "@" + d.Version
	for _, e := range edges {
		if e[0] == node {
			d.Requires = append(d.Requires, e[1])
		}
		if e[1] == node {
			d.RequiredBy = append(d.RequiredBy, e[0])
		}
	}
	return d, nil
}

// Why finds the shortest chain of requirements from the main module to any
// version of a module.
func Why(ctx context.Context, dir, modulePath string) (*Chain, error) {
	edges, err := Graph(ctx, dir)
	if err != nil {
		return nil, err
	}
	if len(edges) == 0 {
		return nil, &UnknownError{modulePath}
	}
	next := map[string][]string{}
	for _, e := range edges {
		next[e[0]] = append(next[e[0]], e[1])
	}
	main := edges[0][0] // the go command prints the main module first
	from := map[string]string{main: ""}
	for queue := []string{main}; len(queue) > 0; queue = queue[1:] {
		node := queue[0]
		if p, _, _ := strings.Cut(node, "@"); p == modulePath && node != main {
			return &Chain{Path: modulePath, Chain: backTo(from, node)}, nil
		}
		for _, n := range next[node] {
			if _, seen := from[n]; !seen {
				from[n] = node
				queue = append(queue, n)
			}
		}
	}
	return nil, &UnknownError{modulePath}
}

func backTo(from map[string]string, node string) []string {
	var chain []string
	for ; node != ""; node = from[node] {
		chain = append(chain, node)
	}
	slices.Reverse(chain)
	return chain
}
