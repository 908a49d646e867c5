package envelope

import (
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/streamjson/streamjson/exitcode"
	"github.com/streamjson/streamjson/internal/jsonl"
	"github.com/streamjson/streamjson/redact"
)

// document is an envelope on its way out. It is failed exactly when status is
// not 0, and then it has a message: fail is the only way there.
type document struct {
	status   int // the exit status that goes with it
	errors   []string
	warnings []string
	data     []byte // compact JSON; nil: null

	compact  bool
	redactor *redact.Redactor
	append   func(dst []byte, v any) ([]byte, error)
}

func newDocument(opts []Option) *document {
	d := new(document)
	for _, o := range opts {
		if o != nil {
			o(d)
		}
	}
	return d
}

// fail makes d a failure. status is not 0; the first one stays.
func (d *document) fail(status int, messages ...string) {
	if d.status == exitcode.OK {
		d.status = status
	}
	d.errors = append(d.errors, messages...)
}

func (d *document) warn(messages ...string) {
	d.warnings = append(d.warnings, messages...)
}

// setData encodes data, or makes d a failure that says why it could not be.
func (d *document) setData(data any) error {
	encoded, err := d.encode(data)
	if err != nil {
		d.fail(exitcode.Failure, err.Error())
		return fmt.Errorf("envelope: %w", err)
	}
	d.data = encoded
	return nil
}

// encode returns data as compact JSON by contract F8, F9 and E6. User code
// runs here.
func (d *document) encode(data any) (encoded []byte, err error) {
	// What jsonl does not catch by itself: an Append of the caller's own.
	defer func() {
		if p := recover(); p != nil {
			encoded, err = nil, fmt.Errorf("data can't be encoded: the encoder panicked: %v", p)
		}
	}()
	if empty := emptyForNil(data); empty != "" {
		return []byte(empty), nil
	}
	v := jsonl.Values{Append: d.append, Filter: filter(d.redactor)}
	encoded, err = v.AppendValue(nil, data)
	if err != nil {
		return nil, fmt.Errorf("data can't be encoded: %w", err)
	}
	return encoded, nil
}

// emptyForNil returns what stands for a nil slice or map at the top of data, so
// that a list stays a list when it is empty (contract E3), and "" for all other
// values. A nil []byte is an empty string, since bytes are strings in JSON; a
// type with a marshaller of its own speaks for itself.
func emptyForNil(data any) string {
	v := reflect.ValueOf(data)
	for range maxPointers {
		if v.Kind() != reflect.Pointer || v.IsNil() || marshals(v.Type()) {
			break
		}
		v = v.Elem()
	}
	switch {
	case v.Kind() != reflect.Slice && v.Kind() != reflect.Map, !v.IsNil(), marshals(v.Type()):
		return ""
	case v.Kind() == reflect.Map:
		return "{}"
	case v.Type().Elem().Kind() == reflect.Uint8 && !marshals(reflect.PointerTo(v.Type().Elem())):
		return `""`
	}
	return "[]"
}

// maxPointers bounds the way to a value: a pointer can point at itself.
const maxPointers = 100

// marshals tells whether encoding/json lets values of t encode themselves.
func marshals(t reflect.Type) bool {
	return t.Implements(reflect.TypeFor[jsonMarshaler]()) || t.Implements(reflect.TypeFor[textMarshaler]())
}

type (
	jsonMarshaler interface{ MarshalJSON() ([]byte, error) }
	textMarshaler interface{ MarshalText() ([]byte, error) }
)

// appendTo appends the whole document with its final newline. d is done then.
func (d *document) appendTo(dst []byte) []byte {
	errs := d.prose(d.errors)
	if d.status != exitcode.OK && len(errs) == 0 {
		errs = []string{noMessage}
	}
	data := d.data
	if data == nil {
		data = []byte("null")
	}
	newline, space := "\n  ", " "
	if d.compact {
		newline, space = "", ""
	}
	member := func(name string) {
		dst = append(append(append(dst, newline...), name...), space...)
	}
	dst = slices.Grow(dst, len(data)+256)
	dst = append(dst, '{')
	member(`"schema_version":`)
	dst = append(dst, '1', ',')
	member(`"ok":`)
	if d.status == exitcode.OK {
		dst = append(dst, "true,"...)
	} else {
		dst = append(dst, "false,"...)
	}
	member(`"data":`)
	if d.compact {
		dst = append(dst, data...)
	} else {
		dst = appendIndented(dst, data, 1)
	}
	dst = append(dst, ',')
	member(`"errors":`)
	dst = appendList(dst, errs, d.compact)
	dst = append(dst, ',')
	member(`"warnings":`)
	dst = appendList(dst, d.prose(d.warnings), d.compact)
	if !d.compact {
		dst = append(dst, '\n')
	}
	return append(dst, '}', '\n')
}

// prose returns messages as they may leave the process: without escape
// sequences (contract F10), which could also hide a secret from the redactor,
// without secrets, and without blank ones.
func (d *document) prose(messages []string) []string {
	f := filter(d.redactor)
	var out []string
	for _, m := range messages {
		if m = cleanText(f, m); !isBlank(m) {
			out = append(out, m)
		}
	}
	return out
}

func cleanText(f jsonl.Filter, m string) string {
	m = jsonl.StripANSI(m)
	if f != nil {
		m = f.Text(m)
	}
	return m
}

// keptBytes is the largest buffer that is kept for the next document, so that
// one huge answer doesn't hold its memory for ever.
const keptBytes = 64 << 10

var buffers = bufferPool{sync.Pool{New: func() any { return new([]byte) }}}

type bufferPool struct{ pool sync.Pool }

func (p *bufferPool) get() *[]byte { return p.pool.Get().(*[]byte) }

func (p *bufferPool) put(b *[]byte) {
	if cap(*b) <= keptBytes {
		p.pool.Put(b)
	}
}
