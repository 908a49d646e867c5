package cli

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/streamjson/streamjson/stdio"
)

// paint colours words for a terminal.
type paint bool

// newPaint decides by the environment and by where stdout goes: NO_COLOR
// wins, then FORCE_COLOR, then whether it is a terminal that can.
func newPaint(s *streams) paint {
	switch force := os.Getenv("FORCE_COLOR"); {
	case os.Getenv("NO_COLOR") != "":
		return false
	case force != "":
		return force != "0" && force != "false"
	}
	return paint(s.file != nil && os.Getenv("TERM") != "dumb" && stdio.FromFile(s.file).IsTerminal())
}

func (p paint) with(code, text string) string {
	if !p {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (p paint) bad(text string) string   { return p.with("31", text) }
func (p paint) shady(text string) string { return p.with("33", text) }
func (p paint) good(text string) string  { return p.with("32", text) }
func (p paint) faint(text string) string { return p.with("2", text) }
func (p paint) bold(text string) string  { return p.with("1", text) }

// visible spells what a terminal would act on: nothing of a stream that is
// checked may drive the terminal of the one who checks it.
func visible(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, "⟨%02x⟩", text[i])
		case r == '\r':
			b.WriteString("␍")
		case r == '\ufeff':
			b.WriteString("⟨BOM⟩")
		case strconv.IsPrint(r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "⟨%U⟩", r)
		}
		i += n
	}
	return b.String()
}

func plural[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
