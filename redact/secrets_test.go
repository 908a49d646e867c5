package redact_test

import (
	"encoding/base64"
	"encoding/json"
	"hash/crc32"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/streamjson/streamjson/redact"
)

// A specimen is a secret in the text that it is recognized by.
type specimen struct {
	text   string // as it is met
	secret string // the part that must not be seen
}

const (
	lowerHex = "0123456789abcdef"
	base62   = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	base64C  = base62 + "+/"
)

func pick(r *rand.Rand, chars string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = chars[r.IntN(len(chars))]
	}
	return string(b)
}

// generators makes a generator for each rule of the table and for each kind
// beside it.
func generators() map[string]func(*rand.Rand) specimen {
	g := map[string]func(*rand.Rand) specimen{}
	for _, rule := range redact.Rules() {
		for _, prefix := range rule.Prefixes {
			g[rule.Kind+" "+prefix] = func(r *rand.Rand) specimen { return ruleSpecimen(r, rule, prefix) }
		}
	}
	for name, secret := range map[string]func(*rand.Rand) specimen{
		"jwt": jwtSpecimen, "pem": pemSpecimen, "base64 of pem": pem64Specimen,
		"basic": basicSpecimen, "bearer": bearerSpecimen, "url": urlSpecimen,
		"webhook": webhookSpecimen, "sas": sasSpecimen, "telegram": telegramSpecimen,
	} {
		g[name] = secret
	}
	return g
}

func ruleSpecimen(r *rand.Rand, rule redact.RuleInfo, prefix string) specimen {
	chars := rule.Chars
	switch {
	case rule.Kind == "sendgrid-key":
		s := pick(r, base62, 22) + "." + pick(r, base62, 43)
		return specimen{prefix + s, s}
	case strings.Contains(chars, "="): // padding stands at the end only
		chars = strings.ReplaceAll(chars, "=", "")
	}
	// A dot at the end would be that of a sentence, and a vendor has none there.
	s := pick(r, chars, rule.Full-1) + pick(r, strings.Trim(chars, ".-_%+/"), 1)
	if rule.CRC && r.IntN(2) == 0 {
		body := pick(r, base62, rule.Full-6)
		s = body + redact.Base62(crc32.ChecksumIEEE([]byte(body)))
	}
	return specimen{prefix + s, s}
}

func jwtSpecimen(r *rand.Rand) specimen {
	head := []string{`{"alg":"HS256","typ":"JWT"}`, `{"typ":"JWT","alg":"RS256","kid":"` + pick(r, base62, 8) + `"}`, `{"enc":"A256GCM","alg":"dir"}`}[r.IntN(3)]
	h := base64.RawURLEncoding.EncodeToString([]byte(head))
	b := base64.RawURLEncoding.EncodeToString([]byte(`{"sub":"` + pick(r, base62, 10) + `"}`))
	s := h + "." + b + "." + pick(r, base62+"-_", 43)
	return specimen{s, s[len("eyJ"):]}
}

func pemBlock(r *rand.Rand, end string) (text, body string) {
	label := []string{"RSA ", "EC ", "", "OPENSSH ", "ENCRYPTED "}[r.IntN(5)] + "PRIVATE KEY"
	var lines []string
	for range 3 + r.IntN(10) {
		lines = append(lines, pick(r, base64C, 64))
	}
	lines = append(lines, pick(r, base64C, 4+r.IntN(60)))
	body = strings.Join(lines, end)
	return "-----BEGIN " + label + "-----" + end + body + end + "-----END " + label + "-----", strings.Join(lines, "")
}

func pemSpecimen(r *rand.Rand) specimen {
	text, body := pemBlock(r, []string{"\n", "\r\n", `\n`, " "}[r.IntN(4)])
	return specimen{text, body}
}

func pem64Specimen(r *rand.Rand) specimen {
	text, _ := pemBlock(r, "\n")
	s := base64.StdEncoding.EncodeToString([]byte(text))
	return specimen{s, s[len("LS0tLS1CRUdJTi"):]}
}

func basicSpecimen(r *rand.Rand) specimen {
	s := base64.StdEncoding.EncodeToString([]byte(pick(r, base62, 3+r.IntN(8)) + ":" + pick(r, base62, 4+r.IntN(20))))
	return specimen{"Basic " + s, s}
}

func bearerSpecimen(r *rand.Rand) specimen {
	s := pick(r, base62+"-_", 31) + pick(r, base62, 1)
	return specimen{[]string{"Authorization: Bearer ", "authorization: bearer "}[r.IntN(2)] + s, s}
}

func urlSpecimen(r *rand.Rand) specimen {
	s := pick(r, base62+"!$%-_~.", 12) + "q7"
	scheme := []string{"postgres", "https", "redis", "mongodb+srv", "amqp"}[r.IntN(5)]
	return specimen{scheme + "://app:" + s + "@db.example.com:5432/x", s}
}

