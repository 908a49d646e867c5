package redact_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/streamjson/streamjson/redact"
)

const aToken, hidden = "ghp_0123456789abcdefghijABCDEFGHIJ012345", "ghp_[REDACTED:github-token]"

// writes records each Write.
type writes struct {
	list  []string
	fail  error
	short bool
}

func (w *writes) Write(p []byte) (int, error) {
	w.list = append(w.list, string(p))
	if w.short {
		return len(p) - 1, nil
	}
	return len(p), w.fail
}

func TestWriterWritesWholeLines(t *testing.T) {
	var out writes
	w := redact.NewWriter(&out, redact.Default())
	for _, p := range []string{"token " + aToken + "\n", "half " + aToken[:10], aToken[10:] + " end\n", "open " + aToken} {
		if n, err := io.WriteString(w, p); n != len(p) || err != nil {
			t.Fatalf("Write(%q) = %d, %v", p, n, err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	want := []string{"token " + hidden + "\n", "half ghp_", "[REDACTED:github-token] end\n", "open ghp_", "[REDACTED:github-token]"}
	if strings.Join(out.list, "|") != strings.Join(want, "|") {
		t.Errorf("got  %q\nwant %q", out.list, want)
	}
	if _, err := io.WriteString(w, "x"); err == nil {
		t.Error("a closed writer writes")
	}
}

func TestWriterKeepsItsError(t *testing.T) {
	broken := errors.New("broken")
	out := writes{fail: broken}
	w := redact.NewWriter(&out, redact.Default())
	for range 2 {
		if n, err := io.WriteString(w, "text\n"); n != 0 || !errors.Is(err, broken) {
			t.Errorf("Write = %d, %v", n, err)
		}
	}
	if len(out.list) != 1 || !errors.Is(w.Close(), broken) {
		t.Errorf("%d writes after an error", len(out.list))
	}
	w = redact.NewWriter(&writes{short: true}, redact.Default())
	if _, err := io.WriteString(w, "text\n"); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("a short write gives %v", err)
	}
	var plain bytes.Buffer
	if n, err := io.WriteString(redact.NewWriter(&plain, redact.None()), aToken); n != len(aToken) || err != nil || plain.String() != aToken {
		t.Error(plain.String(), err)
	}
}

// Many goroutines write lines; each line comes out whole, and redacted.
func TestWriterIsSafeForConcurrentUse(t *testing.T) {
	var mu sync.Mutex
	var out bytes.Buffer
	w := redact.NewWriter(writerFunc(func(p []byte) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		return out.Write(p)
	}), redact.Default())
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 200 {
				fmt.Fprintf(w, "a line with %s in it\n", aToken)
			}
		})
	}
	wg.Wait()
	if want := strings.Repeat("a line with "+hidden+" in it\n", 1600); out.String() != want {
		t.Errorf("%.300q", out.String())
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// A child's output, read from a real pipe.
func TestWriterForAChild(t *testing.T) {
	if os.Getenv("REDACT_CHILD") == "env" {
		for _, part := range []string{"A_TOKEN=", "abc123", "\nkey ", aToken[:9], aToken[9:], "\n"} {
			os.Stdout.WriteString(part)
		}
		os.Exit(0)
	}
	var out bytes.Buffer
	w := redact.NewWriter(&out, redact.Default())
	cmd := exec.Command(os.Args[0], "-test.run=^TestWriterForAChild$")
	cmd.Env = append(os.Environ(), "REDACT_CHILD=env")
	cmd.Stdout = w
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if want := "A_TOKEN=[REDACTED:secret]\nkey " + hidden + "\n"; out.String() != want {
		t.Errorf("%q", out.String())
	}
}

func TestFilterText(t *testing.T) {
	in := "one " + aToken + "\nDB_PASSWORD=x1\r\nlast password: \"hunter2\""
	want := "one " + hidden + "\nDB_PASSWORD=[REDACTED:secret]\r\nlast password: \"[REDACTED:secret]\""
	for name, r := range map[string]io.Reader{"whole": strings.NewReader(in), "bytes": iotest.OneByteReader(strings.NewReader(in)), "data and error": iotest.DataErrReader(strings.NewReader(in))} {
		var out bytes.Buffer
		report, err := redact.Filter(context.Background(), r, &out, redact.FilterOptions{})
		if err != nil || out.String() != want {
			t.Errorf("%s: %q, %v", name, out.String(), err)
		}
		if got := report.String(); got != "github-token 1\nsecret 2\n" || report.Total() != 3 || report.Bytes != int64(len(in)) {
			t.Errorf("%s: %q, %d bytes", name, got, report.Bytes)
		}
	}
}

func TestFilterJSONLines(t *testing.T) {
	in := `{"a": 1.50,  "b":"no secret"}` + "\r\n" + `{"a" : "` + aToken + `", "password": [1, null]}` + "\r\n\n" +
		"text token=kJ8sQ2vXz9Lm4Tw7\n" + `{"broken": "` + aToken + "\n" + `{"x":"\u0067hp_0123456789abcdefghijABCDEFGHIJ012345"}`
	want := `{"a": 1.50,  "b":"no secret"}` + "\r\n" + `{"a":"` + hidden + `","password":["[REDACTED:secret]",null]}` + "\r\n\n" +
		"text token=[REDACTED:secret]\n" + `{"broken": "` + hidden + "\n" + `{"x":"` + hidden + `"}`
	var out bytes.Buffer
	report, err := redact.Filter(context.Background(), iotest.HalfReader(strings.NewReader(in)), &out, redact.FilterOptions{JSONLines: true})
	if err != nil || out.String() != want {
		t.Errorf("%v\n got  %q\n want %q", err, out.String(), want)
	}
	if report.Lines != 3 || report.Replaced["github-token"] != 3 || report.Replaced["secret"] != 2 {
		t.Errorf("%+v", report)
	}
	// A line that is too long for JSON is text.
	out.Reset()
	long := `{"a":"` + strings.Repeat("x y ", 100_000) + aToken + `"}`
	report, err = redact.Filter(context.Background(), strings.NewReader(long+"\n"+`{"token":1}`), &out, redact.FilterOptions{JSONLines: true, MaxLine: 1000})
	if want := strings.Replace(long, aToken, hidden, 1) + "\n" + `{"token":"[REDACTED:secret]"}`; err != nil || out.String() != want || report.Lines != 1 {
		t.Errorf("%v, %d lines: %.100q", err, report.Lines, out.String())
	}
}

func TestFilterErrors(t *testing.T) {
	broken := errors.New("broken")
	for _, lines := range []bool{false, true} {
		o := redact.FilterOptions{JSONLines: lines}
		var out bytes.Buffer
		_, err := redact.Filter(context.Background(), io.MultiReader(strings.NewReader("a "+aToken), iotest.ErrReader(broken)), &out, o)
		if !errors.Is(err, broken) || out.String() != "a "+hidden {
			t.Errorf("the reader's error: %q, %v", out.String(), err)
		}
		if _, err := redact.Filter(context.Background(), strings.NewReader("text\n"), &writes{fail: broken}, o); !errors.Is(err, broken) {
			t.Errorf("the writer's error: %v", err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := redact.Filter(ctx, strings.NewReader("text\n"), io.Discard, o); !errors.Is(err, context.Canceled) {
			t.Errorf("a cancelled context: %v", err)
		}
	}
}

// A hundred megabytes go through in a bounded memory, as text and as lines.
func TestFilterIsBounded(t *testing.T) {
	size := int64(100 << 20)
	if testing.Short() || raceEnabled {
		size = 8 << 20
	}
	for _, lines := range []bool{false, true} {
		peak := uint64(0)
		var written int64
		w := writerFunc(func(p []byte) (int, error) {
			if written>>22 != (written+int64(len(p)))>>22 {
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				peak = max(peak, m.HeapAlloc)
			}
			written += int64(len(p))
			return len(p), nil
		})
		report, err := redact.Filter(context.Background(), io.LimitReader(&endless{}, size), w, redact.FilterOptions{JSONLines: lines})
		if err != nil || report.Bytes != size || report.Total() == 0 {
			t.Fatalf("%+v, %v", report, err)
		}
		if peak > 64<<20 {
			t.Errorf("lines %v: %d MiB of memory for %d MiB of input", lines, peak>>20, size>>20)
		}
	}
}

// endless makes log lines, now and then with a secret, now and then without an
// end for a while.
type endless struct {
	r    *rand.Rand
	rest bytes.Buffer
}

func (e *endless) Read(p []byte) (int, error) {
	if e.r == nil {
		e.r = rand.New(rand.NewPCG(1, 1))
	}
	for e.rest.Len() < len(p) {
		w := bufio.NewWriter(&e.rest)
		switch n := e.r.IntN(1000); {
		case n == 0:
			fmt.Fprintf(w, "plain text with %s\n", aToken)
		case n == 1:
			fmt.Fprintf(w, `{"data":"%s"}`+"\n", strings.Repeat("QUJD", 20_000))
		case n < 20:
			fmt.Fprintf(w, `{"level":"info","api_key":"%d","text":"x"}`+"\n", n)
		default:
			fmt.Fprintf(w, `{"level":"info","n":%d,"text":"the model reads a file and writes the patch"}`+"\n", n)
		}
		w.Flush()
	}
	return e.rest.Read(p)
}
