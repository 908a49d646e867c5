package adopt_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/streamjson/streamjson/redact"
	"github.com/streamjson/streamjson/wrap/internal/adopt"
)

// A secret by its form, and one by the name above it.
const (
	token  = "ghp_R7m2Kx9Qw4Zt8Vb3Nc6Ld1Hs5Jf0Gp2abYZ1"
	hidden = "hunter2"
)

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

func textDelta(actor string, index int, text string) string {
	if actor != "" {
		actor = fmt.Sprintf(`"parent_tool_use_id":%q,`, actor)
	}
	return fmt.Sprintf(`"type":"stream_event" | %s"event":{"type":"content_block_delta","index":%d,"delta":{"type":"text_delta","text":%s}}`, actor, index, quoted(text))
}

func argsDelta(id, fragment string) string {
	return fmt.Sprintf(`"type":"stream_event" | "event":{"type":"tool_args_delta","tool_use_id":%q,"partial_json":%s}`, id, quoted(fragment))
}

func message(actor string, blocks ...string) string {
	if actor != "" {
		actor = fmt.Sprintf(`"parent_tool_use_id":%q,`, actor)
	}
	return fmt.Sprintf(`"type":"assistant" | %s"message":{"role":"assistant","content":[%s]}`, actor, strings.Join(blocks, ","))
}

func textBlock(text string) string { return `{"type":"text","text":` + quoted(text) + `}` }

func toolBlock(id, input string) string {
	return fmt.Sprintf(`{"type":"tool_use","id":%q,"name":"go","input":%s}`, id, input)
}

// leaks checks that no eight characters of a secret left.
func (a *adopted) leaks(secret string) {
	a.t.Helper()
	all := a.stdout + a.foreign + strings.Join(a.notices, "\n")
	secret = strings.TrimPrefix(secret, "ghp_")
	for i := 0; i+8 <= len(secret); i++ {
		if strings.Contains(all, secret[i:i+8]) {
			a.t.Fatalf("%q of a secret left:\n%s\n%s", secret[i:i+8], a.stdout, a.foreign)
		}
	}
}

// Redaction changes the strings in which a secret stood, and no other byte.
func TestRedactionAltersWhatIsSecretAlone(t *testing.T) {
	spelled := `"type":"system","subtype":"mine" | "a": [ 1.50, "é\/\u00e9" ] , "password":%s,"b":{"x":"` + "key %s" + `"}`
	stdout := child(fmt.Sprintf(spelled, `"`+hidden+`"`, token), success)
	want := child(fmt.Sprintf(spelled, `"[REDACTED:secret]"`, "ghp_[REDACTED:github-token]"), success)
	if a := run(t, options(), adopt.Outcome{}, stdout); a.stdout != want {
		t.Errorf("got\n%s\nwant\n%s", a.stdout, want)
	}
	o := options()
	o.Redactor = redact.None()
	if a := run(t, o, adopt.Outcome{}, stdout); a.stdout != stdout {
		t.Errorf("without redaction:\n%s", a.stdout)
	}
}

// Names that redaction makes alike are told apart, so that the line stays valid.
func TestRedactedNamesStayDifferent(t *testing.T) {
	other := strings.Replace(token, "R7m2", "A1b2", 1)
	marker := "ghp_[REDACTED:github-token]"
	for _, keys := range [][]string{{token, other, marker}, {marker, token, other}, {token, marker, other}} {
		m := fmt.Sprintf(`"type":"system","subtype":"mine" | "v":{"%s":1,"%s":2,"%s":3}`, keys[0], keys[1], keys[2])
		a := run(t, options(), adopt.Outcome{}, child(m, success)).clean()
		a.leaks(token)
		a.leaks(other)
		if v := a.lines()[1]["v"].(map[string]any); len(v) != 3 || v[marker] == nil || v[marker+"#2"] == nil || v[marker+"#3"] == nil {
			t.Errorf("%v", v)
		}
	}
}

// row 166: a secret that is split over deltas, at any place, with an event in
// between; the message that completes them says the same.
func TestSecretsSplitOverDeltas(t *testing.T) {
	text := "the key is " + token + ", keep it."
	for cut := 1; cut < len(text); cut++ {
		for cut2 := cut; cut2 < len(text); cut2 += 7 {
			a := run(t, options(), adopt.Outcome{}, child(
				textDelta("", 0, text[:cut]), running, textDelta("", 0, text[cut:cut2]), textDelta("", 0, text[cut2:]),
				message("", textBlock(text)), success)).clean()
			a.leaks(token)
			if !strings.Contains(a.stdout, "ghp_[REDACTED:github-token], keep it.") {
				t.Fatalf("cut at %d and %d:\n%s", cut, cut2, a.stdout)
			}
		}
	}
}

