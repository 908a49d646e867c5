// Package cpu asks the processor what Go does not: which instructions it has,
// and how far its counter has gone on. A Gate sees to it that it is asked once,
// and not before that can be worth it. It knows nothing of what for. The build
// tag purego leaves the assembly out, and then it has nothing to tell.
package cpu
