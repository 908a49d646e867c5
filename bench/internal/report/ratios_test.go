package report_test

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/streamjson/streamjson/bench/internal/report"
	"github.com/streamjson/streamjson/bench/internal/rival"
	"github.com/streamjson/streamjson/bench/internal/suite"
)

func TestRatiosAreRecordedAndReadBack(t *testing.T) {
	got := report.RatiosOf(good().Default, suite.Core())
	if len(got) != len(suite.Core()) {
		t.Errorf("%d cases, want %d", len(got), len(suite.Core()))
	}
	for name, rivals := range got {
		if rivals[rival.EncodingJSON] != 11 || rivals[rival.Zerolog] != 7.1 {
			t.Errorf("%s: %v", name, rivals)
		}
	}
	path := filepath.Join(t.TempDir(), "ratios.json")
	if err := report.WriteRatios(path, got); err != nil {
		t.Fatal(err)
	}
	back, err := report.ReadRatios(path)
	if err != nil || !reflect.DeepEqual(back, got) {
		t.Errorf("%v, %v", back, err)
	}
	if _, err := report.ReadRatios(filepath.Join(t.TempDir(), "none.json")); err == nil {
		t.Error("no error for a file that is not there")
	}
}

func TestLossOfMoreThanAQuarterIsSeen(t *testing.T) {
	recorded := report.Ratios{"case": {"a": 4, "b": 4, "c": 4, "d": 4}, "gone": {"a": 2}}
	measured := report.Ratios{"case": {"a": 3.01, "b": 2.99, "c": 9}, "new": {"a": 1}}
	var names []string
	for _, l := range report.Losses(recorded, measured) {
		names = append(names, l.String())
	}
	want := []string{
		"case against b: 2.99x, 4.00x recorded: 25 % lost",
		"case against d: 4.00x recorded, not measured",
		"gone against a: 2.00x recorded, not measured",
	}
	if !reflect.DeepEqual(names, want) {
		t.Errorf("%s", strings.Join(names, "\n"))
	}
}
