package jsonl

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

// denseText returns n bytes of text of which one in apart is special, in
// stretches with characters outside ASCII and without any special byte.
func denseText(r *rand.Rand, n, apart int) string {
	const specials = "\"\\\b\t\n\f\r\x00\x01\x1b\x1f\x7f"
	var b strings.Builder
	for b.Len() < n {
		kind := r.IntN(12)
		for end := b.Len() + r.IntN(300); b.Len() < end; {
			switch {
			case kind == 0 && r.IntN(8) == 0:
				b.WriteString("é世\u2028\xff"[r.IntN(8):])
			case kind != 1 && r.IntN(apart) == 0:
				b.WriteByte(specials[r.IntN(len(specials))])
			default:
				b.WriteByte(byte(' ' + r.IntN(0x5f)))
			}
		}
	}
	return b.String()[:n]
}

// In whatever room, dense text is written as each of its characters alone is,
// and nothing behind the end of the buffer.
func TestDenseTextIsWrittenAsItsCharacters(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for i := range 20_000 {
		s := denseText(r, r.IntN(1000), 1+i%20)
		var want []byte
		for rest := s; rest != ""; {
			w, _ := escapedSize(rest)
			want = AppendEscaped(want, rest[:w])
			rest = rest[w:]
		}
		front := r.IntN(9)
		end := front + len(s) + slack + []int{0, r.IntN(70), r.IntN(7*len(s) + 1)}[i%3]
		array := bytes.Repeat([]byte{'#'}, end+block)
		buf, n := putBlocks(array[:end:end], front, s)
		switch {
		case !bytes.Equal(buf[front:n], want):
			t.Fatalf("%q\n got %q\nwant %q", s, buf[front:n], want)
		case !bytes.Equal(array[end:], bytes.Repeat([]byte{'#'}, block)):
			t.Fatalf("%q in %d bytes: wrote behind the buffer", s, end)
		case len(buf)-n < slack:
			t.Fatalf("%q in %d bytes: left room for %d bytes", s, end, len(buf)-n)
		}
	}
}

func TestDenseRefusesWhatItCannotWrite(t *testing.T) {
	clean := strings.Repeat("\n", block)
	for _, c := range []struct {
		s    string
		room int
		want int
	}{
		{clean, denseRoom, 2 * block},
		{strings.Repeat("\x01", block), denseRoom, 6 * block},
		{clean, denseRoom - 1, 0},
		{clean[1:], denseRoom, 0},
		{clean[1:] + "\x80", denseRoom, 0},
		{"\xff" + clean, denseRoom, 0},
	} {
		if n := denseBlock(make([]byte, c.room), c.s); n != c.want {
			t.Errorf("%q in %d bytes: %d, want %d", c.s, c.room, n, c.want)
		}
	}
}
