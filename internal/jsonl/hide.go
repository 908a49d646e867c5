package jsonl

import "unsafe"

// Hide returns s, and keeps from the compiler where it comes from.
//
// A string that is given to a method of an interface counts as escaped, and
// with it, since a parameter escapes as a whole, the event that holds it: each
// block of a message would move to the heap for the sake of a filter that only
// reads. It is for such callees alone: a Filter keeps none of its arguments (see there), which makes hiding
// the way of the string sound. The string is alive in the caller meanwhile.
func Hide(s string) string {
	words := [2]uintptr{uintptr(unsafe.Pointer(unsafe.StringData(s))), uintptr(len(s))}
	return *(*string)(unsafe.Pointer(&words))
}
