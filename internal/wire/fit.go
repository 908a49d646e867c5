package wire

import (
	"encoding/json"
	"fmt"
	"slices"
)

// How hard a line was squeezed to fit into Max bytes. Each level includes the
// ones before it.
const (
	levelWhole  = iota // as it is
	levelCut           // texts and prose cut
	levelValues        // strings inside arbitrary values cut, too
	levelFlat          // a tool result that is no string becomes one
	levelDrop          // optional members left out, final lines only
)

const (
	// metaReserve is room for _meta's own members.
	metaReserve = len(`,"_meta":{"truncated_bytes":9223372036854775807}`)
	// smallestValue is the ValueLimit below which values count as rigid.
	smallestValue = 16
)

// TooLongError is the cause of a refusal: nothing that may be cut is left, and
// the line is still too long.
type TooLongError struct{ Length, Max int }

func (e *TooLongError) Error() string {
	return fmt.Sprintf("a line of %d bytes does not fit into %d (MaxLineBytes), and nothing more in it may be cut", e.Length, e.Max)
}

// Again reports whether the members have to be encoded once more because the
// line is too long. It has emptied the line for that, and tightened the limits
// on what may be cut.
func (l *Line) Again() bool {
	length := len(l.Buf) + l.Overhead
	if l.Max == 0 || l.Refused != nil {
		return false
	}
	if length <= l.Max {
		return l.relax()
	}
	switch {
	case l.level == levelWhole:
		l.level = levelCut
		l.full = append(l.full[:0], l.Sizes...)
	case l.level == levelCut:
		l.level, l.ValueLimit = levelValues, l.Max/2
	case l.level == levelValues && l.ValueLimit > smallestValue:
		l.ValueLimit /= 2
	case l.level == levelValues:
		l.level = levelFlat
	case l.level == levelFlat && l.Final:
		l.level = levelDrop
	default:
		l.In("", -1, "")
		l.Refuse("", &TooLongError{length, l.Max})
		return false
	}
	l.Limit = l.fit()
	l.restart()
	return true
}

// relax reports whether texts were cut more than needed, for it was not known
// then how much room what was left out of the line would make. The limit is
// set right for another encoding.
func (l *Line) relax() bool {
	if l.level < levelValues || l.relaxed || l.Cut == 0 {
		return false
	}
	l.relaxed = true
	limit := l.fit()
	if limit <= l.Limit {
		return false
	}
	l.Limit = limit
	l.restart()
	return true
}

// fit returns the limit by which the texts fill the line, beside what else it
// holds now.
func (l *Line) fit() int {
	rigid := len(l.Buf)
	for _, n := range l.Sizes {
		rigid -= n
	}
	return fill(l.full, l.Max-l.Overhead-metaReserve-rigid)
}

// restart empties the line for another encoding of the same event.
func (l *Line) restart() {
	l.Buf, l.Sizes, l.left = l.Buf[:0], l.Sizes[:0], l.left[:0]
	l.Cut, l.InvalidJSON = 0, false
	want := l.Effects.WantText
	l.Effects.reset()
	l.Effects.WantText = want
	l.In("", -1, "")
}

// fill returns the largest limit by which texts of the given sizes, each cut
// to it, take no more than budget bytes in sum; at least 1.
func fill(sizes []int, budget int) int {
	sorted := slices.Clone(sizes)
	slices.Sort(sorted)
	for i, size := range sorted {
		share := budget / (len(sorted) - i)
		if size > share {
			return max(share, 1)
		}
		budget -= size
	}
	return max(budget, 1)
}

// Input appends the input of a tool_use, which a model wrote: raw JSON that is
// none becomes a string (contract section 6). It is never cut.
func (l *Line) Input(name string, v any) {
	if v == nil {
		l.Key(name)
		l.Buf = append(l.Buf, "{}"...)
		return
	}
	err := l.Whole(name, v)
	if raw, ok := v.(json.RawMessage); ok && err != nil {
		l.InvalidJSON = true
		limit := l.Limit
		l.Limit = 0
		l.Text(name, string(raw))
		l.Limit = limit
		return
	}
	l.Refuse(name, err)
}

// Content appends what a tool returned: raw JSON that is none becomes a
// string, and so does what would not fit otherwise.
func (l *Line) Content(name string, v any) {
	if s, ok := v.(string); ok {
		l.Text(name, s)
		return
	}
	if l.level >= levelFlat {
		l.flat(name, v)
		return
	}
	err := l.Value(name, v)
	if raw, ok := v.(json.RawMessage); ok && err != nil {
		l.InvalidJSON = true
		l.Text(name, string(raw))
		return
	}
	l.Refuse(name, err)
}

// flat appends the JSON text of v, cut, as a string.
func (l *Line) flat(name string, v any) {
	text, err := l.Values.AppendValue(nil, v)
	if raw, ok := v.(json.RawMessage); ok && err != nil {
		l.InvalidJSON = true
		text, err = raw, nil
	}
	if err != nil {
		l.Refuse(name, err)
		return
	}
	l.Text(name, string(text))
}

// End appends the members that any line may have, the last ones: extension,
// and _meta, in which the emitter's own members win over the caller's.
func (l *Line) End(extension, meta map[string]any, runID string) {
	l.In("", -1, "")
	if len(extension) > 0 && l.Optional("extension") {
		l.Key("extension")
		buf, err := l.Cutting().AppendMap(l.Buf, extension)
		l.Buf = buf
		l.Refuse("extension", err)
	}
	if (len(meta) > 0 || l.Empty) && !l.Optional("_meta") {
		meta, l.Empty = nil, false
	}
	if len(meta) == 0 && !l.Empty && runID == "" && l.Cut == 0 && !l.InvalidJSON && len(l.left) == 0 {
		return
	}
	l.Open("_meta", '{')
	l.Refuse("_meta", l.Members(meta, l.reserved))
	if l.Empty {
		l.Bool("empty", true)
	}
	if runID != "" {
		l.ID("run_id", runID)
	}
	if l.Cut > 0 {
		l.Int("truncated_bytes", int64(l.Cut))
	}
	if l.InvalidJSON {
		l.Bool("invalid_json", true)
	}
	if len(l.left) > 0 {
		l.IDs("left_out", l.left)
	}
	l.Close('}')
}

// reserved reports whether a member of _meta is the emitter's own.
func (l *Line) reserved(name string) bool {
	switch name {
	case "run_id", "truncated_bytes", "invalid_json", "left_out":
		return true
	}
	return l.Empty && name == "empty"
}
