package text_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/streamjson/streamjson/internal/jsonl"
	"github.com/streamjson/streamjson/redact"
	"github.com/streamjson/streamjson/wrap/internal/text"
)

// show writes a line as the tests compare it: its text, and a mark for each
// thing that it says of itself.
func show(l text.Line) string {
	s := l.Text
	if l.Part {
		s += "…"
	}
	if l.Rewrite {
		s = "«" + s
	}
	if l.Invalid > 0 {
		s += fmt.Sprintf(" invalid=%d", l.Invalid)
	}
	if l.NUL > 0 {
		s += fmt.Sprintf(" nul=%d", l.NUL)
	}
	return s
}

// split returns the lines of the pieces. Lines are good until the next call, so
// each is copied; a piece "" stands for Pending.
func split(o text.Options, pieces ...string) (lines []text.Line) {
	keep := func(l text.Line) {
		l.Text = strings.Clone(l.Text)
		lines = append(lines, l)
	}
	if o.MaxLine == 0 {
		o.MaxLine = 64 << 10
	}
	s := text.New(o)
	for _, p := range pieces {
		if p == "" {
			s.Pending(keep)
			continue
		}
		s.Push([]byte(p), keep)
	}
	s.End(keep)
	return lines
}

// bytewise cuts s into pieces of n bytes.
func bytewise(s string, n int) (pieces []string) {
	for chunk := range slices.Chunk([]byte(s), n) {
		pieces = append(pieces, string(chunk))
	}
	return pieces
}

func shown(lines []text.Line) string {
	var list []string
	for _, l := range lines {
		list = append(list, show(l))
	}
	return strings.Join(list, "|")
}

// The rules of lines, whatever the reads. The numbers are of the field cases
// that a rule answers.
func TestLines(t *testing.T) {
	for _, c := range []struct{ rule, in, want string }{
		{"nothing", "", ""},
		{"lines", "a\nb\n", "a|b"},
		{"44: no newline at the end", "a\nno newline", "a|no newline…"},
		{"blank lines", "\n\na\n", "||a"},
		{"CR LF is one end of line", "a\r\nb\r\n", "a|b"},
		{"CR CR LF, as of a text mode in text mode", "a\r\r\nb\n", "a|b"},
		{"107: a progress bar", "10%\r20%\r100%\n", "100%"},
		{"107: that begins with CR", "\r10%\r20%\r100%\nx\n", "100%|x"},
		{"107: and ends with CR", "10%\r20%\r", "20%…"},
		{"107: CR CR LF behind states", "1\r2\r\r\n", "2"},
		{"a state of blanks", "abc\r   \r\n", "   "},
		{"colours", "\x1b[31mred\x1b[0m\n", "red"},
		{"70: a bracketed paste marker", "\x1b[?2004h{\"a\":1}\n", `{"a":1}`},
		{"68: a window title", "\x1b]0;title\x07text\n", "text"},
		{"70: bytes of a code page", "\xa9\xfa\xb5\x7c\n", "\ufffd\ufffd\ufffd| invalid=3"},
		{"71: C1 controls", "a\u009b31mb\u0085c\n", "abc"},
		{"94: characters", "a — 😀\n", "a — 😀"},
		{"95: the end in the midst of a character", "a\xe2\x80", "a\ufffd\ufffd… invalid=2"},
		{"95: and a line that ends there", "a\xe2\x80\nb\n", "a\ufffd\ufffd invalid=2|b"},
		{"a U+FFFD of the program's own counts as none", "\ufffd\n", "\ufffd"},
		{"97: line separators are no ends of lines", "a\u2028b\u2029c\vd\fe\n", "a\u2028b\u2029c\vd\fe"},
		{"98: UTF-16 that does not say so", "W\x00s\x00l\x00\n\x00", "W\x00s\x00l\x00 nul=3|\x00… nul=1"},
		{"104: a UTF-8 mark", "\xef\xbb\xbfa\n", "a"},
		{"104: in the text it is a character", "a\xef\xbb\xbf\n\xef\xbb\xbf\n", "a\ufeff|\ufeff"},
		{"104: half a mark", "\xef\xbb", "\ufffd\ufffd… invalid=2"},
		{"98: UTF-16 with a mark", "\xff\xfeW\x00s\x00l\x00\r\x00\n\x00\x3d\xd8\x00\xde\n\x00", "Wsl|😀"},
		{"106: the other way round", "\xfe\xff\x00W\x00\n", "W"},
		{"UTF-16 with lone surrogates", "\xff\xfe\x3d\xd8a\x00\x00\xde\x3d\xd8\x3d\xd8\x00\xdeb\x00\n\x00", "\ufffda\ufffd\ufffd😀b invalid=3"},
		{"UTF-16 that ends in half a unit", "\xff\xfea\x00b", "a\ufffd… invalid=1"},
		{"UTF-16 that ends in half a pair", "\xff\xfea\x00\x3d\xd8", "a\ufffd… invalid=1"},
		{"UTF-16 with escape sequences", "\xff\xfe\x1b\x00[\x003\x001\x00m\x00a\x00\n\x00", "a"},
		{"100: control characters", "\x01\x07\x08\x7f\t\n", "\x01\x07\x08\x7f\t"},
		{"an escape sequence that never ends", "a\x1b[31", "a…"},
		{"a control string that never ends", "a\x1b]0;b", "a0;b…"},
		{"a character in the midst of which a sequence stands", "\xe2\x1b[m\x80\x94\n", "—"},
	} {
		for _, n := range []int{1, 2, 3, 7, 1 << 20} {
			if got := shown(split(text.Options{}, bytewise(c.in, n)...)); got != c.want {
				t.Errorf("%s, %d bytes a read: %q, want %q", c.rule, n, got, c.want)
			}
		}
	}
}

