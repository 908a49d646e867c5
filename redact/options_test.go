package redact_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/streamjson/streamjson/redact"
)

// Options that are wrong are refused, and the error says what and why.
func TestWrongOptionsAreRefused(t *testing.T) {
	for want, o := range map[string]redact.Options{
		"kind":       {Tokens: []redact.Token{{Kind: "Has Capitals", Prefix: "acme_"}}},
		"characters": {Tokens: []redact.Token{{Kind: "acme", Prefix: "a"}}},
		"visible":    {Tokens: []redact.Token{{Kind: "acme", Prefix: "ac me"}}},
		"MinLen":     {Tokens: []redact.Token{{Kind: "acme", Prefix: "acme_", MinLen: 3}}},
		"32":         {Tokens: []redact.Token{{Kind: strings.Repeat("k", 33), Prefix: "acme_"}}},
		"word":       {Keys: []string{""}},
		"absolute":   {HomeDir: "~/x"},
	} {
		r, _, err := redact.New(o)
		if err == nil || r != nil || !strings.HasPrefix(err.Error(), "redact: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v gives %v, want an error with %q", o, err, want)
		}
	}
	for _, o := range []redact.Options{{HomeDir: "/a"}, {UserName: "root"}, {UserName: "bob"}} {
		if _, warnings, err := redact.New(o); err != nil || len(warnings) != 1 {
			t.Errorf("%+v gives %v, %v", o, warnings, err)
		}
	}
}

func TestTokensOfOnesOwn(t *testing.T) {
	r, _, err := redact.New(redact.Options{Tokens: []redact.Token{{Kind: "acme-key", Prefix: "acme_"}, {Kind: "x9", Prefix: "x9-", MinLen: 8}}})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"acme_kJ8sQ2vXz9Lm4Tw7":    "acme_[REDACTED:acme-key]",
		"a x9-kJ8sQ2vX.":           "a x9-[REDACTED:x9].",
		"token=x9-kJ8sQ2vX":        "token=x9-[REDACTED:x9]",
		"acme_short xacme_kJ8sQ2v": "acme_short xacme_kJ8sQ2v",
		"lax9-kJ8sQ2vX":            "lax9-kJ8sQ2vX",
		"acme_xxxxxxxxxxxxxxxxxxx": "acme_xxxxxxxxxxxxxxxxxxx",
	} {
		if out := r.String(text); out != want {
			t.Errorf("String(%q) = %q, want %q", text, out, want)
		}
		checkLaw(t, r, text, func(int) int { return 1 })
	}
}

// Hundreds of values, many with the same beginning, are all found.
func TestManyValues(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	var o redact.Options
	for i := range 400 {
		o.Values = append(o.Values, redact.Value{Value: []string{"", "same-", "sk_live_"}[i%3] + pick(r, base64C, 20)})
	}
	red, warnings, err := redact.New(o)
	if err != nil || len(warnings) > 0 {
		t.Fatal(warnings, err)
	}
	for _, v := range o.Values {
		for form, text := range writings(v.Value) {
			if out := red.String(fmt.Sprintf("<%s>", text)); out != "<[REDACTED:known-value]>" && !strings.HasPrefix(form, "base64") {
				t.Fatalf("%s: %q", form, out)
			} else if part := shown(text, out); part != "" {
				t.Fatalf("%s: %q is shown in %q", form, part, out)
			}
		}
	}
}
