package jsonl_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/charmbracelet/x/ansi"
	"github.com/streamjson/streamjson/internal/jsonl"
)

type ansiCase struct{ rule, in, want string }

var ansiCases = [...]ansiCase{
	{"no sequence", "plain text\n\twith tab é世😀", "plain text\n\twith tab é世😀"},
	{"colour", "\x1b[31mred\x1b[0m", "red"},
	{"many parameters", "a\x1b[38;5;196;48;2;1;2;3mb", "ab"},
	{"colons in parameters", "a\x1b[4:3mb", "ab"},
	{"private parameters", "a\x1b[?2004hb\x1b[>4;2mc", "abc"},
	{"intermediate in a control sequence", "a\x1b[2 qb\x1b[!pc", "abc"},
	{"control sequence without parameters", "a\x1b[Kb\x1b[Hc", "abc"},
	{"final bytes from @ to ~", "\x1b[@a\x1b[~b", "ab"},
	{"two-byte sequences", "\x1b7a\x1b8b\x1bMc\x1b=d\x1bce\x1b~f", "abcdef"},
	{"three-byte sequences", "\x1b(Ba\x1b#8b\x1b%Gc\x1b Fd", "abcd"},
	{"two intermediates", "\x1b$(Ba", "a"},
	{"title ended by BEL", "a\x1b]0;title\x07b", "ab"},
	{"title ended by ST", "a\x1b]0;title\x1b\\b", "ab"},
	{"title ended by C1 ST", "a\x1b]0;title\u009cb", "ab"},
	{"hyperlink", "\x1b]8;;http://x/?a=b\x1b\\text\x1b]8;;\x1b\\!", "text!"},
	{"title with other scripts", "a\x1b]0;éÜ世✜😀\x07b", "ab"}, // ✜ holds the byte 0x9c
	{"device control string", "a\x1bP1$r0m\x1b\\b", "ab"},
	{"BEL does not end a device control string", "a\x1bPx\x07y\x1b\\b", "ab"},
	{"SOS, PM, APC", "a\x1bXx\x1b\\b\x1b^y\x1b\\c\x1b_Gz\x1b\\d", "abcd"},
	{"string ended by another sequence", "a\x1b]0;t\x1b[31mb", "ab"},
	{"string inside a string", "a\x1bPtmux;\x1b\x1b]0;t\x07\x1b\\b", "ab"},
	{"C1 control sequence", "a\u009b31mb", "ab"},
	{"C1 strings", "a\u009d0;t\x07b\u0090x\u009cc\u0098y\u009cd\u009ez\u009ce\u009fu\u009cf", "abcdef"},
	{"C1 controls alone", "a\u0080\u0084\u0085\u008d\u009a\u009cb", "ab"},
	{"C1 ends a control sequence", "a\x1b[3\u009b1mb", "ab"},
	{"ESC ends a control sequence", "a\x1b[3\x1b[1mb", "ab"},
	{"ESC ESC", "a\x1b\x1b[1mb\x1b\x1bMc", "abc"},
	{"stray ST", "a\x1b\\b", "ab"},
	{"ESC at the end", "a\x1b", "a"},
	{"ESC [ at the end", "a\x1b[", "a"},
	{"parameters at the end", "a\x1b[38;5", "a"},
	{"CAN and SUB abort", "a\x1b[3\x18b\x1b[3\x1ac\x1b]0;t\x18d\x1b\x1ae", "abcde"},
	{"CAN and SUB alone stay", "a\x18b\x1ac", "a\x18b\x1ac"},
	{"controls act inside a control sequence", "a\x1b[3\r\t\x08\x071mb", "a\r\t\x08\x07b"},
	{"DEL inside a sequence stays", "a\x1b[3\x7f1mb", "a\x7fb"},
	{"other controls stay", "\x00\x01\x07\x08\x0b\x0c\x0e\x0f\x7f\r", "\x00\x01\x07\x08\x0b\x0c\x0e\x0f\x7f\r"},
	{"a character ends a control sequence", "a\x1b[3éb", "aéb"},
	{"a character ends an escape", "a\x1béb\x1b(世c", "aéb世c"},
	{"invalid bytes end a control sequence", "a\x1b[3\xffb", "a\xffb"},
	{"single bytes 80 to 9f are no controls", "a\x9b31mb\x9d0;t\x07", "a\x9b31mb\x9d0;t\x07"},
	{"overlong C1 is none", "a\xe0\x82\x9b31m", "a\xe0\x82\x9b31m"},
	{"C1 behind a broken sequence", "a\xe2\xc2\x9b31mb", "a\xe2b"},
	{"c2 alone", "a\xc2", "a\xc2"},
	{"c2 before ASCII", "a\xc2b\xc2\x1b[mc", "a\xc2b\xc2c"},
	{"halves of a C1 around a sequence", "a\xc2\x1b[m\x9b\x9b1mb\xc2\x1b[m\xa9", "a\xc21mb\xc2\xa9"},
	{"halves of a C1 around the start of a string", "a\xc2\x1b]\x9b1m", "a\xc21m"},
	{"c2 twice", "a\xc2\xc2\x9b1mb", "a\xc2b"},
	{"the characters behind C1 stay", "\u00a0¡¿ÿ", "\u00a0¡¿ÿ"},
	{"newline ends a control sequence", "a\x1b[3\nmb", "a\nmb"},
	{"newline ends an escape", "a\x1b\nb\x1b(\nc", "a\nb\nc"},
	{"string that does not end on its line", "a\x1b]0;title\nb", "a0;title\nb"},
	{"string that does not end", "warning: \x1b]0;file: not found", "warning: 0;file: not found"},
	{"C1 string that does not end", "a\u009dtext", "atext"},
	{"device control string over two lines", "a\x1bPx\ny\x1b\\b", "ax\nyb"},
	{"CR does not end the line", "a\x1b]0;t\rx\x07b", "ab"},
	{"string that ends with c2", "a\x1b]0;t\xc2", "a0;t\xc2"},
	{"as long as is kept", "a\x1b]" + strings.Repeat("x", 4096), "a" + strings.Repeat("x", 4096)},
	{"longer than is kept", "a\x1b]" + strings.Repeat("x", 4097), "a"},
	{"long string ends", "a\x1b]" + strings.Repeat("x", 100_000) + "\x07b", "ab"},
	{"long string ends with its line", "a\x1b_" + strings.Repeat("x", 100_000) + "\nb", "a\nb"},
	{"sequence behind a long string", "a\x1b_" + strings.Repeat("x", 100_000) + "\x1b[1mb", "ab"},
}

