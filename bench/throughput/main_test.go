package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/streamjson/streamjson/bench/internal/load"
)

// TestMain also is the reader of a pipe.
func TestMain(m *testing.M) {
	load.ServeReader()
	// A reader under the race detector would sleep for a second at its end.
	os.Setenv("GORACE", os.Getenv("GORACE")+" atexit_sleep_ms=0")
	goleak.VerifyTestMain(m)
}

func TestFiguresArePrinted(t *testing.T) {
	for _, args := range [][]string{
		{"-sink", "discard"},
		{"-sink", "file", "-writers", "3", "-mode", "burst"},
		{"-sink", "pipe", "-encoder", "zerolog", "-rate", "1000"},
		{"-sink", "slow", "-size", "4096", "-corpus", "cjk", "-redact"},
		{"-idle", "10ms"},
	} {
		var out, errs bytes.Buffer
		if err := run(append(args, "-duration", "30ms"), &out, &errs); err != nil {
			t.Errorf("%v: %v", args, err)
			continue
		}
		for _, want := range []string{"lines/s", "MB/s", "p50", "p99 ", "p99.9", "CPU a line", "allocations a line"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%v: no %q in\n%s", args, want, out.String())
			}
		}
		if !strings.Contains(out.String(), "order                right") || errs.Len() > 0 {
			t.Errorf("%v:\n%s%s", args, out.String(), errs.String())
		}
	}
}

func TestFiguresAsJSON(t *testing.T) {
	var out bytes.Buffer
	if err := run([]string{"-json", "-duration", "20ms", "-idle", "10ms"}, &out, &out); err != nil {
		t.Fatal(err)
	}
	var got figures
	if err := json.Unmarshal(out.Bytes(), &got); err != nil || got.Calls == 0 || !got.Checked {
		t.Errorf("%v: %s", err, out.String())
	}
	if _, counted := load.Switches(); counted && (got.WakeupsBefore < 0 || got.WakeupsIdle < 0) {
		t.Errorf("wake-ups were not counted: %s", out.String())
	}
}

func TestWrongUsageSaysWhatToDo(t *testing.T) {
	for want, args := range map[string][]string{
		"choose one of":  {"-encoder", "cobol"},
		"no kind":        {"-corpus", "latin"},
		"no sink":        {"-sink", "drain"},
		"no mode":        {"-mode", "fast"},
		"1 to":           {"-writers", "0"},
		"All settings":   {"fast"},
		"not defined":    {"-fast"},
		"burst mode and": {"-encoder", "zap", "-mode", "burst"},
	} {
		var out, errs bytes.Buffer
		err := run(args, &out, &errs)
		if !errors.As(err, new(usageError)) || !strings.Contains(err.Error(), want) || out.Len() > 0 {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
	var errs bytes.Buffer
	if err := run([]string{"-help"}, &errs, &errs); !errors.Is(err, flag.ErrHelp) || !strings.Contains(errs.String(), "-writers") {
		t.Errorf("%v: %s", err, errs.String())
	}
}
