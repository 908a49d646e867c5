package ulid_test

import (
	"math/bits"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/streamjson/streamjson/internal/ulid"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// An id holds its time, sorts by it, and is another one each time.
func TestNew(t *testing.T) {
	seen := map[string]bool{}
	last := ""
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for range 10_000 {
		id := ulid.New(at)
		if got, ok := timeOf(id); !ok || !got.Equal(at) {
			t.Fatalf("%s is of %v, want %v", id, got, at)
		}
		if len(id) != 26 || seen[id] || id <= last {
			t.Fatalf("%s follows %s", id, last)
		}
		seen[id], last = true, id
		at = at.Add(977 * time.Millisecond)
	}
	if a, b := ulid.New(at), ulid.New(at); a == b || a[:10] != b[:10] || a[10:] == b[10:] {
		t.Errorf("%s and %s", a, b)
	}
}

// A time before 1970 counts as 1970; the test's own reading of ids is right.
func TestTimeBefore1970(t *testing.T) {
	if got, ok := timeOf(ulid.New(time.Time{})); !ok || !got.Equal(time.UnixMilli(0)) {
		t.Errorf("the zero time: %v", got)
	}
	for _, no := range []string{"", "0", "01ARZ3NDEKTSV4RRFFQ69G5FA", "81ARZ3NDEKTSV4RRFFQ69G5FAV", "01ARZ3NDEKTSV4RRFFQ69G5FAU", "01ARZ3NDEKTSV4RRFFQ69G5FAVV"} {
		if _, ok := timeOf(no); ok {
			t.Errorf("%q is taken for an id", no)
		}
	}
	want := time.UnixMilli(1469922850259).UTC()
	if got, ok := timeOf("01ARZ3NDEKTSV4RRFFQ69G5FAV"); !ok || !got.Equal(want) {
		t.Errorf("a known id is of %v, %v; want %v", got, ok, want)
	}
}

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ" // Crockford's

// timeOf returns the time of an id, to the millisecond; false if it is none.
func timeOf(id string) (t time.Time, ok bool) {
	if len(id) != 26 || id[0] > '7' {
		return t, false
	}
	var high, low uint64
	for i := range id {
		v := value(id[i])
		if v > 31 {
			return t, false
		}
		carry, shifted := bits.Mul64(low, 32)
		high, low = high<<5|carry, shifted|v
	}
	return time.UnixMilli(int64(high >> 16)).UTC(), true
}

// value is what a character stands for; 32 if nothing.
func value(c byte) uint64 {
	for i := range len(alphabet) {
		if alphabet[i] == c {
			return uint64(i)
		}
	}
	return 32
}
