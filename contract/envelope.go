package contract

import (
	"bytes"
	"io"
	"strconv"

	"github.com/streamjson/streamjson/exitcode"
)

// CheckEnvelope reads to its end what a command wrote on stdout when it was
// called with --json, and judges it (contract section 5). The document is held
// in memory, so one over CheckOptions.MaxLine is only told. An error is the
// reader's.
func CheckEnvelope(r io.Reader, o CheckOptions) (*Report, error) {
	if o.MaxLine <= 0 {
		o.MaxLine = defaultMaxDocument
	}
	data, err := io.ReadAll(io.LimitReader(r, int64(o.MaxLine)+1))
	if err != nil {
		return nil, err
	}
	c := NewChecker(o)
	c.done = true
	v := &view{line: line{number: 1, raw: data, length: len(data), ended: true}, scanner: &c.scan, document: true}
	c.report.Bytes = int64(len(data))
	c.report.Lines = int64(bytes.Count(data, []byte("\n")))
	c.report.Runs = 1
	switch {
	case len(data) > o.MaxLine:
		c.find(v, "line-too-long", o.MaxLine, "", "a document of more than "+count(o.MaxLine, "byte"), "")
	case len(bytes.TrimSpace(data)) == 0:
		c.find(v, "envelope-missing", 0, "", "no output", "")
	default:
		c.envelopeText(v)
	}
	return c.sorted(), nil
}

// envelopeText judges the bytes of the document.
func (c *Checker) envelopeText(v *view) {
	c.strip(v)
	end, err := c.scan.scan(v.raw)
	if err != nil {
		c.envelopeBroken(v, err)
		return
	}
	start := c.scan.items[0].start
	if start > 0 {
		c.find(v, "stray-space", 0, "", "white space in front of the document", "")
	}
	switch rest := v.raw[end:]; {
	case len(rest) == 0:
		c.find(v, "no-final-newline", end, "", "no newline behind the document", "")
	case len(bytes.TrimSpace(rest)) > 0:
		c.around(v, end)
	case string(rest) != "\n" && string(rest) != "\r\n":
		c.find(v, "blank-line", end, "", "more than a newline behind the document", "")
	}
	c.text(v)
	c.keys(v)
	if c.scan.items[0].kind != beginObject {
		c.find(v, "not-object", start, "", "the document is "+kindName(c.scan.items[0].kind), "")
		return
	}
	c.schema(v, v.raw[:end])
	c.envelopeMembers(v)
}

// envelopeBroken tells why a document is no JSON.
func (c *Checker) envelopeBroken(v *view, err error) {
	at := c.scan.at
	switch {
	case err == errDeep: //nolint:errorlint // ours, bare
		c.find(v, "depth", at.offset, at.pointer, "a value that is nested deeper", "")
	case at.offset >= len(bytes.TrimRight(v.raw, " \t\r\n")) && c.scan.begun(v.raw):
		c.find(v, "torn-tail", at.offset, at.pointer, "the output ends in the middle of the document", "the whole document")
	default:
		c.find(v, "json", at.offset, at.pointer, "no JSON: "+reason(err)+" in "+excerpt(v.raw, at.offset), "one document, and nothing else on stdout")
	}
}

// begun reports whether raw starts like an object.
func (s *scanner) begun(raw []byte) bool {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	return len(raw) > 0 && raw[0] == '{'
}

// envelopeOrder is how the members of an envelope stand.
var envelopeOrder = [...]member{mSchemaVersion, mOK, mData, mErrors, mWarnings}

// envelopeMembers judges the object itself.
func (c *Checker) envelopeMembers(v *view) {
	version, isInteger := v.integer(v.top[mSchemaVersion])
	if isInteger && version != 1 {
		c.find(v, "envelope-version", v.place(v.top[mSchemaVersion]), "/schema_version", string(v.source(v.top[mSchemaVersion])), "")
		return
	}
	if !isInteger {
		c.lacks(v, mSchemaVersion, "an integer")
	}
	isOK, known := v.boolean(v.top[mOK])
	if !known {
		c.lacks(v, mOK, "true or false")
	}
	if v.top[mData] == 0 {
		c.lacks(v, mData, "any value")
	}
	errors, fine := c.strings(v, mErrors)
	c.strings(v, mWarnings)
	c.envelopeShape(v)
	if !known {
		return
	}
	if fine && isOK == (errors > 0) {
		c.find(v, "envelope-errors", v.place(v.top[mErrors]), "/errors", count(errors, "error")+" beside ok "+strconv.FormatBool(isOK), "")
	}
	if c.exit != nil && isOK != (*c.exit == exitcode.OK) {
		c.find(v, "envelope-exit", v.place(v.top[mOK]), "/ok", "ok "+strconv.FormatBool(isOK)+" beside exit status "+strconv.Itoa(*c.exit), "")
	}
}

// lacks tells a member that is absent or of another type.
func (c *Checker) lacks(v *view, m member, want string) {
	i := v.top[m]
	c.find(v, "envelope-members", v.place(i), "/"+spelling[m], v.name(i), spelling[m]+", "+want)
}

// strings judges an array of strings, and returns how many there are. It
// reports false if it is none.
func (c *Checker) strings(v *view, m member) (n int, ok bool) {
	const want = "an array of strings"
	at := v.top[m]
	if !v.is(at, beginArray) {
		c.lacks(v, m, want)
		return 0, false
	}
	ok = true
	v.children(at, func(i int) bool {
		pointer := "/" + spelling[m] + "/" + strconv.Itoa(n)
		switch {
		case !v.is(i, isString):
			ok = false
			c.find(v, "envelope-members", v.place(i), pointer, v.name(i), spelling[m]+", "+want)
		case m == mErrors && !v.filled(i):
			c.find(v, "envelope-errors", v.place(i), pointer, "an empty error", "")
		}
		n++
		return true
	})
	return n, ok
}

// envelopeShape judges the order of the members, and that there are no others.
func (c *Checker) envelopeShape(v *view) {
	last, ordered := -1, true
	v.children(0, func(i int) bool {
		e := v.items[i]
		rank := -1
		for n, m := range envelopeOrder {
			if e.member == m {
				rank = n
			}
		}
		name := v.text(e.keyStart, e.keyEnd)
		switch {
		case rank < 0:
			c.find(v, "envelope-unknown", e.keyStart, string(appendToken(nil, name)), "the member "+excerpt(name, 0), "")
		case rank < last && ordered:
			ordered = false
			c.find(v, "envelope-order", e.keyStart, "/"+string(name), string(name)+" behind "+spelling[envelopeOrder[last]], "")
		}
		last = max(last, rank)
		return true
	})
}
