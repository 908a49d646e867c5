package redact

// An action is what is done where a keyword stands.
type action uint8

const (
	doToken  action = iota // a rule with a prefix
	doName                 // a sensitive key name
	doMarker               // a replacement
	doPEM
	doPEM64
	doJWT
	doURL
	doBearer
	doBasic
	doWebhook
	doSAS
	doTelegram
	doKnown // a known value
	doCustom
)

// A keyword is a text behind which a secret can stand.
type keyword struct {
	text string // in lower case when fold is set
	fold bool   // letters are compared without case
	do   action
	n    int // the rule, custom token or known form
	// before and after are bytes that stand next to the text. They make an
	// anchor of four bytes out of a shorter text, or a rarer one.
	before, after string
	// at is where in the text the anchor begins, when it is not for rarest to
	// say: ordinary text was counted.
	at int
	// pre and post are how many bytes of the anchor stand before and behind
	// the text.
	pre, post int
}

const (
	lettersLower = "abcdefghijklmnopqrstuvwxyz"
	lettersUpper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits       = "0123456789"
	alnumBytes   = lettersLower + lettersUpper + digits
	joiners      = "_-."
	// behindName is what can stand behind the last word of a key name:
	// a quote, a separator, a plural, a number, a further word.
	behindName = "=: \"'`\\]>_-sS0123456789,\t"
)

// specialKeywords are those that no rule of the table has.
var specialKeywords = [...]keyword{
	{text: "[REDACTED:", do: doMarker},
	{text: "-----BEGIN", do: doPEM},
	{text: "LS0tLS1CRUdJTi", do: doPEM64},
	{text: "eyJ", do: doJWT, after: alnumBytes},
	{text: "://", do: doURL, before: alnumBytes},
	{text: "bearer", fold: true, do: doBearer},
	{text: "basic ", fold: true, do: doBasic},
	{text: "hooks.slack.com/services/", do: doWebhook, at: 14},
	{text: "hooks.slack.com/workflows/", do: doWebhook, at: 18},
	{text: "/api/webhooks/", do: doWebhook},
	{text: "sig=", do: doSAS},
	{text: ":AA", do: doTelegram, before: digits},

	{text: "password", fold: true, do: doName},
	{text: "passwd", fold: true, do: doName},
	{text: "passphrase", fold: true, do: doName},
	{text: "passcode", fold: true, do: doName, at: 2},
	{text: "pass", fold: true, do: doName, before: joiners},
	{text: "pwd", fold: true, do: doName, before: joiners + ";"},
	{text: "secret", fold: true, do: doName},
	{text: "token", fold: true, do: doName},
	{text: "key", fold: true, do: doName, after: behindName},
	{text: "authorization", fold: true, do: doName},
	{text: "cookie", fold: true, do: doName, at: 2},
	{text: "credential", fold: true, do: doName, at: 6},
	{text: "creds", fold: true, do: doName},
	{text: "auth", fold: true, do: doName, before: `_-"'`, after: behindName},
	{text: "psk", fold: true, do: doName, after: behindName},
	{text: "jwt", fold: true, do: doName, after: behindName},
	{text: "bearer", fold: true, do: doName},
	{text: "signature", fold: true, do: doName, after: "=:\"'\\", at: 6},
}
