//go:build gc && !purego && !msan

package jsonl

import "github.com/streamjson/streamjson/internal/cpu"

// kernel opens with the first texts. Where a hypervisor has to step in, to ask
// the processor and to touch the table takes some 0.1 ms, which is too much for
// the start of a program that says little.
var kernel cpu.Gate

// shuffles belongs to kernel. It has, for each set of eight pairs of bytes, a
// bit for a pair, the shuffle that keeps the first byte of all pairs and the
// second byte of those in the set.
var shuffles [256][16]byte

// hasKernel says whether a text of n bytes is for the kernel.
func hasKernel(n int) bool { return kernel.Open() || kernel.Knock(n/block, makeKernel) }

func makeKernel() bool {
	if !cpu.HasAVX2() {
		return false
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
	return true
}
