package redact

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// stopsAt is what a sieve says of one place, by the book.
func (v *sieve) stopsAt(s string, p int) bool {
	if p < 0 || p+3 > len(s) {
		return false
	}
	any := byte(0)
	for b := range v.banks[:sharedBanks+int(v.own)] {
		known := byte(0xff)
		for i, c := range []byte(s[p:min(p+4, len(s))]) {
			if c&v.ascii != 0 {
				return false
			}
			known &= v.banks[b][i][c&0x7f]
		}
		any |= known
	}
	return any != 0
}

// spelled returns the i-th way to spell an anchor, and how many there are.
func (a *anchor) spelled(i int) (s string, n int) {
	var b [4]byte
	n = 1
	for k, set := range a.sets {
		b[k] = set[i/n%len(set)]
		n *= len(set)
	}
	return string(b[:]), n
}

func sieves(t *testing.T) map[string]*Redactor {
	t.Helper()
	known, _, err := New(Options{
		Values: []Value{
			{"a", "sk-live-9f8e7d6c5b4a39281706"},
			{"b", `p"a\s/s&<é-and-more`},
			{"c", "correct horse battery staple"},
			{"d", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"},
			{"e", "ключ-от-всех-дверей"},
		},
		Tokens: []Token{{Kind: "own-token", Prefix: "own_"}, {Kind: "short-token", Prefix: "qz-"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	ascii, _, err := New(Options{Values: []Value{{"a", "sk-live-9f8e7d6c5b4a39281706"}}})
	if err != nil {
		t.Fatal(err)
	}
	return map[string]*Redactor{"shared": Default(), "of its own": known, "ASCII": ascii}
}

func TestSieveStopsAtEveryAnchor(t *testing.T) {
	b := newBuilder(new(filter))
	b.addShared()
	for name, r := range sieves(t) {
		v := newSieve(&sharedSieve, r.anchors)
		if v == nil {
			t.Fatalf("%s: there is no sieve", name)
		}
		total := 0
		for _, a := range append(r.anchors, b.anchors...) {
			for i, n := 0, 1; i < n; i++ {
				var s string
				s, n = a.spelled(i)
				total++
				if !v.stopsAt(s, 0) || !v.stopsAt(s[:3], 0) || !v.stopsAt(" "+s+" ", 1) {
					t.Fatalf("%s: passes %q", name, s)
				}
			}
		}
		if total < 1000 {
			t.Errorf("%s: %d spellings are too few", name, total)
		}
	}
}

// Which bucket an anchor is in decides how often text is stopped for nothing.
func TestSieveLetsOrdinaryTextPass(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	words := strings.Fields(`the agent opens a file and looks for the function that fails when its caller has gone then it
		writes a patch runs all tests once more and tells what changed in which package so that a person can read the
		review before anything is merged or released`)
	var b strings.Builder
	for b.Len() < 1<<20 {
		b.WriteString(words[r.IntN(len(words))] + " ")
	}
	for name, red := range sieves(t) {
		v, stops := newSieve(&sharedSieve, red.anchors), 0
		for p := range b.Len() {
			if v.stopsAt(b.String(), p) {
				stops++
			}
		}
		if most := b.Len() / 4000; stops > most { // one in a hundred texts of 40 bytes
			t.Errorf("%s: stops %d times in %d bytes, want %d at most", name, stops, b.Len(), most)
		}
	}
}

// A sieve that stops everywhere is worse than none, and so is one that takes
// long to make.
func TestSieveIsLeftOutForTooManyAnchors(t *testing.T) {
	for _, values := range []int{15, 60} { // too often in words, too many
		r := rand.New(rand.NewPCG(5, 5))
		var o Options
		for range values {
			v := make([]byte, 12)
			for i := range v {
				v[i] = lettersLower[r.IntN(len(lettersLower))]
			}
			o.Values = append(o.Values, Value{Name: "v", Value: string(v)})
		}
		red, _, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		if newSieve(&sharedSieve, red.anchors) != nil || len(red.anchors) > mostOwn != (values > 50) {
			t.Errorf("there is one for %d anchors", len(red.anchors))
		}
		text := strings.Repeat("text ", 1000) + o.Values[7].Value + strings.Repeat(" text", 1000)
		for range 3 { // the first time the sieve is asked for
			if out := red.String(text); strings.Contains(out, o.Values[7].Value) {
				t.Fatal("the value is shown")
			}
		}
	}
}