// What is held back of a block comes out at its end, in a line of its own, on
// the block's actor; at the end of the run, too.
func TestHeldBackTextComesOut(t *testing.T) {
	o := options()
	o.Redactor = secretive(t) // Zx81-Spectrum+
	a := run(t, o, adopt.Outcome{}, child(
		message("", toolBlock("t1", "{}")),
		textDelta("t1", 0, "I say Zx81-"), textDelta("", 0, "and Zx81-Spec"),
		message("t1", textBlock("I say Zx81-")),
		message("", textBlock("and Zx81-Spec")), success)).
		has("init assistant stream_event stream_event stream_event assistant stream_event assistant user success").clean()
	if tail := a.lines()[4]; tail["parent_tool_use_id"] != "t1" || !strings.Contains(fmt.Sprint(tail), "text:Zx81- ") {
		t.Errorf("the end of the block: %v", tail)
	}

	a = run(t, o, killed(), child(textDelta("", 0, "I say Zx81-"))).has("init stream_event stream_event interrupted").clean()
	if a.result()["result"] != "I say Zx81-" {
		t.Errorf("the result is %q", a.result()["result"])
	}
	a = run(t, o, killed(), child(textDelta("", 0, "I say Zx81-"), `"type":"stream_event" | "event":{"type":"deltas_discarded"}`)).
		has("init stream_event stream_event interrupted").clean()
	if a.result()["result"] != "" {
		t.Errorf("the result is %q", a.result()["result"])
	}
}

// The fragments of a call's arguments: every spelling stays where there is no
// secret, and where there is, what they say is what the redacted input says.
func TestSecretsInArguments(t *testing.T) {
	for _, c := range []struct {
		input   string
		secrets []string
	}{
		{input: `{"path": "go.mod",  "n": [1, 2.50e3, -0, true , null ], "é\u00e9\/": "\ud83d\ude00\n\"", "o":{}, "a":[ ]}`},
		{input: `{"text":"` + token + `"}`, secrets: []string{token}},
		{input: `{"` + token + `":1}`, secrets: []string{token}},
		{input: `{"password":"` + hidden + `abcdefgh"}`, secrets: []string{hidden + "abcdefgh"}},
		{input: `{"pass\u0077ord" : "` + `hunter2\u0061bcdefgh` + `", "x": "y"}`, secrets: []string{hidden + "abcdefgh"}},
		{input: `{"password":{"a":["hunter2abcdefgh",1234567890,true,null,{"b":"hunter2abcdefgh"}]},"c":12}`, secrets: []string{hidden + "abcdefgh", "1234567890"}},
		{input: `["x", {"api_key": 12345678901, "n": 5}]`, secrets: []string{"12345678901"}},
		{input: `["x", {"api_key": {"a":[12345678901], "b":"12345678901"}}, "tail", 7, {"n":"tail"}]`, secrets: []string{"12345678901"}},
		{input: `"just ` + token + `"`, secrets: []string{token}},
		{input: `{"a":"\ud83d","b":"\ud83d\ud83d\ude00","c":"\ud83dx","d":"\ude00","e":"\ud83d\n"}`},
	} {
		for seed := range uint64(60) {
			rnd := rand.New(rand.NewPCG(seed, 1))
			var members, fragments []string
			for rest := c.input; rest != ""; {
				n := 1 + rnd.IntN(min(len(rest), 1+int(seed)))
				for n < len(rest) && (rest[n]&0xc0 == 0x80 || len(c.secrets) == 0 && cutsEscape(c.input, len(c.input)-len(rest)+n)) {
					n++ // a delta is whole characters
				}
				fragments = append(fragments, rest[:n])
				members = append(members, argsDelta("t1", rest[:n]))
				rest = rest[n:]
			}
			members = append(members, message("", toolBlock("t1", c.input)), strings.Replace(back, "t1", "t1", 1), success)
			stdout := child(members...)
			a := run(t, options(), adopt.Outcome{}, stdout)
			if len(c.secrets) == 0 {
				if a.stdout != stdout {
					t.Fatalf("%q in %q: the bytes were changed:\n%s", c.input, fragments, a.stdout)
				}
				continue
			}
			// This holds the fragments against the input, too.
			if r := a.judge(); r.Errors > 0 {
				t.Fatalf("%v\n%s", r.Findings, a.stdout)
			}
			for _, s := range c.secrets {
				a.leaks(s)
			}
			sameArguments(t, a, c.input)
		}
	}
}

