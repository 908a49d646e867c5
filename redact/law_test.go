package redact_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/streamjson/streamjson/redact"
)

// fragments are what texts are put together from: keywords, separators,
// secrets, halves of all of them.
var fragments = []string{
	"ghp_", "0123456789abcdefghijABCDEFGHIJ012345", "sk-", "sk-ant-", "api03-", "abcdEFGH1234", "abcdEFGH1234abcdEFGH1234abcdEFGH1234",
	"password", "passwd", "token", "api_key", "X-Api-Key", "Authorization", "authorization", "Bearer ", "Basic ", "QWxhZGRpbjpvcGVuIHNlc2FtZQ==", "Cookie",
	"=", ":", ": ", " = ", ":=", "=>", "\"", "'", "`", "\\\"", "\\", "\\n", "\n", "\r\n", " ", "  ", "\t", ",", ";", "&", "?",
	"https://", "postgres://", "user", "@", "@host/", "/", "[", "]", "{", "}", "(", ")", "<", ">", "</", "--", "-", "_", ".", "x", "X",
	"hunter2", "hunter22", "is ", "[REDACTED:", "[REDACTED:secret]", "[REDACTED:known-value]", "REDACTED", "secret]",
	"-----BEGIN", "-----BEGIN RSA PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----", "-----END", "-----END PRIVATE KEY-----",
	"MIIEowIBAAKCAQEA0Z3VS5JJcds3xfn/ygWyF8PbnGy0AHB7MhgwMbRvI0MBZhpx", "eyJhbGciOiJIUzI1NiJ9", "eyJ", "eyJzdWIiOiIxMjM0NTY3ODkwIn0",
	"dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U", "AKIA", "IOSFODNN7EXAMPLE", "SK", "0123456789abcdef0123456789abcdef", "123456789", ":AA",
	"é", "漢", "🙂", "\xff", "\xe2\x80", `p"a\s/s&<é`, `p\"a\\s\/s\u0026<\u00e9`, "p%22a%5Cs%2Fs%26%3C%C3%A9", "known value one", "known+value+one",
	"known%20value%20one", "a3Nlcg", "hooks.slack.com/services/", "T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX", "?sig=", "key", "KEY", "API_KEY",
	"DB_PASSWORD", "str", "string", "User Id=sa;", "Server=db;", "login ", "machine ", "user=bob ", " password=", "token_count", "max_tokens",
	"AGE-SECRET-KEY-1", "LS0tLS1CRUdJTi", "BSU0EgUFJJVkFURSBLRVk", "SG.", "hf_", "r8_", "key-", "npm_", "acme_", "1//0", "$", "%s", "TOKEN", "true",
	"null", "12345", "-1.5e3", "digest ", "aws4-hmac-sha256 ", "%3D", "%26", "\x1b[31m", `\u0022`, "/home/bob", "bobby", "]ab!cdef9", "9]:x/y:z@",
}

// withValues is a redactor with values that are hard: with quotes, blanks,
// brackets, the prefix of a token, and with every other option.
func withValues(t testing.TB) *redact.Redactor {
	t.Helper()
	r, warnings, err := redact.New(redact.Options{
		Values: []redact.Value{
			{Value: `p"a\s/s&<é`},
			{Value: "known value one"},
			{Value: "]ab!cdef9"},
			{Value: "9]:x/y:z@"},
			{Value: ` = "hunter9`},
			{Value: "ghp_abcd"},
		},
		HomeDir: "/home/bob", UserName: "bobby", Keys: []string{"internal id"},
		Tokens: []redact.Token{{Kind: "acme", Prefix: "acme_"}},
	})
	if err != nil || len(warnings) > 0 {
		t.Fatal(warnings, err)
	}
	return r
}

func assemble(r *rand.Rand, forms []string) string {
	var b strings.Builder
	for range 1 + r.IntN(14) {
		f := fragments[r.IntN(len(fragments))]
		switch r.IntN(12) {
		case 0:
			f = forms[r.IntN(len(forms))]
		case 1:
			f = forms[r.IntN(len(forms))]
			f = f[:r.IntN(len(f))]
		case 2:
			f = f[:r.IntN(len(f)+1)]
		case 3:
			if r.IntN(20) == 0 {
				f = strings.Repeat(f, r.IntN(400))
			}
		}
		b.WriteString(f)
	}
	return b.String()
}

