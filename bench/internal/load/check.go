package load

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// sampled is how many lines go by for each whose syntax is checked in full:
// the others are held to their number and their two ends, so that checking
// does not slow down what is measured.
const sampled = 256

// A Checker is a writer that holds the lines of a stream to their order: seq
// begins at 0 and steps by 1, each line is whole, and every 256th is valid
// JSON. The zero Checker is ready for use; it is not safe for concurrent use.
type Checker struct {
	Lines uint64
	Bytes uint64
	Fault string // what was wrong first; "" for nothing

	rest []byte // of a line whose end is still to come
	last []byte // line
	at   int    // where seq stood in the line before
}

// Write takes the next bytes of the stream. It never fails.
func (c *Checker) Write(p []byte) (int, error) {
	n := len(p)
	c.Bytes += uint64(n)
	if len(c.rest) > 0 {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			c.rest = append(c.rest, p...)
			return n, nil
		}
		c.rest = append(c.rest, p[:i+1]...)
		c.line(c.rest)
		c.rest = c.rest[:0]
		p = p[i+1:]
	}
	for len(p) > 0 {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			c.rest = append(c.rest, p...)
			break
		}
		c.line(p[:i+1])
		p = p[i+1:]
	}
	return n, nil
}

// line checks one line, newline included.
func (c *Checker) line(b []byte) {
	seq, ok := c.seq(b)
	switch {
	case c.Fault != "":
	case len(b) < 3 || b[0] != '{' || b[len(b)-2] != '}':
		c.fail("is no whole object", b)
	case !ok:
		c.fail("has no seq", b)
	case seq != c.Lines:
		c.fail(fmt.Sprintf("has seq %d", seq), b)
	case c.Lines%sampled == 0 && !json.Valid(b):
		c.fail("is no valid JSON", b)
	}
	c.Lines++
	c.last = append(c.last[:0], b...)
}

func (c *Checker) fail(what string, b []byte) {
	c.Fault = fmt.Sprintf("line %d %s: %.120q", c.Lines, what, b)
}

// seq finds the number of a line, most often where it stood in the line
// before. The first member of that name is the envelope's.
func (c *Checker) seq(b []byte) (uint64, bool) {
	const name = `"seq":`
	if c.at+len(name) > len(b) || string(b[c.at:c.at+len(name)]) != name {
		if c.at = bytes.Index(b, []byte(name)); c.at < 0 {
			c.at = 0
			return 0, false
		}
	}
	digits := b[c.at+len(name):]
	end := 0
	for end < len(digits) && digits[end] >= '0' && digits[end] <= '9' {
		end++
	}
	n, err := strconv.ParseUint(string(digits[:end]), 10, 64)
	return n, err == nil
}

// End tells that the stream has ended, and returns an error if anything was
// wrong with it: a fault, the rest of a line, fewer lines than least, more than
// most, or a last line without the text ending.
func (c *Checker) End(least, most uint64, ending string) error {
	switch {
	case c.Fault != "":
		return fmt.Errorf("load: order: %s", c.Fault)
	case len(c.rest) > 0:
		return fmt.Errorf("load: order: the stream ends within a line: %.120q", c.rest)
	case c.Lines < least || c.Lines > most:
		return fmt.Errorf("load: order: %d lines, not %d to %d: some were lost or written twice", c.Lines, least, most)
	case !bytes.Contains(c.last, []byte(ending)):
		return fmt.Errorf("load: order: the last line lacks %q: %.120q", ending, c.last)
	}
	return nil
}
