//go:build gc && !purego && !msan

package jsonl

import (
	"sync"
	"sync/atomic"

	"github.com/streamjson/streamjson/internal/cpu"
)

// kernel is settled by the first texts, and does not change after that. Where a
// hypervisor has to step in, to ask the processor and to touch the table takes
// some 0.1 ms, which is too much for the start of a program that says little.
var kernel struct {
	once    sync.Once
	texts   atomic.Int32 // that have come so far; a long one counts for many
	settled atomic.Bool
	usable  atomic.Bool
}

// kernelTexts is how many texts have to come before the processor is asked.
const kernelTexts = 200

// shuffles belongs to kernel. It has, for each set of eight pairs of bytes, a
// bit for a pair, the shuffle that keeps the first byte of all pairs and the
// second byte of those in the set.
var shuffles [256][16]byte

// hasKernel says whether a text of n bytes is for the kernel.
func hasKernel(n int) bool { return kernel.usable.Load() || mayHaveKernel(n) }

func mayHaveKernel(n int) bool {
	if kernel.settled.Load() {
		return false
	}
	if kernel.texts.Add(int32(1+min(n/block, kernelTexts))) < kernelTexts {
		return false
	}
	kernel.once.Do(settleKernel)
	return kernel.usable.Load()
}

func settleKernel() {
	defer kernel.settled.Store(true)
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
	kernel.usable.Store(true)
}
