//go:build race

package sonicjson_test

// underRace: the race detector makes sonic a hundred times slower.
const underRace = true
