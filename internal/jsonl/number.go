package jsonl

import (
	"errors"
	"math"
	"strconv"
)

// ErrNotFinite says that a float is NaN or infinite, which JSON can't spell
// (contract F9). Leave the member out, or write null in its place.
var ErrNotFinite = errors.New("NaN and infinities have no JSON form: leave the member out or write null")

// AppendFloat appends f as encoding/json writes it (contract F9): the shortest
// decimal that reads back as the same float of the given size, 32 or 64 bits;
// with an exponent below 1e-6 and from 1e21 on. NaN and infinities are refused
// with [ErrNotFinite].
func AppendFloat(dst []byte, f float64, bits int) ([]byte, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return dst, ErrNotFinite
	}
	if bits != 32 {
		bits = 64
	}
	abs := math.Abs(f)
	exact := float64(1 << 53) // up to which integers are what they are in so many bits
	if bits == 32 {
		exact = 1 << 24
	}
	if n := int64(f); float64(n) == f && abs < exact && (n != 0 || !math.Signbit(f)) {
		return strconv.AppendInt(dst, n, 10), nil // the usual kind, at half the price
	}
	format := byte('f')
	if abs != 0 {
		if bits == 64 && (abs < 1e-6 || abs >= 1e21) ||
			bits == 32 && (float32(abs) < 1e-6 || float32(abs) >= 1e21) {
			format = 'e'
		}
	}
	dst = strconv.AppendFloat(dst, f, format, -1, bits)
	if format == 'e' {
		// strconv pads the exponent to two digits: e-09 becomes e-9.
		if n := len(dst); n >= 4 && dst[n-4] == 'e' && dst[n-3] == '-' && dst[n-2] == '0' {
			dst[n-2] = dst[n-1]
			dst = dst[:n-1]
		}
	}
	return dst, nil
}

// scanNumber returns the length of the JSON number at the start of s, and a
// reason when there is none. What follows the number is the caller's concern.
func scanNumber(s string) (n int, problem string) {
	if n < len(s) && s[n] == '-' {
		n++
	}
	switch {
	case n == len(s):
		return n, "the number ends after its sign"
	case s[n] == '0':
		n++
		if n < len(s) && isDigit(s[n]) {
			return n, "a number must not start with a superfluous zero"
		}
	case isDigit(s[n]):
		n = skipDigits(s, n)
	default:
		return n, "a number must have a digit after its sign"
	}
	if n < len(s) && s[n] == '.' {
		digits := skipDigits(s, n+1)
		if digits == n+1 {
			return digits, "a number must have a digit after its point"
		}
		n = digits
	}
	if n < len(s) && (s[n] == 'e' || s[n] == 'E') {
		n++
		if n < len(s) && (s[n] == '+' || s[n] == '-') {
			n++
		}
		digits := skipDigits(s, n)
		if digits == n {
			return digits, "a number must have a digit in its exponent"
		}
		n = digits
	}
	return n, ""
}

func skipDigits(s string, i int) int {
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	return i
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
