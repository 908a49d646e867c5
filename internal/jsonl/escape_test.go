package jsonl_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/streamjson/streamjson/internal/jsonl"
)

// slowEscape is contract F8 one character at a time, with nothing shared with
// the code under test.
func slowEscape(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, w := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && w == 1:
			b.WriteString("\xef\xbf\xbd")
		case r == '"':
			b.WriteString(`\"`)
		case r == '\\':
			b.WriteString(`\\`)
		case r == '\b':
			b.WriteString(`\b`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\f':
			b.WriteString(`\f`)
		case r == '\r':
			b.WriteString(`\r`)
		case r < 0x20, r >= 0x7f && r <= 0x9f, r == 0x2028, r == 0x2029:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
		s = s[w:]
	}
	return b.String()
}

// repaired is s with U+FFFD for each byte that is not UTF-8: what a reader
// gets back.
func repaired(s string) string {
	var b strings.Builder
	for _, r := range s {
		b.WriteRune(r)
	}
	return b.String()
}

// checkString holds one string against every promise of AppendString.
func checkString(t *testing.T, s string) {
	t.Helper()
	const prefix = `{"a":`
	out := jsonl.AppendString([]byte(prefix), s)
	if !bytes.HasPrefix(out, []byte(prefix)) {
		t.Fatalf("AppendString(%q) changed what was in the buffer: %q", s, out)
	}
	out = out[len(prefix):]
	if want := `"` + slowEscape(s) + `"`; string(out) != want {
		t.Fatalf("AppendString(%q)\n got %s\nwant %s", s, out, want)
	}
	checkWire(t, out)
	var back string
	if err := json.Unmarshal(out, &back); err != nil {
		t.Fatalf("AppendString(%q) = %q, which is not JSON: %v", s, out, err)
	}
	if back != repaired(s) {
		t.Fatalf("%q came back as %q", s, back)
	}
}

// checkWire refuses bytes that must never leave in a line.
func checkWire(t *testing.T, out []byte) {
	t.Helper()
	if !utf8.Valid(out) {
		t.Fatalf("not UTF-8: %q", out)
	}
	for _, r := range string(out) {
		if r < 0x20 || r >= 0x7f && r <= 0x9f || r == 0x2028 || r == 0x2029 {
			t.Fatalf("%U stands raw in %q", r, out)
		}
	}
}

func TestAppendStringSpelling(t *testing.T) {
	for _, c := range []struct{ rule, in, want string }{
		{"empty", "", `""`},
		{"short escapes", "\"\\\b\t\n\f\r", `"\"\\\b\t\n\f\r"`},
		{"other controls in lower-case hex", "\x00\x01\x0b\x1b\x1f", `"\u0000\u0001\u000b\u001b\u001f"`},
		{"DEL", "\x7f", `"\u007f"`},
		{"C1 controls", "\u0080\u0085\u009b\u009f", `"\u0080\u0085\u009b\u009f"`},
		{"the character after C1 is raw", "\u00a0", "\"\u00a0\""},
		{"line separators", "\u2027\u2028\u2029\u202a", "\"\u2027\\u2028\\u2029\u202a\""},
		{"no HTML escaping", "/<>&'", `"/<>&'"`},
		{"outside the BMP", "😀\U0010ffff", "\"😀\U0010ffff\""},
		{"a raw U+FFFD stays", "\ufffd", "\"\ufffd\""},
		{"one U+FFFD a refused byte", "\xff\xc3\x28\xe2\x82", "\"\ufffd\ufffd(\ufffd\ufffd\""},
		{"surrogates in UTF-8", "\xed\xa0\x80", "\"\ufffd\ufffd\ufffd\""},
		{"overlong forms", "\xc0\xaf\xe0\x80\xaf\xf0\x80\x80\xaf", "\"" + strings.Repeat("\ufffd", 9) + "\""},
		{"an overlong ESC", "\xc0\x9b[31m", "\"\ufffd\ufffd[31m\""},
		{"a single byte C1", "\x9b31m", "\"\ufffd31m\""},
		{"beyond the last code point", "\xf4\x90\x80\x80", "\"" + strings.Repeat("\ufffd", 4) + "\""},
		{"a byte order mark is a character", "\ufeffa", "\"\ufeffa\""},
	} {
		t.Run(c.rule, func(t *testing.T) {
			if got := jsonl.AppendString(nil, c.in); string(got) != c.want {
				t.Errorf("got %s want %s", got, c.want)
			}
			checkString(t, c.in)
		})
	}
}

// Each code point and each byte, at each place in a word, with both neighbours.
func TestAppendStringEveryCharacter(t *testing.T) {
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if r > 0x3000 && r%97 != 0 && r&0xff < 0xfe || raceEnabled && r%7 != 0 {
			continue // the rest is a sample and the edges of each block
		}
		s := string(r)
		checkString(t, s)
		if r < 0x2100 {
			for k := range 9 {
				checkString(t, strings.Repeat("a", k)+s+strings.Repeat("b", 8-k))
			}
			checkString(t, s+s+s+s+s+s+s+s+s)
		}
	}
}

