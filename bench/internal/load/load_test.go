package load_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/streamjson/streamjson/bench/internal/corpus"
	"github.com/streamjson/streamjson/bench/internal/load"
	"github.com/streamjson/streamjson/bench/internal/rival"
)

// TestMain also is the reader of a pipe.
func TestMain(m *testing.M) {
	load.ServeReader()
	// A reader under the race detector would sleep for a second at its end.
	os.Setenv("GORACE", os.Getenv("GORACE")+" atexit_sleep_ms=0")
	goleak.VerifyTestMain(m)
}

// stream returns n lines in order.
func stream(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(`{"type":"x","seq":%d,"text":"\"seq\":0"}`+"\n", i)
	}
	return list
}

// verdict has a Checker read s in pieces of the given size.
func verdict(s string, piece int, least, most uint64, ending string) error {
	var c load.Checker
	for len(s) > 0 {
		n := min(piece, len(s))
		_, _ = c.Write([]byte(s[:n]))
		s = s[n:]
	}
	return c.End(least, most, ending)
}

func TestCheckerAcceptsAStreamInPiecesOfAnySize(t *testing.T) {
	s := strings.Join(stream(1200), "") // numbers of one to four digits
	for _, piece := range []int{1, 2, 7, 43, 4096, len(s)} {
		if err := verdict(s, piece, 1200, 1200, `"seq":1199`); err != nil {
			t.Errorf("pieces of %d bytes: %v", piece, err)
		}
	}
}

// TestCheckerCatchesPlantedFaults changes a stream that is right in each way
// in which a broken emitter could.
func TestCheckerCatchesPlantedFaults(t *testing.T) {
	const n = 600
	for name, plant := range map[string]func([]string) []string{
		"two lines swapped":   func(l []string) []string { l[40], l[41] = l[41], l[40]; return l },
		"a line lost":         func(l []string) []string { return append(l[:40], l[41:]...) },
		"the last line lost":  func(l []string) []string { return l[:n-1] },
		"a line twice":        func(l []string) []string { l[41] = l[40]; return l },
		"a line too many":     func(l []string) []string { return append(l, strings.Replace(l[1], "1", "600", 1)) },
		"a line in another":   func(l []string) []string { l[40] = l[40][:20] + l[41] + l[40][20:]; l[41] = ""; return l },
		"a line cut":          func(l []string) []string { l[40] = l[40][:20] + "\n"; return l },
		"no newline at last":  func(l []string) []string { l[n-1] = strings.TrimSpace(l[n-1]); return l },
		"a blank line":        func(l []string) []string { l[40] += "\n"; return l },
		"no seq":              func(l []string) []string { l[40] = "{}\n"; return l },
		"seq that is none":    func(l []string) []string { l[40] = `{"type":"x","seq":}` + "\n"; return l },
		"invalid JSON":        func(l []string) []string { l[256] = `{"type":"x","seq":256,}` + "\n"; return l },
		"beginning not at 0":  func(l []string) []string { return l[1:] },
		"another ending":      func(l []string) []string { l[n-1] = strings.Replace(l[n-1], `"x"`, `"y"`, 1); return l },
		"nothing at all":      func([]string) []string { return nil },
		"seq beyond 64 bits":  func(l []string) []string { l[40] = `{"seq":99999999999999999999}` + "\n"; return l },
		"carriage return end": func(l []string) []string { l[40] = strings.Replace(l[40], "\n", "\r\n", 1); return l },
	} {
		s := strings.Join(plant(stream(n)), "")
		for _, piece := range []int{13, 4096} {
			if err := verdict(s, piece, n, n, `"x"`); err == nil {
				t.Errorf("%s: nothing was noticed", name)
			}
		}
	}
}

func texts(t *testing.T) *corpus.Corpus {
	t.Helper()
	c, err := corpus.New(corpus.Code, 256<<10)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestOrderHoldsInEverySink runs all encoders that matter with several writers.
func TestOrderHoldsInEverySink(t *testing.T) {
	text := texts(t)
	encoders := []load.Encoder{
		encoder(t, load.Ours, load.Durable, false), encoder(t, load.Ours, load.Burst, false), encoder(t, load.Ours, load.Durable, true),
		encoder(t, load.LockWrite, load.Durable, false), encoder(t, rival.Zerolog, load.Durable, false),
		encoder(t, rival.Slog, load.Durable, false),
	}
	for _, sink := range load.Sinks() {
		for _, e := range encoders {
			res, err := load.Run(load.Config{
				Encoder: e, Sink: sink, Writers: 4, Duration: 30 * time.Millisecond, Check: true, Corpus: text, Size: corpus.Delta,
			})
			if err != nil {
				t.Errorf("%v", err)
				continue
			}
			if !res.Checked || res.Calls == 0 || res.LinesPerSecond <= 0 || res.BytesPerSecond < res.LinesPerSecond || res.P50 > res.P999 || res.P999 > res.Longest {
				t.Errorf("%s to %s: %+v", e.Name, sink, res)
			}
		}
	}
}

func encoder(t *testing.T, name string, mode load.Mode, redacting bool) load.Encoder {
	t.Helper()
	e, err := load.EncoderOf(name, mode, redacting)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestRateIsKept looks at the number of lines, which a machine under load can
// only make smaller.
func TestRateIsKept(t *testing.T) {
	const rate, d = 500, 200 * time.Millisecond
	idle := false
	res, err := load.Run(load.Config{
		Encoder: encoder(t, load.Ours, load.Durable, false), Sink: load.Discard, Writers: 5, Duration: d, Rate: rate,
		Corpus: texts(t), Size: corpus.Delta, Idle: func() { idle = true },
	})
	if err != nil {
		t.Fatal(err)
	}
	// The timer may be late on a busy machine, and every writer has one turn
	// at once; but a rate that isn't kept would give a hundred times as many.
	if res.Calls == 0 || res.Calls > 50*rate || !idle {
		t.Errorf("%d calls at %d a second; idle: %v", res.Calls, rate, idle)
	}
	if res.Checked {
		t.Error("the order was not to be checked")
	}
}

func TestBadConfigurationsAreRefused(t *testing.T) {
	good := load.Config{
		Encoder: encoder(t, load.LockWrite, load.Durable, false), Sink: load.Discard, Writers: 1, Duration: time.Millisecond,
		Corpus: texts(t), Size: corpus.Delta,
	}
	for name, change := range map[string]func(*load.Config){
		"no writer":     func(c *load.Config) { c.Writers = 0 },
		"no time":       func(c *load.Config) { c.Duration = 0 },
		"negative rate": func(c *load.Config) { c.Rate = -1 },
		"no size":       func(c *load.Config) { c.Size = 0 },
		"no corpus":     func(c *load.Config) { c.Corpus = nil },
		"unknown sink":  func(c *load.Config) { c.Sink = "drain" },
	} {
		c := good
		change(&c)
		if _, err := load.Run(c); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for _, e := range []struct {
		name      string
		mode      load.Mode
		redacting bool
	}{{"cobol", load.Durable, false}, {load.Ours, "fast", false}, {rival.Zerolog, load.Burst, false}, {load.LockWrite, load.Durable, true}} {
		if _, err := load.EncoderOf(e.name, e.mode, e.redacting); err == nil {
			t.Errorf("%+v: no error", e)
		}
	}
	for _, name := range load.Names() {
		if _, err := load.EncoderOf(name, load.Durable, false); err != nil {
			t.Error(err)
		}
	}
}
