package jsonl

import "strconv"

// A Builder appends the members of JSON objects to a buffer, one call a
// member. Every string that a line holds goes through one of its three string
// classes, which is what makes redaction, stripping and cutting complete:
//
//   - an id is written verbatim (escaped, never altered);
//   - text, which comes from models, tools and callers, is redacted;
//   - prose, which the program itself authors, is stripped of escape sequences
//     and redacted (contract F10).
//
// Text and prose can be cut to a number of bytes, ids can't.
//
// A Builder checks nothing but values; the zero Builder is ready for use, and
// it is not safe for concurrent use.
type Builder struct {
	// Buf is what was appended so far.
	Buf []byte
	// Values encodes arbitrary values; its Filter sees texts and prose too.
	Values Values

	// Limit is how many escaped bytes a text or prose may have, and
	// ValueLimit how many a string inside an arbitrary value may; 0: no limit.
	Limit, ValueLimit int
	// Cut counts the bytes of text that the limits left out.
	Cut int
	// Measure asks for Sizes: the escaped size of each text and prose.
	Measure bool
	Sizes   []int
}

// Key starts a member. A comma is written unless the member is the first of
// an object that Open or Element started.
func (b *Builder) Key(name string) {
	b.comma()
	b.Buf = append(b.Buf, '"')
	b.Buf = append(b.Buf, name...)
	b.Buf = append(b.Buf, '"', ':')
}

// NextKey is Key for a name that may hold anything, as the keys of a map do.
func (b *Builder) NextKey(name string) {
	b.comma()
	b.Buf = append(AppendString(b.Buf, name), ':')
}

// comma separates a member or element from the one before it.
func (b *Builder) comma() {
	if n := len(b.Buf); n > 0 && (b.Buf[n-1] == '{' || b.Buf[n-1] == '[') {
		return
	}
	b.Buf = append(b.Buf, ',')
}

// Open starts an object ('{') or array ('[') as the value of a member.
func (b *Builder) Open(name string, bracket byte) {
	b.Key(name)
	b.Buf = append(b.Buf, bracket)
}

// Element starts an object ('{') or array ('[') as an element of an array.
func (b *Builder) Element(bracket byte) {
	b.comma()
	b.Buf = append(b.Buf, bracket)
}

// Close ends an object ('}') or array (']').
func (b *Builder) Close(bracket byte) { b.Buf = append(b.Buf, bracket) }

// ID appends a member whose string is never altered.
func (b *Builder) ID(name, s string) {
	b.Key(name)
	b.Buf = AppendString(b.Buf, s)
}

// IDs appends a member that is an array of ids.
func (b *Builder) IDs(name string, list []string) {
	b.Open(name, '[')
	for _, s := range list {
		b.comma()
		b.Buf = AppendString(b.Buf, s)
	}
	b.Close(']')
}

// Text appends a member whose string is redacted.
func (b *Builder) Text(name, s string) {
	b.Key(name)
	b.text(s)
}

// Prose appends a member whose string is stripped and redacted.
func (b *Builder) Prose(name, s string) {
	b.Key(name)
	b.text(StripANSI(s))
}

// Texts appends a member that is an array of texts.
func (b *Builder) Texts(name string, list []string) {
	b.Open(name, '[')
	for _, s := range list {
		b.comma()
		b.text(s)
	}
	b.Close(']')
}

// Proses appends a member that is an array of prose.
func (b *Builder) Proses(name string, list []string) {
	b.Open(name, '[')
	for _, s := range list {
		b.comma()
		b.text(StripANSI(s))
	}
	b.Close(']')
}

// text appends s redacted, cut and quoted. It is cut after redaction, so that
// no cut can hide a secret from the filter.
func (b *Builder) text(s string) {
	if b.Values.Filter != nil {
		s = b.Values.Filter.Text(Hide(s))
	}
	b.Buf = append(b.Buf, '"')
	start := len(b.Buf)
	if b.Limit > 0 {
		var n int
		b.Buf, n = AppendEscapedMax(b.Buf, s, b.Limit)
		b.Cut += len(s) - n
	} else {
		b.Buf = AppendEscaped(b.Buf, s)
	}
	if b.Measure {
		b.Sizes = append(b.Sizes, len(b.Buf)-start)
	}
	b.Buf = append(b.Buf, '"')
}

// Int appends a member that is an integer.
func (b *Builder) Int(name string, n int64) {
	b.Key(name)
	b.Buf = strconv.AppendInt(b.Buf, n, 10)
}

// Bool appends a member that is true or false.
func (b *Builder) Bool(name string, v bool) {
	b.Key(name)
	b.Buf = strconv.AppendBool(b.Buf, v)
}

// Float appends a member that is a number, or returns an error and appends
// nothing if f is none that JSON has.
func (b *Builder) Float(name string, f float64) error {
	mark := len(b.Buf)
	b.Key(name)
	buf, err := AppendFloat(b.Buf, f, 64)
	return b.keep(mark, buf, err)
}

// Value appends a member of any value, or returns an error and appends
// nothing. Its strings obey ValueLimit.
func (b *Builder) Value(name string, v any) error {
	mark := len(b.Buf)
	b.Key(name)
	buf, err := b.Cutting().AppendValue(b.Buf, v)
	return b.keep(mark, buf, err)
}

// Whole is Value for a value that is never cut.
func (b *Builder) Whole(name string, v any) error {
	mark := len(b.Buf)
	b.Key(name)
	buf, err := b.Values.AppendValue(b.Buf, v)
	return b.keep(mark, buf, err)
}

// Members appends the members of m, sorted, without those that skip names, or
// returns an error and appends nothing. Their strings obey ValueLimit.
func (b *Builder) Members(m map[string]any, skip func(name string) bool) error {
	if len(m) == 0 {
		return nil
	}
	mark := len(b.Buf)
	object, err := b.Cutting().AppendMap(nil, m)
	if err == nil {
		err = Members(object, func(key string, value []byte) error {
			if skip == nil || !skip(key) {
				b.comma()
				b.Buf = append(append(AppendString(b.Buf, key), ':'), value...)
			}
			return nil
		})
	}
	return b.keep(mark, b.Buf, err)
}

// Cutting returns the value encoder whose strings obey ValueLimit.
func (b *Builder) Cutting() Values {
	if b.ValueLimit <= 0 {
		return b.Values
	}
	return Values{Append: b.Values.Append, Filter: (*valueCutter)(b)}
}

// keep takes over buf, or goes back to mark if err is set.
func (b *Builder) keep(mark int, buf []byte, err error) error {
	b.Buf = buf
	if err != nil {
		b.Buf = b.Buf[:mark]
	}
	return err
}

// A valueCutter is a Builder seen as a Filter: its own filter first, then the
// cut to ValueLimit.
type valueCutter Builder

func (c *valueCutter) Text(s string) string {
	if c.Values.Filter != nil {
		s = c.Values.Filter.Text(s)
	}
	if len(s)*6 <= c.ValueLimit { // the longest escape of a byte has six
		return s
	}
	_, n := AppendEscapedMax(nil, s, c.ValueLimit)
	c.Cut += len(s) - n
	return s[:n]
}

func (c *valueCutter) Key(name string) (string, bool) {
	if c.Values.Filter == nil {
		return name, false
	}
	return c.Values.Filter.Key(name)
}

func (c *valueCutter) Covered(s string) string { return c.Values.Filter.Covered(s) }
