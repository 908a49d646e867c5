// Package suite is the list of what is compared: which lines, of which texts,
// by whom.
package suite

import (
	"fmt"
	"strconv"

	"github.com/streamjson/streamjson/bench/internal/corpus"
	"github.com/streamjson/streamjson/bench/internal/line"
	"github.com/streamjson/streamjson/bench/internal/measure"
	"github.com/streamjson/streamjson/bench/internal/rival"
)

// The contenders that are no rivals.
const (
	Ours     = "ours"            // redaction off, as rivals have none
	Redacted = "ours, redacting" // redaction on, as it is by default
	Floor    = "floor"           // what can't be done without
)

// Key names a case.
type Key struct {
	Whole bool // a whole emit, not encoding alone
	Shape line.Shape
	Kind  corpus.Kind
	Size  int
}

func (k Key) String() string {
	what := "encode"
	if k.Whole {
		what = "emit"
	}
	return what + "/" + k.Shape.String() + "/" + string(k.Kind) + "/" + SizeName(k.Size)
}

// SizeName spells a size as people do: 40, 2K, 64K, 1M.
func SizeName(n int) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return strconv.Itoa(n>>20) + "M"
	case n >= 1<<10 && n%(1<<10) == 0:
		return strconv.Itoa(n>>10) + "K"
	default:
		return strconv.Itoa(n)
	}
}

// Sizes of texts.
const (
	Small  = 2 << 10
	Large  = 64 << 10
	Huge   = 1 << 20
	Answer = 400 // a result's text
)

// Emits returns the keys of all whole emits.
func Emits() []Key {
	var keys []Key
	for _, kind := range corpus.Kinds() {
		keys = append(keys, Key{true, line.TextDelta, kind, corpus.Delta})
	}
	return append(
		keys,
		Key{true, line.ThinkingDelta, corpus.Code, corpus.Delta},
		Key{true, line.ToolArgs, corpus.Code, corpus.Delta},
		Key{true, line.Assistant, corpus.Code, Small},
		Key{true, line.Assistant, corpus.Code, Large},
		Key{true, line.Assistant, corpus.Code, Huge},
		Key{true, line.ToolUse, corpus.Code, inputText},
		Key{true, line.ToolResult, corpus.Code, Large},
		Key{true, line.Envelope, corpus.Code, 1 << 10},
		Key{true, line.Envelope, corpus.Code, Huge},
	)
}

// Encodes returns the keys of all measurements of encoding alone.
func Encodes() []Key {
	var keys []Key
	for _, size := range []int{corpus.Delta, Small, Large, Huge} {
		for _, kind := range corpus.Kinds() {
			keys = append(keys, Key{false, line.TextDelta, kind, size})
		}
	}
	return append(
		keys,
		Key{false, line.ToolUse, corpus.Code, inputText},
		Key{false, line.ToolResult, corpus.Code, Large},
		Key{false, line.Result, corpus.Code, Answer},
	)
}

// Core returns the keys that are measured again whenever a change is checked.
func Core() []Key {
	return []Key{
		{true, line.TextDelta, corpus.ASCII, corpus.Delta},
		{true, line.TextDelta, corpus.Code, corpus.Delta},
		{true, line.TextDelta, corpus.NonASCII, corpus.Delta},
		{true, line.Assistant, corpus.Code, Small},
		{true, line.ToolUse, corpus.Code, inputText},
		{false, line.TextDelta, corpus.Code, corpus.Delta},
		{false, line.TextDelta, corpus.ASCII, Large},
		{false, line.TextDelta, corpus.Code, Large},
		{false, line.TextDelta, corpus.NonASCII, Large},
		{false, line.ToolUse, corpus.Code, inputText},
		{false, line.Result, corpus.Code, Answer},
	}
}

// ToolUse and Result are keys that goals name.
func ToolUse() Key { return Key{false, line.ToolUse, corpus.Code, inputText} }

// Result is described with ToolUse.
func Result() Key { return Key{false, line.Result, corpus.Code, Answer} }

// A Builder makes cases. Its corpora are made once, a few MiB each.
type Builder struct {
	corpora map[corpus.Kind]*corpus.Corpus
	size    int
}

// FreshSize is how long a corpus must be for its texts to be fresh: longer
// than any branch predictor remembers, and than the caches close to a core.
const FreshSize = 8 << 20

// NewBuilder returns a Builder with corpora of size bytes: FreshSize, unless
// nothing is measured.
func NewBuilder(size int) *Builder {
	return &Builder{corpora: map[corpus.Kind]*corpus.Corpus{}, size: size}
}

func (b *Builder) pool(k Key) (*corpus.Pool, error) {
	c := b.corpora[k.Kind]
	if c == nil {
		var err error
		if c, err = corpus.New(k.Kind, b.size); err != nil {
			return nil, err
		}
		b.corpora[k.Kind] = c
	}
	return c.Pool(k.Size), nil
}

// Case returns the case of k with the contenders for which keep is true; nil
// keeps all. Contenders that can't write the shape are left out.
func (b *Builder) Case(k Key, keep func(contender string) bool) (measure.Case, error) {
	c := measure.Case{Name: k.String()}
	names := []string{Ours, Redacted, Floor}
	for _, lib := range rival.Libraries() {
		names = append(names, lib.Name)
	}
	for _, name := range names {
		if keep != nil && !keep(name) {
			continue
		}
		op, err := b.op(k, name)
		if err != nil {
			return c, fmt.Errorf("suite: %v: %s: %w", k, name, err)
		}
		if op != nil {
			c.Contenders = append(c.Contenders, measure.Contender{Name: name, Op: op})
		}
	}
	return c, nil
}

// Cases returns the cases of keys.
func (b *Builder) Cases(keys []Key, keep func(contender string) bool) ([]measure.Case, error) {
	var list []measure.Case
	for _, k := range keys {
		c, err := b.Case(k, keep)
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}