func webhookSpecimen(r *rand.Rand) specimen {
	s := "T" + pick(r, base62[:36], 10) + "/B" + pick(r, base62[:36], 10) + "/" + pick(r, base62, 24)
	if r.IntN(2) == 0 {
		s = pick(r, "123456789", 18) + "/" + pick(r, base62+"-_", 67) + "x"
		return specimen{"https://discord.com/api/webhooks/" + s, s}
	}
	return specimen{"https://hooks.slack.com/services/" + s, s}
}

func sasSpecimen(r *rand.Rand) specimen {
	s := strings.NewReplacer("+", "%2B", "/", "%2F").Replace(pick(r, base64C, 43)) + "%3D"
	return specimen{"https://a.blob.core.windows.net/c/b?sv=2024-11-04&se=2026-01-01&sr=b&sp=r&sig=" + s, s}
}

func telegramSpecimen(r *rand.Rand) specimen {
	s := pick(r, base62+"-_", 32) + pick(r, base62, 1)
	return specimen{pick(r, "123456789", 9+r.IntN(2)) + ":AA" + s, s}
}

// shown returns eight characters in a row of the secret that stand in out.
func shown(secret, out string) string {
	for i := 0; i+8 <= len(secret); i++ {
		if strings.Contains(out, secret[i:i+8]) {
			return secret[i : i+8]
		}
	}
	return ""
}

// For every rule, a thousand secrets are put where secrets are met, and nothing
// of any is seen.
func TestNoSecretIsShown(t *testing.T) {
	each := 1000
	if testing.Short() || raceEnabled {
		each = 100
	}
	for name, generate := range generators() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(uint64(len(name)), 42))
			for range each {
				checkHidden(t, r, generate(r))
				if t.Failed() {
					return
				}
			}
		})
	}
}

func checkHidden(t *testing.T, r *rand.Rand, s specimen) {
	t.Helper()
	quoted, err := json.Marshal(s.text)
	if err != nil {
		t.Fatal(err)
	}
	escaped := string(quoted[1 : len(quoted)-1])
	red := redact.Default()
	// In this order: what the chunks draw decides the secrets that follow.
	for _, place := range [...][2]string{
		{"alone", s.text},
		{"in a line", "before " + s.text + " behind\n"},
		{"in quotes", `x := "` + s.text + `"`},
		{"in a list", "[" + s.text + ", 1]"},
		{"escaped", `{"text":"` + escaped + `"}`},
		{"escaped, twice", `{\"text\":\"` + strings.ReplaceAll(escaped, `\`, `\\`) + `\"}`},
		{"behind \\n", `one\n` + escaped + `\ntwo`},
		{"coloured", "\x1b[31m" + s.text + "\x1b[0m"},
	} {
		where, text := place[0], place[1]
		out := red.String(text)
		if part := shown(s.secret, out); part != "" {
			t.Errorf("%s: %q of %q is shown in %q", where, part, text, out)
		}
		if again := red.String(out); again != out {
			t.Errorf("%s: a second pass changes %q to %q", where, out, again)
		}
		if joined := inChunks(red, r, text); joined != out {
			t.Errorf("%s: in chunks %q, at once %q", where, joined, out)
		}
	}
	doc := []byte(`{"` + escaped + `":"` + escaped + `","list":["` + escaped + `",{"` + escaped + `":1}],"n":1.50}`)
	out, err := red.AppendJSON(nil, doc)
	if err != nil || !json.Valid(out) {
		t.Fatalf("AppendJSON(%s) = %s, %v", doc, out, err)
	}
	if part := shown(s.secret, string(out)); part != "" {
		t.Errorf("%q of %s is shown in %s", part, doc, out)
	}
	if joined := jsonChunks(red, r, string(doc)); joined != string(out) {
		t.Errorf("JSON in chunks %s, at once %s", joined, out)
	}
}

// inChunks sends a text through a stream in one to five chunks.
func inChunks(red *redact.Redactor, r *rand.Rand, text string) string {
	s := red.Stream()
	var out strings.Builder
	for rest := r.IntN(5); rest > 0 && text != ""; rest-- {
		n := 1 + r.IntN(len(text))
		out.WriteString(s.Push(text[:n]))
		text = text[n:]
	}
	out.WriteString(s.Push(text))
	out.WriteString(s.Flush())
	return out.String()
}

func jsonChunks(red *redact.Redactor, r *rand.Rand, text string) string {
	s := red.JSONStream()
	var out strings.Builder
	for rest := r.IntN(5); rest > 0 && text != ""; rest-- {
		n := 1 + r.IntN(len(text))
		out.WriteString(s.Push(text[:n]))
		text = text[n:]
	}
	out.WriteString(s.Push(text))
	out.WriteString(s.Flush())
	return out.String()
}

func crc(s string) uint32 { return crc32.ChecksumIEEE([]byte(s)) }
