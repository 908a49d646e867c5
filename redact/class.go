package redact

// A class is a set of kinds of bytes. Matchers read runs of bytes of a class.
type class uint32

// The kinds of bytes. A byte can be of several kinds.
const (
	upper    class = 1 << iota // A-Z
	lower                      // a-z
	digit                      // 0-9
	hexLower                   // a-f
	hexUpper                   // A-F
	under                      // _
	dash                       // -
	dot                        // .
	slash                      // /
	plus                       // +
	equals                     // =
	percent                    // %
	tilde                      // ~
	colon                      // :
	blank                      // space, tab
	freeText                   // may stand in a value without quotes, in text or code
	argument                   // may stand in a word of a shell command or a listing
	query                      // may stand in a value of a URL's query
	userinfo                   // may stand before the @ of a URL
	inDouble                   // may stand between double quotes: all but ", \ and line ends
	inSingle                   // the same for single quotes
	inBack                     // the same for backquotes
	lineText                   // may stand in a header or an element: all but quotes, \, <, >, line ends
	line                       // all but line ends
	backslash
)

// Sets that several rules share.
const (
	letters   = upper | lower
	alnum     = letters | digit
	word      = alnum | under
	wordDash  = word | dash // base64url
	wordDot   = wordDash | dot
	base64Any = alnum | plus | slash | under | dash | equals
	base64Std = alnum | plus | slash
	hexAny    = digit | hexLower | hexUpper
	upperNum  = upper | digit
	token68   = alnum | dash | dot | under | tilde | plus | slash | equals // RFC 9110
	nameByte  = wordDash
)

// classTable says of which kinds each byte is.
type classTable [256]class

func (t *classTable) build() {
	for i := range t {
		t[i] = kindsOf(byte(i))
	}
}

// kindsOf is the definition that the table is filled from.
func kindsOf(c byte) class {
	var k class
	switch {
	case 'A' <= c && c <= 'Z':
		k = upper
		if c <= 'F' {
			k |= hexUpper
		}
	case 'a' <= c && c <= 'z':
		k = lower
		if c <= 'f' {
			k |= hexLower
		}
	case '0' <= c && c <= '9':
		k = digit
	}
	switch c {
	case '_':
		k |= under
	case '-':
		k |= dash
	case '.':
		k |= dot
	case '/':
		k |= slash
	case '+':
		k |= plus
	case '=':
		k |= equals
	case '%':
		k |= percent
	case '~':
		k |= tilde
	case ':':
		k |= colon
	case '\\':
		k |= backslash
	case ' ', '\t':
		k |= blank
	}
	if c > ' ' && c != 0x7f {
		k |= visible(c)
	}
	if isBlank(c) || c > ' ' && c != 0x7f && !isQuote(c) && c != '\\' && c != '<' && c != '>' {
		k |= lineText
	}
	if c != '\n' && c != '\r' {
		k |= line
		if c != '\\' {
			k |= inside(c)
		}
	}
	return k
}

// visible says in which unquoted values a byte that is neither a space nor a
// control may stand.
func visible(c byte) class {
	k := freeText | argument | query | userinfo
	switch c {
	case '"', '\'', '`', '\\', '<', '>', '|':
		return 0
	case '(', ')', ';', '&':
		return userinfo
	case '{', '}', '[', ']':
		return argument
	case ',':
		return argument | userinfo
	case '#':
		return freeText | argument
	case '/', '?':
		return freeText | argument | query
	}
	return k
}

// inside says between which quotes a byte may stand.
func inside(c byte) class {
	switch c {
	case '"':
		return inSingle | inBack
	case '\'':
		return inDouble | inBack
	case '`':
		return inDouble | inSingle
	}
	return inDouble | inSingle | inBack
}

// quoted is the class of what stands between quotes of the kind q.
func quoted(q byte) class {
	switch q {
	case '"':
		return inDouble
	case '\'':
		return inSingle
	}
	return inBack
}

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isUpper(c byte) bool  { return 'A' <= c && c <= 'Z' }
func isLower(c byte) bool  { return 'a' <= c && c <= 'z' }
func isLetter(c byte) bool { return isUpper(c) || isLower(c) }
func isAlnum(c byte) bool  { return isLetter(c) || isDigit(c) }
func isBlank(c byte) bool  { return c == ' ' || c == '\t' }
func isQuote(c byte) bool  { return c == '"' || c == '\'' || c == '`' }

func isHex(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// toLower is the lower-case form of an ASCII letter.
func toLower(c byte) byte {
	if isUpper(c) {
		return c | 0x20
	}
	return c
}

// foldedPrefix reports whether s begins with prefix, which is in lower case.
func foldedPrefix(s, prefix string) bool {
	if len(s) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		if toLower(s[i]) != prefix[i] {
			return false
		}
	}
	return true
}

// foldedEqual compares s with t, which is in lower case.
func foldedEqual(s, t string) bool { return len(s) == len(t) && foldedPrefix(s, t) }

// foldedSuffix reports whether s ends in suffix, which is in lower case.
func foldedSuffix(s, suffix string) bool {
	return len(s) >= len(suffix) && foldedPrefix(s[len(s)-len(suffix):], suffix)
}
