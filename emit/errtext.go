package emit

import (
	"errors"
	"fmt"
)

// The errors that a program hands over run methods of its own, which may panic:
// a nil pointer in an interface is a common slip. These functions stand
// between, so that the end of a run does not fail over why it ends.

// errorIs is errors.Is, and false where that panics.
func errorIs(err, target error) (is bool) {
	defer func() {
		if recover() != nil {
			is = false
		}
	}()
	return errors.Is(err, target)
}

// errorAs is errors.As, and false where that panics.
func errorAs[T error](err error) (target T, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	ok = errors.As(err, &target)
	return target, ok
}

// errorText is err.Error(), or what can be said of an error that panics.
func errorText(err error) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprintf("an error of type %T, whose Error method panicked: %v", err, r)
		}
	}()
	return err.Error()
}

// texts returns the messages of err, one each for what was joined.
func texts(err error) (list []string) {
	defer func() {
		if recover() != nil { // an Unwrap of the program's own
			list = []string{errorText(err)}
		}
	}()
	joined, ok := err.(interface{ Unwrap() []error }) //nolint:errorlint // only err itself is a list
	if ok && !wrapsText(err, joined.Unwrap()) {
		for _, e := range joined.Unwrap() {
			list = append(list, texts(e)...)
		}
		return list
	}
	if text := errorText(err); text != "" {
		return []string{text}
	}
	return nil
}

// wrapsText reports whether err says more than the errors that it holds: one
// made by fmt.Errorf with several %w does, one made by errors.Join does not.
func wrapsText(err error, list []error) bool {
	length := 0
	for i, e := range list {
		if e == nil {
			return true
		}
		if i > 0 {
			length++ // the newline between two of them
		}
		length += len(errorText(e))
	}
	return len(errorText(err)) != length
}
