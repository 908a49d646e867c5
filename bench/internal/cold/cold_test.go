package cold_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/streamjson/streamjson/bench/internal/cold"
)

// TestProgramsPrintWhatIsCompared builds and runs them; Measure looks at what
// each of them prints.
func TestProgramsPrintWhatIsCompared(t *testing.T) {
	programs := cold.Programs()
	if testing.Short() {
		programs = slices.DeleteFunc(programs, func(p cold.Program) bool {
			return !slices.Contains([]string{cold.StreamOurs, cold.EnvelopeOurs, cold.EnvelopeJSON}, p.Name)
		})
	}
	rows, err := cold.Measure(context.Background(), programs, 2)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range rows {
		if r.Program != programs[i] || len(r.Starts) != 2 || r.MS() <= 0 || r.Size < 1<<20 {
			t.Errorf("%+v", r)
		}
	}
	ours, ok := cold.Find(rows, cold.StreamOurs)
	if !ok || cold.Ratio(ours, ours) != 1 {
		t.Errorf("Find %v, a ratio of %v to itself", ok, cold.Ratio(ours, ours))
	}
	if _, ok := cold.Find(rows, "cobol"); ok {
		t.Error("Find knows a program that is none")
	}
}

// TestEachProgramTakesPart holds the list to the directory.
func TestEachProgramTakesPart(t *testing.T) {
	entries, err := os.ReadDir(filepath.Join("..", "..", "coldstart", "programs"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range cold.Programs() {
		names = append(names, p.Name)
	}
	slices.Sort(names)
	for _, e := range entries {
		if _, ok := slices.BinarySearch(names, e.Name()); !ok && e.Name() != "streamsonic" && e.Name() != "envelopesonic" {
			t.Errorf("%s is never started", e.Name())
		}
	}
	for _, want := range []string{cold.StreamOurs, cold.StreamThree, cold.EnvelopeOurs, cold.EnvelopeJSON} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is missing", want)
		}
	}
}

func TestUnknownProgramIsAnError(t *testing.T) {
	if _, err := cold.Measure(context.Background(), []cold.Program{{Name: "cobol"}}, 1); err == nil {
		t.Error("no error")
	}
}
