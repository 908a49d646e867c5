package jsonl_test

import (
	"math/rand/v2"
	"strings"
	"sync"
)

// corpusSize is more text than a branch predictor learns by heart: a benchmark
// that repeats one text is several times too fast.
const corpusSize = 4 << 20

var corpora sync.Map // kind and size to texts

// corpus returns many different texts of the given kind, each of exactly size bytes.
func corpus(kind string, size int) []string {
	type id struct {
		kind string
		size int
	}
	if list, ok := corpora.Load(id{kind, size}); ok {
		return list.([]string)
	}
	r := rand.New(rand.NewPCG(uint64(size), uint64(len(kind))))
	list := make([]string, max(corpusSize/size, 3))
	for i := range list {
		list[i] = benchText(r, kind, size)
	}
	corpora.Store(id{kind, size}, list)
	return list
}

var benchWords = strings.Fields("func return error context nil if the value of a call is not what we have seen before then try again with more time and check index range string bytes result")

func benchText(r *rand.Rand, kind string, size int) string {
	var b strings.Builder
	word := func() string { return benchWords[r.IntN(len(benchWords))] }
	for b.Len() < size {
		switch kind {
		case "ascii":
			b.WriteString(word() + " ")
		case "code": // an escape in about 19 bytes, some of them together
			switch r.IntN(12) {
			case 0:
				b.WriteString(";\n" + strings.Repeat("\t", r.IntN(3)))
			case 1:
				b.WriteString(`"` + word() + `", `)
			default:
				b.WriteString(word() + []string{" ", "(", ") ", ".", " = ", "_"}[r.IntN(6)])
			}
		case "nonascii": // about a tenth of the bytes
			if r.IntN(4) == 0 {
				b.WriteString([]string{"é", "ß", "ñ", "→", "“", "”", "中", "🙂", "ü", "я"}[r.IntN(10)])
			}
			b.WriteString(word() + " ")
		case "cjk":
			if r.IntN(12) == 0 {
				b.WriteString([]string{"、", "。", "\n", " ", "A"}[r.IntN(5)])
			}
			b.WriteRune(rune(0x4e00 + r.IntN(0x4000)))
		case "controls":
			b.WriteByte(byte(r.IntN(32)))
		}
	}
	s := b.String()[:size]
	if strings.ToValidUTF8(s, "") != s { // the cut went through a character
		s = strings.ToValidUTF8(s, "")
		s += strings.Repeat("x", size-len(s))
	}
	return s
}

// toolInput is a typical plain value: ten keys, about 850 bytes.
func toolInput(r *rand.Rand) map[string]any {
	return map[string]any{
		"path":     "/home/u/project/internal/server/" + benchWords[r.IntN(len(benchWords))] + ".go",
		"old":      benchText(r, "code", 250),
		"new":      benchText(r, "code", 300),
		"line":     r.IntN(5000),
		"all":      r.IntN(2) == 0,
		"ratio":    r.Float64(),
		"encoding": "utf-8",
		"tags":     []any{"edit", "go", r.IntN(100)},
		"meta":     map[string]any{"tool": "edit", "attempt": 1, "note": nil},
		"command":  "go test ./... -run " + benchText(r, "ascii", 40),
	}
}
