package redact_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/streamjson/streamjson/redact"
)

// sensitiveNames and nearMisses are the two sides of the border.
var sensitiveNames = strings.Fields(`
	password passwd Password PASSWORD pAsSwOrD db.password dbPassword DB_PASSWORD2 userpassword new_password password_confirmation
	passwordRepeat passphrase ssh-passphrase passcode PGPASSWORD MYSQL_PWD db_pass SMTP_PASS secret Secret client_secret clientSecret
	ClientSecret webhookSecret secrets shared-secret token Token TOKEN authToken auth_token access_token accessToken refresh-token
	X-Auth-Token id_token idToken csrfToken sessionToken AWS_SESSION_TOKEN GITHUB_TOKEN bot_token api_key apiKey apikey APIKEY API-KEY
	X-Api-Key x-api-key xApiKey openai_api_key OPENAI_KEY anthropic-key secret_key secretKey SECRET_KEY private_key privateKey
	private-key access_key aws_secret_access_key AccountKey SharedAccessKey signing_key encryptionKey masterKey license_key
	Ocp-Apim-Subscription-Key x-functions-key service_role_key authorization Authorization Proxy-Authorization cookie Cookie
	Set-Cookie cookies credential credentials aws.credentials creds psk bearer jwt _auth X-Registry-Auth X-Amz-Signature
	token_value password_b64 secret1 client-key-secret`)

var nearMisses = strings.Fields(`
	token_count tokenCount input_tokens output_tokens max_tokens maxTokens total_tokens tokens TOKENS prompt_tokens cached_tokens
	tokenizer tokenize token_type tokenType token_id token_ids token_url token_endpoint token_limit tokens_per_second
	page_token pageToken nextPageToken next_token NextToken continuationToken sync_token progressToken eos_token bos_token pad_token
	special_token start_token cancellationToken secretary secretariat secret_name secret_arn secretId password_hash
	password_length passwordPolicy password_file passwordless PWD OLDPWD pwd pass passed passing bypass compass key keys keyboard
	monkey public_key publicKey primary_key foreign_key sort_key cache_key storageKey key_id access_key_id AWS_ACCESS_KEY_ID
	keyword api_keyboard author authority authored authenticated authentication auth oauth auth_url authorization_url
	authorization_endpoint cookie_name cookie_policy cookieConsent credential_type credentials_file session_id
	tool_use_id id name value text content model usage role`)

func TestSensitiveNames(t *testing.T) {
	r := redact.Default()
	for _, name := range sensitiveNames {
		if !r.Covers(name) {
			t.Errorf("%s is not sensitive", name)
		}
	}
	for _, name := range nearMisses {
		if r.Covers(name) {
			t.Errorf("%s is sensitive", name)
		}
	}
}

// The names decide in JSON and in text alike.
func TestNamesDecideEverywhere(t *testing.T) {
	const value = "kJ8sQ2vXz9Lm4Tw7"
	r := redact.Default()
	for _, name := range sensitiveNames {
		for _, text := range []string{`{"` + name + `":"` + value + `"}`, name + "=" + value + "\n", name + `: "` + value + `"`, "--" + name + "=" + value, `{\"` + name + `\":\"` + value + `\"}`} {
			if name == "_auth" || strings.HasSuffix(name, "ookie") || strings.HasSuffix(name, "ookies") {
				continue // only what looks like credentials or cookies, in text
			}
			if out := r.String(text); strings.Contains(out, value) {
				t.Errorf("String(%s) = %s", text, out)
			}
		}
		doc := `{"a":{"` + name + `":["` + value + `",{"x":"` + value + `"},12345678,true,null]}}`
		out, err := r.AppendJSON(nil, []byte(doc))
		if err != nil || strings.Contains(string(out), value) || strings.Contains(string(out), "12345678") || !json.Valid(out) {
			t.Errorf("AppendJSON(%s) = %s, %v", doc, out, err)
		}
		if !strings.Contains(string(out), "true,null") {
			t.Errorf("AppendJSON(%s) = %s changes true or null", doc, out)
		}
	}
	for _, name := range nearMisses {
		for _, text := range []string{`{"` + name + `":"` + value + `"}`, name + "=" + value + "\n", "--" + name + "=" + value} {
			if out := r.String(text); out != text {
				t.Errorf("String(%s) = %s", text, out)
			}
		}
		doc := `{"` + name + `":["` + value + `",12345678]}`
		if out, err := r.AppendJSON(nil, []byte(doc)); err != nil || string(out) != doc {
			t.Errorf("AppendJSON(%s) = %s, %v", doc, out, err)
		}
	}
}

