package treehash

import (
	"bytes"
	"strconv"
)

func isNumberByte(c byte) bool {
	return '0' <= c && c <= '9' || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E'
}

// appendCanonical appends the one spelling of a JSON number that all spellings
// of its value share: digits without zeros at either end, and an exponent. It
// reports false if num is no JSON number.
func appendCanonical(dst, num []byte) ([]byte, bool) {
	negative := len(num) > 0 && num[0] == '-'
	if negative {
		num = num[1:]
	}
	whole, rest := digits(num)
	if len(whole) == 0 || len(whole) > 1 && whole[0] == '0' {
		return dst, false
	}
	var fraction []byte
	if len(rest) > 0 && rest[0] == '.' {
		if fraction, rest = digits(rest[1:]); len(fraction) == 0 {
			return dst, false
		}
	}
	exponent, ok := readExponent(rest)
	if !ok {
		return dst, false
	}
	all := append(append([]byte(nil), whole...), fraction...)
	exponent -= int64(len(fraction))
	all = bytes.TrimLeft(all, "0")
	if len(all) == 0 {
		return append(dst, '0'), true
	}
	trimmed := bytes.TrimRight(all, "0")
	exponent += int64(len(all) - len(trimmed))
	if negative {
		dst = append(dst, '-')
	}
	dst = append(append(dst, trimmed...), 'e')
	return strconv.AppendInt(dst, exponent, 10), true
}

// digits splits the digits off the front of p.
func digits(p []byte) (head, rest []byte) {
	n := 0
	for n < len(p) && '0' <= p[n] && p[n] <= '9' {
		n++
	}
	return p[:n], p[n:]
}

// readExponent reads what may follow the digits of a number, up to its end. An
// exponent beyond all measure counts as the largest one.
func readExponent(p []byte) (int64, bool) {
	if len(p) == 0 {
		return 0, true
	}
	if p[0] != 'e' && p[0] != 'E' {
		return 0, false
	}
	p = p[1:]
	negative := false
	if len(p) > 0 && (p[0] == '+' || p[0] == '-') {
		negative = p[0] == '-'
		p = p[1:]
	}
	head, rest := digits(p)
	if len(head) == 0 || len(rest) > 0 {
		return 0, false
	}
	const most = 1 << 40
	n, err := strconv.ParseInt(string(head), 10, 64)
	if err != nil || n > most {
		n = most
	}
	if negative {
		n = -n
	}
	return n, true
}
