package wrap

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// What a keeper keeps is the text where it fits, and else the first and the
// last bytes with what is missing counted between them. Whatever is added and
// taken back, it agrees with a text that was kept whole.
func FuzzKeeper(f *testing.F) {
	f.Add("abc\ndef\rghi\n", uint8(8))
	f.Add(strings.Repeat("line\n", 20)+"0123456789\r01234\rx\nend", uint8(10))
	f.Add("ä€😀ä€😀ä€😀\rä€😀ä€😀\n", uint8(7))
	f.Add("0123456789abcdef\r\r01\r0123456789\r01234567", uint8(6))
	f.Fuzz(func(t *testing.T, script string, limit uint8) {
		if !utf8.ValidString(script) {
			return
		}
		k := newKeeper(2 + int(limit))
		whole, line := "", ""
		for i, piece := range strings.SplitAfter(script, "\r") {
			if i > 0 { // the "\r" before it takes the line back
				k.rewrite()
				line = ""
			}
			for part := range strings.SplitAfterSeq(strings.TrimSuffix(piece, "\r"), "\n") {
				text, ended := strings.CutSuffix(part, "\n")
				k.add(text)
				line += text
				if ended {
					k.newline()
					whole += line + "\n"
					line = ""
				}
			}
		}
		whole += line
		got := k.text()
		switch {
		case k.total != int64(len(whole)):
			t.Fatalf("%d bytes, want %d", k.total, len(whole))
		case !utf8.ValidString(got):
			t.Fatalf("not UTF-8: %q", got)
		case k.left() == 0:
			if got != whole {
				t.Fatalf("kept %q, want %q", got, whole)
			}
		default:
			compare(t, got, whole)
		}
		if end := k.last(5); !strings.HasSuffix(whole, end) || len(end) > 5 || !utf8.ValidString(end) {
			t.Fatalf("the end is %q of %q", end, whole)
		}
	})
}

// compare holds a text that was cut against the whole one.
func compare(t *testing.T, got, whole string) {
	t.Helper()
	i := strings.LastIndex(got, " left out]\n")
	start := strings.LastIndex(got[:max(i, 0)], "[")
	if i < 0 || start < 0 {
		t.Fatalf("nothing tells that %q is cut", got)
	}
	head, tail := strings.TrimSuffix(got[:start], "\n"), got[i+len(" left out]\n"):]
	if !strings.HasPrefix(whole, head) || !strings.HasSuffix(whole, tail) {
		t.Fatalf("kept %q and %q of %q", head, tail, whole)
	}
}

func TestKeeperKeepsBothEnds(t *testing.T) {
	k := newKeeper(20)
	k.add(strings.Repeat("a", 10))
	for range 1000 {
		k.add("m")
	}
	k.add(strings.Repeat("z", 10))
	if got, want := k.text(), "aaaaaaaaaa\n[1000 bytes left out]\nzzzzzzzzzz"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if k.left() != 1000 || k.last(3) != "zzz" {
		t.Errorf("%d left out, the end is %q", k.left(), k.last(3))
	}
	k.rewrite()
	k.add("new")
	if got := k.text(); got != "new" {
		t.Errorf("after a rewrite: %q", got)
	}
}