// A line that is too long comes in parts, which are cut between characters and
// are the line when they are joined.
func TestParts(t *testing.T) {
	x := strings.Repeat("x", 63)
	for _, c := range []struct{ rule, in, want string }{
		{"a line that just fits", x + "x\n", x + "x"},
		{"and one that is longer", x + "xy\n", x + "x…|y"},
		{"also with CR LF", x + "x\r\n" + x + "xy\r\n", x + "x|" + x + "x…|y"},
		{"parts that are full", x + "x" + x + "x\n", x + "x…|" + x + "x"},
		{"a character over the cut", x + "€€\n", x + "…|€€"},
		{"bytes that are no characters over the cut", x[:60] + "\x80\x80\x80\x80\x80\x80\n", x[:60] + strings.Repeat("\ufffd", 4) + "… invalid=4|\ufffd\ufffd invalid=2"},
		{"a rewritten long line", x + "xyz\rab\n", x + "x…|«ab"},
		{"twice", x + "xyz\r" + x + "xyz\rab\n", x + "x…|«" + x + "x…|«ab"},
		{"a short one rewritten by a long one", "ab\r" + x + "xyz\n", x + "x…|yz"},
		{"a long one that ends in CR", x + "xyz\r", x + "x…|yz…"},
	} {
		for _, n := range []int{1, 2, 3, 65, 1 << 20} {
			if got := shown(split(text.Options{MaxLine: 64}, bytewise(c.in, n)...)); got != c.want {
				t.Errorf("%s, %d bytes a read: %q, want %q", c.rule, n, got, c.want)
			}
		}
	}
}

// Pending tells what is there, each thing once.
func TestPending(t *testing.T) {
	for _, c := range []struct {
		rule   string
		pieces []string
		want   string
	}{
		{"an unfinished line", []string{"a", "", "b\nc"}, "a…|b|c…"},
		{"one that ends then", []string{"a", "", "\n"}, "a…|"},
		{"one that is all", []string{"a", ""}, "a…"},
		{"nothing new", []string{"a", "", "", ""}, "a…"},
		{"a finished line", []string{"a\n", ""}, "a"},
		{"half a character is waited for", []string{"a\xe2", "", "\x80", "", "\x94", "\n"}, "a…|—"},
		{"half an escape sequence, too", []string{"a\x1b[3", "", "1mb\n"}, "a…|b"},
		{"a state of a progress bar", []string{"10%\r", "", "20%\r30%", "", "\r40%\n"}, "10%…|«30%…|«40%"},
		{"a state that stays", []string{"10%\r", "", "", "\n"}, "10%…|"},
		{"a rewrite that has nothing to replace", []string{"10%\r20%", "", "\n"}, "20%…|"},
		{"a state that is cut", []string{"10%", "", "\r2", "", "0%", "", "\n"}, "10%…|«2…|0%…|"},
		{"half a secret", []string{"key ghp_16C7e42F292c69", "", "12E7710c838347Ae178B4a\n"}, "key ghp_…|[REDACTED:github-token]"},
	} {
		if got := shown(split(text.Options{Redactor: redact.Default()}, c.pieces...)); got != c.want {
			t.Errorf("%s: %q, want %q", c.rule, got, c.want)
		}
	}
}

