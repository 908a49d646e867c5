package contract

import (
	"bytes"
	"hash/maphash"
	"io"
)

// Defaults of CheckOptions.
const (
	defaultMaxLine     = 64 << 20
	defaultMaxDocument = 1 << 30
	defaultMaxFindings = 100
)

// SchemaRule is the id of the rule that the schema's verdict is reported by.
const SchemaRule = "schema"

// CheckOptions says how to check. The zero value is the producer's reading of
// one run, by the rules alone.
type CheckOptions struct {
	// Reader asks for the reader's reading: only whether a reader that keeps
	// to the contract gets along. What contract D3 and D10 name is a warning,
	// and a line needs no ts (D2).
	Reader bool
	// Runs allows several whole runs back to back (contract D12).
	Runs bool
	// MaxLine is how many bytes a line may have; longer ones are skipped and
	// told. 0: 64 MiB for a line, 1 GiB for an envelope.
	MaxLine int
	// MaxFindings is how many findings are listed; 0: 100. All are counted.
	MaxFindings int
	// Exit is the exit status of the program, if it is known.
	Exit *int
	// Schema, if set, is the schema's verdict on one line (or on an envelope):
	// the faults that it sees, or an error if it can't judge. It is called for
	// what is a JSON object, from one goroutine, with bytes that it must not keep.
	Schema func(json []byte) ([]Fault, error)
}

// A Fault is what a schema finds wrong in a JSON text.
type Fault struct {
	Pointer string // RFC 6901
	Found   string
	Want    string
}

// Check reads a stream to its end and judges it. An error is the reader's; the
// report is then about what was read until it came.
func Check(r io.Reader, o CheckOptions) (*Report, error) {
	c := NewChecker(o)
	buf := make([]byte, 64<<10)
	for {
		n, err := r.Read(buf)
		c.Write(buf[:n]) // never fails
		if err != nil {
			if err == io.EOF { //nolint:errorlint // readers return it bare
				err = nil
			}
			return c.Report(), err
		}
	}
}

// A Checker judges a stream while it comes in. What it keeps is bounded: one
// line of at most CheckOptions.MaxLine bytes, and of the run hashes and counts.
// Where a run opens more than fits, the report says what was not checked.
//
// A Checker is not safe for concurrent use, but Stderr's writer may be used
// beside it.
type Checker struct {
	recorder
	options CheckOptions
	seed    maphash.Seed
	lines   splitter
	scan    scanner
	run     run
	runIDs  map[uint64]struct{}
	exit    *int
	stray   stray
	deaf    bool // the stream is in another encoding: nothing can be read
	done    bool
}

// NewChecker returns a Checker for one stream.
func NewChecker(o CheckOptions) *Checker {
	if o.MaxLine <= 0 {
		o.MaxLine = defaultMaxLine
	}
	seed := maphash.MakeSeed()
	c := &Checker{
		recorder: newRecorder(o), options: o, seed: seed,
		scan: newScanner(seed), runIDs: map[uint64]struct{}{}, exit: o.Exit,
	}
	c.lines.max = o.MaxLine
	c.run.reset()
	return c
}

// Write takes the next bytes of the stream. It never fails, and has no effect
// once Report was called.
func (c *Checker) Write(p []byte) (int, error) {
	if !c.done {
		c.report.Bytes += int64(len(p))
		c.lines.split(p, c.line)
	}
	return len(p), nil
}

// Exit tells the exit status of the program, before Report is called.
func (c *Checker) Exit(code int) { c.exit = &code }

// Stderr returns a writer for what the program wrote on stderr: it looks for
// events gone astray. It may be used beside Write, from one goroutine, until
// Report is called.
func (c *Checker) Stderr() io.Writer { return &c.stray }

// Report ends the stream and returns the judgement. Further calls return the
// same one.
func (c *Checker) Report() *Report {
	if c.done {
		return &c.report
	}
	c.done = true
	c.lines.rest(c.line)
	c.finish()
	c.stray.end()
	for _, f := range c.stray.findings {
		c.add(f)
	}
	for range c.stray.more {
		c.add(c.stray.findings[0])
	}
	return c.sorted()
}

// A line is one line of the stream, or the head of one that is too long.
type line struct {
	number int64
	offset int64  // of its first byte in the stream
	raw    []byte // without the newline
	length int    // how long it is, also where raw is its head only
	ended  bool   // by a newline
}

// line judges one line.
func (c *Checker) line(l line) {
	c.report.Lines = l.number
	v := &view{line: l, scanner: &c.scan}
	if l.length > c.options.MaxLine {
		c.tooLong(v)
		return
	}
	if l.number == 1 && recoded(l.raw) {
		c.deaf = true
		c.find(v, "bom", 0, "", "a UTF-16 byte order mark: the output was encoded anew on its way", "UTF-8 without a byte order mark")
		c.skip("json", 1, "the stream is not UTF-8")
	}
	if c.deaf {
		return
	}
	c.strip(v)
	if len(bytes.Trim(v.raw, " \t")) == 0 {
		c.find(v, "blank-line", 0, "", "a line without a value", "")
		return
	}
	end, err := c.scan.scan(v.raw)
	switch {
	case err != nil && !l.ended && v.raw[0] == '{' && err != errDeep: //nolint:errorlint // ours, bare
		c.find(v, "torn-tail", len(v.raw), "", "the stream ends in the middle of a line", "")
		return
	case err != nil:
		c.broken(v, err)
		return
	}
	if !l.ended {
		c.find(v, "no-final-newline", len(v.raw), "", "the last line has no newline", "")
	}
	c.value(v, end)
	c.scan.trim()
}

