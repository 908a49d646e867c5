//go:build !linux && !darwin

package stdio_test

func play(role string) { panic("no role for " + role) }