func TestUnfinished(t *testing.T) {
	s := text.New(text.Options{MaxLine: 64})
	for _, c := range []struct {
		piece string
		want  bool
	}{{"a\n", false}, {"b", true}, {"", false}, {"\r", false}, {"c", true}, {"\r", true}, {"", false}, {"\x1b", false}, {"[m", false}, {"d", true}} {
		if c.piece == "" {
			s.Pending(func(text.Line) {})
		} else {
			s.Push([]byte(c.piece), func(text.Line) {})
		}
		if got := s.Unfinished(); got != c.want {
			t.Errorf("after %q: %v", c.piece, got)
		}
	}
}

// 167, 166: a secret of several lines, or one that reads have cut, is found.
func TestSecrets(t *testing.T) {
	key := "-----BEGIN RSA PRIVATE KEY-----\n" + strings.Repeat("MIIEowIBAAKCAQEA7bq1xYz0Lm4Tw7kJ8sQ2vXz9Lm4Tw7kJ8sQ2vXz9Lm4Tw7kJ\n", 12) + "-----END RSA PRIVATE KEY-----\n"
	for _, c := range []struct{ rule, in, want string }{
		{"a token", "\x1b[1mghp_16C7e42F292c69\x1b[0m12E7710c838347Ae178B4a\n", "ghp_[REDACTED:github-token]"},
		{"a key in PEM", "a\n" + key + "b\n", "a|-----BEGIN RSA PRIVATE KEY-----[REDACTED:private-key]|b"},
		{"with CR LF", "a\r\n" + strings.ReplaceAll(key, "\n", "\r\n") + "b\n", "a|-----BEGIN RSA PRIVATE KEY-----[REDACTED:private-key]|b"},
	} {
		for _, n := range []int{1, 3, 64, 1 << 20} {
			if got := shown(split(text.Options{Redactor: redact.Default()}, bytewise(c.in, n)...)); got != c.want {
				t.Errorf("%s, %d bytes a read: %q, want %q", c.rule, n, got, c.want)
			}
		}
	}
	if got := shown(split(text.Options{Redactor: redact.None()}, key)); !strings.Contains(got, "MIIE") {
		t.Errorf("without a redactor: %q", got)
	}
}

// What stands for a secret is not cut in two, wherever it stands.
func TestPartsKeepMarkersWhole(t *testing.T) {
	const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	for before := range 64 {
		in := strings.Repeat("x", before) + " " + secret + " " + strings.Repeat("y", 40) + "\n"
		for _, n := range []int{1, 1 << 20} {
			lines := split(text.Options{MaxLine: 64, Redactor: redact.Default()}, bytewise(in, n)...)
			whole := false
			for _, l := range lines {
				whole = whole || strings.Contains(l.Text, "[REDACTED:github-token]")
				if len(l.Text) > 64 {
					t.Errorf("%d bytes before the secret: a part of %d bytes", before, len(l.Text))
				}
			}
			if !whole {
				t.Errorf("%d bytes before the secret: %s", before, shown(lines))
			}
		}
	}
}

