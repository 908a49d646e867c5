//go:build unix && gc && !purego && !msan

package redact

import (
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"unsafe"

	xcpu "golang.org/x/sys/cpu"

	"github.com/streamjson/streamjson/internal/cpu"
	"github.com/streamjson/streamjson/internal/guarded"
)

func needSieve(t *testing.T) {
	t.Helper()
	if Default().kernel(1<<20) == nil {
		t.Skip("this processor does not look up 64 bytes at once")
	}
}

// A sieve that is never asked would go unseen: all other tests would pass.
func TestSieveIsUsedWhereTheProcessorCan(t *testing.T) {
	x := xcpu.X86
	want := runtime.GOOS != "darwin" && x.HasAVX512F && x.HasAVX512BW && x.HasAVX512VBMI && x.HasBMI2
	for name, r := range sieves(t) {
		if (r.kernel(1<<20) != nil) != want {
			t.Errorf("%s: there is a sieve: %v, want %v", name, !want, want)
		}
	}
}

func TestSieveIsAskedForByShortTexts(t *testing.T) {
	needSieve(t)
	sieveGate = cpu.Gate{}
	r := &Redactor{on: true, filter: &sharedSlots}
	s := r.Stream()
	pushed := 0
	for ; r.sieve.Load() == nil && pushed < 2*cpu.GateUses; pushed++ {
		s.Push("text ")
	}
	// The first ones are also looked at in the other way, which asks as well.
	if pushed > cpu.GateUses || pushed < cpu.GateUses/3 {
		t.Errorf("the sieve came with chunk %d, want %d at most", pushed, cpu.GateUses)
	}
}

// keyText returns n bytes of what sieves stop at, almost stop at, and pass.
func keyText(r *rand.Rand, anchors []anchor, n int) string {
	var b strings.Builder
	for b.Len() < n {
		a := &anchors[r.IntN(len(anchors))]
		s, _ := a.spelled(r.IntN(1 << 20))
		switch r.IntN(6) {
		case 0:
			b.WriteString(s)
		case 1:
			b.WriteString(s[:1+r.IntN(3)])
		case 2:
			i := r.IntN(4)
			b.WriteString(s[:i] + string(rune(s[i]|0x80)) + s[i+1:])
		case 3:
			i := r.IntN(4)
			b.WriteString(s[:i] + string([]byte{s[i] ^ 0x80}) + s[i+1:])
		case 4:
			b.WriteByte(byte(r.IntN(256)))
		case 5:
			b.WriteString("plain text "[:r.IntN(12)])
		}
	}
	return b.String()[:n]
}

// nextAll holds next against the book for each place to begin at.
func (v *sieve) nextAll(t *testing.T, s string) {
	t.Helper()
	for from := 0; from <= len(s)+1; from++ {
		want := from
		for want < len(s) && !v.stopsAt(s, want) {
			want++
		}
		if want >= len(s) {
			want = -1
		}
		if have := v.next(s, from); have != want {
			t.Fatalf("%q of %d bytes, from %d: stops at %d, want %d", s, len(s), from, have, want)
		}
	}
}

func TestSieveNextIsWhatTheBookSays(t *testing.T) {
	needSieve(t)
	shared := newBuilder(new(filter))
	shared.addShared()
	for _, red := range sieves(t) {
		v, anchors := red.kernel(0), append(shared.anchors, red.anchors...)
		r := rand.New(rand.NewPCG(uint64(len(anchors)), 1))
		for n := range 300 {
			v.nextAll(t, keyText(r, anchors, n%150))
		}
		for range 20_000 {
			s := keyText(r, anchors, r.IntN(300))
			from := r.IntN(len(s) + 1)
			v.nextAll(t, s[from:min(len(s), from+8)])
			want := from
			for want < len(s) && !v.stopsAt(s, want) {
				want++
			}
			if have := v.next(s, from); have != want && (have >= 0 || want < len(s)) {
				t.Fatalf("%q of %d bytes, from %d: stops at %d, want %d", s, len(s), from, have, want)
			}
		}
	}
}

