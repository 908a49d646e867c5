//go:build race

package text_test

const raceEnabled = true
