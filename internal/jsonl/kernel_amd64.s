//go:build gc && !purego && !msan

#include "textflag.h"

// Constants of 32 bytes: eight bytes four times, or sixteen bytes twice.
#define SPLAT(name, x) \
	DATA name<>+0(SB)/8, $x  \
	DATA name<>+8(SB)/8, $x  \
	DATA name<>+16(SB)/8, $x \
	DATA name<>+24(SB)/8, $x \
	GLOBL name<>(SB), RODATA|NOPTR, $32

#define TABLE(name, low, high) \
	DATA name<>+0(SB)/8, $low   \
	DATA name<>+8(SB)/8, $high  \
	DATA name<>+16(SB)/8, $low  \
	DATA name<>+24(SB)/8, $high \
	GLOBL name<>(SB), RODATA|NOPTR, $32

SPLAT(x01, 0x0101010101010101)
SPLAT(x0f, 0x0f0f0f0f0f0f0f0f)
SPLAT(x1f, 0x1f1f1f1f1f1f1f1f)
SPLAT(x20, 0x2020202020202020)
SPLAT(x5c, 0x5c5c5c5c5c5c5c5c)
SPLAT(x60, 0x6060606060606060)
SPLAT(x70, 0x7070707070707070)
SPLAT(x80, 0x8080808080808080)
SPLAT(xa0, 0xa0a0a0a0a0a0a0a0)
SPLAT(xa9, 0xa9a9a9a9a9a9a9a9)
SPLAT(xc2, 0xc2c2c2c2c2c2c2c2)
SPLAT(xe2, 0xe2e2e2e2e2e2e2e2)

// By the low half of a byte, the one from 0x20 to 0x7f with that low half that
// needs an escape: the quote, the backslash or 0x7f. For other low halves, a
// byte that has another one, so that no byte is equal to what it looks up.
TABLE(special, 0x0000000000220001, 0x7f00005c00000000)

// The same without 0x7f: those which are the letter of their own escape.
TABLE(itself, 0x0000000000220001, 0x0000005c00000000)

// 64 bytes of ones and 64 of zeros: read from n before the middle, a mask of n
// bytes.
#define SIXTY4(at, x) \
	DATA within<>+at+0(SB)/8, $x  \
	DATA within<>+at+8(SB)/8, $x  \
	DATA within<>+at+16(SB)/8, $x \
	DATA within<>+at+24(SB)/8, $x \
	DATA within<>+at+32(SB)/8, $x \
	DATA within<>+at+40(SB)/8, $x \
	DATA within<>+at+48(SB)/8, $x \
	DATA within<>+at+56(SB)/8, $x

SIXTY4(0, 0xffffffffffffffff)
SIXTY4(64, 0)
GLOBL within<>(SB), RODATA|NOPTR, $128

// By a control character below 0x10, the letter of its short escape.
TABLE(letters, 0x0000000000000000, 0x00007266006e7462)

// What is wrong with two bytes in a row, a bit for each fault:
//
//	0x01 the first byte of a character, and no continuation behind it
//	0x02 ASCII, and a continuation behind it
//	0x04 an overlong form of three bytes
//	0x08 beyond U+10FFFF
//	0x10 a surrogate
//	0x20 an overlong form of two bytes
//	0x40 an overlong form of four bytes, or beyond U+10FFFF as 0x08
//	0x80 two continuations: right where a third or fourth byte is due
//
// looked up by the high half of the first byte, by its low half, and by the
// high half of the second. A fault is one that all three know. See Keiser and
// Lemire, "Validating UTF-8 in less than one instruction per byte" (2021).
TABLE(firstHigh, 0x0202020202020202, 0x4915012180808080)
TABLE(firstLow, 0xcbcbcb8b8383a3e7, 0xcbcbdbcbcbcbcbcb)
TABLE(secondHigh, 0x0101010101010101, 0x01010101babaaee6)