// cutsEscape reports whether an escape of s, or a pair of them that is one
// character, goes on at s[n], or could. Such a half is held back, secret or not.
func cutsEscape(s string, n int) bool {
	for i := 0; i < n; {
		size := 1
		switch {
		case s[i] == '\\' && s[i+1] != 'u':
			size = 2
		case strings.HasPrefix(s[i:], `\ud83d\ude00`):
			size = 12
		case strings.HasPrefix(s[i:], `\ud83d`) && n <= i+6:
			return true
		case s[i] == '\\':
			size = 6
		}
		if i += size; i > n {
			return true
		}
	}
	return false
}

// sameArguments checks that the joined fragments are JSON text of what package
// redact makes of the input.
func sameArguments(t *testing.T, a *adopted, input string) {
	t.Helper()
	var joined strings.Builder
	for _, m := range a.lines() {
		if e, ok := m["event"].(map[string]any); ok {
			joined.WriteString(e["partial_json"].(string))
		}
	}
	clean, err := redact.Default().AppendJSON(nil, []byte(input))
	if err != nil {
		t.Fatal(err)
	}
	var got, want any
	if err := json.Unmarshal([]byte(joined.String()), &got); err != nil {
		t.Fatalf("%v: %s", err, &joined)
	}
	if err := json.Unmarshal(clean, &want); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("the fragments say %s, the input %s", &joined, clean)
	}
}

// Arguments that are no JSON are redacted as text, and a call that never comes
// lets out what was held.
func TestArgumentsThatAreNoJSON(t *testing.T) {
	for _, text := range []string{"ls " + token, `{"a" ` + token, `{"a":"b"}} ` + token, `}` + token, `{"password":"` + hidden + `abcdefgh`, `{"password":12345678901`, `{"a":"` + token} {
		for cut := 1; cut < len(text); cut++ {
			a := run(t, options(), killed(), child(argsDelta("t1", text[:cut]), argsDelta("t1", text[cut:])))
			a.clean()
			a.leaks(token)
			a.leaks(hidden + "abcdefgh")
			a.leaks("12345678901")
		}
	}
}

// row 167: a PEM block among the events is one secret, also line by line; rows
// 163 and 164: so are headers, flags and listings of the environment.
func TestSecretsInForeignText(t *testing.T) {
	body := []string{"MIIEpAIBAAKCAQEA7bq9Zx1Kc3Lm5Np7Qr9St1Uv3Wx5Yz7", "Ab9Cd1Ef3Gh5Ij7Kl9Mn1Op3Qr5St7Uv9Wx1Yz3Ab5Cd7Ef9"}
	pem := "-----BEGIN RSA PRIVATE KEY-----\n" + body[0] + "\n" + body[1] + "\n-----END RSA PRIVATE KEY-----\n"
	a := run(t, options(), adopt.Outcome{}, initLine+"\n"+pem[:60], pem[60:]+line(1, success)+"\n").clean()
	a.leaks(body[0])
	a.leaks(body[1])
	for _, text := range []string{"curl -H 'Authorization: Bearer Zq8Wm2Xk5Vt7Rp4Nb9' --api-key=Zq8Wm2Xk5Vt7Rp4Nb9", "API_TOKEN=Zq8Wm2Xk5Vt7Rp4Nb9"} {
		a := run(t, options(), adopt.Outcome{}, text+"\n"+child(success)+text).clean()
		a.leaks("Zq8Wm2Xk5Vt7Rp4Nb9")
		if a.foreign == "" {
			t.Error("nothing on stderr")
		}
	}
}

// Ids are left alone, also where they look like a token, but for known values, which are replaced wherever the id
// stands, so that it stays one id.
func TestKnownValuesInIDs(t *testing.T) {
	const known = "Zx81-Spectrum+"
	o := options()
	o.Redactor = secretive(t)
	a := run(t, o, killed(), strings.ReplaceAll(child(
		message("", toolBlock("call "+known, "{}")), message("call "+known, toolBlock("t2", "{}"))), `"s1"`, `"session `+known+`"`)).
		has("init assistant assistant user user interrupted").clean()
	run(t, o, killed(), child(message("", toolBlock(token, "{}")))).
		has("init assistant user interrupted").clean()
	if stdout := child(message("", toolBlock(token, "{}")), strings.Replace(back, "t1", token, 1), success); run(t, o, adopt.Outcome{}, stdout).stdout != stdout {
		t.Error("an id was changed")
	}
	a.leaks(known)
	if id := a.lines()[3]["parent_tool_use_id"]; id != "call [REDACTED:known-value]" {
		t.Errorf("the actor is %v", id)
	}
}
