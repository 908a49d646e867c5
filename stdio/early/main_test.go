package early_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/streamjson/streamjson/stdio"
)

// TestMain gives stdout back, which the package under test has taken: the
// results would be lost.
func TestMain(m *testing.M) {
	out, err := stdio.Raw()
	if err != nil {
		panic(err)
	}
	if err := out.Release(); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}
