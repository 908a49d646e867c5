package redact

// Key names. A name is taken apart into words, at every byte that is no letter
// or digit, before a capital, and around numbers; its last words decide:
// db.password, authToken, X-Api-Key and DB_PASSWORD2 are sensitive, token_count,
// input_tokens, secretary and PWD are not.

// nameClass says what the value of a key name is.
type nameClass uint8

const (
	harmless  nameClass = iota
	sensitive           // a secret of a machine
	password            // a secret of a person, which can be short
	authHeader
	cookieHeader
	authValue // base64 of name:password
)

const mostWords = 6

// words are the last words of a name.
type words struct {
	list [mostWords]string
	n    int // of all words; the last mostWords are in list
}

func (w *words) add(s string) {
	if w.n >= mostWords {
		copy(w.list[:], w.list[1:])
		w.list[mostWords-1] = s
	} else {
		w.list[w.n] = s
	}
	w.n++
}

// kept is how many words are in list.
func (w *words) kept() int { return min(w.n, mostWords) }

// back returns the i-th word from the end, "" where there is none.
func (w *words) back(i int) string {
	if k := w.kept() - 1 - i; k >= 0 {
		return w.list[k]
	}
	return ""
}

// kindOfByte is what a byte is to the splitting of words.
func kindOfByte(c byte) byte {
	switch {
	case isUpper(c):
		return 'A'
	case isLower(c), c >= 0x80:
		return 'a'
	case isDigit(c):
		return '0'
	}
	return ' '
}

// split takes a name apart; with capitals before them, too, or without.
func split(name string, capitals bool) (w words) {
	start := 0
	for i := 1; i <= len(name); i++ {
		if i < len(name) {
			a, b := kindOfByte(name[i-1]), kindOfByte(name[i])
			switch {
			case a == 'A' && b == 'a', !capitals && a == 'a' && b == 'A':
				continue
			case a == b && (!capitals || a != 'A' || i+1 >= len(name) || kindOfByte(name[i+1]) != 'a'):
				continue
			}
		}
		if kindOfByte(name[start]) != ' ' {
			w.add(name[start:i])
		}
		start = i
	}
	return w
}

// classify says what the value of a name is, by the package's own list.
func classify(name string) nameClass {
	if len(name) < 3 || len(name) > lookBack || !mayBeSensitive(name) {
		return harmless
	}
	return classifySplit(name)
}

// classifySplit is classify for a name that has a sensitive word in it somewhere.
func classifySplit(name string) nameClass {
	w := split(name, true)
	if c := w.classify(); c != harmless {
		return c
	}
	w = split(name, false) // pAsSwOrD
	return w.classify()
}

// mayBeSensitive reports whether the first letters of a word that classifyWords
// knows stand in a name. Most names have none, and need not be taken apart.
func mayBeSensitive(name string) bool {
	const upperCase = 0x202020 // what letters differ by
	for i := 0; i+3 <= len(name); i++ {
		switch load24(name, i) | upperCase {
		case 'p' | 'a'<<8 | 's'<<16, 'p' | 'w'<<8 | 'd'<<16, 's' | 'e'<<8 | 'c'<<16, 'k' | 'e'<<8 | 'y'<<16,
			't' | 'o'<<8 | 'k'<<16, 'a' | 'u'<<8 | 't'<<16, 'c' | 'o'<<8 | 'o'<<16, 'c' | 'r'<<8 | 'e'<<16,
			'p' | 's'<<8 | 'k'<<16, 'b' | 'e'<<8 | 'a'<<16, 'j' | 'w'<<8 | 't'<<16, 's' | 'i'<<8 | 'g'<<16:
			return true
		}
	}
	return false
}

func (w *words) classify() nameClass {
	last := 0
	for last < w.kept()-1 && (isDigit(w.back(last)[0]) || oneOf(w.back(last), suffixes[:])) {
		last++
	}
	return classifyWords(w.back(last), w.back(last+1), w.back(last+2), last)
}