// CHECK sets bad to 0 where x is UTF-8, prev being the 32 bytes before it, and
// no C1 control, U+2028 or U+2029 ends. A fault shows up at one of the bytes
// behind it at the latest. It uses Y4 to Y8.
#define CHECK(prev, x, bad) \
	VPERM2I128 $0x21, x, prev, Y4   \
	VPALIGNR   $15, Y4, x, Y5       \ // one byte before
	VPALIGNR   $14, Y4, x, Y6       \ // two
	VPALIGNR   $13, Y4, x, Y4       \ // three
	VPSUBUSB   x60<>(SB), Y6, bad   \ // 0x80 and up where E0 and up were: a third byte is due
	VPSUBUSB   x70<>(SB), Y4, Y4    \ // the same with F0: a fourth
	VPOR       Y4, bad, bad         \
	VPAND      x80<>(SB), bad, bad  \
	VPSRLW     $4, Y5, Y7           \
	VPAND      x0f<>(SB), Y7, Y7    \
	VMOVDQU    firstHigh<>(SB), Y4  \
	VPSHUFB    Y7, Y4, Y7           \
	VPAND      x0f<>(SB), Y5, Y8    \
	VMOVDQU    firstLow<>(SB), Y4   \
	VPSHUFB    Y8, Y4, Y8           \
	VPAND      Y8, Y7, Y7           \
	VPSRLW     $4, x, Y8            \
	VPAND      x0f<>(SB), Y8, Y8    \
	VMOVDQU    secondHigh<>(SB), Y4 \
	VPSHUFB    Y8, Y4, Y8           \
	VPAND      Y8, Y7, Y7           \
	VPXOR      Y7, bad, bad         \
	VPCMPEQB   xc2<>(SB), Y5, Y7    \ // C2 and below A0, as signed bytes
	VMOVDQU    xa0<>(SB), Y4        \
	VPCMPGTB   x, Y4, Y4            \
	VPAND      Y4, Y7, Y7           \
	VPOR       Y7, bad, bad         \
	VPCMPEQB   xe2<>(SB), Y6, Y6    \ // E2 80 A8 or E2 80 A9
	VPCMPEQB   x80<>(SB), Y5, Y5    \
	VPAND      Y5, Y6, Y6           \
	VPOR       x01<>(SB), x, Y4     \
	VPCMPEQB   xa9<>(SB), Y4, Y4    \
	VPAND      Y4, Y6, Y6           \
	VPOR       Y6, bad, bad

// SPECIALS sets Y2 and Y3 to the bytes of the block Y0, Y1 that need an escape,
// and AX to 0 where there is none. It uses Y4 and Y5.
#define SPECIALS \
	VPSHUFB   Y0, Y12, Y2 \
	VPSHUFB   Y1, Y12, Y3 \
	VPCMPEQB  Y0, Y2, Y2  \
	VPCMPEQB  Y1, Y3, Y3  \
	VPMINUB   Y0, Y14, Y4 \ // itself up to 0x1f
	VPMINUB   Y1, Y14, Y5 \
	VPCMPEQB  Y0, Y4, Y4  \
	VPCMPEQB  Y1, Y5, Y5  \
	VPOR      Y4, Y2, Y2  \
	VPOR      Y5, Y3, Y3  \
	VPOR      Y2, Y3, Y4  \
	VPMOVMSKB Y4, AX

// LETTERS sets letter to the second byte of the short escape of each byte of
// x, or 0, and long to all ones where a byte of mask has no short one. Y13 is 0.
#define LETTERS(x, mask, letter, long) \
	VPADDUSB x70<>(SB), x, letter    \ // 0x7. below 0x10, else 0x80 and up, which looks up 0
	VMOVDQU  letters<>(SB), long     \
	VPSHUFB  letter, long, letter    \
	VMOVDQU  itself<>(SB), long      \
	VPSHUFB  x, long, long           \
	VPCMPEQB x, long, long           \
	VPAND    x, long, long           \
	VPOR     long, letter, letter    \
	VPCMPEQB Y13, letter, long       \
	VPAND    mask, long, long

