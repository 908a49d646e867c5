package measure_test

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/streamjson/streamjson/bench/internal/measure"
)

// recorder notes who ran, without the repetitions.
type recorder struct{ order []string }

func (r *recorder) contender(name string, op func()) measure.Contender {
	return measure.Contender{Name: name, Op: func() (int, error) {
		if n := len(r.order); n == 0 || r.order[n-1] != name {
			r.order = append(r.order, name)
		}
		op()
		return len(name), nil
	}}
}

func busy(n int) func() {
	x := uint64(1)
	return func() {
		for range n {
			x = x*6364136223846793005 + 1442695040888963407
		}
	}
}

func TestContendersTakeTurns(t *testing.T) {
	var r recorder
	c := measure.Case{Name: "c", Contenders: []measure.Contender{
		r.contender("a", busy(1000)), r.contender("bb", busy(1000)), r.contender("ccc", busy(1000)),
	}}
	table, err := measure.Run([]measure.Case{c}, measure.Options{Rounds: 3, Slice: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	// Calibration, then there, back, and there again; neighbours that are the
	// same merge.
	want := []string{"a", "bb", "ccc", "a", "bb", "ccc", "bb", "a", "bb", "ccc"}
	if !slices.Equal(r.order, want) {
		t.Errorf("order %v, want %v", r.order, want)
	}
	for i, name := range table.Contenders("c") {
		row := table.Row("c", name)
		if len(row.Samples) != 3 || row.Bytes() != float64(i+1) || row.NS() <= 0 {
			t.Errorf("%s: %d samples, %v bytes, %v ns", name, len(row.Samples), row.Bytes(), row.NS())
		}
	}
}

// TestSlowOperationsHaveFewerRounds: the time of a case is bounded.
func TestSlowOperationsHaveFewerRounds(t *testing.T) {
	c := measure.Case{Name: "c", Contenders: []measure.Contender{
		{Name: "slow", Op: func() (int, error) { time.Sleep(2 * time.Millisecond); return 1, nil }},
		{Name: "fast", Op: func() (int, error) { return 1, nil }},
	}}
	table, err := measure.Run([]measure.Case{c}, measure.Options{Rounds: 100, Slice: 100 * time.Microsecond})
	if err != nil {
		t.Fatal(err)
	}
	slow, fast := len(table.Row("c", "slow").Samples), len(table.Row("c", "fast").Samples)
	if slow < 3 || slow > 5 || fast != slow {
		t.Errorf("%d and %d rounds of 100, where an operation takes twenty slices", slow, fast)
	}
}

func TestAllocationsAreCounted(t *testing.T) {
	var sink []byte
	c := measure.Case{Name: "c", Contenders: []measure.Contender{
		{Name: "two", Op: func() (int, error) {
			sink = make([]byte, 1000)
			sink = make([]byte, 24)
			return len(sink), nil
		}},
		{Name: "none", Op: func() (int, error) { return 0, nil }},
	}}
	table, err := measure.Run([]measure.Case{c}, measure.Options{Rounds: 3, Slice: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if got := table.Row("c", "two").Allocs(); got != 2 {
		t.Errorf("%v allocations, want 2", got)
	}
	if got := table.Row("c", "two").Memory(); got < 1024 || got > 1100 {
		t.Errorf("%v bytes allocated, want 1,024 and the rounding of two size classes", got)
	}
	if got := table.Row("c", "none").Allocs(); got != 0 {
		t.Errorf("%v allocations, want none", got)
	}
}

func TestFailureNamesTheOperation(t *testing.T) {
	broken := errors.New("broken")
	c := measure.Case{Name: "the case", Contenders: []measure.Contender{
		{Name: "the contender", Op: func() (int, error) { return 0, broken }},
	}}
	_, err := measure.Run([]measure.Case{c}, measure.Options{Rounds: 1, Slice: time.Millisecond})
	if !errors.Is(err, broken) || err.Error() != "measure: the case: the contender: broken" {
		t.Errorf("%v", err)
	}
}

func table(ns map[string][]float64) *measure.Table {
	t := new(measure.Table)
	for _, name := range []string{"ours", "theirs"} {
		r := &measure.Row{Case: "c", Contender: name}
		for _, x := range ns[name] {
			r.Samples = append(r.Samples, measure.Sample{NS: x})
		}
		t.Rows = append(t.Rows, r)
	}
	return t
}

func TestRatioComparesRounds(t *testing.T) {
	// Medians alone would say 3: the machine was slow for all in one round.
	got := table(map[string][]float64{"ours": {10, 10, 40}, "theirs": {20, 30, 80}}).Ratio("c", "theirs", "ours")
	if got != 2 {
		t.Errorf("%v, want 2", got)
	}
	if got := new(measure.Table).Ratio("c", "theirs", "ours"); !math.IsNaN(got) {
		t.Errorf("%v for what was not measured, want NaN", got)
	}
}

func TestTablesOfProcessesMerge(t *testing.T) {
	a := table(map[string][]float64{"ours": {1}, "theirs": {2}})
	encoded, err := json.Marshal(table(map[string][]float64{"ours": {3}, "theirs": {4}}))
	if err != nil {
		t.Fatal(err)
	}
	var b measure.Table
	if err := json.Unmarshal(encoded, &b); err != nil {
		t.Fatal(err)
	}
	a.Merge(&b)
	if want := table(map[string][]float64{"ours": {1, 3}, "theirs": {2, 4}}); !reflect.DeepEqual(a, want) {
		t.Errorf("%+v, want %+v", a, want)
	}
}
