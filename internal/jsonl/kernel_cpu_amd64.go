//go:build gc && !purego && !msan

package jsonl

import "sync"

// kernel is settled by the first text that has use for it, and does not change
// after that. Where a hypervisor has to step in, to ask the processor and to
// touch the table takes some 0.1 ms, which is too much for each start of a
// program; golang.org/x/sys/cpu would ask at start.
var kernel struct {
	once   sync.Once
	usable bool
}

// shuffles belongs to kernel. It has, for each set of eight pairs of bytes, a
// bit for a pair, the shuffle that keeps the first byte of all pairs and the
// second byte of those in the set.
var shuffles [256][16]byte

// hasKernel says whether the processor has what the kernel needs.
func hasKernel() bool {
	kernel.once.Do(settleKernel)
	return kernel.usable
}

func settleKernel() {
	if !hasAVX2() {
		return
	}
	for set := range shuffles {
		k := 0
		for pair := range 8 {
			shuffles[set][k] = byte(2 * pair)
			k++
			if set>>pair&1 != 0 {
				shuffles[set][k] = byte(2*pair + 1)
				k++
			}
		}
	}
	kernel.usable = true
}

// hasAVX2 says whether there are AVX2 and POPCNT, and the operating system
// keeps the registers of AVX (Intel's Software Developer's Manual, volume 1,
// 14.7.1).
func hasAVX2() bool {
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

// cpuid is the instruction of that name.
func cpuid(leaf, part uint32) (eax, ebx, ecx, edx uint32)

// enabledStates is the low half of XCR0: the registers that the operating
// system keeps. It can be read where cpuid tells of osxsave.
func enabledStates() uint32
