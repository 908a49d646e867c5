//go:build !amd64 || !gc || purego

package cpu

// HasAVX2 says whether there are AVX2 and POPCNT.
func HasAVX2() bool { return false }

// HasVBMI says whether there are AVX-512 with its instructions for bytes, and BMI2.
func HasVBMI() bool { return false }

// HasSteadyTicks says whether Ticks is of use.
func HasSteadyTicks() bool { return false }

// Ticks reads the processor's counter, where there is one to read.
func Ticks() uint64 { return 0 }
