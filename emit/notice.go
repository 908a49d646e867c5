package emit

import (
	"errors"
	"fmt"
	"strings"

	"github.com/streamjson/streamjson/emit/event"
	"github.com/streamjson/streamjson/internal/jsonl"
	"github.com/streamjson/streamjson/internal/wire"
)

const (
	// maxEarly is how many warnings before init are kept.
	maxEarly = 100
	// maxTold is how many kinds of refusals are told in prose.
	maxTold = 100
	// categoryNotice is the category of mirrored prose (contract section 2).
	categoryNotice = "notice"
)

// notices is what was said before there was a stream to say it in, and what
// was said already. Guarded by the emitter's lock.
type notices struct {
	early []string // warnings before init
	lost  int      // and how many more there were
	told  map[string]struct{}
}

// list returns the warnings before init as they stand on its line.
func (n *notices) list() []string {
	if n.lost == 0 {
		return n.early
	}
	return append(n.early[:len(n.early):len(n.early)], fmt.Sprintf("%d more warnings before the first line were left out", n.lost))
}

// notice says something to people, and mirrors it into the stream where it is
// a warning (contract F11): into init's warnings before there is an init line,
// as a warning line of a after it. What comes after the stream's end is prose
// alone.
func (a *Actor) notice(at string, l level, message, fields string) {
	s := a.stream
	// An escape sequence that the message does not end must not reach into the
	// fields.
	message, fields = jsonl.StripANSI(message), jsonl.StripANSI(fields)
	s.prose.printAt(at, l, message, fields)
	if l >= levelWarn || s.o.MirrorAll && l >= levelInfo {
		a.mirror(message + fields)
	}
}

func (a *Actor) mirror(text string) {
	s := a.stream
	s.mu.Lock()
	if !s.inited {
		if len(s.notices.early) < maxEarly {
			s.notices.early = append(s.notices.early, text)
		} else {
			s.notices.lost++
		}
		s.mu.Unlock()
		return
	}
	s.mu.Unlock()
	// Can't be refused; what can't be written is told by the events.
	warning := event.Warning{Category: categoryNotice, Message: text}
	if err := a.Emit(warning); errors.Is(err, ErrEnded) && !a.top() {
		_ = s.end.top.Emit(warning)
	}
}

// refused returns the error of a line that broke a rule by itself.
func (s *stream) refused(l *wire.Line) error {
	err := s.refusalOf(l.Type, l.Subtype, l.Refused)
	s.recycle(l)
	return s.tell(err)
}

// refusalOf returns why a line is refused by itself. The keys of the caller's
// values stand in the pointer, and a secret in them is no secret that a search
// through the escapes of a pointer would find.
func (s *stream) refusalOf(typ, subtype string, r *wire.Refusal) error {
	tokens := strings.Split(r.Pointer, "/")
	for i, token := range tokens {
		plain := strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		if clean := s.o.Redactor.String(plain); clean != plain {
			tokens[i] = strings.NewReplacer("~", "~0", "/", "~1").Replace(clean)
		}
	}
	return refusal(typ, subtype, strings.Join(tokens, "/"), r.Err)
}

// tell says in prose that an event was refused, each kind once, for the caller
// may drop the error. It returns err. The notice is of level info, so that it
// is not mirrored: a refused event writes nothing.
func (s *stream) tell(err error) error {
	refused, ok := err.(*EventError) //nolint:errorlint // the emitter's own, never wrapped
	if !ok {
		return err
	}
	kind := refused.Type + "/" + refused.Subtype + " " + refused.Err.Error()
	s.mu.Lock()
	_, known := s.notices.told[kind]
	if !known && len(s.notices.told) < maxTold {
		if s.notices.told == nil {
			s.notices.told = map[string]struct{}{}
		}
		s.notices.told[kind] = struct{}{}
	} else {
		known = true
	}
	s.mu.Unlock()
	if !known {
		s.prose.print(levelInfo, refused.Error(), "")
	}
	return err
}
