package redact_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/streamjson/streamjson/redact"
)

func withKnown(t testing.TB, values ...string) *redact.Redactor {
	t.Helper()
	var o redact.Options
	for _, v := range values {
		o.Values = append(o.Values, redact.Value{Value: v})
	}
	r, warnings, err := redact.New(o)
	if err != nil || len(warnings) > 0 {
		t.Fatal(warnings, err)
	}
	return r
}

// writings are the ways in which a program may write a value.
func writings(v string) map[string]string {
	quoted, _ := json.Marshal(v)
	once := string(quoted[1 : len(quoted)-1])
	again, _ := json.Marshal(once)
	plain := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(v)
	var ascii, lower strings.Builder
	for i := range len(v) {
		if c := v[i]; c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-_.~", c) >= 0 {
			lower.WriteByte(c)
		} else {
			fmt.Fprintf(&lower, "%%%02x", c)
		}
	}
	for _, r := range v {
		if r < 0x80 && r >= ' ' && r != '"' && r != '\\' {
			ascii.WriteRune(r)
			continue
		}
		for _, u := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&ascii, `\u%04X`, u)
		}
	}
	return map[string]string{
		"raw":                      v,
		"JSON":                     once,
		"JSON, no HTML escapes":    plain,
		"JSON, solidus":            strings.ReplaceAll(plain, "/", `\/`),
		"JSON, ASCII":              ascii.String(),
		"JSON, twice":              string(again[1 : len(again)-1]),
		"URL query":                url.QueryEscape(v),
		"URL query, %20":           strings.ReplaceAll(url.QueryEscape(v), "+", "%20"),
		"URL path":                 url.PathEscape(v),
		"URL, lower case":          lower.String(),
		"hex":                      hex.EncodeToString([]byte(v)),
		"HEX":                      strings.ToUpper(hex.EncodeToString([]byte(v))),
		"base64":                   base64.StdEncoding.EncodeToString([]byte(v)),
		"base64, URL":              base64.RawURLEncoding.EncodeToString([]byte(v)),
		"base64, one byte before":  base64.StdEncoding.EncodeToString([]byte("x" + v + "yz")),
		"base64, two bytes before": base64.StdEncoding.EncodeToString([]byte("ab" + v + "y")),
		"base64, in a URL":         url.QueryEscape(base64.StdEncoding.EncodeToString([]byte("user:" + v))),
		"base64, in lines":         inLines(base64.StdEncoding.EncodeToString([]byte(v))),
	}
}

func inLines(s string) string {
	var b strings.Builder
	for len(s) > 10 {
		b.WriteString(s[:10] + "\n")
		s = s[10:]
	}
	return b.String() + s
}

// field case 170: a secret with quotes, backslashes and more is found in each
// form, and so are values of other alphabets.
func TestKnownValuesAreFoundInEachForm(t *testing.T) {
	for _, v := range []string{
		`p"a\s/s&<é`, "correct horse battery staple", "wJalrXUtnFEMI/K7MDENG+bPxRfiCY=", "ünïcödé-🙂-pass", "tab\tand\nline", "a%41+b c%", "simple-token_1234",
	} {
		r := withKnown(t, v)
		for form, text := range writings(v) {
			for _, around := range []string{"%s", "before %s behind", `{"k":"%s"}`, "x%sx", "=%s&"} {
				if strings.Contains(around, "x%s") && strings.HasPrefix(form, "base64") {
					continue // it would be another text
				}
				whole := fmt.Sprintf(around, text)
				out := r.String(whole)
				if part := shown(text, out); part != "" || !strings.Contains(out, "[REDACTED:known-value]") {
					t.Errorf("%q as %s: %q is shown in %q of %q", v, form, part, out, whole)
				}
				checkLaw(t, r, whole, func(int) int { return 1 })
			}
		}
	}
}

// Values that are made up are found in each form, too, wherever they are cut.
func TestKnownValuesOfAnyKind(t *testing.T) {
	alphabets := []string{base62, base64C + "=", "abc \"\\/<>&'é\n\t%+-_.", lowerHex}
	for seed := range 400 {
		r := rand.New(rand.NewPCG(uint64(seed), 3))
		v := strings.TrimSpace("q7" + pick(r, alphabets[seed%len(alphabets)], 8+r.IntN(60)) + "Zz")
		v = strings.ToValidUTF8(v, "é")
		red := withKnown(t, v)
		for form, text := range writings(v) {
			out := red.String("a: " + text + ".")
			if part := shown(text, out); part != "" {
				t.Fatalf("seed %d: %q as %s: %q is shown in %q of %q", seed, v, form, part, out, text)
			}
			if got := inChunks(red, r, "a: "+text+"."); got != out {
				t.Fatalf("seed %d: %q in chunks %q, at once %q", seed, text, got, out)
			}
		}
	}
}

// A value of many lines is also found line by line.
func TestKnownValuesOfManyLines(t *testing.T) {
	r := withKnown(t, "q8Zk-4jTx-0001\nw7Hv-9mQd-0002\nx\n")
	for _, text := range []string{"q8Zk-4jTx-0001\r\nw7Hv-9mQd-0002", "12\tw7Hv-9mQd-0002", `q8Zk-4jTx-0001\nw7Hv-9mQd-0002`} {
		if out := r.String(text); strings.Contains(out, "-000") {
			t.Errorf("String(%q) = %q", text, out)
		}
	}
}

// A value longer than any window is found by its beginning, and goes as far as
// it is the same.
func TestLongKnownValues(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	v := pick(r, base64C+`"é`, 9000)
	v = strings.ToValidUTF8(v, "é")
	red := withKnown(t, v)
	for form, text := range writings(v) {
		out := red.String("before " + text + " behind")
		if len(out) > 60 {
			t.Errorf("%s: %d bytes are left: %.200q", form, len(out), out)
		}
		checkLaw(t, red, "before "+text+" behind", func(left int) int { return min(left, 1+r.IntN(900)) })
	}
}

