// Package corpus makes the texts that the benchmarks write. The branch
// predictor of a processor learns a text of 64 KiB by heart, and an escaper
// that meets the same text again looks up to four times as fast as it is, so
// every call must get a text that it has not seen: a Pool hands out the pieces
// of several MiB in turn.
package corpus

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Kind is what the texts of a corpus are made of.
type Kind string

// The kinds of text.
const (
	ASCII    Kind = "ascii"    // English words; nothing to escape
	Code     Kind = "code"     // Go and prose about it: an escape every 15 to 30 bytes, in clusters
	NonASCII Kind = "nonascii" // English with accents, dashes and emoji: about a tenth of the bytes is not ASCII
	CJK      Kind = "cjk"      // Chinese characters alone, three bytes each
	Control  Kind = "control"  // control characters alone: the worst case, six bytes written for one
)

// Kinds returns all kinds.
func Kinds() []Kind { return []Kind{ASCII, Code, NonASCII, CJK, Control} }

// Delta is the size of a Pool's texts that stands for what models stream: 20
// to 60 bytes, 40 on average.
const Delta = 40

// A Corpus is a text from which pools are cut. It is safe for concurrent use.
type Corpus struct {
	kind Kind
	text string
}

// New returns a corpus of at least size bytes. The same arguments give the
// same text. It returns an error if there is no such kind.
func New(kind Kind, size int) (*Corpus, error) {
	if !slices.Contains(Kinds(), kind) {
		return nil, fmt.Errorf("corpus: no kind %q: choose one of %v", kind, Kinds())
	}
	g := generator{r: rand.New(rand.NewPCG(7, 7)), words: words(), symbols: symbols()}
	g.b.Grow(size + 64)
	for g.b.Len() < size {
		g.more(kind)
	}
	return &Corpus{kind, g.b.String()}, nil
}

// Kind returns the kind of the texts.
func (c *Corpus) Kind() Kind { return c.kind }

// Text returns the whole text.
func (c *Corpus) Text() string { return c.text }

type generator struct {
	r       *rand.Rand
	b       strings.Builder
	words   []string
	symbols []string
}

// more appends a few characters of a kind.
func (g *generator) more(kind Kind) {
	switch kind {
	case ASCII:
		g.b.WriteString(g.word())
		g.b.WriteByte(' ')
	case Code:
		g.code()
	case NonASCII:
		if g.r.IntN(5) == 0 {
			g.b.WriteString(g.symbols[g.r.IntN(len(g.symbols))])
		}
		g.b.WriteString(g.word())
		g.b.WriteByte(' ')
	case CJK:
		g.b.WriteRune(rune(0x4e00 + g.r.IntN(5000)))
	case Control:
		// Those that have no short escape: \u and four digits each.
		const controls = "\x01\x02\x03\x04\x05\x06\x07\x0b\x0e\x0f\x10\x1b\x1f"
		g.b.WriteByte(controls[g.r.IntN(len(controls))])
	}
}

// code appends a token of Go, or the end of a line with the next indentation.
func (g *generator) code() {
	switch g.r.IntN(12) {
	case 0:
		g.b.WriteByte('\n')
		g.b.WriteString("\t\t"[:g.r.IntN(3)])
	case 1:
		g.b.WriteString(`"` + g.word() + `" `)
	case 2:
		g.b.WriteString("(ctx) {}; ")
	default:
		g.b.WriteString(g.word())
		separators := [...]string{" ", ".", "(", ", ", " := ", "_"}
		g.b.WriteString(separators[g.r.IntN(len(separators))])
	}
}

func (g *generator) word() string { return g.words[g.r.IntN(len(g.words))] }

func words() []string {
	return strings.Fields(`the agent opens a file and looks for the function that fails when its caller has gone then it
		writes a patch runs all tests once more and tells what changed in which package so that a person can read the
		review before anything is merged or released`)
}

func symbols() []string {
	return strings.Fields("é ü ß ñ å – — ’ “ ” … → ✓ 文 日本 🙂 ┌ │ €")
}

// A Pool hands out texts of one size, none twice before all of them had their
// turn. It is not safe for concurrent use; Clone makes one for each goroutine.
type Pool struct {
	texts []string
	next  int
}

// Pool cuts the corpus into texts of size bytes, or fewer where a character
// ends before. For Delta the sizes vary from 20 to 60. A corpus that is shorter
// than size gives one text.
func (c *Corpus) Pool(size int) *Pool {
	r := rand.New(rand.NewPCG(11, uint64(size)))
	p := new(Pool)
	for rest := c.text; ; {
		n := size
		if size == Delta {
			n = size - size/2 + r.IntN(size+1)
		}
		if n >= len(rest) {
			if len(p.texts) == 0 {
				p.texts = []string{rest}
			}
			return p
		}
		for n > 1 && !utf8.RuneStart(rest[n]) {
			n--
		}
		p.texts = append(p.texts, rest[:n])
		rest = rest[n:]
	}
}

// Len returns how many texts there are.
func (p *Pool) Len() int { return len(p.texts) }

// Next returns the next text.
func (p *Pool) Next() string {
	s := p.texts[p.next]
	if p.next++; p.next == len(p.texts) {
		p.next = 0
	}
	return s
}

// Clone returns a pool of the same texts that begins at the part'th of parts
// equal shares, so that goroutines don't write the same texts at the same time.
func (p *Pool) Clone(part, parts int) *Pool {
	return &Pool{texts: p.texts, next: len(p.texts) * part / parts}
}
