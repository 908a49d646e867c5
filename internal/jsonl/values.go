package jsonl

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"
)

// Values appends Go values as JSON by contract F8 and F9. The zero value is
// ready for use: encoding/json for kinds that Values does not know itself, and
// no filter. It is safe for concurrent use if its members are.
type Values struct {
	// Append encodes a value of a kind that Values does not know: structs,
	// pointers, named types, marshallers. It appends JSON text to dst and
	// returns it. Its output is checked and rewritten by [AppendRaw], and it
	// never gets to see the buffer of the caller. It must not keep dst. Nil
	// means encoding/json without HTML escaping.
	Append func(dst []byte, v any) ([]byte, error)
	// Filter sees all strings and keys, as in [AppendRaw]. It may be nil.
	Filter Filter
}

// AppendValue appends v.
//
// It writes nil, booleans, strings, numbers, [json.Number], [json.RawMessage],
// [time.Time], []byte (base64), and slices and string-keyed maps of them as
// encoding/json does: a nil slice or map is null, the keys of a map are
// sorted. All else goes through Append. Keys that differ in Go and are the
// same once invalid UTF-8 is repaired, or once the filter has changed them,
// are told apart by "#2", "#3" and so on.
//
// It refuses NaN and infinities, text that is no number in a json.Number, raw
// text that [AppendRaw] refuses, nesting deeper than [MaxDepth], cycles, and
// whatever Append refuses; a panic of Append or of a marshaller below it is an
// error like others. The error is, or wraps, a [*SyntaxError] for text and is
// a [*PointerError] when it is about a member; [ErrorPointer] tells which one.
// On error dst comes back with the length that it had.
func (v Values) AppendValue(dst []byte, x any) ([]byte, error) {
	e := encoders.Get().(*encoder)
	e.Values = v
	out, err := e.value(dst, x)
	e.release()
	if err != nil {
		return dst, err
	}
	return out, nil
}

// AppendMap appends m as AppendValue does.
func (v Values) AppendMap(dst []byte, m map[string]any) ([]byte, error) {
	e := encoders.Get().(*encoder)
	e.Values = v
	out, err := e.anyMap(dst, m)
	e.release()
	if err != nil {
		return dst, err
	}
	return out, nil
}

var encoders = sync.Pool{New: func() any { return new(encoder) }}

// encoder is the state of one AppendValue.
type encoder struct {
	Values
	depth   int
	covered bool     // the value at hand is below a covered key
	members []member // of the maps that are open, the innermost last; openMap tells their order
	keys    []string // being sorted
	shapes  shapes   // of the maps that came before
	written names    // of the maps in which a name was changed
	trail   trail
	scratch []byte // a string or number at hand, for the filter
}

func (e *encoder) release() {
	e.Values = Values{}
	e.depth, e.covered = 0, false
	clear(e.members) // left over by an error
	e.members = e.members[:0]
	if cap(e.members) > keptNames {
		e.members, e.keys = nil, nil
	}
	e.written.reset()
	e.trail = trail{}
	if cap(e.scratch) > keptBytes {
		e.scratch = nil
	}
	encoders.Put(e)
}

// value appends x. On error what it returns is of no use.
func (e *encoder) value(dst []byte, x any) ([]byte, error) {
	switch x := x.(type) {
	case nil:
		return append(dst, "null"...), nil
	case bool:
		return strconv.AppendBool(dst, x), nil
	case string:
		return e.text(dst, x), nil
	case map[string]any:
		return e.anyMap(dst, x)
	case []any:
		return e.anySlice(dst, x)
	case int:
		return e.integer(dst, int64(x)), nil
	case int64:
		return e.integer(dst, x), nil
	case float64:
		return e.float(dst, x, 64)
	case json.Number:
		return e.number(dst, string(x))
	case json.RawMessage:
		return e.raw(dst, x)
	case time.Time:
		return e.time(dst, x)
	}
	return e.lessUsual(dst, x)
}

