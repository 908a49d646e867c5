package emit_test

import (
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/event"
	"github.com/streamjson/streamjson/redact"
)

// pieces makes fresh deltas of 20 to 60 bytes, more of them than a processor's
// branch predictor can learn by heart.
func pieces(n int) []string {
	r := rand.New(rand.NewPCG(7, 7))
	words := strings.Fields(`the model reads a file and then writes the patch which fixes broken tests in package server handler returns
		error when context is done so that callers may retry later with backoff func (s *Server) Close() error { return nil } if err != nil
		x := map[string]int{"a": 1} // see below; for i := range n { total += items[i].Count } "path/to/file.go": 42, <tag> &x != 'c' -> done.`)
	list := make([]string, n)
	for i := range list {
		var b strings.Builder
		for size := 20 + r.IntN(41); b.Len() < size; {
			b.WriteString(words[r.IntN(len(words))])
			b.WriteByte(" \n\t  "[r.IntN(5)])
		}
		list[i] = b.String()
	}
	return list
}

func benchEmitter(b *testing.B, r *redact.Redactor) *emit.Emitter {
	b.Helper()
	em, err := emit.New(context.Background(), emit.Options{
		Product: "bench", Version: "1", SessionID: "sess_01jdbench0000000000000000", Partial: true,
		Stdout: io.Discard, Stderr: io.Discard, Redactor: r,
	})
	must(b, err)
	b.Cleanup(func() { _ = em.Close() })
	return em
}

// A text delta of 20 to 60 fresh bytes, the whole way to a writer that discards
// it. The floor is a clock reading, a mutex, and a copy of as many bytes.
func BenchmarkText(b *testing.B) {
	texts := pieces(1 << 17)
	known, _, err := redact.New(redact.Options{Values: []redact.Value{
		{Name: "a", Value: "sk-live-9f8e7d6c5b4a39281706"},
		{Name: "b", Value: `p"a\s/s&<é-and-more`},
		{Name: "c", Value: "correct horse battery staple"},
		{Name: "d", Value: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"},
		{Name: "e", Value: "hunter2hunter2"},
	}})
	must(b, err)
	for _, c := range []struct {
		name string
		r    *redact.Redactor
	}{{"off", redact.None()}, {"default", redact.Default()}, {"known", known}} {
		b.Run(c.name, func(b *testing.B) {
			em := benchEmitter(b, c.r)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if _ = em.Text(0, texts[i&(len(texts)-1)]); i%1000 == 999 {
					_ = em.Emit(event.DeltasDiscarded{}) // a message ends now and then
				}
			}
		})
	}
	b.Run("floor", func(b *testing.B) {
		var mu sync.Mutex
		line, buf := make([]byte, 256), make([]byte, 0, 512)
		base := time.Now()
		var sum time.Duration
		for i := 0; b.Loop(); i++ {
			mu.Lock()
			sum += time.Since(base)
			n := 200 + len(texts[i&(len(texts)-1)])
			buf = append(buf[:0], line[:min(n, len(line))]...)
			mu.Unlock()
		}
	})
	b.Run("zerolog", func(b *testing.B) {
		log := zerolog.New(io.Discard)
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			log.Log().Str("type", "stream_event").Str("session_id", "sess_01jdbench0000000000000000").Int("seq", i).
				Str("ts", time.Now().UTC().Format("2006-01-02T15:04:05.000Z")).
				Dict("event", zerolog.Dict().Str("type", "content_block_delta").Int("index", 0).
					Dict("delta", zerolog.Dict().Str("type", "text_delta").Str("text", texts[i&(len(texts)-1)]))).Send()
		}
	})
	b.Run("encoding", func(b *testing.B) {
		type delta struct {
			Type string `json:"type"`
			Text string `json:"text"`
		}
		type event struct {
			Type  string `json:"type"`
			Index int    `json:"index"`
			Delta delta  `json:"delta"`
		}
		type line struct {
			Type      string    `json:"type"`
			SessionID string    `json:"session_id"`
			Seq       int       `json:"seq"`
			TS        time.Time `json:"ts"`
			Event     event     `json:"event"`
		}
		enc := json.NewEncoder(io.Discard)
		enc.SetEscapeHTML(false)
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			_ = enc.Encode(&line{
				"stream_event", "sess_01jdbench0000000000000000", i, time.Now(),
				event{"content_block_delta", 0, delta{"text_delta", texts[i&(len(texts)-1)]}},
			})
		}
	})
}

// A result of three models: what Finish checks and encodes before it waits. A run
// that has ended does that too, so that it can be measured.
func BenchmarkResult(b *testing.B) {
	em := benchEmitter(b, redact.None())
	must(b, em.Close())
	usage := event.Usage{InputTokens: 123456, OutputTokens: 4567, CacheRead: 100000, CacheCreation: 23456}
	cost := 0.1234567
	res := event.Result{
		Result: "All tests pass now.\n", NumTurns: 12, DurationMS: 123456, TotalCostUSD: &cost, Usage: &usage,
		ModelUsage: map[string]event.Usage{"large": usage, "middle": usage, "small": usage},
	}
	b.ReportAllocs()
	for b.Loop() {
		_ = em.Finish(res)
	}
}
