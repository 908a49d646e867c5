//go:build gc && !purego && !msan

#include "textflag.h"

// How a sieve is laid out: the banks of 512 bytes, then these.
#define ASCII 2048
#define OWN   2049

// Which byte of a text comes to which place when three others go before it:
// bytes 0 to 2 of the second source, then the first one.
DATA behind3<>+0(SB)/8, $0x0403020100424140
DATA behind3<>+8(SB)/8, $0x0c0b0a0908070605
DATA behind3<>+16(SB)/8, $0x14131211100f0e0d
DATA behind3<>+24(SB)/8, $0x1c1b1a1918171615
DATA behind3<>+32(SB)/8, $0x24232221201f1e1d
DATA behind3<>+40(SB)/8, $0x2c2b2a2928272625
DATA behind3<>+48(SB)/8, $0x34333231302f2e2d
DATA behind3<>+56(SB)/8, $0x3c3b3a3938373635
DATA behind3<>+64(SB)/8, $0x00000000003f3e3d
GLOBL behind3<>(SB), RODATA|NOPTR, $72

// BANK adds to Z4 the buckets of a bank to which the bytes Z0, Z1, Z2 and Z3,
// which follow each other in the text, are all known. Z5 has ones where any
// fourth byte will do. It uses Z6 to Z8.
#define BANK(n) \
	VMOVDQU64  n*512+0(BX), Z6       \
	VPERMT2B   n*512+64(BX), Z0, Z6  \
	VMOVDQU64  n*512+128(BX), Z7     \
	VPERMT2B   n*512+192(BX), Z1, Z7 \
	VMOVDQU64  n*512+256(BX), Z8     \
	VPERMT2B   n*512+320(BX), Z2, Z8 \
	VPTERNLOGQ $0x80, Z6, Z7, Z8     \ // all three
	VMOVDQU64  n*512+384(BX), Z6     \
	VPERMT2B   n*512+448(BX), Z3, Z6 \
	VPORQ      Z5, Z6, Z6            \
	VPTERNLOGQ $0xf8, Z8, Z6, Z4       // Z4 or Z6 and Z8

// BANKS sets the bits of AX for the places at which an anchor may stand.
#define BANKS(skip) \
	VPXORQ     Z4, Z4, Z4         \
	BANK(0)                       \
	BANK(1)                       \
	BANK(2)                       \
	TESTB      $1, OWN(BX)        \
	JEQ        skip               \
	BANK(3)                       \
skip:                             \
	VPTERNLOGQ $0xfe, Z0, Z1, Z2  \ // any of the three
	VPORQ      Z3, Z2, Z2         \
	VPTESTNMB  Z9, Z2, K3         \
	VPTESTMB   Z4, Z4, K3, K3     \
	KMOVQ      K3, AX

// func sieveTake(v *sieve, dst, src *byte, n int, before uint32) (hits uint64)
TEXT ·sieveTake(SB), NOSPLIT, $0-48
	MOVQ         v+0(FP), BX
	MOVQ         dst+8(FP), DI
	MOVQ         src+16(FP), SI
	MOVQ         n+24(FP), CX
	MOVL         before+32(FP), DX
	VPBROADCASTB ASCII(BX), Z9
	MOVQ         $-1, AX
	BZHIQ        CX, AX, AX
	KMOVQ        AX, K1
	KNOTQ        K1, K2
	VMOVDQU8.Z   (SI), K1, Z3
	VMOVDQU8     Z3, K1, (DI)
	VMOVD        DX, X6
	VMOVDQU64    behind3<>+0(SB), Z0
	VMOVDQU64    behind3<>+1(SB), Z1
	VMOVDQU64    behind3<>+2(SB), Z2
	VPERMI2B     Z6, Z3, Z0
	VPERMI2B     Z6, Z3, Z1
	VPERMI2B     Z6, Z3, Z2
	VPMOVM2B     K2, Z5
	BANKS(shared)
	VZEROUPPER
	INCQ         CX
	BZHIQ        CX, AX, AX
	MOVQ         AX, hits+40(FP)
	RET

// func sieveText(v *sieve, src *byte, n int) (at int, hits uint64)
TEXT ·sieveText(SB), NOSPLIT, $0-40
	MOVQ         v+0(FP), BX
	MOVQ         src+8(FP), SI
	MOVQ         n+16(FP), CX
	MOVQ         SI, R8
	VPBROADCASTB ASCII(BX), Z9
	VPXORQ       Z5, Z5, Z5
	CMPQ         CX, $67
	JLT          last

block:
	VMOVDQU64 0(SI), Z0
	VMOVDQU64 1(SI), Z1
	VMOVDQU64 2(SI), Z2
	VMOVDQU64 3(SI), Z3
	BANKS(shared)
	TESTQ     AX, AX
	JNE       done
	ADDQ      $64, SI
	SUBQ      $64, CX
	CMPQ      CX, $67
	JGE       block

	// The last places: those with two bytes behind them.
last:
	MOVQ       $-1, R10
	BZHIQ      CX, R10, AX
	KMOVQ      AX, K1
	VMOVDQU8.Z 0(SI), K1, Z0
	DECQ       CX
	BZHIQ      CX, R10, AX
	KMOVQ      AX, K1
	VMOVDQU8.Z 1(SI), K1, Z1
	DECQ       CX
	BZHIQ      CX, R10, R9
	KMOVQ      R9, K1
	VMOVDQU8.Z 2(SI), K1, Z2
	DECQ       CX
	BZHIQ      CX, R10, AX
	KMOVQ      AX, K1
	VMOVDQU8.Z 3(SI), K1, Z3
	KNOTQ      K1, K2
	VPMOVM2B   K2, Z5
	BANKS(ownless)
	ANDQ       R9, AX

done:
	VZEROUPPER
	SUBQ R8, SI
	MOVQ SI, at+24(FP)
	MOVQ AX, hits+32(FP)
	RET
