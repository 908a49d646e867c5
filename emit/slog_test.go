package emit_test

import (
	"bytes"
	"context"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"testing/slogtest"

	"github.com/streamjson/streamjson/emit"
)

// TestSlogHandlerConforms runs the standard library's own conformance suite
// over the prose that the handler writes.
func TestSlogHandlerConforms(t *testing.T) {
	var prose bytes.Buffer
	slogtest.Run(t, func(t *testing.T) slog.Handler {
		prose.Reset()
		em, err := emit.New(context.Background(), emit.Options{Stdout: &bytes.Buffer{}, Stderr: &prose})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = em.Close() })
		return em.SlogHandler()
	}, func(t *testing.T) map[string]any {
		return parseProse(t, strings.TrimSuffix(prose.String(), "\n"))
	})
}

var proseLine = regexp.MustCompile(`^(\d{4}-\S+ )?(debug|info|warning|error): (\w*)((?: \S+=\S+)*)$`)

// parseProse reads a line of prose back into the record that it tells of.
func parseProse(t *testing.T, line string) map[string]any {
	t.Helper()
	m := proseLine.FindStringSubmatch(line)
	if m == nil {
		t.Fatalf("no line of prose: %q", line)
	}
	record := map[string]any{slog.LevelKey: m[2], slog.MessageKey: m[3]}
	if m[1] != "" {
		record[slog.TimeKey] = m[1]
	}
	for _, field := range strings.Fields(m[4]) {
		key, value, _ := strings.Cut(field, "=")
		group := record
		path := strings.Split(key, ".")
		for _, name := range path[:len(path)-1] {
			inner, ok := group[name].(map[string]any)
			if !ok {
				inner = map[string]any{}
				group[name] = inner
			}
			group = inner
		}
		group[path[len(path)-1]] = value
	}
	return record
}

func TestSlogHandlerMirrorsWarningsOfItsActor(t *testing.T) {
	var out, prose bytes.Buffer
	em, err := emit.New(context.Background(), emit.Options{Stdout: &out, Stderr: &prose})
	if err != nil {
		t.Fatal(err)
	}
	early := slog.New(em.SlogHandler())
	early.Error("before init", "code", 7)
	if err := em.Emit(stateRunning); err != nil {
		t.Fatal(err)
	}
	nested := slog.New(em.Nested("toolu_1", "helper").SlogHandler())
	nested.WithGroup("disk").With("free", "1 GB").Warn("low\nspace", "need", 2)
	nested.Info("not mirrored")
	nested.Debug("not even written")
	if err := em.Close(); err != nil {
		t.Fatal(err)
	}
	lines := decodeLines(t, out.Bytes())
	if got := lines[0]["warnings"]; len(got.([]any)) != 1 || got.([]any)[0] != "before init code=7" {
		t.Errorf("init has warnings %v", got)
	}
	warning := lines[2]
	if warning["category"] != "notice" || warning["message"] != "low\nspace disk.free=\"1 GB\" disk.need=2" || warning["parent_tool_use_id"] != "toolu_1" {
		t.Errorf("mirrored as %v", warning)
	}
	if len(lines) != 4 {
		t.Errorf("%d lines, want init, state, warning and result", len(lines))
	}
	text := prose.String()
	if !strings.Contains(text, `warning: low\nspace disk.free="1 GB" disk.need=2`+"\n") || !strings.Contains(text, "info: not mirrored\n") || strings.Contains(text, "not even") {
		t.Errorf("prose: %q", text)
	}
}
