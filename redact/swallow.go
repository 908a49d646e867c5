package redact

import "strings"

// A swallower says what is left out behind a secret that was replaced: the
// rest of a run that is longer than any window, the body of a PEM block, the
// rest of a long known value. Nothing of it is held, whatever its length.
type swallower struct {
	mode  eatMode
	class class // eatRun
	form  int   // eatKnown
	at    int   // eatKnown: what of the form is done; eatPEM: bytes to go at most
	// eatQuoted: the quote that ends it, and how many backslashes escape that.
	quote     byte
	backslash int
}

type eatMode uint8

const (
	eatNothing eatMode = iota
	eatRun
	eatPEM
	eatKnown
	eatQuoted
)

// swallow moves done over what goes. It reports false when all that is there
// goes and more may follow.
func (x *scanner) swallow() (over bool) {
	switch x.eat.mode {
	case eatRun:
		over = x.swallowRun()
	case eatQuoted:
		over = x.swallowQuoted()
	case eatPEM:
		over = x.swallowPEM()
	case eatKnown:
		over = x.swallowKnown()
	}
	x.base, x.from = x.done, x.done
	if over {
		x.eat = swallower{}
	}
	return over
}

func (x *scanner) swallowRun() bool {
	i := x.done
	for i < len(x.s) && x.t.classes[x.s[i]]&x.eat.class != 0 {
		i++
	}
	x.done = i
	return i < len(x.s) || x.final
}

// swallowQuoted goes to the quote, or to the end of the line.
func (x *scanner) swallowQuoted() bool {
	unit := 2 * (x.eat.backslash + 1)
	slashes := 0
	for i := x.done; i < len(x.s); i++ {
		switch c := x.s[i]; {
		case c == '\\':
			slashes++
			continue
		case c == '\n', c == '\r', c == x.eat.quote && (slashes < x.eat.backslash || slashes%unit == x.eat.backslash):
			x.done = i - min(slashes, x.eat.backslash)
			return true
		}
		slashes = 0
	}
	// Backslashes at the end belong to what follows.
	x.done = len(x.s)
	if !x.final {
		x.done -= slashes
	}
	return x.final
}

const (
	pemEnd    = "-----END"
	pemDashes = "-----"
	// longestLabel bounds what stands between the dashes of a PEM line.
	longestLabel = 64
	// longestPEM bounds a private key: four times that of RSA with 16384 bits.
	longestPEM = 48 << 10
)

// swallowPEM goes to the end of a PEM block, the line with its end included,
// or as far as a key can be long.
func (x *scanner) swallowPEM() bool {
	lim := min(len(x.s), x.done+x.eat.at)
	whole := lim < len(x.s) || lim == x.done+x.eat.at || x.final // what is seen is all there is
	body := x.s[x.done:lim]
	n := strings.Index(body, pemEnd)
	if n >= 0 {
		rest := body[n+len(pemEnd):]
		m := strings.Index(rest[:min(len(rest), longestLabel+len(pemDashes))], pemDashes)
		switch {
		case m >= 0:
			x.done += n + len(pemEnd) + m + len(pemDashes)
			return true
		case len(rest) >= longestLabel+len(pemDashes):
			x.done += n + len(pemEnd)
			return true
		}
	} else if n = len(body) - len(pemEnd) + 1; n < 0 {
		n = 0
	}
	if whole {
		n = len(body)
	}
	x.done += n
	x.eat.at -= n
	return whole
}
