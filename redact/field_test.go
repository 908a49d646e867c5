package redact_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/streamjson/streamjson/redact"
)

// Rows of section M of the field cases, as far as this package goes: secrets
// and redaction.

// field case 163: a secret in the arguments of a command.
func TestFieldCase163SecretInArgv(t *testing.T) {
	const line = `curl -H 'Authorization: Bearer X' --api-key=X --api-key X`
	const want = `curl -H 'Authorization: Bearer [REDACTED:bearer-token]' --api-key=[REDACTED:secret] --api-key [REDACTED:secret]`
	if out := redact.Default().String(line); out != want {
		t.Errorf("as a line %q", out)
	}
	args := redact.Default().Args([]string{"curl", "-H", "Authorization: Bearer X", "--api-key=X", "--api-key", "X"})
	if out := strings.Join(args, " "); out != strings.ReplaceAll(want, "'", "") {
		t.Errorf("as arguments %q", out)
	}
}

// field case 164: a tool call that prints the environment.
func TestFieldCase164EnvironmentDump(t *testing.T) {
	r := rand.New(rand.NewPCG(164, 1))
	var dump strings.Builder
	var secrets []string
	for _, v := range []struct{ name, prefix, chars string }{
		{"OPENAI_API_KEY", "sk-proj-", base62},
		{"ANTHROPIC_API_KEY", "sk-ant-api03-", base62},
		{"GITHUB_TOKEN", "ghp_", base62},
		{"AWS_SECRET_ACCESS_KEY", "", base64C},
		{"DATABASE_URL", "postgres://app:", base62},
	} {
		secret := pick(r, v.chars, 40)
		secrets = append(secrets, secret)
		dump.WriteString("LANG=C.UTF-8\n" + v.name + "=" + v.prefix + secret)
		if v.name == "DATABASE_URL" {
			dump.WriteString("@db/app")
		}
		dump.WriteString("\n")
	}
	out := redact.Default().String(dump.String())
	for _, secret := range secrets {
		if part := shown(secret, out); part != "" {
			t.Errorf("%q is shown in %s", part, out)
		}
	}
	if strings.Count(out, "\n") != 10 || strings.Count(out, "LANG=C.UTF-8") != 5 {
		t.Errorf("the listing is not what it was: %s", out)
	}
	checkLaw(t, redact.Default(), dump.String(), func(int) int { return 1 })
}

// field case 166: a secret in two halves, and in three.
func TestFieldCase166SplitOverEvents(t *testing.T) {
	const text = "the key is ghp_0123456789abcdefghijABCDEFGHIJ012345."
	for i := range len(text) {
		for j := i; j <= len(text); j++ {
			s := redact.Default().Stream()
			out := s.Push(text[:i]) + s.Push("") + s.Push(text[i:j]) + s.Push(text[j:]) + s.Flush()
			if out != "the key is ghp_[REDACTED:github-token]." {
				t.Fatalf("cut at %d and %d: %q", i, j, out)
			}
		}
	}
}

// field case 167: a PEM key with LF, with CRLF, as a JSON string, line by line.
func TestFieldCase167MultiLineSecret(t *testing.T) {
	r := rand.New(rand.NewPCG(167, 1))
	for _, end := range []string{"\n", "\r\n", `\n`, `\\n`, " ", "\n    12\t", "\n     7→", `\n" +` + "\n\t\""} {
		text, body := pemBlock(r, end)
		out := redact.Default().String("key: " + text + "\nbehind")
		if part := shown(body, out); part != "" || !strings.HasSuffix(out, "\nbehind") || !strings.Contains(out, "PRIVATE KEY-----[REDACTED:private-key]") {
			t.Errorf("with %q: %q is shown in %q", end, part, out)
		}
		checkLaw(t, redact.Default(), "key: "+text+"\nbehind", func(int) int { return 1 })
	}
	text, body := pemBlock(r, "\n")
	s := redact.Default().Stream()
	var out strings.Builder
	for line := range strings.Lines(text + "\nbehind\n") {
		out.WriteString(s.Push(line))
	}
	out.WriteString(s.Flush())
	if part := shown(body, out.String()); part != "" {
		t.Errorf("line by line: %q is shown in %q", part, out.String())
	}
	quoted, _ := json.Marshal(map[string]string{"k": text})
	doc, err := redact.Default().AppendJSON(nil, quoted)
	if err != nil || shown(body, string(doc)) != "" {
		t.Errorf("as JSON: %s, %v", doc, err)
	}
}

