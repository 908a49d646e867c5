package emit

import (
	"crypto/rand"
	"time"
)

// crockford is the alphabet of Crockford's base 32: it sorts as its values do
// and leaves out the letters that are taken for others.
const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// newID returns 26 characters that are new and sort by time, in the layout of
// a ULID: 48 bits of Unix milliseconds, 80 bits of chance.
func newID(now time.Time) string {
	var b [16]byte
	ms := uint64(max(now.UnixMilli(), 0))
	for i := range 6 {
		b[i] = byte(ms >> (40 - 8*i))
	}
	_, _ = rand.Read(b[6:]) // never fails: crypto/rand ends the process first
	var text [26]byte
	// 130 bits of text hold 128 bits of id; the first two are zero.
	bit := -2
	for i := range text {
		v := 0
		for range 5 {
			v <<= 1
			if bit >= 0 {
				v |= int(b[bit/8]>>(7-bit%8)) & 1
			}
			bit++
		}
		text[i] = crockford[v]
	}
	return string(text[:])
}
