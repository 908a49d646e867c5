//go:build linux || darwin

package stdio_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Field case 56: native code writes to the descriptor itself.
func TestClaimCatchesC(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		if _, err := exec.LookPath("cc"); err != nil {
			t.Skip("NOT TESTED: no C compiler, so nothing shows that C code can't print to a claimed stdout")
		}
	}
	bin := filepath.Join(t.TempDir(), "cgoprint")
	build := exec.Command("go", "build", "-o", bin, "./testdata/cgoprint")
	build.Env = append(os.Environ(), "CGO_ENABLED=1")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := drained(t, "pipe"), drained(t, "pipe")
	cmd := exec.Command(bin)
	cmd.Stdout, cmd.Stderr = out.child, err.child
	check(t, cmd.Start())
	code := exitCode(t, cmd)
	text := err.all(t)
	if got := out.all(t); code != 0 || got != "event\n" || text != "stray from C\nlate from C\n" {
		t.Errorf("exit %d, stdout is %q, stderr is %q", code, got, text)
	}
}
