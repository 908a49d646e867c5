package envelope

import (
	"errors"
	"fmt"
	"strings"

	"github.com/streamjson/streamjson/exitcode"
)

// What stands in for a message that has no text: a failure is never without
// one (contract E4).
const noMessage = "the command failed and gave no message"

// hintMark begins the entry that carries a hint.
const hintMark = "hint: "

// WithHint returns err with advice for whoever meets it: what to try next. In
// the envelope the advice is an entry of its own, "hint: …", right behind the
// message of err; for people it is a line of its own on stderr. The text of the
// error stays as it is. A nil err gives nil; an empty hint gives err.
//
// An error type of your own has the same effect with a method Hint() string.
func WithHint(err error, hint string) error {
	if err == nil || isBlank(hint) {
		return err
	}
	return &hinted{error: err, hint: hint}
}

type hinted struct {
	error
	hint string
}

func (h *hinted) Unwrap() error { return h.error }
func (h *hinted) Hint() string  { return h.hint }

// UsageError says that a command was called in the wrong way: a flag or a
// command that doesn't exist, an argument too few. It ends with exit status 2
// (unless Err carries another one), and its usage text goes to stderr, never to
// stdout.
type UsageError struct {
	Err   error  // what was wrong
	Usage string // how it is called; empty under Command: the command's own usage
}

// Error returns the text of Err.
func (e *UsageError) Error() string {
	if e.Err == nil {
		return "wrong usage"
	}
	return e.Err.Error()
}

// Unwrap returns Err.
func (e *UsageError) Unwrap() error { return e.Err }

// statusOf returns the exit status that an error asks for: that of an
// exitcode.Error in its chain, 2 for a UsageError, else 1; never 0.
func statusOf(err error) (code int) {
	// Foreign error types run here (As, Unwrap): a nil pointer among them panics.
	defer func() {
		if recover() != nil {
			code = exitcode.Failure
		}
	}()
	if code, ok := exitcode.Of(err); ok {
		return code
	}
	if usageOf(err) != nil {
		return exitcode.Usage
	}
	return exitcode.Failure
}

// usageOf returns the UsageError in the chain of err, or nil.
func usageOf(err error) (usage *UsageError) {
	defer func() {
		if recover() != nil {
			usage = nil
		}
	}()
	errors.As(err, &usage)
	return usage
}

// messagesOf takes an error apart into the entries of the envelope: the parts
// of errors.Join one by one, each followed by its hints. It never returns none.
func messagesOf(err error) []string {
	var list []string
	for _, part := range partsOf(err) {
		m := textOf(part)
		if isBlank(m) {
			m = noMessage
		}
		list = append(list, m)
		for _, h := range hintsOf(part) {
			list = append(list, hintMark+h)
		}
	}
	return list
}

// partsOf splits what errors.Join put together. A wrapper that adds no text of
// its own (an exitcode.Error, a UsageError) is looked through; one that does
// (fmt.Errorf) is a single part, since its text belongs to all that it wraps.
func partsOf(err error) (parts []error) {
	if err == nil {
		return nil
	}
	defer func() {
		if recover() != nil {
			parts = []error{err}
		}
	}()
	switch u := err.(type) {
	case interface{ Unwrap() []error }:
		inner := u.Unwrap()
		texts := make([]string, 0, len(inner))
		for _, e := range inner {
			if e != nil {
				texts = append(texts, e.Error())
				parts = append(parts, partsOf(e)...)
			}
		}
		if len(parts) > 0 && err.Error() == strings.Join(texts, "\n") {
			return parts
		}
	case *hinted:
		// Looking through it would lose the hint where there is one part, and
		// misplace it where there are several: it goes behind the last.
		parts = partsOf(u.error)
		parts[len(parts)-1] = &hinted{error: parts[len(parts)-1], hint: u.hint}
		return parts
	case interface{ Unwrap() error }:
		if inner := u.Unwrap(); inner != nil && inner.Error() == err.Error() && !hasHint(err) {
			return partsOf(inner)
		}
	}
	return []error{err}
}

func hasHint(err error) bool {
	_, ok := err.(interface{ Hint() string })
	return ok
}

// hintsOf collects the hints in the tree of err, the innermost first, each once.
func hintsOf(err error) (hints []string) {
	defer func() { _ = recover() }() // a foreign Unwrap or Hint that panics ends the search
	seen := map[string]bool{}
	var walk func(error)
	walk = func(err error) {
		switch u := err.(type) {
		case nil:
			return
		case interface{ Unwrap() []error }:
			for _, e := range u.Unwrap() {
				walk(e)
			}
		case interface{ Unwrap() error }:
			walk(u.Unwrap())
		}
		if h, ok := err.(interface{ Hint() string }); ok {
			if text := h.Hint(); !isBlank(text) && !seen[text] {
				seen[text] = true
				hints = append(hints, text)
			}
		}
	}
	walk(err)
	return hints
}

// textOf is err.Error() for error values of any quality: the nil pointer in an
// error interface, whose method panics, is the most common mistake with them.
func textOf(err error) (text string) {
	defer func() {
		if p := recover(); p != nil {
			text = fmt.Sprintf("an error of type %T, whose Error method panicked: %v", err, p)
		}
	}()
	return err.Error()
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }
