package adopt

import (
	"strconv"
)

// A kind is something that a child does and that is put right.
type kind uint8

const (
	foreignOutput kind = iota
	brokenLine
	longLine
	framing
	respelled
	numbering
	sessionChange
	secondInit
	otherRun
	untracked
	behindResult // told in prose alone
	kinds
)

// category and words of a kind. What is told once says so by once: its count
// tells nothing.
func (k kind) words() (category, text string, once bool) {
	switch k {
	case foreignOutput:
		return "foreign_output", "text on the program's stdout that is no event, now on stderr", false
	case brokenLine:
		return "broken_line", "a line of the program's that is no event was dropped", false
	case longLine:
		return "long_line", "a line of the program's was over the limit and was dropped", false
	case framing:
		return "framing", "the program writes more to a line than an object and a newline (CR LF, a byte order mark, blanks, blank lines), or no newline, and is cleaned of that", true
	case respelled:
		return "respelled", "the program writes raw control characters, or bytes that are not UTF-8, which are spelled as the contract wants it", true
	case numbering:
		return "numbering", "the program's own seq has gaps or repeats and is written anew", true
	case sessionChange:
		return "session_change", "the program changes its session_id, and the first one stays", true
	case secondInit:
		return "second_init", "a second init of the program's was dropped, and the run goes on", false
	case otherRun:
		return "other_run", "another run writes to the same stdout, and its lines are dropped", false
	case untracked:
		return "untracked", "the program has more open tool calls and tasks than are remembered, and what is beyond can't be closed for it", true
	}
	return "behind_result", "what the program writes behind its result is dropped", false
}

// notices counts what happens, and says when it is to be told.
type notices [kinds]struct {
	pending, told int
	detail        string // of the first one that is pending
}

// note counts something that has happened. Detail is for people.
func (f *Filter) note(k kind, detail string) {
	n := &f.notices[k]
	if n.pending == 0 {
		n.detail = detail
	}
	n.pending++
	if n.pending+n.told == 1 && k != foreignOutput { // which stands on stderr itself
		_, text, _ := k.words()
		f.foreign.flush()
		f.o.Notice(withDetail(text, detail))
	}
}

// noteText counts a line of text. The first one that is pending is quoted.
func (f *Filter) noteText() {
	detail := ""
	if f.notices[foreignOutput].pending == 0 {
		detail = f.foreign.excerpt()
	}
	f.note(foreignOutput, detail)
}

func withDetail(text, detail string) string {
	if detail == "" {
		return text
	}
	return text + ": " + detail
}

// due takes what is to be told of a kind now; ok is false if nothing is.
func (f *Filter) due(k kind, final bool) (category, message string, count int, ok bool) {
	n := &f.notices[k]
	category, text, once := k.words()
	switch {
	case k == behindResult || n.pending == 0:
		return "", "", 0, false
	case n.told == 0:
	case once || !final && n.pending < n.told:
		return "", "", 0, false
	}
	count = n.pending
	message = withDetail(text, n.detail)
	n.told += n.pending
	n.pending, n.detail = 0, ""
	if once {
		count = 0
	}
	return category, message, count, true
}

// warnDue writes the warnings that are due; the next line is stamped next, if it
// is known.
func (f *Filter) warnDue(final bool, next []byte) {
	for _, text := range f.said {
		f.warning("notice", text, 0, next)
	}
	f.said = nil
	for k := range kinds {
		if category, message, count, ok := f.due(k, final); ok {
			f.warning(category, message, count, next)
		}
	}
}

// warning writes a warning line.
func (f *Filter) warning(category, message string, count int, next []byte) {
	b := f.builder()
	b.ID("category", category)
	b.Prose("message", message)
	if count > 0 {
		b.Int("count", int64(count))
	}
	f.insert("system", "warning", "", b.Buf, next)
}

// early returns the warnings that are due as texts, for an init line.
func (f *Filter) early() (list []string) {
	list, f.said = f.said, nil
	for k := range kinds {
		if _, message, count, ok := f.due(k, true); ok {
			if count > 1 {
				message += " count=" + strconv.Itoa(count)
			}
			list = append(list, message)
		}
	}
	return list
}

// tellRest tells in prose how much came behind the result.
func (f *Filter) tellRest() {
	if n := f.notices[behindResult]; n.pending > 1 {
		_, text, _ := behindResult.words()
		f.o.Notice(text + ": " + strconv.Itoa(n.pending) + " lines in all")
	}
}
