package redact_test

import (
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/streamjson/streamjson/redact"
)

// randomJSON writes a random value, with blanks where they may stand.
func randomJSON(r *rand.Rand, depth int, forms []string) string {
	blank := []string{"", "", " ", "\n\t"}[r.IntN(4)]
	switch n := r.IntN(10); {
	case depth > 4 || n < 4:
		return blank + randomString(r, forms) + blank
	case n < 5:
		return blank + []string{"0", "-1.5e+3", "12345", "true", "false", "null"}[r.IntN(6)] + blank
	case n < 7:
		var items []string
		for range r.IntN(4) {
			items = append(items, randomJSON(r, depth+1, forms))
		}
		return blank + "[" + strings.Join(items, ",") + blank + "]"
	default:
		var items []string
		for i := range r.IntN(5) {
			name := strconv.Quote(strconv.Itoa(i))
			switch r.IntN(4) {
			case 0:
				name = `"password` + strconv.Itoa(i) + `"`
			case 1:
				name = `"ghp_0123456789abcdefghijABCDEFGHIJ01234` + strconv.Itoa(i) + `"`
			}
			items = append(items, blank+name+blank+":"+randomJSON(r, depth+1, forms))
		}
		return blank + "{" + strings.Join(items, ",") + blank + "}"
	}
}

func randomString(r *rand.Rand, forms []string) string {
	quoted, _ := json.Marshal(assemble(r, forms))
	s := string(quoted)
	switch r.IntN(4) {
	case 0:
		s = strings.ReplaceAll(s, "/", `\/`)
	case 1:
		s = strings.ReplaceAll(s, "a", `\u0061`)
	case 2:
		s = s[:len(s)-1] + `\ud83d\ude42 \ud83d \ude42\udc00"`
	}
	return s
}

// checkJSONLaw: for valid JSON, the joined fragments are what AppendJSON makes
// of the whole.
func checkJSONLaw(t *testing.T, red *redact.Redactor, doc string, sizes func(left int) int) {
	t.Helper()
	s := red.JSONStream()
	var got []byte
	var cuts []int
	for rest := doc; rest != ""; {
		n := sizes(len(rest))
		got = append(got, s.Push(rest[:n])...)
		rest = rest[n:]
		cuts = append(cuts, len(doc)-len(rest))
	}
	got = append(got, s.Flush()...)
	want, err := red.AppendJSON(nil, []byte(doc))
	if err != nil {
		return // what is no JSON is only kept from panicking
	}
	if string(got) != string(want) {
		t.Errorf("JSON %q\n cut at %v\n whole  %s\n joined %s", doc, cuts, want, got)
	}
}

func TestJSONStreamIsAppendJSON(t *testing.T) {
	docs := 4_000
	if testing.Short() || raceEnabled {
		docs = 1_000
	}
	values := withValues(t)
	for seed := range docs {
		r := rand.New(rand.NewPCG(uint64(seed), 11))
		doc := randomJSON(r, 0, values.Forms())
		for _, red := range []*redact.Redactor{redact.Default(), values, redact.None()} {
			if !red.Enabled() {
				continue
			}
			checkJSONLaw(t, red, doc, func(int) int { return 1 })
			checkJSONLaw(t, red, doc, func(left int) int { return min(left, 1+r.IntN(30)) })
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// A long covered value is not kept, a long name is not waited for.
func TestJSONStreamIsBounded(t *testing.T) {
	long := strings.Repeat("0123456789abcdef", 10_000)
	for _, doc := range []string{`{"password":"` + long + `","x":1}`, `{"password":[1` + long + `,2]}`, `{"text":"token=` + long + ` end"}`} {
		checkJSONLaw(t, redact.Default(), doc, func(left int) int { return min(left, 100) })
	}
	s := redact.Default().JSONStream()
	out := s.Push(`{"`+long) + s.Push(`":1}`) + s.Flush()
	if !strings.Contains(out, "0123456789abcdef") || !strings.HasSuffix(out, `":1}`) {
		t.Errorf("a name that is too long became %.100q", out)
	}
}

// What is no JSON is redacted as text from there on.
func TestJSONStreamOfWhatIsNoJSON(t *testing.T) {
	for _, doc := range []string{
		`{"a":"b"} token=kJ8sQ2vXz9Lm4Tw7`, `not json, password: "hunter2"`, "{\"a\":\"ghp_0123456789abcdefghijABCDEFGHIJ012345\n\"}",
		`{"password":"hunter2`, `{"password":"hunter2` + "\n" + `"}`, `{"a":[1,2}`, `{"ghp_0123456789abcdefghijABCDEFGHIJ012345`, `"\ud83d`, `{"a":"\`, `]`,
	} {
		for n := 1; n < 6; n++ {
			s := redact.Default().JSONStream()
			out := ""
			for i := 0; i < len(doc); i += n {
				out += s.Push(doc[i:min(len(doc), i+n)])
			}
			out += s.Flush()
			for _, secret := range []string{"kJ8sQ2vX", "hunter2", "0123456789abcdefghij"} {
				if strings.Contains(out, secret) {
					t.Errorf("in chunks of %d: %q gives %q", n, doc, out)
				}
			}
		}
	}
}

func FuzzJSONStream(f *testing.F) {
	f.Add(`{"password":["a",{"b":1}],"x":"token=kJ8sQ2vXz9Lm4Tw7 \u00e9 \ud83d\ude42"}`, uint16(3))
	f.Add(`[1,-2.5e3,"ghp_0123456789abcdefghijABCDEFGHIJ012345",true,null,{}]`, uint16(1))
	values := withValues(f)
	f.Fuzz(func(t *testing.T, doc string, size uint16) {
		r := rand.New(rand.NewPCG(uint64(size), 2))
		checkJSONLaw(t, values, doc, func(left int) int { return min(left, 1+r.IntN(1+int(size)%32)) })
	})
}
