//go:build race

package jsonl_test

// raceEnabled: the race detector allocates where the program does not.
const raceEnabled = true
