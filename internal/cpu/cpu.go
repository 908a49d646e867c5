// Package cpu asks the processor what Go does not: which instructions it has,
// and how far its counter has gone on. It knows nothing of what for. The build
// tag purego leaves the assembly out, and then it has nothing to tell.
package cpu
