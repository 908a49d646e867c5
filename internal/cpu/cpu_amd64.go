//go:build gc && !purego

package cpu

import "runtime"

// Where a hypervisor steps in, each question takes some 0.05 ms: too much for
// the start of every program. So callers ask at first need, and once;
// golang.org/x/sys/cpu would ask at start.

// HasAVX2 says whether there are AVX2 and POPCNT, and the operating system
// keeps the registers of AVX (Intel's Software Developer's Manual, volume 1,
// 14.7.1).
func HasAVX2() bool {
	const (
		popcnt  = 1 << 23 // in leaf 1, ECX
		osxsave = 1 << 27
		avx     = 1 << 28
		avx2    = 1 << 5 // in leaf 7, EBX
		states  = 1<<1 | 1<<2
	)
	if last, _, _, _ := cpuid(0, 0); last < 7 {
		return false
	}
	if _, _, c, _ := cpuid(1, 0); c&(popcnt|osxsave|avx) != popcnt|osxsave|avx {
		return false
	}
	if enabledStates()&states != states {
		return false
	}
	_, b, _, _ := cpuid(7, 0)
	return b&avx2 != 0
}

// HasVBMI says whether there are AVX-512 with its instructions for bytes (F,
// BW, VBMI) and BMI2, and the operating system keeps the registers of AVX-512
// (the same manual, 15.2). On macOS it says no: there a thread has these registers
// from its first use of them on, and until 12.2 a signal spoilt some of them.
func HasVBMI() bool {
	const (
		features = 1<<8 | 1<<16 | 1<<30 // BMI2, F and BW in leaf 7, EBX
		vbmi     = 1 << 1               // in ECX
		states   = 1<<1 | 1<<2 | 7<<5
	)
	if runtime.GOOS == "darwin" || !HasAVX2() || enabledStates()&states != states {
		return false
	}
	_, b, c, _ := cpuid(7, 0)
	return b&features == features && c&vbmi != 0
}

// HasSteadyTicks says whether Ticks counts at one rate in all states of the
// processor (Intel's manual, volume 3, 18.17.1: invariant TSC; AMD's, volume 2,
// 13.2.4).
func HasSteadyTicks() bool {
	const (
		extended  = 1 << 31
		power     = extended + 7
		invariant = 1 << 8 // in EDX
	)
	if last, _, _, _ := cpuid(extended, 0); last < power {
		return false
	}
	_, _, _, d := cpuid(power, 0)
	return d&invariant != 0
}

// Ticks reads the processor's counter (RDTSC), at a third of the price of a
// reading of the clock. What a tick is differs between machines, and a machine
// may have several counters, none of which need be right: whoever uses it must
// put up with any value.
func Ticks() uint64

// cpuid is the instruction of that name.
func cpuid(leaf, part uint32) (eax, ebx, ecx, edx uint32)

// enabledStates is the low half of XCR0: the registers that the operating
// system keeps. It can be read where cpuid tells of osxsave.
func enabledStates() uint32