// checkLaw: joined pushes and flush are String of the whole, a second pass
// changes nothing, and no more is held than is promised.
func checkLaw(t testing.TB, red *redact.Redactor, text string, sizes func(left int) int) {
	t.Helper()
	want := red.String(text)
	if again := red.String(want); again != want {
		t.Errorf("not idempotent\n text  %q\n once  %q\n twice %q", text, want, again)
	}
	s := red.Stream()
	var got []byte
	var cuts []int
	for rest := text; rest != ""; {
		n := sizes(len(rest))
		if len(cuts)%2 == 0 {
			got = append(got, s.Push(rest[:n])...)
		} else {
			got = s.Append(got, rest[:n])
		}
		if h := s.Held(); h > redact.MostHeld {
			t.Errorf("%d bytes are held of %q", h, text)
		}
		rest = rest[n:]
		cuts = append(cuts, len(text)-len(rest))
	}
	got = append(got, s.Flush()...)
	if string(got) != want {
		t.Errorf("text   %q\n cut at %v\n String %q\n Stream %q", text, cuts, want, got)
	}
}

func TestStreamIsStringForAnyText(t *testing.T) {
	texts := 20_000
	if testing.Short() || raceEnabled {
		texts = 3_000
	}
	values := withValues(t)
	forms := values.Forms()
	for seed := range texts {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		text := assemble(r, forms)
		for _, red := range []*redact.Redactor{redact.Default(), values} {
			checkLaw(t, red, text, func(int) int { return 1 })
			checkLaw(t, red, text, func(left int) int { return min(left, 1+r.IntN(1+r.IntN(40))) })
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// fixtures hold one secret of each way to be found.
var fixtures = []string{
	"my key is ghp_0123456789abcdefghijABCDEFGHIJ012345 ok",
	`curl -H 'Authorization: Bearer X1' --api-key=X2 --api-key X3 "https://u:p4ss@h/?token=x&a=b"`,
	`{"password":"hunter2","n":1,"api_key": 12345}`,
	"DB_PASSWORD=hunter2\nPATH=/bin\n", "password: hunter2\n", "user=bob password=x y=z",
	"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U, é漢🙂",
	"Cookie: sid=abcd; x=y\r\nX-Api-Key: 12345", "SK0123456789abcdef0123456789abcdef", "123456789:AAabcdefghijklmnopqrstuvwxyz1234567",
	"<password>hunter2</password>", `password: str = "hunter2"`, "[REDACTED:secret] token=[REDACTED:secret]",
}

// Each fixture is cut at every pair of places.
func TestStreamIsStringForAnyTwoCuts(t *testing.T) {
	for _, text := range fixtures {
		for i := range len(text) {
			for j := i; j < len(text); j += 1 + len(text)/40 {
				cuts := []int{i, j, len(text)}
				checkLaw(t, redact.Default(), text, func(left int) int {
					at := len(text) - left
					for _, c := range cuts {
						if c > at {
							return c - at
						}
					}
					return left
				})
			}
		}
	}
}

// A secret longer than any window is replaced and swallowed, whatever follows.
func TestLongSecretsAreSwallowed(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, text := range map[string]string{
		"token":   "x sk-ant-" + pick(r, base62, 20_000) + " end",
		"jwt":     fixtures[6][:60] + pick(r, base62, 20_000) + " end",
		"url":     "https://u:" + pick(r, base62, 9_000) + "@host/ end",
		"literal": `password = "` + pick(r, base62, 9_000) + `" end`,
		"member":  `{"password":"` + pick(r, base62, 9_000) + `\"` + pick(r, base62, 3_000) + `", "end":1}`,
		"pem":     "-----BEGIN PRIVATE KEY-----\n" + strings.Repeat(pick(r, base64C, 64)+"\n", 200) + "-----END PRIVATE KEY----- end",
	} {
		out := redact.Default().String(text)
		if len(out) > 200 || !strings.Contains(out, "[REDACTED:") || !strings.Contains(out, "end") {
			t.Errorf("%s: %d bytes are left: %.300q", name, len(out), out)
		}
		checkLaw(t, redact.Default(), text, func(left int) int { return min(left, 1+r.IntN(700)) })
	}
}

// What ends no PEM block ends it after 48 KiB: a listing that mentions a key
// does not lose all that follows.
func TestAnUnfinishedPEMBlockIsBounded(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	text := "-----BEGIN PRIVATE KEY-----\n" + strings.Repeat(pick(r, base64C, 64)+"\n", 1200) + "ordinary text\n"
	out := redact.Default().String(text)
	if !strings.HasSuffix(out, "ordinary text\n") {
		t.Errorf("the text behind it is gone: %.200q", out)
	}
	checkLaw(t, redact.Default(), text, func(left int) int { return min(left, 1+r.IntN(3000)) })
}

func FuzzStream(f *testing.F) {
	for _, text := range fixtures {
		f.Add(text, uint16(1))
		f.Add(text, uint16(7))
	}
	for _, a := range fragments {
		f.Add(a+"="+a+"\n", uint16(2))
	}
	values := withValues(f)
	f.Fuzz(func(t *testing.T, text string, size uint16) {
		r := rand.New(rand.NewPCG(uint64(size), 1))
		sizes := func(left int) int { return min(left, 1+r.IntN(1+int(size)%64)) }
		checkLaw(t, redact.Default(), text, sizes)
		checkLaw(t, values, text, sizes)
	})
}