// recoded reports whether a stream begins like UTF-16, as some shells make it
// of what passes through them.
func recoded(p []byte) bool {
	return bytes.HasPrefix(p, []byte("\xff\xfe")) || bytes.HasPrefix(p, []byte("\xfe\xff"))
}

// tooLong judges a line over the limit by its head, as far as that goes.
func (c *Checker) tooLong(v *view) {
	c.find(v, "line-too-long", c.options.MaxLine, "", count(v.length, "byte")+" on a line", "at most "+count(c.options.MaxLine, "byte"))
	c.scan.scan(v.raw) // which fails where the head ends
	c.head(v)
}

// head judges a line whose rest could not be read, if it says what it is.
func (c *Checker) head(v *view) {
	if !v.is(v.top[mType], isString) {
		c.run.unread(v.number)
		return
	}
	v.partial = true
	c.event(v)
}

// strip takes off what does not belong on a line, and tells it.
func (c *Checker) strip(v *view) {
	if bytes.HasPrefix(v.raw, []byte("\ufeff")) {
		c.find(v, "bom", 0, "", "a byte order mark", "")
		v.cut(3)
	}
	if n := bytes.IndexByte(v.raw, '\r'); n >= 0 {
		c.find(v, "cr", n, "", "a carriage return", "")
		if n == len(v.raw)-1 {
			v.raw = v.raw[:n]
		}
	}
}

// broken tells why a line is no JSON.
func (c *Checker) broken(v *view, err error) {
	at := c.scan.at
	if err == errDeep { //nolint:errorlint // ours, bare
		c.find(v, "depth", at.offset, at.pointer, "a value that is nested deeper", "")
		c.head(v)
		return
	}
	found := "no JSON: " + reason(err) + " in " + excerpt(v.raw, at.offset)
	if first := bytes.TrimLeft(v.raw, " \t"); first[0] != '{' && first[0] != '[' {
		found = "no JSON: " + excerpt(v.raw, 0)
	}
	c.find(v, "json", at.offset, at.pointer, found, "")
	if n := invalidUTF8(v.raw); n >= 0 {
		c.find(v, "utf8", n, "", byteAt(v.raw, n), "")
	}
	c.run.unread(v.number)
}

// value judges a line whose value ends at end.
func (c *Checker) value(v *view, end int) {
	c.around(v, end)
	c.text(v)
	c.keys(v)
	if c.scan.items[0].kind != beginObject {
		c.find(v, "not-object", c.scan.items[0].start, "", "the line is "+kindName(c.scan.items[0].kind), "")
		c.run.unread(v.number)
		return
	}
	c.schema(v, v.raw[:end])
	if c.scan.full {
		v.partial = true
		for _, id := range []string{"delta-mismatch", "args-mismatch", "tool-unclosed", "usage-sum", "ansi"} {
			c.skip(id, v.number, "a line has more than "+count(maxItems, "value"))
		}
	}
	c.event(v)
	if v.more {
		c.run.unread(v.number)
	}
}

// around looks at what stands before and behind the value.
func (c *Checker) around(v *view, end int) {
	start := c.scan.items[0].start
	rest := bytes.TrimLeft(v.raw[end:], " \t\r\n")
	switch {
	case len(rest) == 0 && (start > 0 || end < len(v.raw)):
		at := 0
		if start == 0 {
			at = end
		}
		c.find(v, "stray-space", at, "", "white space around the value", "")
	case len(rest) == 0:
	case bytes.IndexByte([]byte(`{["-0123456789tfn`), rest[0]) >= 0:
		c.find(v, "two-values", len(v.raw)-len(rest), "", "a second value: "+excerpt(rest, 0), "")
		v.more = true
	default:
		c.find(v, "json", len(v.raw)-len(rest), "", "something behind the value: "+excerpt(rest, 0), "")
		v.more = true
	}
}

// text looks at the characters of the line.
func (c *Checker) text(v *view) {
	if n := invalidUTF8(v.raw); n >= 0 {
		c.find(v, "utf8", n, "", byteAt(v.raw, n), "")
	}
	s := spelled(v.raw)
	v.controls = s.controls
	if s.raw >= 0 {
		c.find(v, "raw-control", s.raw, "", runeAt(v.raw, s.raw)+" stands as it is", "")
	}
	if s.lone >= 0 {
		c.find(v, "lone-surrogate", s.lone, "", string(v.raw[s.lone:s.lone+6])+" without its partner", "")
	}
	if s.needless >= 0 {
		c.find(v, "needless-escape", s.needless, "", excerpt(v.raw[s.needless:], 0), "")
	}
}

// schema asks the schema for its verdict.
func (c *Checker) schema(v *view, json []byte) {
	if c.options.Schema == nil {
		return
	}
	faults, err := c.options.Schema(json)
	if err != nil {
		c.skip(SchemaRule, v.number, err.Error())
	}
	for _, f := range faults {
		c.find(v, SchemaRule, 0, f.Pointer, f.Found, f.Want)
	}
}

// keys tells the keys that stand twice.
func (c *Checker) keys(v *view) {
	for _, d := range c.scan.dup {
		c.find(v, "duplicate-key", d.offset, d.pointer, "this key for the second time in its object", "")
	}
	if c.scan.unseen {
		c.skip("duplicate-key", v.number, "the objects of a line have more than "+count(maxKeys, "key"))
	}
}
