package redact

import (
	"fmt"
	"strings"
)

// Options are additions to what [Default] redacts. The zero value adds nothing.
type Options struct {
	// Values are secrets that the program knows: a password it was given, a
	// key it has read. They are found wherever they stand, also as base64,
	// hex, and escaped for URLs or JSON. [FromEnviron] takes them from an
	// environment.
	Values []Value
	// Keys are further names whose values are secret, such as "internal id":
	// one or more words, in any case; a name matches when its last words are
	// these.
	Keys []string
	// Tokens are further kinds of tokens with a public prefix.
	Tokens []Token
	// HomeDir is an absolute path that is replaced by "~", wherever it
	// stands, UserName a name that is replaced by [REDACTED:user], where it
	// is a word of its own. Empty ones are left alone, which is the default.
	HomeDir, UserName string
}

// A Value is a secret that is known.
type Value struct {
	Name  string // for warnings; it is never written in place of the value
	Value string
}

// A Token is a kind of token of the program's own: a public prefix, and behind
// it a secret part that is a run of letters, digits, "_" and "-".
type Token struct {
	// Kind names it in the replacement: 1 to 32 lower-case letters, digits
	// and dashes.
	Kind string
	// Prefix has 3 to 64 characters. It stays in the text.
	Prefix string
	// MinLen is the shortest secret part; 0: 16. At least 8.
	MinLen int
}

// A Warning says why a value that was registered is not redacted, or what to
// know about it. It never holds the value.
type Warning struct {
	Name   string // of the value
	Reason string
}

func (w Warning) String() string { return w.Name + ": " + w.Reason }

// New returns a redactor with the defaults and the additions of o. A value
// that can't be redacted without harm to ordinary text is left out, with a
// warning: see [Warning]. An error says that the options are wrong; what is
// right in them is then not used either.
func New(o Options) (*Redactor, []Warning, error) {
	r := &Redactor{on: true, filter: &sharedSlots}
	if err := r.addTokens(o.Tokens); err != nil {
		return nil, nil, err
	}
	if err := r.addKeys(o.Keys); err != nil {
		return nil, nil, err
	}
	k := new(known)
	warnings := r.addValues(k, o.Values)
	more, err := k.addHome(o.HomeDir, o.UserName)
	if err != nil {
		return nil, nil, err
	}
	r.home = o.HomeDir != ""
	r.build(k)
	return r, append(warnings, more...), nil
}

// build makes the tables of the redactor's own.
func (r *Redactor) build(k *known) {
	if len(k.forms) == 0 && len(r.tokens) == 0 {
		return
	}
	f := *r.filter
	b := newBuilder(&f)
	for n := range r.tokens {
		b.addPrefix(r.tokens[n].prefixes[0], r.tokens[n].chars, doCustom, n)
	}
	if len(k.forms) > 0 {
		k.enter(b)
		r.known = k
	}
	r.filter, r.own, r.anchors = &f, &b.index, b.anchors
}

func (r *Redactor) addTokens(list []Token) error {
	for _, t := range list {
		if t.MinLen == 0 {
			t.MinLen = 16
		}
		switch {
		case !validKind(t.Kind):
			return fmt.Errorf("redact: kind %q of a token: write 1 to %d lower-case letters, digits and dashes", t.Kind, longestKind)
		case len(t.Prefix) < 3 || len(t.Prefix) > 64 || strings.Trim(t.Prefix, bytesInOrder[' '+1:0x7f]) != "":
			return fmt.Errorf("redact: prefix %q of token %s: write 3 to 64 visible ASCII characters", t.Prefix, t.Kind)
		case t.MinLen < 8:
			return fmt.Errorf("redact: token %s: a secret part of %d characters is too short to be told from text; MinLen must be 8 or more", t.Kind, t.MinLen)
		}
		r.tokens = append(r.tokens, rule{
			kind: t.Kind, source: "the program", prefixes: []string{t.Prefix},
			chars: wordDash, min: t.MinLen, full: t.MinLen, flags: atEdge,
		})
	}
	return nil
}

func validKind(kind string) bool {
	for i := range len(kind) {
		if c := kind[i]; !isLower(c) && !isDigit(c) && c != '-' {
			return false
		}
	}
	return len(kind) >= 1 && len(kind) <= longestKind
}

func (r *Redactor) addKeys(list []string) error {
	for _, name := range list {
		w := split(name, true)
		if w.n == 0 || w.n > mostWords {
			return fmt.Errorf("redact: key name %q: write one to %d words of letters and digits", name, mostWords)
		}
		r.keys = append(r.keys, w)
	}
	return nil
}
