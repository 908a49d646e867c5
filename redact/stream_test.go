package redact_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/streamjson/streamjson/redact"
)

// Ordinary text is never held back: no prefix of a token is waited for.
func TestOrdinaryTextIsNotHeld(t *testing.T) {
	const text = "ghp sk- xoxb eyJ the token count, password and https://host/path: AKI, -----BEGIN CERTIFICATE-----. "
	s := redact.Default().Stream()
	for i := range len(text) {
		if s.Push(text[i : i+1]); s.Held() > 0 {
			t.Errorf("%d bytes are held behind %q", s.Held(), text[:i+1])
		}
	}
}

// What is held is the secret alone, and goes as soon as it is one.
func TestOnlyTheSecretIsHeld(t *testing.T) {
	s := redact.Default().Stream()
	var out strings.Builder
	step := func(chunk, want string, held int) {
		t.Helper()
		got := s.Push(chunk)
		out.WriteString(got)
		if got != want || s.Held() != held {
			t.Errorf("Push(%q) = %q with %d held, want %q with %d", chunk, got, s.Held(), want, held)
		}
	}
	step("key gh", "key gh", 0)
	step("p_", "p_", 0)
	step("0123456789abcdefghij", "", 20)
	step("ABCDEFGHIJ012345", "", 36)
	step(" and é"[:6], "[REDACTED:github-token] and ", 1)
	step("é"[1:], "é", 0)
	step(" -----BEGIN PRIVATE KEY-----\n", " -----BEGIN PRIVATE KEY-----", 1)
	step("MIIEvQIBADANBgkqhkiG9w0BAQEFAASC"+"BKcwggSj", "[REDACTED:private-key]", 7)
	step(strings.Repeat("A1b2C3d4", 100)+"\n", "", 7)
	step("-----END PRIVATE KEY-----\nbye", "\nbye", 0)
	if rest := s.Flush(); rest != "" || s.Held() != 0 {
		t.Errorf("Flush = %q", rest)
	}
	// The stream is ready for another text.
	if got := s.Push("password=") + s.Push("kJ8sQ2vXz9Lm4Tw7") + s.Flush(); got != "password=[REDACTED:secret]" {
		t.Errorf("the second text is %q", got)
	}
}

func TestNoneRedactsNothing(t *testing.T) {
	const text = "ghp_0123456789abcdefghijABCDEFGHIJ012345 password=hunter2hunter2"
	for _, r := range []*redact.Redactor{redact.None(), nil, {}} {
		s := r.Stream()
		if r.Enabled() || r.String(text) != text || s.Push(text) != text || s.Flush() != "" || r.Filter() != nil {
			t.Errorf("%v redacts", r)
		}
		out, err := r.AppendJSON(nil, []byte(`{"password": "hunter2"}`))
		if err != nil || string(out) != `{"password":"hunter2"}` {
			t.Errorf("%s, %v", out, err)
		}
		j := r.JSONStream()
		if got := j.Push(`{"token": "x`) + j.Push(`"}`) + j.Flush(); got != `{"token": "x"}` {
			t.Error(got)
		}
	}
}

// Nothing is allocated when nothing is found.
func TestNoAllocationWhenNothingIsFound(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	known := withKnown(t, "correct horse battery", "wJalrXUtnFEMI/K7MDENG", "hunter2hunter2")
	texts := []string{
		"the model reads a file and then writes", "if err != nil { return token.Position{} }", "use --token to log in, https://host/path ",
		`{"max_tokens": 100, "password": null}`, strings.Repeat("func (x *T) Key(password string) error\n", 2000),
	}
	for name, r := range map[string]*redact.Redactor{"default": redact.Default(), "known": known} {
		s := r.Stream()
		dst := make([]byte, 0, 1<<20)
		for _, text := range texts {
			dst = s.Append(dst[:0], text) // the buffer grows once
			if n := testing.AllocsPerRun(100, func() { r.String(text) }); n != 0 {
				t.Errorf("%s: String(%.30q) allocates %v times", name, text, n)
			}
			if n := testing.AllocsPerRun(100, func() { dst = s.Append(dst[:0], text) }); n != 0 {
				t.Errorf("%s: Append(%.30q) allocates %v times", name, text, n)
			}
		}
		if name == "default" {
			if n := testing.AllocsPerRun(100, func() { s.Push(texts[0]) }); n != 0 {
				t.Errorf("Push allocates %v times", n)
			}
		}
	}
}