// field case 172: what would make ordinary text unreadable is no value, and
// New says so without saying the value.
func TestUnfitValuesAreIgnoredWithAWarning(t *testing.T) {
	for _, v := range []string{
		"", "{", "}", "a", "1", "true", "false", "null", `""`, "[]", "        ", `{"":{}}::`, "password", "Password", "localhost",
		"aaaaaaaaaaaa", "01010101010", "********", "short", "1234567", "[REDACTED:x]", "REDACTED", "known-value", "github-token]", strings.Repeat("long", 20000),
	} {
		r, warnings, err := redact.New(redact.Options{Values: []redact.Value{{Name: "N", Value: v}}})
		if err != nil || len(warnings) != 1 {
			t.Fatalf("New with %.20q: %d warnings, %v", v, len(warnings), err)
		}
		if w := warnings[0]; w.Name != "N" || w.Reason == "" || len(v) > 3 && strings.Contains(w.String(), v) {
			t.Errorf("the warning for %.20q is %q", v, w)
		}
		const text = `{"a":1,"b":[true,false,null,{}],"c":"aaaaaaaaaaaa localhost ******** password"}`
		if out := r.String(text); out != text {
			t.Errorf("with %.20q ordinary text becomes %q", v, out)
		}
	}
}

// field case 173: no part of a short secret is shown, in places that are made
// for secrets.
func TestShortSecretsAreReplacedWhole(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	places := map[string]string{
		"--api-key=%s": "secret", "--api-key %s": "secret", "DB_PASSWORD=%s": "secret", "?token=%s&x": "secret", `{"password":"%s"}`: "secret",
		"X-Api-Key: %s\n": "secret", "Authorization: Bearer %s\n": "bearer-token", "https://u:%s@h/": "url-password",
	}
	for n := 1; n <= 12; n++ {
		for range 100 {
			v := "7" + pick(r, "bdfghjkqz23456789", n-1)
			for place, kind := range places {
				text, want := fmt.Sprintf(place, v), fmt.Sprintf(place, "[REDACTED:"+kind+"]")
				if out := redact.Default().String(text); out != want {
					t.Fatalf("String(%q) = %q", text, out)
				}
			}
			out, err := redact.Default().AppendJSON(nil, []byte(`{"token":"`+v+`"}`))
			if err != nil || string(out) != `{"token":"[REDACTED:secret]"}` {
				t.Fatalf("%s, %v", out, err)
			}
		}
	}
}

func TestFromEnvironTakesWhatIsSecretByName(t *testing.T) {
	env := []string{
		"OPENAI_API_KEY=sk-proj-abc123abc123", "DB_PASSWORD=hunter2hunter2", "GITHUB_TOKEN=ghp_x", "PGPASSWORD=correct-horse",
		"AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG", "PATH=/usr/bin:/bin", "HOME=/root", "PWD=/srv/dir", "OLDPWD=/srv/other",
		"GOOGLE_APPLICATION_CREDENTIALS=/home/me/creds.json", "SSH_AUTH_SOCK=/tmp/agent.123", "MAX_TOKENS=1000000000", "TOKEN_FILE=/run/token",
		"API_KEY=", "MY_TOKEN=$OTHER", "X_TOKEN=<your token here>", "=C:=C:\\dir", "NOVALUE", "AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE",
	}
	var names []string
	for _, v := range redact.FromEnviron(env) {
		names = append(names, v.Name)
	}
	want := "OPENAI_API_KEY DB_PASSWORD GITHUB_TOKEN PGPASSWORD AWS_SECRET_ACCESS_KEY"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("FromEnviron took\n %s\nwant\n %s", got, want)
	}
	r, warnings, err := redact.New(redact.Options{Values: redact.FromEnviron(env)})
	if err != nil || len(warnings) != 1 || warnings[0].Name != "GITHUB_TOKEN" {
		t.Fatalf("%v, %v", warnings, err)
	}
	if out := r.String("it is hunter2hunter2."); out != "it is [REDACTED:known-value]." {
		t.Error(out)
	}
}

func TestContainsFindsKnownValuesOnly(t *testing.T) {
	r := withKnown(t, "hunter2hunter2")
	for s, want := range map[string]bool{
		"call_hunter2hunter2": true, base64.StdEncoding.EncodeToString([]byte("ahunter2hunter2")): true,
		"ghp_0123456789abcdefghijABCDEFGHIJ012345": false, "toolu_01": false, "": false,
	} {
		if got := r.Contains(s); got != want {
			t.Errorf("Contains(%q) = %v", s, got)
		}
	}
	if redact.Default().Contains("hunter2hunter2") || redact.None().Contains("x") {
		t.Error("a redactor without values has found one")
	}
}

func TestHomeAndUserAreOptional(t *testing.T) {
	const text = "/home/bobby/x and /home/bobbyx, bobby's C:\\Users\\bobby; bobbysocks"
	if out := redact.Default().String(text); out != text {
		t.Error(out)
	}
	r, _, err := redact.New(redact.Options{HomeDir: "/home/bobby/", UserName: "bobby"})
	if err != nil {
		t.Fatal(err)
	}
	const want = "~/x and /home/bobbyx, [REDACTED:user]'s C:\\Users\\[REDACTED:user]; bobbysocks"
	if out := r.String(text); out != want {
		t.Errorf("got  %q\nwant %q", out, want)
	}
	if _, _, err := redact.New(redact.Options{HomeDir: "relative/dir"}); err == nil {
		t.Error("a relative home directory was taken")
	}
}
