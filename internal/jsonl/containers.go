package jsonl

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
)

var errCycle = errors.New("the value holds itself: a cycle has no JSON form")

// identity tells one map or slice from another.
type identity struct {
	at  uintptr
	len int
}

// trailStart is the depth from which on cycles are looked for.
const trailStart = 8

// trail finds cycles, by Brent's method: one container of the way down is
// remembered, a deeper one each time that the depth has doubled, and each one
// below is compared with it. Without it a cycle would be written a thousand
// times over before the depth limit ends it.
type trail struct {
	mark  identity
	depth int // of the marked container, 0 if there is none
}

// pass notes that a container is entered at the given depth and reports
// whether it stands inside itself.
func (t *trail) pass(depth int, id identity) bool {
	if t.depth > 0 && t.mark == id {
		return true
	}
	if t.depth == 0 || depth >= 2*t.depth {
		t.mark, t.depth = id, depth
	}
	return false
}

// enter counts a level of nesting; leave takes it back.
func (e *encoder) enter() error {
	if e.depth >= MaxDepth {
		return fmt.Errorf("nested more than %d deep", MaxDepth)
	}
	e.depth++
	return nil
}

func (e *encoder) leave() {
	e.depth--
	if e.depth < e.trail.depth {
		e.trail.depth = 0
	}
}

// deep reports whether the trail has begun to be of use.
func (e *encoder) deep() bool { return e.depth+1 >= trailStart }

func (e *encoder) anySlice(dst []byte, s []any) ([]byte, error) {
	if e.deep() && e.trail.pass(e.depth+1, identity{reflect.ValueOf(s).Pointer(), len(s)}) {
		return dst, errCycle
	}
	return appendSlice(e, dst, s, (*encoder).value)
}

// appendSlice appends s, or null, element by element.
func appendSlice[T any](e *encoder, dst []byte, s []T, element func(*encoder, []byte, T) ([]byte, error)) ([]byte, error) {
	if s == nil {
		return append(dst, "null"...), nil
	}
	if err := e.enter(); err != nil {
		return dst, err
	}
	dst = append(dst, '[')
	for i := range s {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = element(e, dst, s[i]); err != nil {
			return dst, atMember(err, strconv.Itoa(i))
		}
	}
	e.leave()
	return append(dst, ']'), nil
}
