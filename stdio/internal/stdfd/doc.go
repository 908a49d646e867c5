// Package stdfd moves the standard output of the process at descriptor level:
// [Take] makes a private duplicate of descriptor 1 and points descriptor 1
// elsewhere, [Taken.Restore] gives it back.
//
// Both stdio and stdio/early stand on it. It imports nothing but syscall and
// has no initializer, so that early stays as early as it must be.
package stdfd
