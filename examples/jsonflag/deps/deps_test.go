package deps_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"go.uber.org/goleak"

	"github.com/streamjson/streamjson/examples/jsonflag/deps"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// offline lets the go command work with what is there, and returns a directory
// with a module.
func offline(t *testing.T) (app string) {
	t.Helper()
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOFLAGS", "")
	t.Setenv("GOTOOLCHAIN", "local")
	a, err := txtar.ParseFile("../testdata/app.txtar")
	if err != nil {
		t.Fatal(err)
	}
	app = t.TempDir()
	if err := txtar.Write(a, app); err != nil {
		t.Fatal(err)
	}
	return app
}

func TestFilter(t *testing.T) {
	app := offline(t)
	l, err := deps.Read(t.Context(), app, func(w string) { t.Errorf("warned: %s", w) })
	if err != nil || l.Module != "example.com/app" || len(l.Dependencies) != 2 {
		t.Fatalf("%+v, %v", l, err)
	}
	for _, c := range []struct {
		direct bool
		glob   string
		want   int // -1: an error
	}{
		{false, "", 2}, {true, "", 1}, {false, "example.com/*", 2}, {true, "example.com/b", 0}, {false, "*", 0}, {false, "[", -1},
	} {
		got, err := l.Filter(c.direct, c.glob)
		if err != nil != (c.want < 0) || err == nil && len(got.Dependencies) != c.want || got.Dependencies == nil && err == nil {
			t.Errorf("Filter(%v, %q): %+v, %v", c.direct, c.glob, got, err)
		}
	}
}

func TestUnknown(t *testing.T) {
	app := offline(t)
	var unknown *deps.UnknownError
	if _, err := deps.Why(t.Context(), app, "no/such"); !errors.As(err, &unknown) {
		t.Errorf("Why: %v", err)
	}
	if _, err := deps.Why(t.Context(), app, "example.com/app"); !errors.As(err, &unknown) {
		t.Errorf("Why for the module itself: %v", err)
	}
	if _, err := deps.Show(t.Context(), app, "no/such", func(string) {}); !errors.As(err, &unknown) {
		t.Errorf("Show: %v", err)
	}
	if c, err := deps.Why(t.Context(), app, "example.com/b"); err != nil || !slices.Equal(c.Chain, []string{"example.com/app", "example.com/b@v1.2.0"}) {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestCancelled: a cancelled run is told as such, and not as a failure of the go
// command that go.mod could stand in for.
func TestCancelled(t *testing.T) {
	app := offline(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := deps.Read(ctx, app, func(w string) { t.Errorf("warned: %s", w) }); !errors.Is(err, context.Canceled) {
		t.Errorf("Read: %v", err)
	}
	if _, err := deps.Read(t.Context(), t.TempDir(), nil); err == nil || !strings.Contains(err.Error(), "go.mod") {
		t.Errorf("a directory without a module: %v", err)
	}
}
