package adopt

import (
	"crypto/rand"
	"encoding/base32"
	"encoding/binary"
	"strings"
	"time"
	"unsafe"
)

// newID returns 26 characters that are new and sort by time (contract F5): 48
// bits of Unix milliseconds and 80 of chance, in Crockford's base 32.
func newID(now time.Time) string {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:], uint64(max(now.UnixMilli(), 0))<<16)
	_, _ = rand.Read(b[6:]) // never fails: crypto/rand ends the process first
	return base32.NewEncoding("0123456789ABCDEFGHJKMNPQRSTVWXYZ").WithPadding(base32.NoPadding).EncodeToString(b[:])
}

// productName returns name as it can stand in a member's name (contract D6).
func productName(name string) string {
	clean := []byte(strings.ToLower(name))
	for i, c := range clean {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			clean[i] = '_'
		}
	}
	if len(strings.Trim(string(clean), "_")) == 0 {
		return "program"
	}
	return string(clean)
}

// view is b seen as a string, for a callee that does not keep it.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
