//go:build race

package emit_test

// underRace: the race detector adds allocations of its own.
const underRace = true
