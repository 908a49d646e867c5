package emit_test

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// childVariable names the child program that this test binary is to be.
const childVariable = "EMIT_TEST_CHILD"

func TestMain(m *testing.M) {
	if name := os.Getenv(childVariable); name != "" {
		program, ok := children()[name]
		if !ok {
			fmt.Fprintln(os.Stderr, "no child program", name)
			os.Exit(99)
		}
		os.Exit(program())
	}
	goleak.VerifyTestMain(m)
}
