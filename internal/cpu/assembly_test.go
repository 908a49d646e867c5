//go:build amd64 && gc && !purego

package cpu_test

const assembly = true
