//go:build !amd64 || !gc || purego || msan

package jsonl

// There is no kernel here: the compiler drops what asks for it.
const kernelMin = 0

func hasKernel(int) bool { return false }

func putKernel(buf []byte, n int, s string) ([]byte, int) { return putBlocks(buf, n, s) }

func putKernelShort(buf []byte, n int, s string) ([]byte, int) { return putShort(buf, n, s, 0) }