func TestStripANSI(t *testing.T) {
	for _, c := range ansiCases {
		if got := jsonl.StripANSI(c.in); got != c.want {
			t.Errorf("%s: StripANSI(%.80q)\n got %.80q\nwant %.80q", c.rule, c.in, got, c.want)
		}
		checkStripped(t, c.in)
	}
}

// checkStripped holds the laws of stripping for one text.
func checkStripped(t *testing.T, s string) {
	t.Helper()
	out := jsonl.StripANSI(s)
	if strings.Contains(out, "\x1b") {
		t.Fatalf("%q left an ESC: %q", s, out)
	}
	for _, r := range out {
		if 0x80 <= r && r <= 0x9f {
			t.Fatalf("%q left %U: %q", s, r, out)
		}
	}
	// Nothing is added, no newline goes, and what is left has nothing more to strip.
	rest := s
	for i := range len(out) {
		k := strings.IndexByte(rest, out[i])
		if k < 0 {
			t.Fatalf("%q became %q, which is no part of it", s, out)
		}
		rest = rest[k+1:]
	}
	if strings.Count(s, "\n") != strings.Count(out, "\n") {
		t.Fatalf("%q lost a line: %q", s, out)
	}
	if again := jsonl.StripANSI(out); again != out {
		t.Fatalf("a second pass made %q of %q", again, out)
	}
	// Lines are stripped each by itself.
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = jsonl.StripANSI(lines[i])
	}
	if joined := strings.Join(lines, "\n"); joined != out {
		t.Fatalf("%q line by line: %q, as a whole: %q", s, joined, out)
	}
}

// checkChunks cuts s in pieces by the lengths in cuts, again and again, and
// compares with the whole.
func checkChunks(t *testing.T, p *jsonl.Stripper, s string, cuts []byte) {
	t.Helper()
	want := jsonl.StripANSI(s)
	out := []byte("#")
	rest := []byte(s)
	for i := 0; len(rest) > 0; i++ {
		n := 1
		if len(cuts) > 0 {
			n = min(int(cuts[i%len(cuts)]), len(rest))
			if i > 2*len(s) {
				n = len(rest)
			}
		}
		chunk := append([]byte(nil), rest[:n]...)
		out = p.Append(out, chunk)
		clear(chunk) // it belongs to the caller again
		rest = rest[n:]
	}
	if out = p.Flush(out); string(out) != "#"+want {
		t.Fatalf("%q in pieces %v\n got %q\nwant %q", s, cuts, out, want)
	}
}

func TestStripperDoesNotSeeTheChunks(t *testing.T) {
	var p jsonl.Stripper // used again and again: Flush makes it new
	for _, c := range ansiCases {
		checkChunks(t, &p, c.in, nil)
		for first := range min(len(c.in), 60) {
			checkChunks(t, &p, c.in, []byte{byte(first), 255})
		}
	}
	r := rand.New(rand.NewPCG(11, 12))
	for range 8_000 {
		cuts := []byte{byte(r.IntN(4)), byte(1 + r.IntN(5)), byte(r.IntN(9))}
		checkChunks(t, &p, ansiText(r), cuts)
	}
}