// EIGHT writes eight pairs to at(DI)(AX), the first byte of each, and the
// second where BX has a bit; the set of these bits is BX>>4, 0 to 255. It
// writes 16 bytes, of which the last ones may be noise.
#define EIGHT(pairs, at) \
	ANDL    $0xff0, BX        \
	VMOVDQU (R8)(BX*1), X9    \
	VPSHUFB X9, pairs, X9     \
	VMOVDQU X9, at(DI)(AX*1)

// EXPAND writes the bytes of x, each byte of mask as a backslash and its
// letter. bits is the mask with a bit for a byte. DI moves behind them, and DX
// loses a byte for each letter. It uses AX, BX and Y7 to Y9.
#define EXPAND(x, mask, letter, bits) \
	VMOVDQU      x5c<>(SB), Y9       \
	VPBLENDVB    mask, Y9, x, Y9     \
	VPUNPCKLBW   letter, Y9, Y7      \
	VPUNPCKHBW   letter, Y9, Y8      \
	XORL         AX, AX              \
	MOVL         bits, BX            \
	SHLL         $4, BX              \
	EIGHT(X7, 0)                     \
	MOVBLZX      bits, AX            \
	POPCNTL      AX, AX              \
	MOVL         bits, BX            \
	SHRL         $4, BX              \
	EIGHT(X8, 8)                     \
	MOVWLZX      bits, AX            \
	POPCNTL      AX, AX              \
	MOVL         bits, BX            \
	SHRL         $12, BX             \
	VEXTRACTI128 $1, Y7, X7          \
	EIGHT(X7, 16)                    \
	MOVL         bits, AX            \
	ANDL         $0xffffff, AX       \
	POPCNTL      AX, AX              \
	MOVL         bits, BX            \
	SHRL         $20, BX             \
	VEXTRACTI128 $1, Y8, X8          \
	EIGHT(X8, 24)                    \
	POPCNTL      bits, AX            \
	LEAQ         32(DI)(AX*1), DI    \
	SUBQ         AX, DX

// COPY64 copies 64 bytes, most often too many.
#define COPY64(from, to) \
	VMOVDQU (from), Y4   \
	VMOVDQU 32(from), Y5 \
	VMOVDQU Y4, (to)     \
	VMOVDQU Y5, 32(to)

// For how many blocks what was done for one goes on, though they don't call
// for it: text is random, and a wrong guess takes longer than to escape what
// needs no escape or check what is ASCII.
#define KEEP 3

// How many escapes of a block are many, if any of them has six bytes.
#define MANY 12

// func escapeBlocks(dst, src *byte, n, spare int) (in, out int)
//
//	DI, SI    where to write and read, R10, R11 where that began
//	CX        blocks still to be read, -1 behind the last bytes
//	DX        bytes that escapes may still take
//	R9, R12   blocks still to be escaped, and to be checked; negative: none
//	Y0, Y1    the block, Y2, Y3 its bytes that need an escape
//	Y15       the 32 bytes before it
TEXT ·escapeBlocks(SB), NOSPLIT, $128-48
	MOVQ    dst+0(FP), DI
	MOVQ    src+8(FP), SI
	MOVQ    n+16(FP), CX
	MOVQ    spare+24(FP), DX
	SHRQ    $6, CX
	LEAQ    ·shuffles(SB), R8
	MOVQ    DI, R10
	MOVQ    SI, R11
	VMOVDQU x20<>(SB), Y11
	VMOVDQU special<>(SB), Y12
	VPXOR   Y13, Y13, Y13
	VMOVDQU x1f<>(SB), Y14

	// As long as blocks are clean ASCII. No character is open here.
clean:
	TESTQ   CX, CX
	JZ      first
	VMOVDQU (SI), Y0
	VMOVDQU 32(SI), Y1

