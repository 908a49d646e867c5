package redact

import "strings"

// What looks like words is no secret: identifiers, paths, calls, prose. The
// test is by pairs of letters: the 220 pairs of a to z that are most frequent
// in Go's own source are nine tenths of all pairs in words, and a third of all
// pairs in random letters.

// usualPairs holds, for each letter, the letters that often follow it, one bit
// each, a lowest.
var usualPairs = [26]uint32{
	0x03ebd6e, 0x1124911, 0x00a4c95, 0x0064119, 0x0efb87d, 0x01e4931, 0x0046110,
	0x0084111, 0x22ef87c, 0x0000000, 0x0000010, 0x11c4919, 0x010d119, 0x03c417d,
	0x07efd2f, 0x01ec811, 0x0100000, 0x11e7175, 0x11ccd95, 0x11ec195, 0x08eb934,
	0x0000011, 0x0020111, 0x0088037, 0x00c9000, 0x0000010,
}

// wordy reports whether v is made of words: four of five pairs of letters in it
// are usual ones, words are two letters and more on average, no more than a
// third of it is digits, and these stand together.
func wordy(v string) bool {
	v = v[:min(len(v), checked)]
	pairs, usual, letters, digits, numbers := 0, 0, 0, 0, 0
	for i := range len(v) {
		c := v[i]
		switch {
		case isDigit(c):
			digits++
			if i == 0 || !isDigit(v[i-1]) {
				numbers++
			}
			continue
		case isLetter(c):
			letters++
		}
		if i == 0 || !isLetter(c) || !isLetter(v[i-1]) || isUpper(c) && isLower(v[i-1]) {
			continue // a new word
		}
		pairs++
		if usualPairs[toLower(v[i-1])-'a']>>(toLower(c)-'a')&1 != 0 {
			usual++
		}
	}
	return pairs >= 3 && 5*usual >= 4*pairs && 2*pairs >= letters && 2*letters >= len(v)-digits &&
		3*digits <= len(v) && numbers <= 1+len(v)/16
}

func hasDigit(v string) bool {
	for i := range len(v) {
		if isDigit(v[i]) {
			return true
		}
	}
	return false
}

func hasLetter(v string) bool {
	for i := range len(v) {
		if isLetter(v[i]) {
			return true
		}
	}
	return false
}

// secretive reports whether a value in free text is taken for a secret: 12
// characters or more, digits and letters, no words, no date.
func secretive(v string) bool {
	return len(v) >= 12 && hasDigit(v) && hasLetter(v) && plausible(v) && !dated(v) && !wordy(v) && !located(v) && !hexNumber(v) && !constant(v)
}

// dated reports whether v is a date or a time: digits and their separators,
// and T, Z or a zone.
func dated(v string) bool {
	for i := range len(v) {
		switch c := v[i]; {
		case isDigit(c), c == '-', c == ':', c == '.', c == '+', c == '/', c == 'T', c == 'Z', c == 'U', c == 'C':
		default:
			return false
		}
	}
	return true
}

// hexNumber reports whether v is a number in hexadecimal, as programs write it.
func hexNumber(v string) bool {
	if len(v) < 3 || len(v) > 18 || v[0] != '0' || v[1] != 'x' && v[1] != 'X' {
		return false
	}
	for i := 2; i < len(v); i++ {
		if !isHex(v[i]) {
			return false
		}
	}
	return true
}

// constant reports whether v is the name of a constant, in capitals with
// underscores.
func constant(v string) bool {
	for i := range len(v) {
		if c := v[i]; !isUpper(c) && !isDigit(c) && c != '_' && c != '.' {
			return false
		}
	}
	return strings.Contains(v, "_")
}

// located reports whether v is a path or an address.
func located(v string) bool {
	switch {
	case v[0] == '/', v[0] == '~', v[0] == '.':
		return true
	case len(v) > 2 && isLetter(v[0]) && v[1] == ':' && (v[2] == '\\' || v[2] == '/'):
		return true
	}
	for i := 0; i+3 <= len(v); i++ {
		if v[i] == ':' && v[i+1] == '/' && v[i+2] == '/' {
			return true
		}
	}
	return false
}

// stopWords stand where a value could stand, and are none: types, words for
// the thing itself, literals, and what follows the name of a flag in a
// sentence. In order of length.
var stopWords = [...]string{
	"a", "to", "is", "in", "on", "as", "of", "or", "an", "if", "by", "be", "no", "it", "pw",
	"and", "the", "for", "are", "was", "int", "str", "nil", "any", "key", "pwd", "via", "you", "not", "can", "has", "may", "yes",
	"true", "null", "none", "bool", "pass", "text", "name", "file", "flag", "auth", "with", "from", "must", "will", "that", "this", "path", "when", "used", "uses", "then", "only", "your", "into", "type", "here", "test",
	"false", "value", "token", "bytes", "flags", "which", "using", "where", "could", "would", "field", "empty",
	"string", "number", "passwd", "secret", "should", "option", "header", "object", "tokens", "cookie", "before", "cannot",
	"boolean", "options", "headers", "example", "integer", "changeme", "cookies", "secrets",
	"password", "required", "optional", "redacted", "argument", "undefined", "parameter", "passphrase", "credentials", "authentication",
}

// exempt reports whether v stands for a value without being one: a variable,
// a placeholder, an ellipsis, a word of the list.
func exempt(v string) bool {
	if v == "" || filler(v) || placeholder(v) {
		return true
	}
	for i := range stopWords {
		if foldedEqual(v, stopWords[i]) {
			return true
		}
	}
	return false
}

// filler reports whether v is made of characters that stand for others.
func filler(v string) bool {
	return strings.Trim(v, "*.…•●") == "" || len(v) >= 3 && strings.Trim(v, "*xX.-_#?+=/:,!•…●") == ""
}

// placeholder reports whether v is a reference to a value, as shells, format
// strings, templates and manuals write it.
func placeholder(v string) bool {
	first, last := v[0], v[len(v)-1]
	switch {
	case first == '$' && len(v) > 1:
		return variable(v[1:])
	case first == '%':
		return len(v) <= 3 || v[1] == '(' || last == '%' && variable(v[1:len(v)-1])
	case first == '<' && last == '>', first == '{' && last == '}', first == '[' && last == ']':
		return true
	case len(v) >= 3 && v[len(v)-3:] == "...":
		return true
	case first == '\\':
		return strings.Trim(v, `\uU0123456789abcdefABCDEF`) == "" // an emoji
	}
	return manual(v)
}

// variable reports whether v can follow the $ of a shell or a program: braces,
// or a name, which is words or capitals.
func variable(v string) bool {
	if v == "" {
		return false
	}
	switch v[0] {
	case '{', '(':
		return true
	}
	for i := range len(v) {
		if c := v[i]; !isAlnum(c) && c != '_' && c != '.' && c != ':' {
			return false
		}
	}
	return len(v) <= 3 || !isDigit(v[0]) && (!hasDigit(v) || capitals(v) || wordy(v))
}

// manual reports whether v is a name in capitals, as in --token TOKEN.
func manual(v string) bool {
	for i := range len(v) {
		if c := v[i]; !isUpper(c) && c != '_' && c != '-' {
			return false
		}
	}
	return len(v) >= 3
}
