//go:build (linux || darwin) && gc && !purego && !msan

package jsonl

import (
	"fmt"
	"runtime/debug"
	"strings"
	"testing"
	"unicode/utf8"
	"unsafe"

	xcpu "golang.org/x/sys/cpu"

	"github.com/streamjson/streamjson/internal/cpu"
	"github.com/streamjson/streamjson/internal/guarded"
)

// A kernel that is never asked would go unseen: all other tests would pass.
func TestKernelIsUsedWhereTheProcessorCan(t *testing.T) {
	if want := xcpu.X86.HasAVX2 && xcpu.X86.HasPOPCNT; hasKernel(kernelAlways) != want {
		t.Errorf("hasKernel = %v, want %v", !want, want)
	}
}

// Short texts, of which most programs write nothing but, bring the kernel, too.
func TestKernelIsAskedForByShortTexts(t *testing.T) {
	needKernel(t)
	kernel = cpu.Gate{}
	asked := 0
	for ; asked < 2*cpu.GateUses && !hasKernel(5); asked++ {
	}
	if asked+1 != cpu.GateUses {
		t.Errorf("the kernel came with text %d, want %d", asked+1, cpu.GateUses)
	}
}

const blank = "                                                                "

// pageTexts are texts of n bytes that lead the kernel each of its ways.
func pageTexts(n int) map[string]string {
	end := func(s string) string { return s[len(s)-n:] }
	return map[string]string{
		"clean":               strings.Repeat("a", n),
		"short escapes":       strings.Repeat("\"", n),
		"long escapes":        strings.Repeat("\x01", n),
		"a short escape":      end(strings.Repeat("a", n) + "\n"),
		"a long escape":       end(strings.Repeat("a", n) + "\x7f"),
		"one some way off":    end(strings.Repeat("a", n) + "\x1b\n[31m"),
		"all kinds":           end(strings.Repeat("a\"世\x00é\n", n)),
		"other scripts":       end(strings.Repeat("世", n)),
		"half a character":    strings.Repeat("世", n)[:n],
		"no UTF-8":            strings.Repeat("\xff", n),
		"no UTF-8 in the end": end(strings.Repeat("a", n) + "\xe2"),
		"a line separator":    end(strings.Repeat("a", n) + "\u2028"),
	}
}

// The kernel reads nothing outside of the text and writes nothing outside of
// the buffer: a page that must not be touched stands on each side of both.
func TestKernelAtPageEnds(t *testing.T) {
	needKernel(t)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	page, out := guarded.Page(t), guarded.Page(t)
	step := 1
	if testing.Short() {
		step = 7
	}
	what := ""
	defer func() {
		if r := recover(); r != nil {
			t.Fatalf("%s: %v", what, r)
		}
	}()
	sizes := []int{62, 63, 64, 65}
	for n := 1; n < 330; n += step {
		sizes = append(sizes, n)
	}
	for _, n := range sizes {
		for name, text := range pageTexts(n) {
			want, m := putBlocks(make([]byte, 7*n+2*slack), 0, text)
			for _, spare := range []int{0, 1, 7, 8, 9, 31, 64, 5 * n} {
				for _, source := range [][]byte{page[:n], page[len(page)-n:]} {
					what = fmt.Sprintf("%s, %d bytes, room for %d more", name, n, spare)
					copy(source, text)
					room := n + slack + spare
					for _, buf := range [][]byte{out[:room:room], out[len(out)-room:]} {
						got, k := putText(buf, 0, view(source))
						if string(got[:k]) != string(want[:m]) {
							t.Fatalf("%s: %q, want %q", what, got[:k], want[:m])
						}
					}
				}
			}
		}
	}
}

// What the kernel is for it does to the end, or its speed would be gone unseen.
func TestKernelStopsOnlyWhereItMust(t *testing.T) {
	needKernel(t)
	run := func(s string) (in int) {
		buf := make([]byte, 7*len(s)+2*slack)
		in, _ = escapeBlocks(&buf[0], unsafe.StringData(s), len(s), len(buf)-len(s)-slack)
		return in
	}
	for name, piece := range map[string]string{
		"clean": "text ", "code": "if x == \"\\\" {\n\t", "ASCII controls": "\x1b[0m\x00\x7f\x0b", "Latin": "é«à\u00a0ÿ", "punctuation": "“–…”\u2027\u202a→",
		"Chinese": "世界、", "Korean": "한국어\ud7a3", "private use and specials": "\ue000\ufffd\uffff", "emoji": "😀\U00010000\U0010ffff", "all": "a\"世\x00é\n😀",
	} {
		for n := kernelMin; n < 5*block; n++ {
			s := strings.Repeat(piece, n)[:n]
			s = s[:CompletePrefix(s)]
			if len(s) <= block && !strings.ContainsAny(s, "\x00\x0b\x1b\x7f") {
				padded := s + blank
				if escapeShort(&make([]byte, 2*block)[0], unsafe.StringData(padded), len(s)) == 0 {
					t.Fatalf("%s: nothing of %q", name, s)
				}
			}
			if len(s) < block {
				continue
			}
			if in := run(s); in < len(s) {
				t.Fatalf("%s: stopped at %d in %q", name, in, s)
			}
		}
	}
	for _, shift := range []string{"", "a", "ab", "abc"} {
		every := []byte(shift)
		for r := rune(' '); r <= utf8.MaxRune; r++ {
			if r != 0x2028 && r != 0x2029 && (r < 0x7f || r > 0x9f) && utf8.ValidRune(r) {
				every = utf8.AppendRune(every, r)
			}
		}
		if in := run(string(every)); in < len(every) {
			t.Fatalf("behind %q: stopped at %d, before %q", shift, in, every[in:in+block])
		}
	}
	for _, piece := range []string{"\u0080", "\u009f", "\u2028", "\u2029", "\x80", "\xbf", "\xc0", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xe4\xb8", "\xf0\x9f\x98"} {
		for at := range 3 * block {
			s := strings.Repeat("a", at) + piece + strings.Repeat("b", 2*block)
			if in := run(s); in != at&^(block-1) && in != (at+len(piece))&^(block-1) {
				t.Fatalf("%q at %d: stopped at %d", piece, at, in)
			}
		}
	}
}
