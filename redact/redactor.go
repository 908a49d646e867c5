package redact

import (
	"strings"
	"sync"
	"sync/atomic"

	"github.com/streamjson/streamjson/internal/jsonl"
)

// A Redactor replaces secrets in texts and in JSON. It is immutable, and safe
// for concurrent use. The zero Redactor and a nil one redact nothing.
type Redactor struct {
	on      bool
	filter  *filter
	own     *index                // of known values and tokens of the program's own, or nil
	anchors []anchor              // in own
	sieve   atomic.Pointer[sieve] // made when it is first of use; see kernel
	sieved  sync.Once
	known   *known // or nil
	tokens  []rule
	keys    []words
	home    bool // a home directory is replaced by "~"
}

// defaultRedactor is data of the program, for which nothing is done at the start.
var defaultRedactor = Redactor{on: true, filter: &sharedSlots}

var none Redactor

// Default returns the redactor with the rules of the package: key names and
// token patterns, no known values. It is always the same one.
func Default() *Redactor { return &defaultRedactor }

// WithEnviron returns Default together with the secrets of an environment (see
// FromEnviron). A value of which New would warn, too short to be replaced
// without harm to ordinary text, is left out of it.
func WithEnviron(environ []string) *Redactor {
	values := FromEnviron(environ)
	if len(values) == 0 {
		return Default()
	}
	r, _, err := New(Options{Values: values})
	if err != nil {
		return Default()
	}
	return r
}

// None returns a redactor that leaves everything as it is. Its [Redactor.Filter]
// is nil, so that what is not redacted costs nothing.
func None() *Redactor { return &none }

// Enabled reports whether the redactor redacts anything.
func (r *Redactor) Enabled() bool { return r != nil && r.on }

// String returns s with each secret replaced by [REDACTED:kind]. It returns s
// itself, without an allocation, when there is none. The result is the same as
// that of the [Stream] for any division of s into chunks, and String of the
// result is the result.
func (r *Redactor) String(s string) string { return r.redact(s, nil) }

func (r *Redactor) redact(s string, replaced func(kind string)) string {
	if !r.Enabled() {
		return s
	}
	if !r.meets(s) {
		return s
	}
	x := scanner{r: r, t: sharedTables(), s: s, final: true, replaced: replaced}
	out := x.run(nil, true)
	if !x.changed {
		return s
	}
	return string(out)
}

// Contains reports whether s holds a known value in any of its forms. Ids,
// which are never altered, are refused by it.
func (r *Redactor) Contains(s string) bool {
	if !r.Enabled() || r.known == nil || !r.meets(s) {
		return false
	}
	x := scanner{r: r, t: sharedTables(), s: s, final: true, known: true}
	f := x.next()
	return f.verdict == yes && f.kind == kindKnown
}

// AppendJSON appends the JSON value that value holds, on one line, with the
// secrets in its strings and keys replaced, and with every string and number
// below a sensitive key replaced whole. It works on decoded strings, so that
// no escape hides a secret, and no replacement breaks the JSON. On an error,
// which says where value is no valid JSON, dst comes back as it was.
func (r *Redactor) AppendJSON(dst, value []byte) ([]byte, error) {
	return jsonl.AppendRaw(dst, value, r.Filter())
}

// Filter returns the redactor as the filter through which package jsonl sends
// strings and keys; nil when nothing is redacted.
func (r *Redactor) Filter() jsonl.Filter {
	if !r.Enabled() {
		return nil
	}
	return (*jsonFilter)(r)
}

// A jsonFilter is a Redactor seen as a jsonl.Filter.
type jsonFilter Redactor

func (f *jsonFilter) Text(s string) string { return (*Redactor)(f).String(s) }

func (f *jsonFilter) Key(name string) (out string, covered bool) {
	r := (*Redactor)(f)
	return r.String(name), r.covers(name)
}

func (f *jsonFilter) Covered(s string) string { return (*Redactor)(f).cover(s, nil) }

// covers reports whether a member's name makes its value secret.
func (r *Redactor) covers(name string) bool {
	switch r.classify(name) {
	case harmless:
		return false
	case authValue:
		return name[0] == '_' // _auth of an .npmrc; "auth" alone can be anything
	}
	return true
}

// classify says what the value of a name is, by the package's list and by the
// redactor's own.
func (r *Redactor) classify(name string) nameClass {
	if c := classify(name); c != harmless || len(r.keys) == 0 {
		return c
	}
	w := split(name, true)
	for i := range r.keys {
		if w.endsWith(&r.keys[i]) {
			return sensitive
		}
	}
	return harmless
}

func (w *words) endsWith(k *words) bool {
	if w.n < k.n {
		return false
	}
	for i := range k.n {
		if !strings.EqualFold(w.back(i), k.back(i)) {
			return false
		}
	}
	return true
}

// cover replaces the whole of a value that its key makes secret. A token of a
// kind of its own keeps its prefix and its kind, as it would in a text, and
// credentials keep their scheme. What is longer than a stream looks ahead is
// replaced without a look, so that a stream comes to the same result.
func (r *Redactor) cover(s string, replaced func(kind string)) string {
	kind, kept := kindSecret, 0
	if len(s) <= window {
		if s == "" || r.isReplaced(s) || strings.Trim(s, "*•") == "" {
			return s
		}
		if name, n, _ := schemeOf(s); name != "" && n < len(s) {
			if r.isReplaced(s[n:]) {
				return s
			}
			kind, kept = schemeKind(name), n
		}
		if f := r.wholeToken(s[kept:]); f.verdict == yes {
			kind, kept = f.kind, kept+f.start
		}
	}
	if replaced != nil {
		replaced(kind)
	}
	return string(appendMarker([]byte(s[:kept]), kind))
}

// wholeToken says what s is when it is one token, all of it, or a known value.
func (r *Redactor) wholeToken(s string) finding {
	x := scanner{r: r, t: sharedTables(), s: s, final: true, bound: unbounded}
	if r.known != nil {
		x.known = true
		if f := x.next(); f.verdict == yes && f.start == 0 && f.end == len(s) && f.kind == kindKnown {
			return f
		}
	}
	if f := x.tokenAt(0); f.verdict == yes && f.end == len(s) && f.after.mode == eatNothing {
		return f
	}
	return finding{}
}