// field case 169: redaction stays inside of strings.
func TestFieldCase169StructureStays(t *testing.T) {
	for doc, want := range map[string]string{
		`{"Cookie":{"s":"abc"}}`:                                                                      `{"Cookie":{"s":"[REDACTED:secret]"}}`,
		`{"X-Api-Key":12345}`:                                                                         `{"X-Api-Key":"[REDACTED:secret]"}`,
		`{"tokens":["Bearer kJ8sQ2vXz9Lm4Tw7"]}`:                                                      `{"tokens":["Bearer [REDACTED:bearer-token]"]}`,
		`["Bearer kJ8sQ2vXz9Lm4Tw7","Bearer kJ8sQ2vXz9Lm4Tw8",{}]`:                                    `["Bearer [REDACTED:bearer-token]","Bearer [REDACTED:bearer-token]",{}]`,
		`{"a":"password=","b":"kJ8sQ2vXz9Lm4Tw7"}`:                                                    `{"a":"password=","b":"kJ8sQ2vXz9Lm4Tw7"}`,
		`{"password":["a",{"b":[1,-2.5e3,true,null,""]}],"n":1.50}`:                                   `{"password":["[REDACTED:secret]",{"b":["[REDACTED:secret]","[REDACTED:secret]",true,null,""]}],"n":1.50}`,
		`{"\u0070assword":"\u0067hp_x"}`:                                                              `{"password":"[REDACTED:secret]"}`,
		`{"t":"\u0067hp_0123456789abcdefghijABCDEFGHIJ012345"}`:                                       `{"t":"ghp_[REDACTED:github-token]"}`,
		`{"ghp_0123456789abcdefghijABCDEFGHIJ012345":1,"ghp_0123456789abcdefghijABCDEFGHIJ012346":2}`: `{"ghp_[REDACTED:github-token]":1,"ghp_[REDACTED:github-token]#2":2}`,
	} {
		out, err := redact.Default().AppendJSON(nil, []byte(doc))
		if err != nil || string(out) != want {
			t.Errorf("AppendJSON(%s)\n got  %s, %v\n want %s", doc, out, err, want)
		}
		again, err := redact.Default().AppendJSON(nil, out)
		if err != nil || string(again) != string(out) && !strings.Contains(want, "#2") {
			t.Errorf("a second pass changes %s to %s, %v", out, again, err)
		}
		for n := 1; n < 5; n++ {
			s := redact.Default().JSONStream()
			got := ""
			for i := 0; i < len(doc); i += n {
				got += s.Push(doc[i:min(len(doc), i+n)])
			}
			if got += s.Flush(); got != want {
				t.Errorf("in chunks of %d: %s, want %s", n, got, want)
			}
		}
	}
	if out, err := redact.Default().AppendJSON([]byte("x"), []byte(`{"a":1,}`)); err == nil || string(out) != "x" {
		t.Errorf("invalid JSON gave %s, %v", out, err)
	}
}

// The same secret gives the same text, wherever it stands.
func TestTheSameSecretGivesTheSameText(t *testing.T) {
	const token, want = "ghp_0123456789abcdefghijABCDEFGHIJ012345", "ghp_[REDACTED:github-token]"
	for _, pattern := range []string{"%s", "token=%s", `{"password":"%s"}`, "--api-key %s", "Authorization: Bearer %s\n", "A_TOKEN=%s\n", "<token>%s</token>", "?token=%s&a=b", "X-Api-Key: %s\n", "the token is %s."} {
		if out := redact.Default().String(fmt.Sprintf(pattern, token)); out != fmt.Sprintf(pattern, want) {
			t.Errorf("%s gives %s", pattern, out)
		}
	}
	out, err := redact.Default().AppendJSON(nil, []byte(`{"token":"`+token+`","a":["Bearer `+token+`"]}`))
	if err != nil || string(out) != `{"token":"`+want+`","a":["Bearer `+want+`"]}` {
		t.Errorf("%s, %v", out, err)
	}
}
