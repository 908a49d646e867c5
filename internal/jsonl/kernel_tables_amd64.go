//go:build gc && !purego && !msan

package jsonl

import (
	"sync"

	"github.com/streamjson/streamjson/internal/cpu"
)

// kernel is settled by the first text that has use for it, and does not change
// after that. Where a hypervisor has to step in, to ask the processor and to
// touch the table takes some 0.1 ms, which is too much for each start of a
// program.
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
	if !cpu.HasAVX2() {
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
