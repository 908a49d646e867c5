//go:build !race

package emit_test

const underRace = false
