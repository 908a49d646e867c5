//go:build linux

package proc_test

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// childVariable names the program that this test binary is to be.
const childVariable = "PROC_TEST_CHILD"

func TestMain(m *testing.M) {
	if name := os.Getenv(childVariable); name != "" {
		program, ok := programs()[name]
		if !ok {
			fmt.Fprintln(os.Stderr, "no program", name)
			os.Exit(99)
		}
		os.Exit(program(os.Args[1:]))
	}
	goleak.VerifyTestMain(m)
}
