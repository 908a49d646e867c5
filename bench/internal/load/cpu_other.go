//go:build !unix

package load

import "time"

// processTime returns 0: the system doesn't tell by the standard library.
func processTime() time.Duration { return 0 }

// Switches returns how often a thread of this process has gone to sleep since
// it began; false where the system doesn't tell.
func Switches() (int64, bool) { return 0, false }
