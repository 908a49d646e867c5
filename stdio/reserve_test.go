package stdio_test

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/streamjson/streamjson/stdio"
)

// Field cases 37 and 41, notes A12: two emitters on one place are refused, two
// on two files that happen to be the same device are not.
func TestReserve(t *testing.T) {
	one, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer one.Close()
	two, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer two.Close()

	release, err := stdio.Reserve(one)
	if err != nil {
		t.Fatal(err)
	}
	for name, w := range map[string]interface{ Write([]byte) (int, error) }{
		"the file again": one, "a Stdout on it": stdio.FromFile(one),
	} {
		if _, err := stdio.Reserve(w); !errors.Is(err, stdio.ErrInUse) || !strings.Contains(err.Error(), "descriptor") {
			t.Errorf("%s: %v", name, err)
		}
	}
	other, err := stdio.Reserve(two)
	if err != nil {
		t.Errorf("another file on the same device: %v", err)
	}
	release()
	release()
	again, err := stdio.Reserve(stdio.FromFile(one))
	if err != nil {
		t.Errorf("after release: %v", err)
	}
	release() // a stale release must not free what is another's now
	if _, err := stdio.Reserve(one); !errors.Is(err, stdio.ErrInUse) {
		t.Errorf("a stale release freed it: %v", err)
	}
	again()
	other()

	var buf bytes.Buffer
	for range 2 {
		if release, err := stdio.Reserve(&buf); err != nil {
			t.Error(err)
		} else {
			defer release()
		}
	}
}

func TestReserveOfNothing(t *testing.T) {
	closed, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	for _, w := range []interface{ Write([]byte) (int, error) }{(*os.File)(nil), closed, (*stdio.Stdout)(nil)} {
		if _, err := stdio.Reserve(w); err == nil || errors.Is(err, stdio.ErrInUse) {
			t.Errorf("%T %v: %v", w, w, err)
		}
	}
}

func TestReserveGivesOnePlaceToOne(t *testing.T) {
	f, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var holders, won atomic.Int32
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 200 {
				release, err := stdio.Reserve(f)
				if err != nil {
					continue
				}
				if holders.Add(1) != 1 {
					t.Error("two holders")
				}
				won.Add(1)
				holders.Add(-1)
				release()
			}
		})
	}
	wait.Wait()
	if won.Load() == 0 {
		t.Error("nobody got it")
	}
}
