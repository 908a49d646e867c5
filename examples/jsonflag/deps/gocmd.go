package deps

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// goMod is what `go mod edit -json` prints.
type goMod struct {
	Module  struct{ Path string }
	Go      string
	Require []struct {
		Path, Version string
		Indirect      bool
	}
}

func (f goMod) modules() []Module {
	var list []Module
	for _, r := range f.Require {
		list = append(list, Module{Path: r.Path, Version: r.Version, Direct: !r.Indirect})
	}
	return list
}

func readGoMod(ctx context.Context, dir string) (goMod, error) {
	var f goMod
	out, err := runGo(ctx, dir, "mod", "edit", "-json")
	if err != nil {
		return f, err
	}
	if err := json.Unmarshal(out, &f); err != nil {
		return f, fmt.Errorf("go mod edit -json: %w", err)
	}
	return f, nil
}

// listModules is `go list -m -json all`, which prints one object after another.
func listModules(ctx context.Context, dir string) ([]Module, error) {
	out, err := runGo(ctx, dir, "list", "-mod=readonly", "-m", "-json", "all")
	if err != nil {
		return nil, err
	}
	var list []Module
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var m struct {
			Path, Version  string
			Main, Indirect bool
			Replace        *struct{ Path, Version string }
		}
		switch err := dec.Decode(&m); {
		case errors.Is(err, io.EOF):
			return list, nil
		case err != nil:
			return nil, fmt.Errorf("go list -m -json all: %w", err)
		case m.Main:
			continue
		}
		one := Module{Path: m.Path, Version: m.Version, Direct: !m.Indirect}
		if r := m.Replace; r != nil {
			one.ReplacedBy = strings.TrimSuffix(r.Path+"@"+r.Version, "@")
		}
		list = append(list, one)
	}
}

// Graph lists the edges of the module graph, those of the main module first.
func Graph(ctx context.Context, dir string) (Edges, error) {
	out, err := runGo(ctx, dir, "mod", "graph")
	if err != nil {
		return nil, err
	}
	edges := Edges{}
	for line := range strings.Lines(string(out)) {
		if from, to, ok := strings.Cut(strings.TrimSpace(line), " "); ok && !isToolchain(from) && !isToolchain(to) {
			edges = append(edges, [2]string{from, to})
		}
	}
	return edges, nil
}

// isToolchain tells the pseudo-modules go and toolchain from modules.
func isToolchain(node string) bool {
	name, _, _ := strings.Cut(node, "@")
	return name == "go" || name == "toolchain"
}

// runGo runs the go command and returns what it prints. Its error is what it
// says on stderr: never a byte of it on our own streams.
func runGo(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	cmd.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	switch {
	case err == nil:
		return stdout.Bytes(), nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, exec.ErrNotFound):
		return nil, fmt.Errorf("the go command is needed: %w", err)
	}
	if said := strings.TrimSpace(stderr.String()); said != "" {
		return nil, fmt.Errorf("go %s: %s", strings.Join(args, " "), said)
	}
	return nil, fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
}