// ansiText is text in which something happens.
func ansiText(r *rand.Rand) string {
	parts := []string{"\x1b", "\x1b[", "\x1b]", "\x1bP", "\x1b\\", "\u009b", "\u009d", "\u009c", "\xc2", "\x9b", "\x07", "\x18", "\n", "\r", "m", "31", ";", "text", "é", "\xff", "(", "B", " ", "\x7f"}
	var b strings.Builder
	for range r.IntN(14) {
		b.WriteString(parts[r.IntN(len(parts))])
	}
	return b.String()
}

func TestStripANSIRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for range 20_000 {
		checkStripped(t, ansiText(r))
	}
}

func FuzzStripper(f *testing.F) {
	for _, c := range ansiCases {
		if len(c.in) < 100 {
			f.Add(c.in, []byte{3, 1})
		}
	}
	f.Fuzz(func(t *testing.T, s string, cuts []byte) {
		checkStripped(t, s)
		checkChunks(t, new(jsonl.Stripper), s, cuts)
		checkChunks(t, new(jsonl.Stripper), s, nil)
	})
}

func TestStripperReset(t *testing.T) {
	var p jsonl.Stripper
	p.Append(nil, []byte("\x1b]0;half a title"))
	p.Reset()
	if got := p.Flush(p.Append(nil, []byte("text\x07"))); string(got) != "text\x07" {
		t.Errorf("got %q", got)
	}
	p.Append(nil, []byte("\xc2"))
	p.Reset()
	if got := p.Flush(nil); len(got) != 0 {
		t.Errorf("got %q", got)
	}
}

func TestStripANSIReturnsItsInput(t *testing.T) {
	for _, s := range []string{"", "plain", "é世😀 \u00a0£©", "\x00\x07\x18\r\n", "ends in \xc2", "\xff\x9b"} {
		if got := jsonl.StripANSI(s); got != s || unsafe.StringData(got) != unsafe.StringData(s) {
			t.Errorf("StripANSI(%q) is a copy: %q", s, got)
		}
	}
}

// Where our rules part from those of github.com/charmbracelet/x/ansi, and on
// which side. A row that no longer holds is a change of one of the two.
func TestDifferencesToCharmAnsi(t *testing.T) {
	for _, c := range []struct{ why, in, ours, theirs string }{
		{"a character in a title may hold the byte 9c", "a\x1b]0;\u4e1c\u271c\x07b", "ab", "a\u271c\ab"},
		{"C1 controls are two bytes in UTF-8", "a\u009b31mb", "ab", "a\u009b31mb"},
		{"C1 strings too", "a\u009d0;t\u009cb", "ab", "a\u009d0;t\u009cb"},
		{"single bytes 80 to 9f are not UTF-8, no controls", "a\x9b31mb", "a\x9b31mb", "ab"},
		{"CAN aborts and goes", "a\x1b[3\x18b", "ab", "a\x18b"},
		{"DEL is kept like other controls", "a\x1b[3\x7f1mb", "a\x7fb", "ab"},
		{"a byte that can't belong to a sequence is kept", "a\x1b[3\xffb", "a\xffb", "ab"},
		{"a sequence ends with its line", "a\x1b[3\nmb", "a\nmb", "a\nb"},
		{"so does an escape", "a\x1b\nb", "a\nb", "a\n"},
		{"a string without end hides no text", "warning: \x1b]0;file: not found", "warning: 0;file: not found", "warning: "},
		{"not that on later lines either", "a\x1b]0;t\nb\nc", "a0;t\nb\nc", "a"},
	} {
		if got := jsonl.StripANSI(c.in); got != c.ours {
			t.Errorf("%s: ours %q, want %q", c.why, got, c.ours)
		}
		if got := ansi.Strip(c.in); got != c.theirs {
			t.Errorf("%s: theirs %q, want %q", c.why, got, c.theirs)
		}
	}
}

// Where no rule of ours parts from theirs, the two agree: well-formed
// sequences, each on one line, in valid text without C1 controls.
func TestStripANSIAgreesWithCharmAnsi(t *testing.T) {
	parts := []string{"text ", "\u00e9", "\u4e16", "\x1b[31m", "\x1b[0m", "\x1b[?25l", "\x1b[2;3H", "\x1b]0;title\x07", "\x1b]8;;http://x/\x1b\\", "\x1bPq#0\x1b\\", "\x1b_Ga\x1b\\", "\x1b(B", "\x1b7", "\x1bM", "\n", "\t", "\r"}
	r := rand.New(rand.NewPCG(15, 16))
	for range 20_000 {
		var b strings.Builder
		for range r.IntN(12) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		if got, want := jsonl.StripANSI(b.String()), ansi.Strip(b.String()); got != want {
			t.Fatalf("%q: ours %q, theirs %q", b.String(), got, want)
		}
	}
}
