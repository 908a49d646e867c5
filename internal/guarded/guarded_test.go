//go:build unix

package guarded_test

import (
	"os"
	"runtime/debug"
	"testing"
	"unsafe"

	"go.uber.org/goleak"

	"github.com/streamjson/streamjson/internal/guarded"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestPageEndsWhereItSays(t *testing.T) {
	page := guarded.Page(t)
	if len(page) != os.Getpagesize() {
		t.Fatalf("the page has %d bytes", len(page))
	}
	for i := range page {
		page[i] = 'x'
	}
	for _, offset := range []int{-1, len(page)} {
		if !faults(unsafe.Pointer(&page[0]), offset) {
			t.Errorf("byte %d can be written", offset)
		}
	}
}

func faults(page unsafe.Pointer, offset int) (faulted bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { faulted = recover() != nil }()
	write((*byte)(unsafe.Add(page, offset)))
	return false
}

//go:noinline
func write(p *byte) { *p = 'y' }
