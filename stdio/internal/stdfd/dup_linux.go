package stdfd

import "syscall"

// dup2 is dup3 because some of Linux's architectures have no dup2.
func dup2(from, to int) error { return syscall.Dup3(from, to, 0) }