ascii:
	VPSHUFB   Y0, Y12, Y2
	VPSHUFB   Y1, Y12, Y3
	VPCMPEQB  Y0, Y2, Y2
	VPCMPEQB  Y1, Y3, Y3
	VPCMPGTB  Y0, Y11, Y4 // below 0x20, as signed bytes: 0x80 and up, too
	VPCMPGTB  Y1, Y11, Y5
	VPOR      Y4, Y2, Y2
	VPOR      Y5, Y3, Y3
	VPOR      Y2, Y3, Y4
	VPMOVMSKB Y4, AX
	TESTL     AX, AX
	JNZ       leave
	VMOVDQU   Y0, (DI)
	VMOVDQU   Y1, 32(DI)
	ADDQ      $64, SI
	ADDQ      $64, DI
	DECQ      CX
	JMP       clean

leave:
	VPXOR Y15, Y15, Y15
	XORL  R9, R9
	XORL  R12, R12

	// Any block. Two branches, both of which stay the way they went for a
	// while: is it to be checked, is it to be escaped.
mixed:
	VPOR      Y0, Y1, Y4
	VPMOVMSKB Y4, AX // bytes from 0x80 up
	MOVL      $KEEP, BX
	DECQ      R12
	TESTL     AX, AX
	CMOVQNE   BX, R12
	TESTQ     R12, R12
	JLT       checked
	CHECK(Y15, Y0, Y10)
	CHECK(Y0, Y1, Y9)
	VPOR      Y9, Y10, Y10
	VPTEST    Y10, Y10
	JNZ       done

checked:
	SPECIALS
	MOVL      $KEEP, BX
	DECQ      R9
	TESTL     AX, AX
	CMOVQNE   BX, R9
	TESTQ     R9, R9
	JLT       copy
	VPMOVMSKB Y2, R13
	VPMOVMSKB Y3, R14
	LETTERS(Y0, Y2, Y4, Y5)
	LETTERS(Y1, Y3, Y6, Y7)
	VPOR      Y5, Y7, Y5
	VPTEST    Y5, Y5
	JNZ       long
	EXPAND(Y0, Y2, Y4, R13)
	EXPAND(Y1, Y3, Y6, R14)

next:
	ADDQ    $64, SI
	DECQ    CX
	JLT     done
	TESTQ   DX, DX
	JLT     done
	VMOVDQA Y1, Y15
	TESTQ   CX, CX
	JZ      rest
	VMOVDQU (SI), Y0
	VMOVDQU 32(SI), Y1
	MOVQ    R9, AX
	ANDQ    R12, AX
	JLT     ascii // the last block was ASCII: what was open before it has been checked
	JMP     mixed

copy:
	VMOVDQU Y0, (DI)
	VMOVDQU Y1, 32(DI)
	ADDQ    $64, DI
	JMP     next

	// A block with an escape of six bytes: one escape after the other, each
	// behind a copy of what is left of the block. That is more than is wanted,
	// so the block is first put where more may be read. Where there are more
	// escapes than that pays for, every byte of ASCII is looked up by itself.
long:
	SHLQ    $32, R14
	ORQ     R14, R13
	POPCNTQ R13, AX
	LEAQ    (AX)(AX*4), AX
	CMPQ    DX, AX
	JLT     done
	VMOVDQU Y0, (SP)
	VMOVDQU Y1, 32(SP)
	LEAQ    ·escapes(SB), BX
	CMPQ    AX, $(5*MANY)
	JLT     few
	VPOR    Y0, Y1, Y4
	VPMOVMSKB Y4, AX
	TESTL   AX, AX
	JNZ     few
	LEAQ    64(DI), R13
	MOVQ    $-64, R14

every:
	MOVBLZX 64(SP)(R14*1), AX
	MOVQ    (BX)(AX*8), AX
	MOVQ    AX, (DI)
	SHRQ    $56, AX
	ADDQ    AX, DI
	INCQ    R14
	JNZ     every
	ADDQ    R13, DX
	SUBQ    DI, DX
	JMP     next

few:
	MOVQ SP, R14 // up to where the block is written