// What comes without a newline is kept up to the longest line, whatever it is.
// Case 91.
func TestMemoryIsBounded(t *testing.T) {
	for name, piece := range map[string]string{
		"NUL": "\x00", "text": "x", "carriage returns": "\r", "states": "ab\r", "a secret without end": "ghp_",
		"a control string": "\x1b]0;", "half characters": "\xe2\x80", "UTF-16": "\xff\xfe\x3d\xd8",
		"base64 of a key": "-----BEGIN PRIVATE KEY-----", "an assignment": "password=",
	} {
		tail := []byte(strings.Repeat(piece[len(piece)-1:], 4096))
		if name == "states" {
			tail = []byte(strings.Repeat(piece, 1000))
		}
		s := text.New(text.Options{MaxLine: 1024, Redactor: redact.Default()})
		told := 0
		emit := func(l text.Line) { told += len(l.Text) }
		s.Push([]byte(piece), emit)
		for range 64 {
			s.Push(tail, emit)
		}
		before := heap()
		for range 2048 { // 8 MiB
			s.Push(tail, emit)
		}
		if grown := heap() - before; grown > 256<<10 {
			t.Errorf("%s: %d bytes more are kept", name, grown)
		}
		s.End(emit)
		if (name == "NUL" || name == "text") && told == 0 {
			t.Errorf("%s: nothing was told", name)
		}
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Ordinary lines cost no memory.
func TestLinesDoNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	s := text.New(text.Options{MaxLine: 64 << 10, Redactor: redact.Default()})
	in := []byte(strings.Repeat(strings.Repeat("word ", 19)+"ends\n", 600) + "unfinished")
	bytes := 0
	emit := func(l text.Line) { bytes += len(l.Text) }
	if n := testing.AllocsPerRun(100, func() { s.Push(in, emit) }); n > 0 {
		t.Errorf("%v allocations a read of 600 lines", n)
	}
}

// wanted is what the lines of an output must join to, by the plainest way.
func wanted(in string) string {
	var out strings.Builder
	rest := jsonl.StripANSI(strings.TrimPrefix(in, "\ufeff"))
	for rest != "" {
		line, tail, ended := strings.Cut(rest, "\n")
		line = strings.TrimRight(line, "\r")
		line = line[strings.LastIndexByte(line, '\r')+1:]
		for _, r := range line { // U+FFFD for each byte that is no UTF-8
			out.WriteRune(r)
		}
		if ended {
			out.WriteByte('\n')
		}
		rest = tail
	}
	return out.String()
}

// joined is the text that lines tell.
func joined(lines []text.Line) string {
	var done, line string
	for _, l := range lines {
		if l.Rewrite {
			line = ""
		}
		line += l.Text
		if !l.Part {
			done += line + "\n"
			line = ""
		}
	}
	return done + line
}

func FuzzLines(f *testing.F) {
	for _, seed := range []string{
		"", "a\nb", "10%\r20%\r\n", "\xef\xbb\xbfa\xffb\n", "\x1b[31mred\x1b[0m", strings.Repeat("€", 100) + "\r\r\nx",
		strings.Repeat("x", 130) + "\r" + strings.Repeat("y", 70), "\xff\xfea\x00\n\x00", "a\x00b", "\u0085\xc2\r\x85\n",
		"key ghp_16C7e42F292c6912E7710c838347Ae178B4a [REDACTED:github-token", "password: hunter22hunter22\nx",
	} {
		f.Add(seed, uint8(3), uint8(5))
	}
	f.Fuzz(func(t *testing.T, in string, a, b uint8) {
		for _, r := range []*redact.Redactor{nil, redact.Default()} {
			o := text.Options{MaxLine: 64, Redactor: r}
			whole := split(o, bytewise(in, len(in)+1)...)
			want := shown(whole)
			for _, n := range []int{1, 1 + int(a), 1 + int(b)} {
				if got := shown(split(o, bytewise(in, n)...)); got != want {
					t.Fatalf("%d bytes a read: %q, whole: %q", n, got, want)
				}
			}
			held(t, whole)
			utf16 := strings.HasPrefix(in, "\xff\xfe") || strings.HasPrefix(in, "\xfe\xff")
			if r == nil && !utf16 && joined(whole) != wanted(in) {
				t.Fatalf("joined: %q, want %q", joined(whole), wanted(in))
			}
			// Whenever the unfinished line is told, the text is the same.
			var pieces []string
			for _, p := range bytewise(in, 1+int(a)%7) {
				pieces = append(pieces, p, "")
			}
			live := split(o, pieces...)
			held(t, live)
			if got, want := joined(live), joined(whole); got != want {
				t.Fatalf("with Pending, joined: %q, want %q", got, want)
			}
		}
	})
}

// held holds lines to what each of them promises.
func held(t *testing.T, lines []text.Line) {
	t.Helper()
	for _, l := range lines {
		switch {
		case !utf8.ValidString(l.Text):
			t.Fatalf("not UTF-8: %q", l.Text)
		case strings.ContainsAny(l.Text, "\r\n\x1b"):
			t.Fatalf("a control character: %q", l.Text)
		case len(l.Text)-2*l.Invalid > 64:
			t.Fatalf("%d bytes: %q", len(l.Text), l.Text)
		case strings.Count(l.Text, "\x00") != l.NUL || strings.Count(l.Text, "\ufffd") < l.Invalid:
			t.Fatalf("%d NUL and %d invalid in %q", l.NUL, l.Invalid, l.Text)
		}
	}
}

func BenchmarkLines(b *testing.B) {
	for name, r := range map[string]*redact.Redactor{"redacted": redact.Default(), "plain": redact.None()} {
		b.Run(name, func(b *testing.B) {
			in := []byte(strings.Repeat(strings.Repeat("some word ", 9)+"and more\n", 660))
			s := text.New(text.Options{MaxLine: 64 << 10, Redactor: r})
			lines := 0
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				s.Push(in, func(text.Line) { lines++ })
			}
			b.ReportMetric(float64(lines)/b.Elapsed().Seconds(), "lines/s")
		})
	}
}
