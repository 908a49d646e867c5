package adopt_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/streamjson/streamjson/contract"
	"github.com/streamjson/streamjson/redact"
	"github.com/streamjson/streamjson/wrap/internal/adopt"
)

// never are the rules that no child can make the output break: framing, order,
// numbers, identity, what is closed.
var never = []string{
	"stream-empty", "bom", "blank-line", "cr", "no-final-newline", "torn-tail", "two-values", "stray-space",
	"json", "not-object", "utf8", "duplicate-key", "depth", "raw-control",
	"init-first", "init-twice", "result-missing", "result-twice", "after-result",
	"seq-start", "seq-gap", "seq-repeat", "seq-backwards", "session-change",
	"tool-unclosed", "task-unclosed", "stderr-event",
}

// holds checks what holds for the output of any child.
func (a *adopted) holds() {
	a.t.Helper()
	r := a.judge()
	for _, f := range r.Findings {
		// A success that the exit status denies is passed on as it is.
		if slices.Contains(never, f.Rule) {
			a.t.Errorf("%s", f)
		}
	}
	results := 0
	for _, name := range a.lines() {
		if name["type"] == "result" {
			results++
		}
	}
	if results != 1 || a.result()["type"] != "result" {
		a.t.Errorf("%d results", results)
	}
	if failed, known := a.result()["is_error"].(bool); known && failed && a.code == 0 {
		a.t.Error("exit status 0 beside a failure")
	}
	if a.t.Failed() {
		a.t.Logf("stdout:\n%s\nstderr:\n%s\nnotices: %q", a.stdout, a.foreign, a.notices)
	}
}

// inPieces runs a child whose output comes in pieces of random sizes.
func inPieces(t testing.TB, o adopt.Options, end adopt.Outcome, stdout []byte, seed uint64) *adopted {
	t.Helper()
	rnd := rand.New(rand.NewPCG(seed, 1))
	var pieces []string
	for rest := stdout; len(rest) > 0; {
		n := 1 + rnd.IntN(min(len(rest), []int{1, 7, 300, 70_000}[rnd.IntN(4)]))
		pieces = append(pieces, string(rest[:n]))
		rest = rest[n:]
	}
	return run(t, o, end, pieces...)
}

// same checks that two runs came to the same.
func (a *adopted) same(b *adopted) {
	a.t.Helper()
	if a.stdout != b.stdout || a.foreign != b.foreign || fmt.Sprint(a.notices) != fmt.Sprint(b.notices) || a.code != b.code {
		a.t.Errorf("the pieces matter:\n%s\n%s\n%q %d\nagainst\n%s\n%s\n%q %d", a.stdout, a.foreign, a.notices, a.code, b.stdout, b.foreign, b.notices, b.code)
	}
}

// secretive is a redactor with a known value.
func secretive(t testing.TB) *redact.Redactor {
	t.Helper()
	r, _, err := redact.New(redact.Options{Values: []redact.Value{{Name: "KEY", Value: "Zx81-Spectrum+"}}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// FuzzFilter: whatever a child writes, in whatever pieces, and however it ends,
// the output is one whole run, the same for all pieces.
func FuzzFilter(f *testing.F) {
	for _, text := range corpus(f) {
		f.Add([]byte(text), uint64(len(text)), 0)
	}
	f.Fuzz(func(t *testing.T, stdout []byte, seed uint64, code int) {
		o := options()
		o.Redactor = []*redact.Redactor{nil, redact.Default(), secretive(t)}[seed%3]
		if seed%5 == 0 {
			o.MaxLine = adopt.LeastMaxLine
		}
		end := adopt.Outcome{Code: code & 0xff, Status: code >> 8 & 0xff, Interrupted: seed%2 == 0, Late: seed%7 == 0}
		whole := run(t, o, end, string(stdout))
		whole.holds()
		whole.same(inPieces(t, o, end, stdout, seed))
	})
}

// corpus returns streams of all kinds: the golden runs of the catalog, and what
// the tables of these tests have.
func corpus(t testing.TB) (list []string) {
	t.Helper()
	files, err := filepath.Glob("../../../testdata/events/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, string(text))
	}
	for _, r := range contract.Rules() {
		list = append(list, r.Bad.Stdout, r.Good.Stdout)
	}
	return append(list, child(hello, success), "\xff\xfe{\x00", strings.Repeat("{\"a\":", 2000))
}

// TestRandomEdits: streams that were edited at random, cut, spliced, doubled and
// mixed with text make whole runs all the same.
func TestRandomEdits(t *testing.T) {
	runs := 6000
	if testing.Short() {
		runs = 600
	}
	streams := corpus(t)
	seed := uint64(20261130)
	rnd := rand.New(rand.NewPCG(seed, seed))
	for n := range runs {
		text := []byte(streams[rnd.IntN(len(streams))])
		for range 1 + rnd.IntN(4) {
			text = mutate(rnd, text, []byte(streams[rnd.IntN(len(streams))]))
		}
		o := options()
		o.Redactor = []*redact.Redactor{nil, redact.Default()}[n%2]
		if n%10 == 0 {
			o.MaxLine = adopt.LeastMaxLine
		}
		end := adopt.Outcome{Code: []int{0, 1, 137}[n%3]}
		a := run(t, o, end, string(text))
		a.holds()
		a.same(inPieces(t, o, end, text, uint64(n)))
		if t.Failed() {
			t.Fatalf("edit %d of seed %d:\n%q", n, seed, text)
		}
	}
}

// mutate does to a stream what crashes, prints and shared descriptors do.
func mutate(rnd *rand.Rand, text, other []byte) []byte {
	if len(text) == 0 {
		return other
	}
	const spice = "\"\\{}[],:0123456789 \n\r\t\x00\x1b\x7f\xc2\xff"
	at := rnd.IntN(len(text))
	switch rnd.IntN(9) {
	case 0: // killed
		return text[:at]
	case 1: // its beginning is lost
		return text[at:]
	case 2: // a byte goes wrong
		text = bytes.Clone(text)
		text[at] = spice[rnd.IntN(len(spice))]
		return text
	case 3: // something is printed in the middle
		return slices.Concat(text[:at], []byte("Loading {x}"), text[at:])
	case 4: // another program writes to the same pipe
		return slices.Concat(text[:at], other, text[at:])
	case 5: // a line comes twice
		lines := bytes.SplitAfter(text, []byte("\n"))
		n := rnd.IntN(len(lines))
		return bytes.Join(slices.Insert(lines, rnd.IntN(len(lines)+1), lines[n]), nil)
	case 6: // a line is lost
		lines := bytes.SplitAfter(text, []byte("\n"))
		n := rnd.IntN(len(lines))
		return bytes.Join(slices.Delete(lines, n, n+1), nil)
	case 7: // a newline is lost
		return bytes.Replace(text, []byte("\n"), nil, 1)
	default: // another run follows
		return slices.Concat(text, other)
	}
}
