package corpus_test

import (
	"testing"
	"unicode/utf8"

	"github.com/streamjson/streamjson/bench/internal/corpus"
)

const size = 1 << 20

// traits is what of a text an escaper notices.
type traits struct{ escapes, nonASCII float64 }

func traitsOf(s string) traits {
	var t traits
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ' || c == '"' || c == '\\':
			t.escapes++
		case c >= utf8.RuneSelf:
			t.nonASCII++
		}
	}
	return traits{t.escapes / float64(len(s)), t.nonASCII / float64(len(s))}
}

func TestTextsAreWhatTheirKindClaims(t *testing.T) {
	type span struct{ low, high float64 }
	for kind, want := range map[corpus.Kind]struct{ escapes, nonASCII span }{
		corpus.ASCII:    {span{0, 0}, span{0, 0}},
		corpus.Code:     {span{1. / 30, 1. / 15}, span{0, 0}},
		corpus.NonASCII: {span{0, 0}, span{.08, .12}},
		corpus.CJK:      {span{0, 0}, span{1, 1}},
		corpus.Control:  {span{1, 1}, span{0, 0}},
	} {
		c, err := corpus.New(kind, size)
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Text()) < size || !utf8.ValidString(c.Text()) {
			t.Errorf("%s: %d bytes, valid UTF-8: %v", kind, len(c.Text()), utf8.ValidString(c.Text()))
		}
		got := traitsOf(c.Text())
		if got.escapes < want.escapes.low || got.escapes > want.escapes.high {
			t.Errorf("%s: the share of escapes is %.4f, want %v", kind, got.escapes, want.escapes)
		}
		if got.nonASCII < want.nonASCII.low || got.nonASCII > want.nonASCII.high {
			t.Errorf("%s: the share of bytes that are not ASCII is %.4f, want %v", kind, got.nonASCII, want.nonASCII)
		}
	}
}

func TestPoolHandsOutEachTextOnceARound(t *testing.T) {
	for _, kind := range corpus.Kinds() {
		c, err := corpus.New(kind, size)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{corpus.Delta, 2 << 10, 64 << 10} {
			checkPool(t, c, n)
		}
	}
}

func checkPool(t *testing.T, c *corpus.Corpus, n int) {
	t.Helper()
	pool := c.Pool(n)
	offset, total := 0, 0
	for range pool.Len() {
		s := pool.Next()
		total += len(s)
		// Pieces of one text, in order: no byte of it is in two of them.
		if c.Text()[offset:offset+len(s)] != s {
			t.Fatalf("%s/%d: the piece at %d is not the next one", c.Kind(), n, offset)
		}
		offset += len(s)
		low, high := n-utf8.UTFMax, n
		if n == corpus.Delta {
			low, high = 20-utf8.UTFMax, 60
		}
		if len(s) < low || len(s) > high || !utf8.ValidString(s) {
			t.Fatalf("%s/%d: a text of %d bytes, valid UTF-8: %v", c.Kind(), n, len(s), utf8.ValidString(s))
		}
	}
	if mean := float64(total) / float64(pool.Len()); mean < .95*float64(n)-utf8.UTFMax || mean > 1.05*float64(n) {
		t.Errorf("%s/%d: %.1f bytes on average", c.Kind(), n, mean)
	}
	if total < size-2*n {
		t.Errorf("%s/%d: a round has %d bytes only", c.Kind(), n, total)
	}
	if first := pool.Next(); first != c.Text()[:len(first)] {
		t.Errorf("%s/%d: the second round begins with %q", c.Kind(), n, first)
	}
}

func TestClonesBeginApart(t *testing.T) {
	c, err := corpus.New(corpus.ASCII, size)
	if err != nil {
		t.Fatal(err)
	}
	pool := c.Pool(corpus.Delta)
	var texts []string
	for range pool.Len() {
		texts = append(texts, pool.Next())
	}
	for part := range 4 {
		clone, from := pool.Clone(part, 4), len(texts)*part/4
		for i := range texts {
			if got, want := clone.Next(), texts[(from+i)%len(texts)]; got != want {
				t.Fatalf("clone %d, text %d: %q, want %q", part, i, got, want)
			}
		}
	}
}

func TestUnknownKindIsRefused(t *testing.T) {
	if _, err := corpus.New("latin", 1); err == nil {
		t.Error("no error")
	}
}