// classifyWords looks at the last word that counts and the two before it;
// dropped is how many words behind it do not count.
func classifyWords(word, prev, prev2 string, dropped int) nameClass {
	switch {
	case word == "":
		return harmless
	case hasSuffix(word, "password", "passwd", "passphrase", "passcode", "passwort"):
		return password
	case foldedEqual(word, "pass"), foldedEqual(word, "pwd"):
		if prev != "" && !foldedEqual(prev, "old") && (foldedEqual(word, "pwd") || oneOf(prev, passOwners[:])) {
			return password
		}
		return harmless
	case hasSuffix(word, "secret"):
		return sensitive
	case hasSuffix(word, "apikey", "secretkey", "privatekey", "accesskey", "signingkey", "encryptionkey", "masterkey"):
		return sensitive
	case foldedEqual(word, "token"):
		if oneOf(prev, notTokens[:]) {
			return harmless
		}
		return sensitive
	case foldedSuffix(word, "token"):
		if oneOf(word[:len(word)-len("token")], tokenOwners[:]) {
			return sensitive
		}
		return harmless
	case foldedEqual(word, "key"), foldedEqual(word, "keys"):
		if oneOf(prev, keyOwners[:]) || foldedEqual(prev, "role") && foldedEqual(prev2, "service") {
			return sensitive
		}
		return harmless
	case foldedEqual(word, "authorization"):
		return authHeader
	case hasSuffix(word, "cookie"):
		if dropped > 0 {
			return harmless
		}
		return cookieHeader
	case hasSuffix(word, "credential"), foldedEqual(word, "creds"), foldedEqual(word, "psk"), foldedEqual(word, "bearer"):
		return sensitive
	case foldedEqual(word, "jwt"):
		return sensitive
	case foldedEqual(word, "signature") && foldedEqual(prev, "amz"):
		return sensitive
	case foldedEqual(word, "auth"):
		if foldedEqual(prev, "registry") {
			return sensitive
		}
		return authValue
	}
	return harmless
}

// hasSuffix reports whether a word ends in one of the lower-case suffixes, or
// its plural.
func hasSuffix(word string, suffixes ...string) bool {
	if n := len(word); n > 0 && toLower(word[n-1]) == 's' {
		for _, s := range suffixes {
			if foldedSuffix(word[:n-1], s) {
				return true
			}
		}
	}
	for _, s := range suffixes {
		if foldedSuffix(word, s) {
			return true
		}
	}
	return false
}

func oneOf(word string, list []string) bool {
	for _, s := range list {
		if foldedEqual(word, s) {
			return true
		}
	}
	return false
}

// suffixes are words behind a sensitive one that leave it sensitive.
var suffixes = [...]string{
	"value", "plain", "plaintext", "raw", "new", "old", "current",
	"confirmation", "confirm", "repeat", "again", "encoded", "base", "b", "data",
}

// passOwners are words before "pass" that make a password of it.
var passOwners = [...]string{
	"db", "database", "smtp", "mail", "email", "imap", "user", "admin", "root", "ftp", "sftp", "ssh", "redis",
	"mysql", "pg", "postgres", "mongo", "rabbitmq", "ldap", "proxy", "basic", "auth", "http", "login", "my",
	"app", "sudo", "keystore", "key", "cert", "service", "account", "wifi", "vpn", "host", "client", "server",
}

// tokenOwners are what stands before "token" in one word.
var tokenOwners = [...]string{
	"auth", "access", "api", "refresh", "id", "user", "bot", "session", "bearer", "github", "gitlab", "hf",
	"npm", "slack", "client", "csrf", "xsrf", "security", "deploy", "private", "personal", "service", "login",
	"device", "oauth", "app", "web", "push", "jwt", "secret", "vault", "reset",
}

// notTokens are words before "token" that make something else of it: places in
// a listing, units of a text, parts of a program.
var notTokens = [...]string{
	"page", "next", "continuation", "continue", "sync", "cancellation", "cancel", "eos", "bos", "pad", "unk",
	"sep", "cls", "mask", "stop", "start", "end", "special", "max", "min", "num", "per", "total", "input",
	"output", "prompt", "completion", "first", "last", "prev", "previous", "cached", "reasoning", "lookahead",
	"peek", "skip", "lex", "syntax", "parse", "parser", "image", "audio", "text", "pagination", "cursor",
	"marker", "progress", "resume", "upload", "idempotency",
}

// keyOwners are words before "key" that make a secret of it.
var keyOwners = [...]string{
	"api", "secret", "private", "access", "encryption", "decryption", "signing", "master", "account", "shared",
	"service", "admin", "auth", "ssh", "deploy", "license", "subscription", "functions", "hmac", "aes", "cipher",
	"crypto", "jwt", "webhook", "app", "application", "security", "preshared", "wireguard", "rsa", "ecdsa", "pgp",
	"gpg", "tls", "openai", "anthropic", "claude", "groq", "gemini", "mistral", "cohere", "huggingface", "hf",
	"deepseek", "xai", "openrouter", "together", "replicate", "perplexity", "stripe", "twilio", "sendgrid",
	"mailgun", "aws", "gcp", "azure", "google", "github", "gitlab", "gh", "slack", "datadog", "dd", "sentry", "vault",
}