func TestAppendStringEveryPairOfBytes(t *testing.T) {
	buf := make([]byte, 0, 64)
	for a := range 256 {
		for b := range 256 {
			s := string([]byte{byte(a), byte(b)})
			for _, s := range []string{s, "12345" + s, s + "1234567", "1234567" + s + "12345678"} {
				buf = jsonl.AppendEscaped(buf[:0], s)
				if want := slowEscape(s); string(buf) != want {
					t.Fatalf("AppendEscaped(%q) = %q want %q", s, buf, want)
				}
			}
		}
	}
}

// hostileBytes are those at which some rule of UTF-8 or F8 changes.
var hostileBytes = []byte("a/~ !\"#\\[]\x00\x08\x0a\x1b\x1f\x7e\x7f\x80\x8f\x90\x9b\x9f\xa0\xa8\xa9\xbf\xc0\xc1\xc2\xc3\xdf\xe0\xe1\xe2\xec\xed\xee\xef\xf0\xf3\xf4\xf5\xfe\xff")

func hostileText(r *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		switch r.IntN(3) {
		case 0:
			b[i] = 'x'
		default:
			b[i] = hostileBytes[r.IntN(len(hostileBytes))]
		}
	}
	return string(b)
}

func TestAppendStringHostileText(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 30_000 {
		checkString(t, hostileText(r, r.IntN(40)))
	}
	for range 20 {
		checkString(t, hostileText(r, 5000+r.IntN(100)))
	}
}

// troublemakers are characters that end a block's clean path in all ways.
var troublemakers = []string{
	"\"", "\n", "\x00", "\x1b", "\x7f", "\u0080", "\u009f", "\u00a0", "\u00e9", "\u07ff", "\u0800", "\u2027", "\u2028", "\u2029", "\ud7ff", "\ue000", "\uffff",
	"\U00010000", "\U0010ffff", "\x80", "\xbf", "\xc2", "\xc0\x80", "\xe2\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x9f\x98", "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\xff",
}

// One of them at each place of a text of several blocks, alone and in a row.
func TestAppendStringEveryPlaceInABlock(t *testing.T) {
	var want, buf []byte
	for _, c := range troublemakers {
		escaped := slowEscape(c)
		for at := range 170 {
			for _, behind := range []int{0, 1, 7, 8, 40, 100, 200} {
				for _, n := range []int{1, 3, 40} {
					s := strings.Repeat("a", at) + strings.Repeat(c, n) + strings.Repeat("b", behind)
					want = append(want[:0], strings.Repeat("a", at)...)
					want = append(want, strings.Repeat(escaped, n)...)
					want = append(want, strings.Repeat("b", behind)...)
					if buf = jsonl.AppendEscaped(buf[:0], s); !bytes.Equal(buf, want) {
						t.Fatalf("%q %d times behind %d and before %d bytes:\n got %q\nwant %q", c, n, at, behind, buf, want)
					}
				}
			}
		}
	}
}

// Texts of clean stretches, runs of other scripts and trouble, of all lengths.
func TestAppendStringMixedText(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	for range 5000 {
		var b strings.Builder
		for range r.IntN(12) {
			switch r.IntN(4) {
			case 0:
				b.WriteString(strings.Repeat("clean ", r.IntN(60)))
			case 1:
				b.WriteString(strings.Repeat("\u4e16\u754c", r.IntN(30)))
			case 2:
				b.WriteString(strings.Repeat("\u00fc", r.IntN(5)))
			default:
				b.WriteString(troublemakers[r.IntN(len(troublemakers))])
			}
		}
		checkString(t, b.String())
	}
}

// Whatever room the buffer has, the result is the same and nothing beyond its
// capacity is touched.
func TestAppendStringAnyRoom(t *testing.T) {
	for _, s := range []string{"", "a", "plain text of some length", "\x00\x01\x02\x03\x04\x05\x06\x07\x0b", "é\xff\u2028世界\x7f", strings.Repeat("\x00", 100), strings.Repeat("\xff", 300), strings.Repeat("clean", 60) + "\x1f", strings.Repeat("\x00", 20) + strings.Repeat("a", 74) + "\x01"} {
		want := `"` + slowEscape(s) + `"`
		for room := range 500 {
			array := bytes.Repeat([]byte{'#'}, 600)
			out := jsonl.AppendString(array[:3:3+room], s)
			if string(out) != "###"+want {
				t.Fatalf("room %d: %q", room, out)
			}
			if rest := array[3+room:]; len(bytes.Trim(rest, "#")) != 0 {
				t.Fatalf("room %d: wrote beyond the capacity: %q", room, rest)
			}
		}
	}
}

func TestAppendEscapedJoins(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		s := hostileText(r, r.IntN(60))
		whole := jsonl.AppendEscaped(nil, s)
		cut := jsonl.CompletePrefix(s[:r.IntN(len(s)+1)])
		parts := jsonl.AppendEscaped(jsonl.AppendEscaped(nil, s[:cut]), s[cut:])
		if !bytes.Equal(whole, parts) {
			t.Fatalf("%q cut at %d: %q, whole %q", s, cut, parts, whole)
		}
	}
}

func FuzzAppendString(f *testing.F) {
	for _, s := range []string{"", "plain", "tab\tquote\"back\\slash", "\x1b[31mred", "é\u0080\u2028世界😀", "\xff\xe2\x82\xc2", "\xed\xa0\x80\x7f", "0123456789abcdef\n\n\t\t"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkString(t, s) })
}