each:
	BSFQ    R13, AX
	COPY64(R14, DI)
	SUBQ    R14, DI
	LEAQ    1(SP)(AX*1), R14
	LEAQ    -1(DI)(R14*1), DI
	MOVBLZX -1(R14), AX
	MOVQ    (BX)(AX*8), AX
	MOVQ    AX, (DI)
	SHRQ    $56, AX
	ADDQ    AX, DI
	SUBQ    AX, DX
	INCQ    DX
	LEAQ    -1(R13), AX
	ANDQ    AX, R13
	JNZ     each
	COPY64(R14, DI)
	SUBQ    R14, DI
	LEAQ    64(SP)(DI*1), DI
	JMP     next

	// The last bytes, less than a block: spaces make one of them. The 64 bytes
	// before the end and 64 spaces are put in a row, and read from where the
	// rest begins. What is written of the spaces fits into the room that is
	// kept, but for eight bytes: the last pairs are stored as 16 bytes.
first:
	VPXOR Y15, Y15, Y15
	XORL  R9, R9
	XORL  R12, R12

rest:
	MOVQ    n+16(FP), AX
	ANDQ    $63, AX
	JZ      done
	CMPQ    DX, $8
	JLT     done
	VMOVDQU -64(SI)(AX*1), Y0
	VMOVDQU -32(SI)(AX*1), Y1
	VMOVDQU Y0, (SP)
	VMOVDQU Y1, 32(SP)
	VMOVDQU Y11, 64(SP)
	VMOVDQU Y11, 96(SP)
	NEGQ    AX
	VMOVDQU 64(SP)(AX*1), Y0
	VMOVDQU 96(SP)(AX*1), Y1
	JMP     mixed

done:
	VZEROUPPER
	SUBQ R10, DI
	SUBQ R11, SI
	MOVQ SI, in+32(FP)
	MOVQ DI, out+40(FP)
	RET

// func escapeShort(dst, src *byte, n int) (out int)
//
// It reads 64 bytes, and puts spaces in place of those behind the text.
//
//	DI, SI    where to write and read, R10 where that began
//	CX, BX    the length of the text, and the mask of it
//	Y0, Y1    the block, Y2, Y3 its bytes that need an escape
//
// DX is of no use here; EXPAND counts in it.
TEXT ·escapeShort(SB), NOSPLIT, $0-32
	MOVQ      dst+0(FP), DI
	MOVQ      src+8(FP), SI
	MOVQ      n+16(FP), CX
	LEAQ      ·shuffles(SB), R8
	MOVQ      DI, R10
	LEAQ      within<>+64(SB), BX
	SUBQ      CX, BX
	VMOVDQU   x20<>(SB), Y11
	VMOVDQU   special<>(SB), Y12
	VPXOR     Y13, Y13, Y13
	VMOVDQU   x1f<>(SB), Y14
	VMOVDQU   (BX), Y2
	VMOVDQU   32(BX), Y3
	VMOVDQU   (SI), Y0
	VMOVDQU   32(SI), Y1
	VPBLENDVB Y2, Y0, Y11, Y0
	VPBLENDVB Y3, Y1, Y11, Y1
	VPOR      Y0, Y1, Y4
	VPMOVMSKB Y4, AX
	TESTL     AX, AX
	JZ        checked
	CHECK(Y13, Y0, Y10)
	CHECK(Y0, Y1, Y9)
	VPOR      Y9, Y10, Y10
	VPTEST    Y10, Y10
	JNZ       done

checked:
	SPECIALS
	TESTL     AX, AX
	JZ        copy
	VPMOVMSKB Y2, R13
	VPMOVMSKB Y3, R14
	LETTERS(Y0, Y2, Y4, Y5)
	LETTERS(Y1, Y3, Y6, Y7)
	VPOR      Y5, Y7, Y5
	VPTEST    Y5, Y5
	JNZ       done
	EXPAND(Y0, Y2, Y4, R13)
	EXPAND(Y1, Y3, Y6, R14)
	JMP       done

copy:
	VMOVDQU Y0, (DI)
	VMOVDQU Y1, 32(DI)
	ADDQ    $64, DI

done:
	VZEROUPPER
	SUBQ R10, DI
	MOVQ DI, out+24(FP)
	RET
