package redact

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/streamjson/streamjson/internal/jsonl"
)

// FilterOptions say how [Filter] reads its input.
type FilterOptions struct {
	// Redactor; nil: Default.
	Redactor *Redactor
	// JSONLines: the input is one JSON value a line. Secrets are found in
	// decoded strings and by the names of members; a line in which there is
	// none is passed on byte for byte, another one is written compact. A line
	// that is no JSON is text.
	JSONLines bool
	// MaxLine is the longest line that is read as JSON, in bytes; what is
	// longer is text. 0: 16 MiB.
	MaxLine int
}

// A Report counts what a [Filter] has done. It never holds a secret.
type Report struct {
	Bytes    int64            // read
	Lines    int64            // JSON lines read
	Replaced map[string]int64 // secrets by kind
}

// Total is the number of secrets of all kinds.
func (r Report) Total() (n int64) {
	for _, c := range r.Replaced {
		n += c
	}
	return n
}

// String lists the counts by kind, one a line, in alphabetical order.
func (r Report) String() string {
	var b strings.Builder
	for _, kind := range slices.Sorted(maps.Keys(r.Replaced)) {
		fmt.Fprintf(&b, "%s %d\n", kind, r.Replaced[kind])
	}
	return b.String()
}

// Filter copies from r to w with the secrets replaced, in memory that does not
// depend on the length of the input: texts piece by piece, JSON lines one by
// one. It ends at the end of the input, at the first error, or when ctx is
// done; the report is right for what was written by then.
func Filter(ctx context.Context, r io.Reader, w io.Writer, o FilterOptions) (Report, error) {
	f := filterRun{ctx: ctx, w: w, report: Report{Replaced: map[string]int64{}}, r: o.Redactor, max: o.MaxLine}
	if f.r == nil {
		f.r = Default()
	}
	if f.max <= 0 {
		f.max = 16 << 20
	}
	f.text = *f.r.Stream()
	f.text.replaced = f.count
	var err error
	if o.JSONLines {
		err = f.lines(bufio.NewReaderSize(r, pieceBytes))
	} else {
		err = f.pieces(r)
	}
	return f.report, err
}

// pieceBytes is how much is read at a time.
const pieceBytes = 64 << 10

type filterRun struct {
	ctx    context.Context
	w      io.Writer
	r      *Redactor
	max    int
	text   Stream
	out    []byte
	report Report
}

func (f *filterRun) count(kind string) { f.report.Replaced[kind]++ }

// pieces copies text.
func (f *filterRun) pieces(r io.Reader) error {
	piece := make([]byte, pieceBytes)
	for {
		if err := f.ctx.Err(); err != nil {
			return errors.Join(err, f.endText())
		}
		n, err := r.Read(piece)
		f.report.Bytes += int64(n)
		if werr := f.addText(piece[:n]); werr != nil {
			return werr
		}
		if err != nil {
			return f.ended(err)
		}
	}
}

// ended is what the end of the input, or an error of the reader, leads to: what
// is held is written, then the error is returned.
func (f *filterRun) ended(err error) error {
	if err == io.EOF {
		err = nil
	}
	return errors.Join(err, f.endText())
}

func (f *filterRun) addText(p []byte) error {
	f.out = f.text.Append(f.out[:0], view(p))
	return f.emit(f.out)
}

func (f *filterRun) endText() error {
	f.out = f.text.AppendFlush(f.out[:0])
	return f.emit(f.out)
}

func (f *filterRun) emit(p []byte) error {
	if len(p) == 0 {
		return nil
	}
	n, err := f.w.Write(p)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	return err
}

// lines copies JSON lines.
func (f *filterRun) lines(r *bufio.Reader) error {
	var line []byte
	for {
		if err := f.ctx.Err(); err != nil {
			return errors.Join(err, f.endText())
		}
		piece, err := r.ReadSlice('\n')
		f.report.Bytes += int64(len(piece))
		line = append(line, piece...)
		if err == bufio.ErrBufferFull {
			if len(line) <= f.max {
				continue
			}
			// Too long for JSON; what follows up to its end is text, too.
			werr := f.addText(line)
			line = nil
			if werr == nil {
				werr = f.longLine(r)
			}
			if werr != nil {
				return werr
			}
			continue
		}
		if len(line) > 0 {
			if werr := f.line(line); werr != nil {
				return werr
			}
			line = line[:0]
			if cap(line) > keptBuffer {
				line = nil
			}
		}
		if err != nil {
			return f.ended(err)
		}
	}
}

// longLine copies the rest of a line as text.
func (f *filterRun) longLine(r *bufio.Reader) error {
	for {
		piece, err := r.ReadSlice('\n')
		f.report.Bytes += int64(len(piece))
		if werr := f.addText(piece); werr != nil {
			return werr
		}
		if err != bufio.ErrBufferFull {
			if err == io.EOF {
				return nil // the next read says it again
			}
			return err
		}
	}
}

// line copies one line with its end.
func (f *filterRun) line(line []byte) error {
	body := bytes.TrimRight(line, "\r\n")
	if len(bytes.TrimSpace(body)) == 0 {
		return f.addText(line)
	}
	look := &counter{r: f.r, replaced: f.count}
	out, err := jsonl.AppendRaw(f.out[:0], body, look)
	if err != nil {
		return f.addText(line)
	}
	f.report.Lines++
	look.settle()
	// Text before it is decided as it stands, or it would come after it.
	held := f.text.Flush()
	if werr := f.emit([]byte(held)); werr != nil {
		return werr
	}
	f.out = out
	if !look.changed {
		return f.emit(line)
	}
	f.out = append(f.out, line[len(body):]...)
	err = f.emit(f.out)
	if cap(f.out) > keptBuffer {
		f.out = nil
	}
	return err
}

// A counter is a filter that counts, and that knows whether it has changed
// anything. It counts only once the whole line was read.
type counter struct {
	r        *Redactor
	kinds    []string
	changed  bool
	replaced func(kind string)
}

func (c *counter) add(kind string) {
	c.kinds = append(c.kinds, kind)
	c.changed = true
}

func (c *counter) settle() {
	for _, kind := range c.kinds {
		c.replaced(kind)
	}
}

func (c *counter) Text(s string) string { return c.r.redact(s, c.add) }

func (c *counter) Key(name string) (out string, covered bool) {
	return c.r.redact(name, c.add), c.r.Enabled() && c.r.covers(name)
}

func (c *counter) Covered(s string) string { return c.r.cover(s, c.add) }
