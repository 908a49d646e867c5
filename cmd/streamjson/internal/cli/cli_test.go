package cli_test

import (
	"bytes"
	"go/build"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/streamjson/streamjson/cmd/streamjson/internal/cli"
	"github.com/streamjson/streamjson/contract"
)

// run calls the command in this process.
func run(t *testing.T, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, err bytes.Buffer
	code = cli.Main(args, strings.NewReader(stdin), &out, &err)
	return out.String(), err.String(), code
}

// TestExplainEach: --explain knows every rule, and shows two examples that
// differ, on lines that a terminal can take.
func TestExplainEach(t *testing.T) {
	for _, r := range contract.Rules() {
		out, errs, code := run(t, "", "check", "--explain", r.ID)
		if code != 0 || errs != "" || !strings.Contains(out, r.Summary) || !strings.Contains(out, r.Why) || !strings.Contains(out, "contract "+r.Ref) {
			t.Errorf("%s: %d, %q, %q", r.ID, code, out, errs)
		}
		_, examples, _ := strings.Cut(out, "\nwrong:\n")
		bad, good, ok := strings.Cut(examples, "\nright:\n")
		if !ok || bad == good || strings.TrimSpace(bad) == "" || strings.TrimSpace(good) == "" {
			t.Errorf("%s: wrong %q, right %q", r.ID, bad, good)
		}
		for _, c := range out {
			if c != '\n' && (c < ' ' || c >= 0x7f && c <= 0x9f || c == 0x2028) {
				t.Errorf("%s: %U is printed", r.ID, c)
			}
		}
		for _, line := range strings.Split(out, "\n") {
			if len(line) > 500 {
				t.Errorf("%s: a line of %d bytes", r.ID, len(line))
			}
		}
	}
}

// TestImports: the schema library is linked by the schemas alone, and nothing
// here knows the emitter.
func TestImports(t *testing.T) {
	const module, library = "github.com/streamjson/streamjson/", "github.com/santhosh-tekuri/jsonschema/v6"
	root := filepath.Join("..", "..", "..", "..")
	for dir, forbidden := range map[string][]string{
		"contract":                    {library, library + "/kind", module + "emit", module + "contract/schema"},
		"contract/internal/treehash":  {library},
		"contract/schema":             {module + "emit"},
		"cmd/streamjson/internal/cli": {library, library + "/kind"},
	} {
		imports := closure(t, root, dir, map[string]bool{})
		for _, f := range forbidden {
			if direct := directImports(t, root, dir); slices.Contains(direct, f) {
				t.Errorf("%s imports %s", dir, f)
			}
			if dir == "contract" && imports[f] {
				t.Errorf("%s imports %s by others", dir, f)
			}
		}
		if dir == "contract/schema" && !imports[library] {
			t.Errorf("%s does not import %s: this test can't tell", dir, library)
		}
	}
}

func directImports(t *testing.T, root, dir string) []string {
	t.Helper()
	p, err := build.ImportDir(filepath.Join(root, filepath.FromSlash(dir)), 0)
	if err != nil {
		t.Fatal(err)
	}
	return p.Imports
}

// closure collects what a package of the module imports, others of the module
// included.
func closure(t *testing.T, root, dir string, seen map[string]bool) map[string]bool {
	for _, path := range directImports(t, root, dir) {
		if seen[path] {
			continue
		}
		seen[path] = true
		if below, ok := strings.CutPrefix(path, "github.com/streamjson/streamjson/"); ok {
			closure(t, root, below, seen)
		}
	}
	return seen
}

// A broken writer fails after some bytes.
type broken struct {
	left int
	err  error
}

func (w *broken) Write(p []byte) (int, error) {
	if len(p) > w.left {
		return w.left, w.err
	}
	w.left -= len(p)
	return len(p), nil
}

// TestBrokenStdout: a writer that fails at any byte ends the command with 74,
// one whose reader has gone with 141, without a word.
func TestBrokenStdout(t *testing.T) {
	whole, _, _ := run(t, "", "check", "--explain", "cr")
	for n := range len(whole) {
		var errs bytes.Buffer
		args := []string{"check", "--explain", "cr"}
		if code := cli.Main(args, strings.NewReader(""), &broken{n, os.ErrInvalid}, &errs); code != 74 || !strings.Contains(errs.String(), "stdout can't be written") {
			t.Fatalf("after %d bytes: %d, %q", n, code, errs.String())
		}
		errs.Reset()
		if code := cli.Main(args, strings.NewReader(""), &broken{n, os.ErrClosed}, &errs); code != 74 {
			t.Fatalf("closed after %d bytes: %d", n, code)
		}
		errs.Reset()
		if code := cli.Main(args, strings.NewReader(""), &broken{n, io.ErrClosedPipe}, &errs); code != 141 || errs.Len() > 0 {
			t.Fatalf("gone after %d bytes: %d, %q", n, code, errs.String())
		}
	}
}
