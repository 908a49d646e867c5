//go:build race

package redact_test

// raceEnabled: the race detector allocates, and makes everything slow.
const raceEnabled = true
