package redact

import (
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
)

// Known values. A value is looked for in several forms: as it is, in hex, and
// in base64 at each of the three places in a group of three bytes that it can
// begin at. A form is found in several spellings: with its characters escaped
// for a URL, or for JSON, once or twice. What encoders leave alone is the same
// in all spellings, and most secrets are made of nothing else.

// A spelling says how the characters of a form may be escaped.
type spelling uint8

const (
	asIs     spelling = iota
	inURL             // %2F, %2f, + for a space
	inJSON            // \", \\, \/, \n, \u0026
	inJSON2           // the same, escaped again
	inBase64          // in either alphabet, and broken into lines
)

// A form is a text to look for.
type form struct {
	text     string
	spelling spelling
	kind     string
	literal  string // replaces it, in place of its kind
	whole    bool   // no letter or digit may stand before or behind it
	// tail: the last character of the base64 before it, and the first one
	// behind it, mix bits of the value with others; the latter goes, too.
	tail bool
}

// identified is how much text is compared before a form counts as found; the
// rest of a longer one is left out as it comes.
const identified = 1024

// known is the set of forms of a redactor.
type known struct {
	forms []form
	// starts holds the first four bytes of each form in each spelling, in
	// order; first and second the one byte and the two bytes that one of
	// them begins with.
	starts []string
	first  [256]bool
	second [1 << 16 / 64]uint64
}

// add adds the forms of a value.
func (k *known) add(value string) {
	k.spell(form{text: value, kind: kindKnown})
	k.spell(form{text: hex.EncodeToString([]byte(value)), kind: kindKnown})
	k.spell(form{text: strings.ToUpper(hex.EncodeToString([]byte(value))), kind: kindKnown})
	for shift := range 3 {
		k.base64(value, shift)
	}
}

// base64 adds what the base64 of any text is sure to hold when value stands in
// it so many bytes behind a multiple of three.
func (k *known) base64(value string, shift int) {
	padded := append(make([]byte, shift), value...)
	skip := []int{0, 2, 3}[shift] // characters that hold bits of what stands before
	sure := len(padded) * 8 / 6   // characters that hold no bits of what follows
	mixed := len(padded)%3 != 0
	text := base64.RawStdEncoding.EncodeToString(padded)[skip:sure]
	k.spell(form{text: text, kind: kindKnown, spelling: inBase64, tail: mixed})
}

// spell adds a form in all spellings that differ from it.
func (k *known) spell(f form) {
	if slices.ContainsFunc(k.forms, func(g form) bool { return g.text == f.text }) {
		return
	}
	k.forms = append(k.forms, f)
	f.spelling = inURL
	if changedIn(f.text, urlKeeps) {
		k.forms = append(k.forms, f)
	}
	if changedIn(f.text, jsonKeeps) {
		f.spelling = inJSON
		k.forms = append(k.forms, f)
		f.spelling = inJSON2
		k.forms = append(k.forms, f)
	}
}

// urlKeeps reports whether each encoder leaves c alone (RFC 3986, unreserved).
func urlKeeps(c byte) bool {
	return isAlnum(c) || c == '-' || c == '_' || c == '.' || c == '~'
}

// jsonKeeps reports whether each encoder leaves c alone. Some escape what
// means something in HTML.
func jsonKeeps(c byte) bool {
	switch c {
	case '"', '\\', '/', '<', '>', '&', '\'', '=', '+', '`', 0x7f:
		return false
	}
	return c >= ' ' && c < 0x80
}

func changedIn(s string, keeps func(byte) bool) bool {
	for i := range len(s) {
		if !keeps(s[i]) {
			return true
		}
	}
	return false
}

// enter adds the keywords by which the forms are found. Each is found by its
// first bytes, so that a stream has to hold no more than three of them back
// when it does not see the fourth.
func (k *known) enter(b *builder) {
	for n := range k.forms {
		for _, h := range k.forms[n].heads() {
			b.add(keyword{text: h, do: doKnown, n: n}, anchor{sets: [4]string{h[0:1], h[1:2], h[2:3], h[3:4]}})
			k.starts = append(k.starts, h)
			k.first[h[0]] = true
			two := uint16(h[0]) | uint16(h[1])<<8
			k.second[two>>6] |= 1 << (two & 63)
		}
	}
	slices.Sort(k.starts)
	k.starts = slices.Compact(k.starts)
}

// partial returns how many bytes at the end of s, three at most, can be the
// start of a known value.
func (r *Redactor) partial(s string) int {
	k := r.known
	n := len(s)
	if k == nil || n == 0 {
		return 0
	}
	if n >= 3 && r.filter.has(load24(s, n-3)) {
		tail := s[n-3:]
		i, _ := slices.BinarySearch(k.starts, tail)
		if i < len(k.starts) && strings.HasPrefix(k.starts[i], tail) {
			return 3
		}
	}
	if n >= 2 {
		two := uint16(s[n-2]) | uint16(s[n-1])<<8
		if k.second[two>>6]>>(two&63)&1 != 0 {
			return 2
		}
	}
	if k.first[s[n-1]] {
		return 1
	}
	return 0
}

// mostHeads bounds in how many ways the first four bytes of a form are spelled.
const mostHeads = 256

// heads returns the first four bytes of a form, spelled in each way.
func (f *form) heads() []string {
	done := []string{}
	open := []string{""}
	for i := 0; len(open) > 0 && i < len(f.text); {
		spellings, n := f.spellings(i)
		if f.spelling == inBase64 && i > 0 {
			spellings = withLineEnd(spellings)
		}
		i += n
		var next []string
		for _, o := range open {
			for _, s := range spellings {
				h := o + s
				switch {
				case len(h) >= 4:
					done = append(done, h[:4])
				case len(next) < mostHeads:
					next = append(next, h)
				}
			}
		}
		open = next
	}
	slices.Sort(done)
	return slices.Compact(done)
}

// spellings lists how the character of the form at i can be spelled, and how
// many bytes it has.
func (f *form) spellings(i int) (list []string, n int) {
	c := f.text[i]
	list = []string{f.text[i : i+1]}
	switch f.spelling {
	case inBase64:
		switch c {
		case '+':
			list = append(list, "-")
		case '/':
			list = append(list, "_")
		}
	case inURL:
		return urlSpellings(list, c), 1
	case inJSON, inJSON2:
		list, n = jsonSpellings(f.text[i:])
		if f.spelling == inJSON2 {
			for _, s := range list {
				list = append(list, escapeAgain(s))
			}
			list = list[len(list)/2:]
		}
		return list, n
	}
	return list, 1
}

// withLineEnd adds to the spellings of a character of base64 those behind the
// end of a line. Only one kind of line end is looked for in the first bytes of a
// form: the others stand in so many texts that each would have to be stopped at.
func withLineEnd(list []string) []string {
	for _, s := range list {
		list = append(list, "\n"+s)
	}
	return list
}

func urlSpellings(list []string, c byte) []string {
	if urlKeeps(c) {
		return list
	}
	h := hex.EncodeToString([]byte{c})
	if c == '%' {
		list = list[:0]
	}
	if c == ' ' {
		list = append(list, "+")
	}
	return append(list, "%"+h, "%"+strings.ToUpper(h))
}
