package envelope_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestImports: a program with one envelope pays for what it needs: none of the
// packages that make a start slow or a binary big is below this one.
func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	deps := strings.Fields(string(out))
	if !slices.Contains(deps, "encoding/json") {
		t.Fatalf("go list says nothing: %q", deps)
	}
	for _, d := range deps {
		module, inside := strings.CutPrefix(d, "github.com/streamjson/streamjson/")
		foreign := strings.Contains(strings.SplitN(d, "/", 2)[0], ".") && !strings.HasPrefix(d, "vendor/")
		switch {
		case inside && !slices.ContainsFunc([]string{"envelope", "exitcode", "clock", "stdio", "redact", "internal/cpu", "internal/jsonl"}, func(ok string) bool {
			return module == ok || strings.HasPrefix(module, ok+"/")
		}):
			t.Errorf("package %s must not be below envelope", d)
		case !inside && foreign && !strings.HasPrefix(d, "golang.org/x/sys/"):
			t.Errorf("the module of %s must not be below envelope", d)
		case d == "net", strings.HasPrefix(d, "net/"), d == "regexp", strings.HasPrefix(d, "log"), d == "os/exec", d == "text/template":
			t.Errorf("package %s must not be below envelope", d)
		}
	}
}
