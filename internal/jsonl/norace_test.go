//go:build !race

package jsonl_test

// raceEnabled: see race_test.go.
const raceEnabled = false
