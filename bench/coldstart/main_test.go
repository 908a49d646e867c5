package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestBothTablesArePrinted(t *testing.T) {
	var out, errs bytes.Buffer
	if err := run(context.Background(), []string{"-rounds", "1", "-programs", "streamours,streamzerolog,envelopeours"}, &out, &errs); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"two lines", "one envelope", "ours, EmitJSON", "zerolog", " ms ", " MB\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

func TestWrongUsage(t *testing.T) {
	for _, args := range [][]string{{"-rounds", "0"}, {"fast"}, {"-fast"}, {"-programs", "cobol"}} {
		var out, errs bytes.Buffer
		if err := run(context.Background(), args, &out, &errs); err == nil || out.Len() > 0 {
			t.Errorf("%v: %v, %q", args, err, out.String())
		}
	}
}