// Texts that are made to be slow take twice the time for twice the length.
func TestAdversarialTextsTakeLinearTime(t *testing.T) {
	if raceEnabled {
		t.Skip("too slow under the race detector")
	}
	known := withKnown(t, "aaaaaaaabaaaaaaacd", "https://a:b@cde", "-----BEGIN-----x")
	for _, piece := range []string{
		"ghp_", "sk-", "sk-a1", "eyJ", "eyJ.", "-----BEGIN ", "-----BEGIN PRIVATE KEY-----", "password=", `password="`, `password='"`, "--token ", "--token=",
		"://a:", "http://u:p", "token: ", `{"token":`, `\`, `\"`, `"token\\\"`, "Bearer ", "Authorization: ", "Cookie: a=", "[REDACTED:", "[REDACTED:secret]", "aaaaaaaab",
		"hooks.slack.com/services/", "AKIA", "1:AA", "user=b password=", "Server=x;Password=", "_token", "key-", "key ", "password: str ", "\n", "é", "a", "<token>", "a=b ",
	} {
		for name, r := range map[string]*redact.Redactor{"default": redact.Default(), "known": known} {
			one := strings.Repeat(piece, 1<<18/len(piece))
			two := one + one
			ratio := 0.0
			for range 6 { // the machine is shared: the best of some will do
				a, b := fastest(func() { r.String(one) }), fastest(func() { r.String(two) })
				if ratio = float64(b) / float64(a); ratio < 3 {
					break
				}
			}
			if ratio >= 3 {
				t.Errorf("%s: 512 KiB of %q take %.1f times as long as 256 KiB", name, piece, ratio)
			}
			s := r.Stream()
			if n := len(streamed(s, one[:1<<14], 1)); n > 1<<20 {
				t.Errorf("%q grows to %d bytes", piece, n)
			}
		}
	}
}

func fastest(f func()) time.Duration {
	best := time.Duration(1<<63 - 1)
	for range 3 {
		start := time.Now()
		f()
		best = min(best, time.Since(start))
	}
	return best
}

func streamed(s *redact.Stream, text string, size int) []byte {
	var out []byte
	for len(text) > size {
		out = s.Append(out, text[:size])
		text = text[size:]
	}
	return s.AppendFlush(s.Append(out, text))
}

// A stream of any length, whatever stands in it, takes a bounded memory.
func TestAStreamIsBounded(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	s := redact.Default().Stream()
	for range 20_000 {
		s.Push(assemble(r, fragments))
		if s.Held() > redact.MostHeld {
			t.Fatalf("%d bytes are held", s.Held())
		}
	}
	if n := s.Size(); n > 512<<10 {
		t.Errorf("the stream keeps %d bytes", n)
	}
}

// The rules are not built before a keyword is met: a program that makes a
// redactor and writes ordinary text allocates the prefilter, and no more.
func TestRulesAreBuiltOnFirstNeed(t *testing.T) {
	if os.Getenv("REDACT_CHILD") != "" {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r := redact.Default()
		r.String("nothing to see in this text")
		r.Stream().Push("nor in that")
		runtime.ReadMemStats(&after)
		fmt.Printf("allocated=%d\n", after.TotalAlloc-before.TotalAlloc)
		r.String("token=x")
		runtime.ReadMemStats(&before)
		fmt.Printf("rules=%d\n", before.TotalAlloc-after.TotalAlloc)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestRulesAreBuiltOnFirstNeed$", "-test.v")
	cmd.Env = append(os.Environ(), "REDACT_CHILD=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	figure := func(name string) int {
		_, rest, _ := strings.Cut(string(out), name+"=")
		line, _, _ := strings.Cut(rest, "\n")
		n, err := strconv.Atoi(line)
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return n
	}
	if n := figure("allocated"); n > 80<<10 {
		t.Errorf("ordinary text has cost %d bytes", n)
	}
	if n := figure("rules"); n < 40<<10 {
		t.Errorf("the rules have cost %d bytes: were they built before?", n)
	}
}
