package main

import (
	"bytes"
	"encoding/json"
	"testing"

	"go.uber.org/goleak"

	"github.com/streamjson/streamjson/bench/internal/measure"
	"github.com/streamjson/streamjson/bench/internal/suite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTableComesBackWhole(t *testing.T) {
	for _, set := range []string{"portable", "experiment"} {
		var out bytes.Buffer
		if err := run([]string{"-set", set, "-rounds", "2", "-slice", "100us"}, &out); err != nil {
			t.Fatal(err)
		}
		var table measure.Table
		if err := json.Unmarshal(out.Bytes(), &table); err != nil {
			t.Fatal(err)
		}
		keys, _, _ := choose(set)
		for _, k := range keys {
			if r := table.Row(k.String(), suite.Ours); r == nil || len(r.Samples) != 2 {
				t.Errorf("%s: %v is missing", set, k)
			}
		}
	}
}

func TestUnknownSetIsRefused(t *testing.T) {
	if err := run([]string{"-set", "all"}, new(bytes.Buffer)); err == nil {
		t.Error("no error")
	}
}