// Long texts are looked at in pieces.
func TestSieveNextInLongTexts(t *testing.T) {
	needSieve(t)
	v := Default().kernel(0)
	for _, at := range []int{pieceMost - 5, pieceMost - 4, pieceMost - 3, pieceMost - 2, pieceMost - 1, pieceMost, 2*pieceMost - 7, 2*pieceMost - 5} {
		for _, end := range []int{at + 5, at + 100, 3 * pieceMost} {
			s := strings.Repeat(" ", at) + "ghp_x" + strings.Repeat(" ", end-at-5)
			first := v.next(s, 0)
			for first >= 0 && first < at && !v.stopsAt(s, first) {
				first = v.next(s, first+1) // three bytes at the end of a piece
			}
			if first != at {
				t.Errorf("at %d of %d: stops at %d", at, len(s), first)
			}
		}
	}
}

func TestSieveTakeIsWhatTheBookSays(t *testing.T) {
	needSieve(t)
	shared := newBuilder(new(filter))
	shared.addShared()
	const fence = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	for _, red := range sieves(t) {
		v, anchors := red.kernel(0), append(shared.anchors, red.anchors...)
		r := rand.New(rand.NewPCG(uint64(len(anchors)), 2))
		for i := range 50_000 {
			n := 1 + i%sieveMost
			s := keyText(r, anchors, 3+n)
			dst := []byte(fence + fence)
			hits := sieveTake(v, &dst[len(fence)-n], unsafe.StringData(s[3:]), n, load24(s, 0))
			if string(dst) != fence[:len(fence)-n]+s[3:]+fence {
				t.Fatalf("%q: wrote %q", s, dst)
			}
			for p := range 64 {
				if v.stopsAt(s, p) != (hits>>p&1 != 0) {
					t.Fatalf("%q: stops at %d: %v", s, p, !v.stopsAt(s, p))
				}
			}
		}
	}
}

// Nothing but the text is read, nothing but its copy is written.
func TestSieveStaysWithinItsMemory(t *testing.T) {
	needSieve(t)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	v := Default().kernel(0)
	src, dst := guarded.Page(t), guarded.Page(t)
	for n := 1; n <= sieveMost; n++ {
		copy(src, strings.Repeat("x", n))
		copy(src[len(src)-n:], strings.Repeat("y", n))
		for _, p := range []*byte{&src[0], &src[len(src)-n]} {
			sieveTake(v, &dst[0], p, n, 0)
			sieveTake(v, &dst[len(dst)-n], p, n, 0)
		}
	}
	for n := 3; n <= 300; n++ {
		sieveText(v, &src[0], n)
		sieveText(v, &src[len(src)-n], n)
	}
}

// secretText returns keywords, whole and in part, with what is secret behind
// them and without.
func secretText(r *rand.Rand, b *builder, anchors []anchor) string {
	var s strings.Builder
	for range r.IntN(4) {
		k := &b.keywords[r.IntN(len(b.keywords))]
		s.WriteString(keyText(r, anchors, r.IntN(12)))
		s.WriteString(k.text[:len(k.text)-r.IntN(2)*r.IntN(len(k.text))])
		s.WriteString([]string{"", "=", ": ", `":"`, " "}[r.IntN(5)])
		for range r.IntN(3) * r.IntN(60) {
			s.WriteByte(alnumBytes[r.IntN(len(alnumBytes))])
		}
	}
	return s.String()
}

// Both prefilters lead to the same secrets, in one piece and in chunks.
func TestSieveAndFilterFindTheSame(t *testing.T) {
	needSieve(t)
	shared := newBuilder(new(filter))
	shared.addShared()
	for name, red := range sieves(t) {
		red.kernel(1 << 20)
		plain := &Redactor{on: true, filter: red.filter, own: red.own, known: red.known, tokens: red.tokens}
		plain.sieved.Do(func() {}) // it never gets one
		anchors := append(shared.anchors, red.anchors...)
		r := rand.New(rand.NewPCG(uint64(len(anchors)), 3))
		found := 0
		for range 20_000 {
			s := secretText(r, shared, anchors)
			want := plain.String(s)
			if want != s {
				found++
			}
			at := r.IntN(len(s) + 1)
			for i, have := range []string{red.String(s), chunked(red, s, at), chunked(plain, s, at)} {
				if have != want {
					t.Fatalf("%s: %q, cut at %d: %d %q, want %q", name, s, at, i, have, want)
				}
			}
		}
		if found < 500 {
			t.Errorf("%s: %d secrets are too few", name, found)
		}
	}
}

func chunked(r *Redactor, s string, at int) string {
	x := r.Stream()
	return x.Push(s[:at/2]) + x.Push(s[at/2:at]) + x.Push(s[at:]) + x.Flush()
}