// lessUsual goes on where value stops.
func (e *encoder) lessUsual(dst []byte, x any) ([]byte, error) {
	switch x := x.(type) {
	case int8:
		return e.integer(dst, int64(x)), nil
	case int16:
		return e.integer(dst, int64(x)), nil
	case int32:
		return e.integer(dst, int64(x)), nil
	case uint:
		return e.unsigned(dst, uint64(x)), nil
	case uint8:
		return e.unsigned(dst, uint64(x)), nil
	case uint16:
		return e.unsigned(dst, uint64(x)), nil
	case uint32:
		return e.unsigned(dst, uint64(x)), nil
	case uint64:
		return e.unsigned(dst, x), nil
	case float32:
		return e.float(dst, float64(x), 32)
	case time.Duration:
		return e.integer(dst, int64(x)), nil
	case []byte:
		return e.bytes(dst, x), nil
	case []string:
		return appendSlice(e, dst, x, (*encoder).textElement)
	case []int:
		return appendSlice(e, dst, x, (*encoder).intElement)
	case []float64:
		return appendSlice(e, dst, x, (*encoder).floatElement)
	case []map[string]any:
		return appendSlice(e, dst, x, (*encoder).anyMap)
	case map[string]string:
		return appendMap(e, dst, x, (*encoder).textElement)
	case map[string]int:
		return appendMap(e, dst, x, (*encoder).intElement)
	case map[string]float64:
		return appendMap(e, dst, x, (*encoder).floatElement)
	case map[string]bool:
		return appendMap(e, dst, x, (*encoder).boolElement)
	}
	return e.other(dst, x)
}

func (e *encoder) text(dst []byte, s string) []byte {
	if e.Filter == nil {
		return AppendString(dst, s)
	}
	if e.covered {
		return AppendString(dst, e.Filter.Covered(Hide(s)))
	}
	return AppendString(dst, e.Filter.Text(Hide(s)))
}

func (e *encoder) integer(dst []byte, n int64) []byte {
	if e.secret() {
		return e.cover(strconv.AppendInt(e.scratch[:0], n, 10), dst)
	}
	return strconv.AppendInt(dst, n, 10)
}

func (e *encoder) unsigned(dst []byte, n uint64) []byte {
	if e.secret() {
		return e.cover(strconv.AppendUint(e.scratch[:0], n, 10), dst)
	}
	return strconv.AppendUint(dst, n, 10)
}

func (e *encoder) float(dst []byte, f float64, bits int) ([]byte, error) {
	if e.secret() {
		text, err := AppendFloat(e.scratch[:0], f, bits)
		if err != nil {
			return dst, err
		}
		return e.cover(text, dst), nil
	}
	return AppendFloat(dst, f, bits)
}

func (e *encoder) number(dst []byte, s string) ([]byte, error) {
	if s == "" {
		s = "0" // as encoding/json has it
	}
	if n, problem := scanNumber(s); problem != "" || n != len(s) {
		return dst, fmt.Errorf("json.Number %s is no JSON number", quoteShort(s))
	}
	if e.secret() {
		return AppendString(dst, e.Filter.Covered(s)), nil
	}
	return append(dst, s...), nil
}

func (e *encoder) raw(dst []byte, raw json.RawMessage) ([]byte, error) {
	if raw == nil {
		return append(dst, "null"...), nil
	}
	if len(raw) == 0 {
		return dst, errors.New("json.RawMessage is empty: nil means null, and \"\" is no JSON text")
	}
	return appendRaw(dst, raw, e.Filter, e.here())
}

func (e *encoder) time(dst []byte, t time.Time) ([]byte, error) {
	// AppendText refuses years and zones that RFC 3339 can't spell, and then
	// gives no buffer back.
	if e.Filter != nil {
		text, err := t.AppendText(e.scratch[:0])
		if err != nil {
			return dst, err
		}
		e.scratch = text
		return e.text(dst, view(text)), nil
	}
	out, err := t.AppendText(append(dst, '"'))
	if err != nil {
		return dst, err
	}
	return append(out, '"'), nil
}

func (e *encoder) bytes(dst, b []byte) []byte {
	if b == nil {
		return append(dst, "null"...)
	}
	if e.Filter != nil {
		e.scratch = base64.StdEncoding.AppendEncode(e.scratch[:0], b)
		return e.text(dst, view(e.scratch))
	}
	dst = append(dst, '"')
	dst = base64.StdEncoding.AppendEncode(dst, b)
	return append(dst, '"')
}

// secret reports whether numbers are to be covered.
func (e *encoder) secret() bool { return e.covered && e.Filter != nil }

// cover appends what the filter makes of a number, whose text stands in the
// scratch buffer.
func (e *encoder) cover(text, dst []byte) []byte {
	e.scratch = text
	return AppendString(dst, e.Filter.Covered(view(text)))
}

// here is where a raw value stands that is met now.
func (e *encoder) here() walk {
	return walk{limit: MaxDepth - e.depth, covered: e.covered}
}

func (e *encoder) textElement(dst []byte, s string) ([]byte, error) { return e.text(dst, s), nil }
func (e *encoder) intElement(dst []byte, n int) ([]byte, error) {
	return e.integer(dst, int64(n)), nil
}

func (e *encoder) floatElement(dst []byte, f float64) ([]byte, error) {
	return e.float(dst, f, 64)
}

func (e *encoder) boolElement(dst []byte, b bool) ([]byte, error) {
	return strconv.AppendBool(dst, b), nil
}