func TestNamesOfOnesOwn(t *testing.T) {
	r, _, err := redact.New(redact.Options{Keys: []string{"internal id", "pin"}})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"internalId": true, "X-Internal-ID": true, "my.pin": true, "PIN": true, "id": false, "spin": false, "pinned": false} {
		if r.Covers(name) != want {
			t.Errorf("Covers(%s) = %v", name, !want)
		}
	}
	if _, _, err := redact.New(redact.Options{Keys: []string{"--"}}); err == nil {
		t.Error("a name without words was taken")
	}
}

// contexts: what is taken in each place, and what is not.
func TestTextRules(t *testing.T) {
	const s, p, b = "[REDACTED:secret]", "[REDACTED:url-password]", "[REDACTED:bearer-token]"
	for text, want := range map[string]string{
		// Flags and arguments: any value.
		"cmd --api-key X":               "cmd --api-key " + s,
		"cmd --api-key=X -v":            "cmd --api-key=" + s + " -v",
		`cmd --password "a b" x`:        `cmd --password "` + s + `" x`,
		`["--token","abc"]`:             `["--token","` + s + `"]`,
		"cmd -token=abc":                "cmd -token=" + s,
		"cmd --token --verbose":         "cmd --token --verbose",
		"use --token to log in":         "use --token to log in",
		"  --token string   a token":    "  --token string   a token",
		"--token TOKEN, --password <p>": "--token TOKEN, --password <p>",
		"cmd --token $TOKEN":            "cmd --token $TOKEN",
		"cmd --token ${X:-y}":           "cmd --token ${X:-y}",
		"--max-tokens 100":              "--max-tokens 100",
		// Environments.
		"A_TOKEN=x\nB=y":           "A_TOKEN=" + s + "\nB=y",
		"export DB_PASSWORD='a b'": "export DB_PASSWORD='" + s + "'",
		"API_KEY=$(cat f) cmd":     "API_KEY=$(cat f) cmd",
		"PWD=/root":                "PWD=/root",
		// Queries and user names.
		"https://h/?token=a1&b=c":      "https://h/?token=" + s + "&b=c",
		"https://h/?a=b&amp;api_key=c": "https://h/?a=b&amp;api_key=" + s,
		"https://user:pw4x@h:80/":      "https://user:" + p + "@h:80/",
		"redis://:pw4x@h":              "redis://:" + p + "@h",
		"https://u:p@4@h/":             "https://u:" + p + "@h/",
		"https://h:8080/@x":            "https://h:8080/@x",
		"git@github.com:a/b.git":       "git@github.com:a/b.git",
		"http://user:password@host":    "http://user:password@host",
		"http://[::1]:80/a@b":          "http://[::1]:80/a@b",
		// Headers.
		"X-Api-Key: 12345\r\nA: b":                                   "X-Api-Key: " + s + "\r\nA: b",
		"Authorization: Bearer X":                                    "Authorization: Bearer " + b,
		"authorization: token abc":                                   "authorization: token " + s,
		"Authorization: abc\n":                                       "Authorization: " + s + "\n",
		"Authorization: Digest username=\"a\", response=\"b\"\nX: y": "Authorization: Digest " + s + "\nX: y",
		"Authorization: required":                                    "Authorization: required",
		"Cookie: a=b; c=d\nE: f":                                     "Cookie: " + s + "\nE: f",
		"Cookie: a small piece":                                      "Cookie: a small piece",
		`-H "Cookie: a=b" -v`:                                        `-H "Cookie: ` + s + `" -v`,
		// Pairs and fields.
		"host=h user=u password=p dbname=d":      "host=h user=u password=" + s + " dbname=d",
		"Server=s;User Id=sa;Password=a b;X=y":   "Server=s;User Id=sa;Password=" + s + ";X=y",
		"machine h login me password pw4 port 1": "machine h login me password " + s + " port 1",
		"<password>hunter2</password>":           "<password>" + s + "</password>",
		"password: hunter2\nuser: me":            "password: " + s + "\nuser: me",
		"  - password: 'hunter2'":                "  - password: '" + s + "'",
		"password: string\n":                     "password: string\n",
		// JSON in a text.
		`{"password": 12345}`:          `{"password": "` + s + `"}`,
		`{\"pin\":1,\"secret\":12}`:    `{\"pin\":1,\"secret\":\"` + s + `\"}`,
		`{"token":null,"secret":true}`: `{"token":null,"secret":true}`,
		`{"token":"a b","x":"y"}`:      `{"token":"` + s + `","x":"y"}`,
		`{"auth":"dXNlcjpwYXNz"}`:      `{"auth":"[REDACTED:basic-auth]"}`,
		`{"auth":"required"}`:          `{"auth":"required"}`,
		// Code: literals after password from 6, others when they look random.
		`password = "hunter2"`:                   `password = "` + s + `"`,
		`password := "abc"`:                      `password := "abc"`,
		`password: str = "hunter2"`:              `password: str = "` + s + `"`,
		`var dbPassword string = "hunter2"`:      `var dbPassword string = "` + s + `"`,
		`password = "enter your password"`:       `password = "enter your password"`,
		`token = "hello-world-token"`:            `token = "hello-world-token"`,
		`token = "kJ8sQ2vXz9Lm4Tw7"`:             `token = "` + s + `"`,
		`config["api_key"] = "kJ8sQ2vXz9Lm4Tw7"`: `config["api_key"] = "` + s + `"`,
		`if token == "kJ8sQ2vXz9Lm4Tw7" {`:       `if token == "kJ8sQ2vXz9Lm4Tw7" {`,
		// Free text: 12 characters, digits and letters, no name, path or call.
		"the token is kJ8sQ2vXz9Lm4Tw7.":    "the token is " + s + ".",
		"token: kJ8sQ2vXz9Lm4Tw7, then":     "token: " + s + ", then",
		"token: kJ8sQ2v":                    "token: kJ8sQ2v",
		"token = getToken2FromServer()":     "token = getToken2FromServer()",
		"token = sha256sum_of_the_file2":    "token = sha256sum_of_the_file2",
		"secret: /etc/ssl/private/key2.pem": "secret: /etc/ssl/private/key2.pem",
		"secret = 0x1234567890ab":           "secret = 0x1234567890ab",
		"token: 2024-01-02T03:04:05Z":       "token: 2024-01-02T03:04:05Z",
		"api_key = os.Getenv(\"X\")":        "api_key = os.Getenv(\"X\")",
		"token.Position{1, 2}":              "token.Position{1, 2}",
	} {
		if out := redact.Default().String(text); out != want {
			t.Errorf("text %s\n got  %s\n want %s", text, out, want)
		}
		checkLaw(t, redact.Default(), text, func(int) int { return 1 })
	}
}

func TestArgs(t *testing.T) {
	args := []string{"curl", "-H", "Authorization: Bearer X", "--api-key=X", "--api-key", "X", "-u", "me:pw", "--token", "--v", "A_TOKEN=x", "https://u:p4@h/", "-n", "5"}
	want := []string{"curl", "-H", "Authorization: Bearer [REDACTED:bearer-token]", "--api-key=[REDACTED:secret]", "--api-key", "[REDACTED:secret]", "-u", "me:[REDACTED:secret]", "--token", "--v", "A_TOKEN=[REDACTED:secret]", "https://u:[REDACTED:url-password]@h/", "-n", "5"}
	if got := redact.Default().Args(args); strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if args[3] != "--api-key=X" {
		t.Error("the arguments themselves were changed")
	}
}
