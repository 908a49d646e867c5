//go:build unix

// Package guarded is for tests of what reads and writes memory in assembly: a
// page between two that end the process when they are touched.
package guarded

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// Page returns a page of memory between two that must not be touched.
func Page(t *testing.T) []byte {
	t.Helper()
	size := os.Getpagesize()
	m, err := unix.Mmap(-1, 0, 3*size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Munmap(m); err != nil {
			t.Error(err)
		}
	})
	for _, edge := range [][]byte{m[:size], m[2*size:]} {
		if err := unix.Mprotect(edge, unix.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	return m[size : 2*size : 2*size]
}
