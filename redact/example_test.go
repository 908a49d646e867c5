package redact_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/streamjson/streamjson/redact"
)

func ExampleRedactor_String() {
	r := redact.Default()
	fmt.Println(r.String("curl -H 'Authorization: Bearer kJ8sQ2vXz9Lm4Tw7' https://me:pw4x@host/"))
	fmt.Println(r.String("max_tokens=100, the token count is 12"))
	// Output:
	// curl -H 'Authorization: Bearer [REDACTED:bearer-token]' https://me:[REDACTED:url-password]@host/
	// max_tokens=100, the token count is 12
}

func ExampleNew() {
	environ := []string{"DB_PASSWORD=correct horse battery", "PATH=/usr/bin", "API_TOKEN=short"}
	r, warnings, err := redact.New(redact.Options{
		Values: redact.FromEnviron(environ),
		Keys:   []string{"internal id"},
		Tokens: []redact.Token{{Kind: "acme-key", Prefix: "acme_"}},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, w := range warnings {
		fmt.Println("warning:", w)
	}
	fmt.Println(r.String("base64 of it: Y29ycmVjdCBob3JzZSBiYXR0ZXJ5"))
	fmt.Println(r.String("--internal-id 17 acme_kJ8sQ2vXz9Lm4Tw7"))
	// Output:
	// warning: API_TOKEN: not redacted: it has 5 bytes, and less than 8 would be found in ordinary text
	// base64 of it: [REDACTED:known-value]
	// --internal-id 17 acme_[REDACTED:acme-key]
}

func ExampleRedactor_Stream() {
	s := redact.Default().Stream()
	for _, chunk := range []string{"the key is gh", "p_0123456789abcdefghij", "ABCDEFGHIJ012345", ", keep it"} {
		fmt.Printf("%q\n", s.Push(chunk))
	}
	fmt.Printf("%q\n", s.Flush())
	// Output:
	// "the key is gh"
	// "p_"
	// ""
	// "[REDACTED:github-token], keep it"
	// ""
}

func ExampleRedactor_AppendJSON() {
	out, err := redact.Default().AppendJSON(nil, []byte(`{"auth": {"client_secret": "x", "pin": 1}, "text": "token=\u006bJ8sQ2vXz9Lm4Tw7"}`))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(out))
	// Output:
	// {"auth":{"client_secret":"[REDACTED:secret]","pin":1},"text":"token=[REDACTED:secret]"}
}

func ExampleFilter() {
	in := strings.NewReader(`{"msg":"login","password":"hunter2"}` + "\n")
	report, err := redact.Filter(context.Background(), in, os.Stdout, redact.FilterOptions{JSONLines: true})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(report)
	// Output:
	// {"msg":"login","password":"[REDACTED:secret]"}
	// secret 1
}
