package jsonl_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/streamjson/streamjson/internal/jsonl"
)

// checkMax holds the law of AppendEscapedMax for one text and every bound.
func checkMax(t *testing.T, s string) {
	t.Helper()
	whole := jsonl.AppendEscaped(nil, s)
	// The characters of s: where each ends, and what is then written.
	type cut struct{ n, size int }
	cuts := []cut{{0, 0}}
	for i := 0; i < len(s); {
		_, w := utf8.DecodeRuneInString(s[i:])
		i += w
		cuts = append(cuts, cut{i, len(slowEscape(s[:i]))})
	}
	at := 0
	for limit := -1; limit <= len(whole)+1; limit++ {
		for at+1 < len(cuts) && cuts[at+1].size <= limit {
			at++
		}
		out, n := jsonl.AppendEscapedMax([]byte("##"), s, limit)
		if n != cuts[at].n || string(out) != "##"+string(whole[:cuts[at].size]) {
			t.Fatalf("AppendEscapedMax(%q, %d) = %q, %d; want %q, %d", s, limit, out, n, whole[:cuts[at].size], cuts[at].n)
		}
		if rest := jsonl.AppendEscaped(out[2:], s[n:]); !bytes.Equal(rest, whole) {
			t.Fatalf("%q cut at %d does not go on: %q want %q", s, n, rest, whole)
		}
	}
}

func TestAppendEscapedMax(t *testing.T) {
	for _, s := range []string{
		"", "a", "abcdefghijklmnopqrstuvwxyz", "\n\n\n", "\x00\x1b\x7f", "世界世界世界世界世界", "😀😀😀",
		"\u0080\u2028é", "e\u0301e\u0301", "👩‍👩‍👧", "\xff\xff\xff", "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80",
		"\xe2\x82", "\xf0\x9f\x98", "\xed\xa0\x80\xed\xb0\x80", strings.Repeat("mixed \"text\" 世界 \x00", 20),
	} {
		checkMax(t, s)
	}
	r := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		checkMax(t, hostileText(r, r.IntN(50)))
	}
	checkMax(t, hostileText(r, 400))
}

func TestAppendEscapedMaxOfALongText(t *testing.T) {
	for _, unit := range []string{"a", "\n", "\x00", "世", "😀", "\xff", "a\x80"} {
		s := strings.Repeat(unit, 1<<16)
		for _, limit := range []int{0, 1, 4096, 65_535, 65_536, 65_537, 1 << 20} {
			out, n := jsonl.AppendEscapedMax(nil, s, limit)
			want := jsonl.AppendEscaped(nil, s[:n])
			if len(out) > limit || !bytes.Equal(out, want) {
				t.Fatalf("%q, %d: %d bytes for %d", unit, limit, len(out), n)
			}
			if n < len(s) && len(out)+6 < limit {
				t.Fatalf("%q, %d: stopped early with %d bytes", unit, limit, len(out))
			}
		}
	}
}

func FuzzAppendEscapedMax(f *testing.F) {
	for _, s := range []string{"", "plain", "a\n\x00", "世界\xe4\xb8", "\xff\x80\x80\x80\x80", "😀\u2028"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 300 {
			t.Skip("quadratic")
		}
		checkMax(t, s)
	})
}

func TestCompletePrefix(t *testing.T) {
	for _, c := range []struct {
		rule, in string
		held     int
	}{
		{"empty", "", 0},
		{"ASCII", "abc", 0},
		{"whole characters", "é世😀", 0},
		{"half of two bytes", "a\xc3", 1},
		{"a third of three", "a\xe4", 1},
		{"two thirds of three", "a\xe4\xb8", 2},
		{"a quarter of four", "\xf0", 1},
		{"half of four", "\xf0\x9f", 2},
		{"three quarters of four", "\xf0\x9f\x98", 3},
		{"a stray continuation", "a\x80", 0},
		{"four continuations", "\x80\x80\x80\x80", 0},
		{"a continuation too many", "é\x80", 0},
		{"never a lead byte", "\xc0", 0},
		{"never a lead byte", "\xf5", 0},
		{"never a lead byte", "\xff", 0},
		{"an overlong form", "\xe0\x80", 0},
		{"may yet be right", "\xe0\xa0", 2},
		{"a surrogate", "\xed\xa0", 0},
		{"below the surrogates", "\xed\x9f", 2},
		{"beyond the last code point", "\xf4\x90", 0},
		{"the last plane", "\xf4\x8f\xbf", 3},
		{"broken in the middle", "\xf0\x9fa", 0},
		{"wrong third byte", "\xf0\x9f\xc3", 1},
	} {
		if got := len(c.in) - jsonl.CompletePrefix(c.in); got != c.held {
			t.Errorf("%s: CompletePrefix(%q) holds back %d bytes, want %d", c.rule, c.in, got, c.held)
		}
	}
}

// What is held back can become a character; what is not held back can't.
func TestCompletePrefixHoldsBackWhatCanBecomeACharacter(t *testing.T) {
	tails := []string{""}
	for _, b := range []string{"\x80", "\x8f", "\x90", "\x9f", "\xa0", "\xbf"} {
		tails = append(tails, b, b+"\x80", b+"\x80\x80")
	}
	for a := range 256 {
		for b := range 256 {
			for _, c := range []int{-1, 0x20, 0x80, 0xbf} {
				in := []byte{'x', byte(a), byte(b)}
				if c >= 0 {
					in = append(in, byte(c))
				}
				s := string(in)
				n := jsonl.CompletePrefix(s)
				can := false // a tail makes one valid character of some suffix
				for k := max(0, len(s)-3); k < len(s) && !can; k++ {
					for _, tail := range tails[1:] {
						if r, w := utf8.DecodeRuneInString(s[k:] + tail); r != utf8.RuneError && w == len(s[k:]+tail) {
							can = true
							if n != k {
								t.Fatalf("CompletePrefix(%q) = %d, but %q can be completed", s, n, s[k:])
							}
							break
						}
					}
				}
				if !can && n != len(s) {
					t.Fatalf("CompletePrefix(%q) = %d holds back what can't become a character", s, n)
				}
			}
		}
	}
}
