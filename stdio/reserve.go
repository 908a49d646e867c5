package stdio

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
)

// ErrInUse is what the errors of [Reserve] are where another emitter writes to
// the same place.
var ErrInUse = errors.New("in use by another emitter")

// Reserve keeps w for one emitter: two on one descriptor would splice their
// lines. It knows a [Stdout] and an [os.File] by the number of the descriptor
// that they stand for, which is 1 for what [Claim] and [Raw] return; never by
// device and inode, since /dev/null and a terminal may well be shared. A second
// Reserve before release is an error that is [ErrInUse]. A writer of any other
// kind, behind which a descriptor can't be seen, is never refused.
//
// release may be called more than once.
func Reserve(w io.Writer) (release func(), err error) {
	key, known, err := keyOf(w)
	if err != nil {
		return nil, err
	}
	if !known {
		return func() {}, nil
	}
	process.Lock()
	defer process.Unlock()
	if slices.Contains(process.inUse, key) {
		return nil, fmt.Errorf("stdio: descriptor %d is %w: finish that one first, or write elsewhere", key, ErrInUse)
	}
	process.inUse = append(process.inUse, key)
	return sync.OnceFunc(func() { unreserve(key) }), nil
}

func unreserve(key uintptr) {
	process.Lock()
	defer process.Unlock()
	process.inUse = slices.DeleteFunc(process.inUse, func(k uintptr) bool { return k == key })
}

// keyOf returns the number of the descriptor behind w, if there is one to see.
func keyOf(w io.Writer) (key uintptr, known bool, err error) {
	switch w := w.(type) {
	case *Stdout:
		if w == nil || w.port == nil || w.key == noKey {
			return 0, false, fmt.Errorf("stdio: cannot reserve a Stdout without a file: %w", os.ErrInvalid)
		}
		return w.key, true, nil
	case *os.File:
		n, ok := number(w)
		if !ok {
			return 0, false, fmt.Errorf("stdio: cannot reserve a file that is closed or nil: %w", os.ErrClosed)
		}
		return n, true, nil
	}
	return 0, false, nil
}
