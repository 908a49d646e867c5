//go:build (linux || darwin) && !race

package stdio_test

const raceEnabled = false
