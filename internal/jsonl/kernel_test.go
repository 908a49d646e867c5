package jsonl

import (
	"bytes"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// kernelStrings in the environment is the number of random strings on which
// the kernel is held against portable Go, in place of what takes a moment; the
// other tests leave nothing out then.
const kernelStrings = "JSONL_KERNEL_STRINGS"

// kernelAlways is a length that settles whether there is a kernel.
const kernelAlways = 1 << 20

func needKernel(tb testing.TB) {
	tb.Helper()
	if !hasKernel(kernelAlways) {
		tb.Skip("there is no kernel for this processor or build")
	}
}

// comparer holds the kernel against portable Go, which the tests of
// AppendString hold against a slow writer. Its buffers are used again: what is
// beyond their ends must stay as it is.
type comparer struct {
	text, array, want []byte
}

const fence = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// same fails unless the kernel writes s as portable Go does, to a buffer with
// some bytes in front and with room for spare escaped bytes.
func (c *comparer) same(t *testing.T, s string, front, spare int) {
	t.Helper()
	end := front + len(s) + slack + spare
	if cap(c.array) < end+len(fence) {
		c.array = make([]byte, 2*end+len(fence))
		c.want = make([]byte, 2*end)
	}
	array := c.array[:end+len(fence)]
	copy(array, fence[:front])
	copy(array[end:], fence)
	buf, n := putText(array[:end:end], front, s)
	want, m := putBlocks(c.want[:end], front, s)
	c.want = want[:cap(want)]
	switch {
	case !bytes.Equal(buf[front:n], want[front:m]):
		t.Fatalf("%q, spare %d:\n  kernel %q\nportable %q", s, spare, buf[front:n], want[front:m])
	case string(buf[:front]) != fence[:front]:
		t.Fatalf("%q: wrote in front of its place: %q", s, buf[:front])
	case string(array[end:]) != fence:
		t.Fatalf("%q, spare %d: wrote behind the buffer: %q", s, spare, array[end:])
	case len(buf)-n < slack:
		t.Fatalf("%q, spare %d: left room for %d bytes", s, spare, len(buf)-n)
	}
}

// adversarial returns n bytes in which those follow each other at which the
// kernel does something else. Some kinds prevail in each text, so that each
// way of the kernel is also kept to for long.
func (c *comparer) adversarial(r *rand.Rand, n int) string {
	pieces := [...]func(b []byte) []byte{
		func(b []byte) []byte { return append(b, strings.Repeat("clean ", 1+r.IntN(40))...) },
		func(b []byte) []byte { return append(b, fence[:r.IntN(len(fence))]...) },
		func(b []byte) []byte { return append(b, "\"\\\b\t\n\f\r"[r.IntN(7)]) },
		func(b []byte) []byte { return append(b, strings.Repeat("\n\"", r.IntN(40))...) },
		func(b []byte) []byte { return append(b, byte(r.IntN(0x20))) },
		func(b []byte) []byte { return append(b, "\x1b[31m"...) },
		func(b []byte) []byte { return append(b, 0x7e+byte(r.IntN(2))) },
		func(b []byte) []byte { return utf8.AppendRune(b, 0xa0+rune(r.IntN(0x760))) },
		func(b []byte) []byte { return utf8.AppendRune(b, 0x800+rune(r.IntN(0x1f00))) },
		func(b []byte) []byte { return append(b, strings.Repeat("世界", r.IntN(20))...) },
		func(b []byte) []byte { return utf8.AppendRune(b, 0x10000+rune(r.IntN(0x100000))) },
		func(b []byte) []byte { return utf8.AppendRune(b, 0x80+rune(r.IntN(0x22))) },
		func(b []byte) []byte { return utf8.AppendRune(b, 0x2026+rune(r.IntN(6))) },
		func(b []byte) []byte { return append(b, byte(r.IntN(256))) },
		func(b []byte) []byte { return append(b, 0x80+byte(r.IntN(128)), 0x80+byte(r.IntN(128))) },
		func(b []byte) []byte { return append(b, "\xe0\x80\xed\xa0\xf0\x80\xf4\x90\xc0\xe2\x80"[r.IntN(11)]) },
	}
	b := c.text[:0]
	for len(b) < n {
		mood := [4]int{r.IntN(3), r.IntN(len(pieces)), r.IntN(len(pieces)), r.IntN(11)}
		for end := len(b) + 1 + r.IntN(2000); len(b) < end; {
			b = pieces[mood[r.IntN(len(mood))]](b)
		}
	}
	c.text = b
	return string(b[:n])
}

// Ten million of them: JSONL_KERNEL_STRINGS=10000000.
func TestKernelIsEqualToPortableGo(t *testing.T) {
	needKernel(t)
	total := 100_000
	if testing.Short() {
		total = 20_000
	}
	if v := os.Getenv(kernelStrings); v != "" {
		var err error
		if total, err = strconv.Atoi(v); err != nil {
			t.Fatalf("%s: %v", kernelStrings, err)
		}
	}
	const pool = 64 << 10
	var c comparer
	r := rand.New(rand.NewPCG(uint64(total), 5))
	for done := 0; done < total; {
		text := c.adversarial(r, pool)
		for range 5000 { // cut anywhere, also in the middle of a character
			size := r.IntN(300)
			if r.IntN(100) == 0 {
				size = r.IntN(5000)
			}
			at := r.IntN(pool - size)
			spare := [4]int{0, r.IntN(16), r.IntN(size + 1), 6 * size}[r.IntN(4)]
			c.same(t, text[at:at+size], r.IntN(len(fence)), spare)
			done++
		}
	}
}

// All pairs of bytes with those behind them at which UTF-8 or F8 decides
// otherwise, over all edges of blocks and halves of blocks.
func TestKernelSequencesOfBytes(t *testing.T) {
	needKernel(t)
	thirds := "\x0a\x22 \x7f\x80\x8f\x90\x9f\xa0\xa8\xa9\xbf\xc2\xe2\xf0\xff"
	step := 5
	if testing.Short() {
		step = 29
	}
	if os.Getenv(kernelStrings) != "" {
		step = 1
	}
	var c comparer
	text := bytes.Repeat([]byte("x"), 200)
	for pair := 0; pair < 1<<16; pair += step {
		for k := range thirds {
			at := []int{30, 61, 94, 125, 140}[(pair+k)%5] + pair%4
			behind := thirds[(pair+k*7)%len(thirds)]
			copy(text[at:], []byte{byte(pair >> 8), byte(pair), thirds[k], behind})
			c.same(t, string(text[:150+pair%32]), 1, 600)
			copy(text[at:], "xxxx")
		}
	}
}

// Long texts are given to the kernel in pieces, which may cut a character.
func TestKernelLongTexts(t *testing.T) {
	needKernel(t)
	var c comparer
	r := rand.New(rand.NewPCG(3, 9))
	for _, piece := range []string{"a", "é", "世", "😀", "\"", "\x00", "\xff", "\u2028", "世\n", "é\x1b"} {
		for shift := range 4 {
			s := strings.Repeat("x", shift) + strings.Repeat(piece, 150_000/len(piece)+r.IntN(64))
			c.same(t, s, 1, 0)
			c.same(t, s, 1, 6*len(s))
		}
	}
	for range 20 {
		c.same(t, c.adversarial(r, 100_000+r.IntN(100_000)), 1, r.IntN(2000))
	}
}

func FuzzKernel(f *testing.F) {
	needKernel(f)
	clean := strings.Repeat("clean text ", 10)
	for _, s := range []string{"", clean, clean + "\n\"" + clean, clean + "\x1b[0m", clean + "é世😀" + clean, clean + "\u2028" + clean, clean + "\xe4\xb8", clean + "\u0085\xff"} {
		f.Add(s, uint8(0))
		f.Add(s, uint8(200))
	}
	f.Fuzz(func(t *testing.T, s string, spare uint8) {
		var c comparer
		c.same(t, s, 1, int(spare))
		c.same(t, clean[:len(s)%64]+s+clean[:len(clean)-len(s)%64], 1, int(spare))
	})
}
