//go:build !race

package sonicjson_test

const underRace = false
