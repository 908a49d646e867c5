// Package ulid makes ids that are new and sort by time, in the layout of a ULID:
// 48 bits of Unix milliseconds and 80 bits of chance, as 26 characters of
// Crockford's base 32, whose alphabet sorts as its values do.
package ulid

import (
	"math/rand/v2"
	"time"
)

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// New returns an id of the given time; one before 1970 counts as 1970.
//
// The chance is that of math/rand/v2, which the runtime seeds from the system:
// an id has to be new, not secret, and crypto/rand would cost each program a
// fifth of its start.
func New(now time.Time) string {
	high := uint64(max(now.UnixMilli(), 0))<<16 | rand.Uint64()>>48
	low := rand.Uint64()
	var text [26]byte
	for i := len(text) - 1; i >= 0; i-- {
		text[i] = alphabet[low&0x1f]
		low = low>>5 | high<<59
		high >>= 5
	}
	return string(text[:])
}
