package stdio_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain also is main of the child processes: see child_test.go.
func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		play(role)
	}
	goleak.VerifyTestMain(m)
}

const roleVariable = "STDIO_TEST_ROLE"
